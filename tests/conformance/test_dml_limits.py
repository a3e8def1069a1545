"""DML statements over the mutation limit, which clients repeat as partitioned DML."""

import pytest

import spanemu
from tests.conformance.raw import AE, IA, REPEATABLE, RW, insert, refused, rows_of

TOO_MANY = "The transaction contains too many mutations."
LIMIT = 10


@pytest.fixture
def session(limited):
    """Return a session of a database with five rows of two columns in T, and none in U."""
    limited.ddl(
        "CREATE TABLE T (k INT64, v INT64) PRIMARY KEY (k)",
        "CREATE TABLE U (k INT64, v INT64) PRIMARY KEY (k)",
        "CREATE NULL_FILTERED INDEX UByV ON U (v)",
        "CREATE TABLE P (k INT64) PRIMARY KEY (k)",
        "CREATE TABLE C (k INT64, n INT64) PRIMARY KEY (k, n),"
        " INTERLEAVE IN PARENT P ON DELETE CASCADE",
    )
    session = limited.session()
    for number in range(1, 7):
        session.commit(None, insert("T", "k v", (number, 0)))
    return session


pytestmark = pytest.mark.parametrize("limited", [{"mutations_per_commit": LIMIT}], indirect=True)


STATEMENTS = {
    "insert of other keys": "INSERT INTO T (k, v) SELECT k + 100, v FROM T",
    "insert of the same keys": "INSERT INTO T (k, v) SELECT k, v FROM T",
    "insert of the first key": "INSERT INTO T (k, v) SELECT IF(k = 1, 1, k + 100), v FROM T",
    "insert of the last key": "INSERT INTO T (k, v) SELECT IF(k = 6, 6, k + 100), v FROM T",
    "insert of one key twice": "INSERT INTO T (k, v) SELECT 100 + DIV(k, 2), v FROM T",
    "insert of given rows": "INSERT INTO T (k, v) VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (7, 0)",
    "insert that returns rows": "INSERT INTO T (k, v) SELECT k, v FROM T THEN RETURN k",
    "insert or update": "INSERT OR UPDATE INTO T (k, v) SELECT k, 1 FROM T",
    "insert or ignore": "INSERT OR IGNORE INTO T (k, v) SELECT k + 100, v FROM T",
    "update": "UPDATE T SET v = 1 WHERE TRUE",
    "update that returns rows": "UPDATE T SET v = 1 WHERE TRUE THEN RETURN k",
    "entries of an index": "INSERT INTO U (k, v) SELECT k, 7 FROM T WHERE k <= 4",
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_statement_over_the_limit_fails_and_its_transaction_continues(session, name):
    begun = session.begin().id
    session.dml("UPDATE T SET v = 5 WHERE k = 1", begun)
    with refused(IA, match=TOO_MANY):
        session.dml(STATEMENTS[name], begun)
    session.dml("UPDATE T SET v = 6 WHERE k = 2", begun)
    assert rows_of(session.sql("SELECT SUM(v) FROM T", begun)) == [["11"]]
    session.commit(begun)
    assert session.rows("T", "k v")[:2] == [["1", "5"], ["2", "6"]]
    assert len(session.rows("T", "k")) == 6
    assert session.rows("U", "k") == []


def test_deleted_rows_count(session):
    for number in range(1, LIMIT + 2):
        session.commit(None, insert("U", "k", (number,)))
    begun = session.begin().id
    with refused(IA, match=TOO_MANY):
        session.dml("DELETE FROM U WHERE TRUE", begun)
    session.dml("DELETE FROM U WHERE k > 1", begun)
    session.commit(begun)
    assert session.rows("U", "k") == [["1"]]


def test_a_collision_counts_the_entry_of_its_row(session):
    session.commit(None, insert("U", "k v", (1, 7)))
    begun = session.begin().id
    # Three mutations each, of which the fourth row has the tenth.
    with refused(IA, match=TOO_MANY):
        session.dml("INSERT INTO U (k, v) SELECT k, 8 FROM T WHERE k <= 4", begun)
    with refused(AE):
        session.dml("INSERT INTO U (k, v) SELECT k, 8 FROM T WHERE k <= 3", begun)


def test_a_collision_below_the_limit_is_the_error(session):
    begun = session.begin().id
    with refused(AE):
        session.dml("INSERT INTO T (k, v) SELECT k, v FROM T WHERE k <= 5", begun)


def test_a_batch_stops_at_the_limit_and_its_transaction_continues(session):
    begun = session.begin().id
    reply = session.batch(
        {"id": begun},
        "UPDATE T SET v = 5 WHERE k = 1",
        STATEMENTS["insert of the same keys"],
        "UPDATE T SET v = 6 WHERE k = 2",
    )
    assert reply.status.code == IA.grpc_status_code.value[0]
    assert TOO_MANY in reply.status.message
    assert len(reply.result_sets) == 1
    session.commit(begun)
    assert session.rows("T", "v")[:2] == [["5"], ["0"]]


def test_the_same_request_gets_the_same_answer(session):
    begun = session.begin().id
    for _ in range(2):
        with refused(IA, match=TOO_MANY):
            session.sql(STATEMENTS["update"], begun, seqno=1)


def test_statements_below_the_limit_are_counted_together_by_the_commit(session):
    begun = session.begin().id
    session.dml("UPDATE T SET v = 1 WHERE k <= 3", begun)
    session.dml("UPDATE T SET v = 1 WHERE k > 3", begun)
    with refused(IA, match=TOO_MANY):
        session.commit(begun)


def test_a_repeatable_read_transaction_continues_too(session):
    begun = session.begin(REPEATABLE).id
    with refused(IA, match=TOO_MANY):
        session.dml(STATEMENTS["insert of the same keys"], begun)
    session.dml("UPDATE T SET v = 5 WHERE k = 1", begun)
    session.commit(begun)
    assert session.rows("T", "v")[0] == ["5"]


def test_a_batch_that_succeeds_has_the_status_ok(session):
    reply = session.batch({"begin": RW}, "UPDATE T SET v = 1 WHERE k = 1")
    assert "status" in reply
    assert reply.status.code == 0


def test_postgresql_statements_fail_for_the_limit_too(limited):
    limits = spanemu.Limits(mutations_per_commit=LIMIT)
    with spanemu.Emulator(limits=limits) as emulator:
        schema = "CREATE TABLE t (k bigint PRIMARY KEY, v bigint)"
        client = emulator.create_database("pg", schema=schema, dialect="postgresql").client()
        for number in range(6):
            with client.batch() as batch:
                batch.insert("t", ("k", "v"), [(number, 0)])

        def work(transaction):
            transaction.execute_update("UPDATE t SET v = 9 WHERE k = 0")
            for statement in (
                "INSERT INTO t (k, v) SELECT k, v FROM t",
                "INSERT INTO t (k, v) SELECT k, 1 FROM t ON CONFLICT (k) DO UPDATE SET k = excluded.k, v = excluded.v",
                "INSERT INTO t (k, v) SELECT k, v FROM t RETURNING k",
                "UPDATE t SET v = 1 WHERE true",
            ):
                with refused(IA, match=TOO_MANY):
                    list(transaction.execute_sql(statement))

        client.run_in_transaction(work)
        with client.snapshot() as snapshot:
            assert list(snapshot.execute_sql("SELECT sum(v) FROM t")) == [[9]]

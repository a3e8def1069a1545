"""What a transaction cannot read once it wrote PENDING_COMMIT_TIMESTAMP()."""

import pytest
from google.cloud.spanner import KeySet

from tests.conformance.backends import IA, insert, refused, spanemu_only

OPTION = "OPTIONS (allow_commit_timestamp = true)"
PARENT = "CREATE TABLE Parent (P INT64 NOT NULL, V INT64) PRIMARY KEY (P)"
ITEM = f"""CREATE TABLE Item (
    P INT64 NOT NULL, Id INT64 NOT NULL, Ts TIMESTAMP {OPTION}, V INT64, W INT64,
) PRIMARY KEY (P, Id), INTERLEAVE IN PARENT Parent"""
CHILD = """CREATE TABLE Child (P INT64 NOT NULL, Id INT64 NOT NULL, C INT64 NOT NULL)
    PRIMARY KEY (P, Id, C), INTERLEAVE IN PARENT Item"""
KEYED = f"""CREATE TABLE Keyed (Id INT64 NOT NULL, Ts TIMESTAMP NOT NULL {OPTION}, V INT64)
    PRIMARY KEY (Id, Ts)"""
SCHEMA = (
    PARENT,
    ITEM,
    CHILD,
    KEYED,
    "CREATE INDEX ItemByTs ON Item (Ts)",
    "CREATE INDEX ItemStoringTs ON Item (W) STORING (Ts)",
    "CREATE INDEX ItemByV ON Item (V)",
    "CREATE INDEX KeyedByV ON Keyed (V)",
)
SET = "UPDATE Item SET Ts = PENDING_COMMIT_TIMESTAMP() WHERE Id = 1"
ADD = "INSERT INTO Keyed (Id, Ts) VALUES (1, PENDING_COMMIT_TIMESTAMP())"
PENDING = "pending CommitTimestamp"
EVERYTHING = KeySet(all_=True)


@pytest.fixture
def db(create):
    """Return a family of three, with a timestamp in the middle, and a table with one in its key."""
    created = create(*SCHEMA)
    created.commit(
        insert("Parent", "P", (1,)), insert("Item", "P Id V W", (1, 1, 1, 1), (1, 2, 2, 2)),
        insert("Child", "P Id C", (1, 1, 1)),
    )  # fmt: skip
    return created


def after(db, statement, work):
    """Run a statement, then `work`, in one transaction."""

    def both(txn):
        txn.execute_update(statement)
        return work(txn)

    return db.in_transaction(both)


def query(sql):
    return lambda txn: list(txn.execute_sql(sql))


def read(table, *columns, index=""):
    return lambda txn: list(txn.read(table, columns, EVERYTHING, index=index))


def dml(sql):
    return lambda txn: txn.execute_update(sql)


@pytest.mark.parametrize(
    "work",
    [
        query("SELECT Ts FROM Item"),
        query("SELECT * FROM Item"),
        query("SELECT V FROM Item WHERE Ts IS NOT NULL"),
        query("SELECT V FROM Item ORDER BY Ts"),
        query("SELECT i.V FROM Item i JOIN Parent p ON i.Ts = CURRENT_TIMESTAMP()"),
        read("Item", "P", "Ts"),
        read("Item", "Id", index="ItemByTs"),
        dml("UPDATE Item SET V = 1 WHERE Ts IS NOT NULL"),
        dml("UPDATE Item SET V = UNIX_SECONDS(Ts) WHERE Id = 1"),
        dml("DELETE FROM Item WHERE Ts IS NULL"),
    ],
)
def test_a_pending_column_cannot_be_read(db, work):
    with refused(IA, match=PENDING):
        after(db, SET, work)
    assert db.read("Item", "Ts") == [[None], [None]]


@spanemu_only
@pytest.mark.parametrize(
    "work",
    [
        query("SELECT Id FROM Item@{FORCE_INDEX=ItemByTs}"),
        query("SELECT Id FROM Item@{FORCE_INDEX=ItemStoringTs}"),
        read("Item", "Id", index="ItemStoringTs"),
    ],
)
def test_an_index_that_holds_a_pending_column_cannot_be_read(db, work):
    with refused(IA, match=PENDING):
        after(db, SET, work)


@pytest.mark.parametrize(
    ("work", "found"),
    [
        (query("SELECT Id, V FROM Item ORDER BY Id"), [[1, 1], [2, 2]]),
        (query("SELECT COUNT(*) FROM Item"), [[2]]),
        (query("SELECT P FROM Parent"), [[1]]),
        (query("SELECT C FROM Child"), [[1]]),
        (read("Item", "Id", "V"), [[1, 1], [2, 2]]),
        (read("Item", "Id", "V", index="ItemByV"), [[1, 1], [2, 2]]),
        (read("Child", "C"), [[1]]),
        (dml("INSERT INTO Item (P, Id, Ts) VALUES (1, 3, PENDING_COMMIT_TIMESTAMP())"), 1),
    ],
)
def test_what_is_not_pending_can_be_read(db, work, found):
    assert after(db, SET, work) == found


def test_a_pending_column_without_an_index_can_be_set_again(create):
    db = create(PARENT, ITEM)
    db.commit(insert("Parent", "P", (1,)), insert("Item", "P Id", (1, 1)))
    after(db, SET, dml(SET))
    after(db, SET, dml("UPDATE Item SET Ts = NULL WHERE Id = 1"))
    assert db.read("Item", "Ts") == [[None]]


@pytest.mark.parametrize(
    "statement",
    [
        SET,
        "UPDATE Item SET Ts = NULL WHERE Id = 1",
        "UPDATE Item SET W = 5 WHERE Id = 1",
        "DELETE FROM Item WHERE Id = 2",
    ],
)
def test_rows_of_an_index_that_holds_the_column_cannot_change(db, statement):
    with refused(IA, match=PENDING):
        after(db, SET, dml(statement))


@spanemu_only
def test_other_columns_of_pending_rows_can_be_updated(db):
    assert after(db, SET, dml("UPDATE Item SET V = 9 WHERE Id = 2")) == 1


@pytest.mark.parametrize(
    "work",
    [
        query("SELECT V FROM Keyed"),
        query("SELECT 1 FROM Keyed"),
        query("SELECT V FROM Keyed@{FORCE_INDEX=KeyedByV}"),
        read("Keyed", "V"),
        read("Keyed", "V", index="KeyedByV"),
        dml("UPDATE Keyed SET V = 1 WHERE TRUE"),
        dml("DELETE FROM Keyed WHERE TRUE"),
    ],
)
def test_a_pending_key_makes_the_table_unreadable(db, work):
    with refused(IA, match=PENDING):
        after(db, ADD, work)


def test_a_pending_key_leaves_other_tables_readable(db):
    assert after(db, ADD, query("SELECT Id FROM Item ORDER BY Id")) == [[1], [2]]
    assert len(db.read("Keyed", "Id")) == 1


def test_views_over_a_pending_column(db):
    db.ddl(
        "CREATE VIEW Times SQL SECURITY INVOKER AS SELECT i.Id, i.Ts FROM Item i",
        "CREATE VIEW Values_ SQL SECURITY INVOKER AS SELECT i.Id, i.V FROM Item i",
    )
    with refused(IA, match=PENDING):
        after(db, SET, query("SELECT Ts FROM Times"))
    assert len(after(db, SET, query("SELECT V FROM Values_"))) == 2


def test_one_statement_may_set_many_pending_rows(db):
    assert db.dml("UPDATE Item SET Ts = PENDING_COMMIT_TIMESTAMP() WHERE TRUE") == [2]
    first, second = db.read("Item", "Ts")
    assert first == second != [None]


def test_the_next_transaction_reads_the_timestamp(db):
    db.dml(SET)
    assert db.in_transaction(query("SELECT COUNT(*) FROM Item WHERE Ts IS NOT NULL")) == [[1]]


def test_mutations_of_the_commit_may_write_pending_columns(create):
    db = create(PARENT, ITEM)
    db.commit(insert("Parent", "P", (1,)), insert("Item", "P Id", (1, 1), (1, 2)))

    def work(txn):
        txn.execute_update(SET)
        txn.update("Item", ("P", "Id", "Ts"), [(1, 2, "spanner.commit_timestamp()")])
        txn.update("Item", ("P", "Id", "V"), [(1, 1, 7)])

    db.in_transaction(work)
    first, second = db.read("Item", "Ts V")
    assert first[0] == second[0] is not None
    assert first[1] == 7


@spanemu_only
def test_an_index_without_the_pending_column_does_not_make_it_readable(db):
    with refused(IA, match=PENDING):
        after(db, SET, query("SELECT Id, Ts FROM Item@{FORCE_INDEX=ItemByV} WHERE V = 2"))


def test_a_failed_statement_leaves_nothing_pending(db):
    def work(txn):
        txn.begin()  # the client cannot go on after a first statement that failed
        with refused(Exception, match="Division by zero|division by zero"):
            txn.execute_update(
                "UPDATE Item SET Ts = PENDING_COMMIT_TIMESTAMP(), V = DIV(1, V - 1) WHERE TRUE"
            )
        return list(txn.execute_sql("SELECT Ts FROM Item"))

    assert db.in_transaction(work) == [[None], [None]]

"""ON UPDATE (PENDING_COMMIT_TIMESTAMP()). Newer than the emulator at hand."""

from datetime import UTC, datetime

import pytest

from tests.conformance.backends import (
    COMMIT_TIMESTAMP,
    IA,
    insert,
    insert_or_update,
    refused,
    replace,
    spanemu_only,
    update,
)

pytestmark = spanemu_only

OPTION = "OPTIONS (allow_commit_timestamp = true)"
NOW = "(PENDING_COMMIT_TIMESTAMP())"
TABLE = f"""CREATE TABLE T (
    Id INT64 NOT NULL, V INT64, W INT64,
    Ts TIMESTAMP NOT NULL DEFAULT {NOW} ON UPDATE {NOW} {OPTION},
) PRIMARY KEY (Id)"""
PAST = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture
def db(create):
    """Return a column that follows updates, indexed, and a row of long ago."""
    made = create(TABLE, "CREATE INDEX ByTs ON T (Ts)")
    made.commit(insert("T", "Id V Ts", (1, 1, PAST)))
    return made


def times(db):
    found = [row[0] for row in db.read("T", "Ts")]
    assert sorted(found) == [row[0] for row in db.read("T", "Ts", index="ByTs")]
    return found


@pytest.mark.parametrize("write", [update, insert_or_update])
def test_an_update_of_another_column_sets_the_timestamp(db, write):
    at = db.commit(write("T", "Id V", (1, 2)))
    assert times(db) == [at]


@pytest.mark.parametrize("write", [update, insert_or_update])
def test_an_update_to_the_same_value_sets_the_timestamp(db, write):
    at = db.commit(write("T", "Id V", (1, 1)))
    assert times(db) == [at]


def test_an_update_of_the_key_alone_leaves_the_timestamp(db):
    db.commit(update("T", "Id", (1,)))
    assert times(db) == [PAST]
    db.commit(insert_or_update("T", "Id", (1,)))
    assert times(db) == [PAST]


def test_inserts_take_the_default(db):
    at = db.commit(insert("T", "Id V", (2, 1)), insert_or_update("T", "Id", (3,)))
    assert times(db) == [PAST, at, at]
    later = db.commit(replace("T", "Id V", (1, 1)))
    assert times(db) == [later, at, at]


@pytest.mark.parametrize("write", [update, insert_or_update])
def test_a_given_value_stays(db, write):
    before = datetime(2021, 1, 1, tzinfo=UTC)
    db.commit(write("T", "Id V Ts", (1, 2, before)))
    assert times(db) == [before]
    at = db.commit(write("T", "Id V Ts", (1, 2, COMMIT_TIMESTAMP)))
    assert times(db) == [at]


def test_dml(db):
    db.dml("UPDATE T SET V = 2 WHERE Id = 1", "INSERT INTO T (Id) VALUES (2)")
    first, second = times(db)
    assert first == second > PAST
    db.dml("UPDATE T SET V = 2, Ts = TIMESTAMP '2020-01-01 00:00:00Z' WHERE Id = 1")
    assert times(db)[0] == PAST
    db.dml("INSERT OR UPDATE INTO T (Id, V) VALUES (1, 3)")
    assert times(db)[0] > second


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE T SET V = 5 WHERE Id = 1 THEN RETURN Ts",
        "INSERT INTO T (Id) VALUES (2) THEN RETURN Ts",
        "INSERT OR UPDATE INTO T (Id, V) VALUES (1, 2) THEN RETURN Ts",
    ],
)
def test_then_return_cannot_return_the_timestamp_of_an_update(db, statement):
    with refused(IA):
        db.in_transaction(lambda txn: list(txn.execute_sql(statement)))
    assert times(db) == [PAST]


def test_the_timestamp_cannot_be_read_after_an_update(db):
    def work(txn):
        txn.execute_update("UPDATE T SET V = 5 WHERE Id = 1")
        return list(txn.execute_sql("SELECT Ts FROM T"))

    with refused(IA, match="pending CommitTimestamp"):
        db.in_transaction(work)


@pytest.mark.parametrize(
    "column",
    [
        f"Ts TIMESTAMP ON UPDATE {NOW} {OPTION}",
        f"Ts TIMESTAMP DEFAULT (CURRENT_TIMESTAMP()) ON UPDATE {NOW} {OPTION}",
        f"Ts TIMESTAMP DEFAULT {NOW} ON UPDATE (CURRENT_TIMESTAMP()) {OPTION}",
        "V INT64 DEFAULT (1) ON UPDATE (1)",
    ],
)
def test_other_expressions(create, column):
    with refused(Exception) as caught:
        create(f"CREATE TABLE X (Id INT64 NOT NULL, {column}) PRIMARY KEY (Id)")
    assert caught.value.code in (400,)


def test_no_key_column_follows_updates(create):
    with refused(IA):
        create(
            f"CREATE TABLE X (Ts TIMESTAMP NOT NULL DEFAULT {NOW} ON UPDATE {NOW} {OPTION}) "
            "PRIMARY KEY (Ts)"
        )


def test_on_update_is_set_and_dropped(create):
    db = create(TABLE.replace(f"ON UPDATE {NOW}", ""))
    db.commit(insert("T", "Id V Ts", (1, 1, PAST)))
    db.ddl(f"ALTER TABLE T ALTER COLUMN Ts SET ON UPDATE {NOW}")
    at = db.commit(update("T", "Id V", (1, 2)))
    assert db.read("T", "Ts") == [[at]]
    with refused(IA):
        db.ddl("ALTER TABLE T ALTER COLUMN Ts DROP DEFAULT")
    db.ddl("ALTER TABLE T ALTER COLUMN Ts DROP ON UPDATE")
    db.commit(update("T", "Id V", (1, 3)))
    assert db.read("T", "Ts") == [[at]]

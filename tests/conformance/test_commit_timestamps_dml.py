"""PENDING_COMMIT_TIMESTAMP() in DML."""

import pytest
from google.cloud.spanner_v1 import param_types

from tests.conformance.backends import FP, IA, OOR, UNIMPLEMENTED, insert, refused, spanemu_only

OPTION = "OPTIONS (allow_commit_timestamp = true)"
TABLE = f"""CREATE TABLE T (
    Id INT64 NOT NULL, Ts TIMESTAMP {OPTION}, Also TIMESTAMP {OPTION}, Plain TIMESTAMP,
) PRIMARY KEY (Id)"""
NOW = "PENDING_COMMIT_TIMESTAMP()"


@pytest.fixture
def db(create):
    """Return two columns that may hold the commit timestamp, one that may not, and a row."""
    made = create(TABLE)
    made.commit(insert("T", "Id", (1,)))
    return made


def commit_of(db, *statements):
    """Run statements in one transaction; its commit timestamp."""
    seen = []

    def work(txn):
        seen.append(txn)
        for statement in statements:
            txn.execute_update(statement)

    db.in_transaction(work)
    return seen[-1].committed


def test_values_of_insert_and_update(db):
    at = commit_of(
        db,
        f"INSERT INTO T (Id, Ts) VALUES (2, {NOW}), (3, {NOW})",
        f"UPDATE T SET Ts = {NOW}, Also = {NOW} WHERE Id = 1",
        f"INSERT OR UPDATE INTO T (Id, Ts) VALUES (4, {NOW})",
    )
    assert db.read("T", "Id Ts Also") == [
        [1, at, at], [2, at, None], [3, at, None], [4, at, None],
    ]  # fmt: skip


def test_all_rows_of_values_or_none(db):
    with refused(IA, match="PENDING_COMMIT_TIMESTAMP"):
        db.dml(f"INSERT INTO T (Id, Ts) VALUES (2, {NOW}), (3, NULL)")
    db.dml(f"INSERT INTO T (Id, Ts, Also) VALUES (2, {NOW}, NULL), (3, {NOW}, NULL)")


def test_insert_select_cannot_write_the_pending_timestamp(db):
    with refused(IA, match="PENDING_COMMIT_TIMESTAMP"):
        db.dml(f"INSERT INTO T (Id, Ts) SELECT 2, {NOW}")


@spanemu_only
@pytest.mark.parametrize(
    "statement",
    [
        f"INSERT INTO T (Id, Ts) VALUES (2, TIMESTAMP_ADD({NOW}, INTERVAL 1 DAY))",
        f"INSERT INTO T (Id, Ts) VALUES (2, IF(TRUE, {NOW}, NULL))",
        f"INSERT INTO T (Id, Ts) VALUES (2, (SELECT {NOW}))",
        f"UPDATE T SET Ts = CASE WHEN TRUE THEN {NOW} END WHERE Id = 1",
        f"UPDATE T SET Ts = COALESCE({NOW}, Ts) WHERE Id = 1",
        f"UPDATE T SET Plain = NULL WHERE Ts < {NOW}",
        f"DELETE FROM T WHERE Ts < {NOW}",
    ],
)
def test_the_pending_timestamp_cannot_be_part_of_an_expression(db, statement):
    with refused(IA, match="PENDING_COMMIT_TIMESTAMP"):
        db.dml(statement)


@pytest.mark.parametrize(
    "query",
    [f"SELECT {NOW}", f"SELECT Id FROM T WHERE Ts = {NOW}", f"SELECT CAST({NOW} AS STRING)"],
)
def test_queries_cannot_use_the_pending_timestamp(db, query):
    with refused(IA):
        db.rows(query)
    with refused(IA):
        db.in_transaction(lambda txn: list(txn.execute_sql(query)))


def test_generated_columns_cannot_use_the_pending_timestamp(create):
    with refused((IA, FP)):
        create(
            f"CREATE TABLE G (Id INT64 NOT NULL, Ts TIMESTAMP AS ({NOW}) STORED) PRIMARY KEY (Id)"
        )


def test_a_parameter_cannot_be_the_placeholder(db):
    with refused((IA, OOR)):
        db.dml(
            "UPDATE T SET Ts = @at WHERE Id = 1",
            params={"at": "spanner.commit_timestamp()"},
            param_types={"at": param_types.TIMESTAMP},
        )


def test_a_column_without_the_option(db):
    with refused(FP, match="allow_commit_timestamp"):
        db.dml(f"UPDATE T SET Plain = {NOW} WHERE Id = 1")
    with refused(FP, match="allow_commit_timestamp"):
        db.dml(f"INSERT INTO T (Id, Plain) VALUES (2, {NOW})")


@spanemu_only
@pytest.mark.parametrize(
    "statement",
    [
        f"INSERT INTO T (Id, Ts) VALUES (2, {NOW}) THEN RETURN Ts",
        f"UPDATE T SET Ts = {NOW} WHERE Id = 1 THEN RETURN Id, Ts",
        f"UPDATE T SET Ts = {NOW} WHERE Id = 1 THEN RETURN *",
    ],
)
def test_then_return_cannot_return_the_pending_timestamp(db, statement):
    with refused(IA):
        db.in_transaction(lambda txn: list(txn.execute_sql(statement)))
    assert db.read("T", "Id Ts") == [[1, None]]


@spanemu_only
def test_then_return_cannot_return_a_pending_default(db):
    db.ddl(f"CREATE TABLE D (Id INT64, Ts TIMESTAMP DEFAULT ({NOW}) {OPTION}) PRIMARY KEY (Id)")
    with refused(IA):
        db.in_transaction(
            lambda txn: list(txn.execute_sql("INSERT INTO D (Id) VALUES (1) THEN RETURN Ts"))
        )
    assert db.read("D", "Id") == []


def test_other_columns_can_be_returned(db):
    returned = db.in_transaction(
        lambda txn: list(txn.execute_sql(f"UPDATE T SET Ts = {NOW} WHERE Id = 1 THEN RETURN Id"))
    )
    assert returned == [[1]]


@spanemu_only
def test_the_form_for_int64_columns(create):
    db = create("CREATE TABLE M (Id INT64 NOT NULL, Ts INT64) PRIMARY KEY (Id)")
    with refused(UNIMPLEMENTED, match="PENDING_COMMIT_TIMESTAMP_INT64"):
        db.dml("INSERT INTO M (Id, Ts) VALUES (1, PENDING_COMMIT_TIMESTAMP_INT64())")

"""The column option allow_commit_timestamp, and defaults that need it."""

from datetime import UTC, datetime

import pytest

from tests.conformance.backends import COMMIT_TIMESTAMP, FP, IA, insert, refused, spanemu_only

OPTION = "OPTIONS (allow_commit_timestamp = true)"
PLAIN = "CREATE TABLE T (Id INT64 NOT NULL, Ts TIMESTAMP) PRIMARY KEY (Id)"
KEYED = """CREATE TABLE P (Ts TIMESTAMP NOT NULL) PRIMARY KEY (Ts)"""
CHILD = """CREATE TABLE C (Ts TIMESTAMP NOT NULL, Id INT64 NOT NULL) PRIMARY KEY (Ts, Id),
    INTERLEAVE IN PARENT P"""
PAST = datetime(2020, 1, 1, tzinfo=UTC)
FUTURE = "9999-12-31T00:00:00Z"
NOW = COMMIT_TIMESTAMP


def set_option(table, value):
    return f"ALTER TABLE {table} ALTER COLUMN Ts SET OPTIONS (allow_commit_timestamp = {value})"


@pytest.mark.parametrize("type_", ["INT64", "DATE", "STRING(MAX)", "ARRAY<TIMESTAMP>"])
def test_only_timestamp_columns_take_the_option(create, type_):
    with refused(FP):
        create(f"CREATE TABLE T (Id INT64 NOT NULL, Ts {type_} {OPTION}) PRIMARY KEY (Id)")


def test_the_option_can_be_set_and_removed(create):
    db = create(PLAIN)
    for value, allowed in (("true", True), ("false", False), ("true", True), ("null", False)):
        db.ddl(set_option("T", value))
        if allowed:
            db.commit(lambda batch: batch.insert_or_update("T", ("Id", "Ts"), [(1, NOW)]))
        else:
            with refused(FP):
                db.commit(insert("T", "Id Ts", (2, NOW)))


def test_the_option_is_refused_while_a_value_lies_in_the_future(create):
    db = create(PLAIN)
    db.commit(insert("T", "Id Ts", (1, PAST), (2, FUTURE)))
    with refused(FP, match="in the future"):
        db.ddl(set_option("T", "true"))


def test_the_option_may_change_on_a_key_that_children_share(create):
    db = create(KEYED, CHILD)
    db.ddl(set_option("P", "true"))
    with refused(FP):
        db.commit(insert("P", "Ts", (NOW,)))
    db.ddl(set_option("C", "true"))
    at = db.commit(insert("P", "Ts", (NOW,)), insert("C", "Ts Id", (NOW, 1)))
    assert db.read("C", "Ts Id") == [[at, 1]]


def test_nothing_else_may_change_on_a_key_that_children_share(create):
    db = create(
        "CREATE TABLE P (K STRING(5) NOT NULL) PRIMARY KEY (K)",
        "CREATE TABLE C (K STRING(5) NOT NULL, Id INT64) PRIMARY KEY (K, Id), "
        "INTERLEAVE IN PARENT P",
    )
    for table in "PC":
        with refused((IA, FP)):
            db.ddl(f"ALTER TABLE {table} ALTER COLUMN K STRING(10) NOT NULL")


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        (f"Ts TIMESTAMP {OPTION}, FOREIGN KEY (Ts) REFERENCES O (Ts)", FP),
        (f"Ts TIMESTAMP {OPTION}, CHECK (Ts > TIMESTAMP '2020-01-01')", IA),
        (f"Ts TIMESTAMP {OPTION}, G TIMESTAMP AS (TIMESTAMP_ADD(Ts, INTERVAL 1 DAY)) STORED", FP),
        (f"Ts TIMESTAMP DEFAULT (CURRENT_TIMESTAMP()) {OPTION}", FP),
    ],
    ids=["foreign key", "check", "dependency", "other default"],
)
def test_columns_that_cannot_have_the_option(create, columns, code):
    with refused((FP, IA)) as caught:
        create(
            "CREATE TABLE O (Ts TIMESTAMP) PRIMARY KEY (Ts)",
            f"CREATE TABLE T (Id INT64 NOT NULL, {columns}) PRIMARY KEY (Id)",
        )
    assert caught.type is code


@spanemu_only
def test_no_generated_column_has_the_option(create):
    with refused(FP):
        create(
            f"CREATE TABLE T (Id INT64 NOT NULL, A TIMESTAMP, Ts TIMESTAMP AS (A) STORED {OPTION}) "
            "PRIMARY KEY (Id)"
        )


@spanemu_only
def test_a_default_of_the_commit_timestamp_needs_the_option(create):
    with refused(FP):
        create(
            "CREATE TABLE T (Id INT64 NOT NULL, Ts TIMESTAMP DEFAULT (PENDING_COMMIT_TIMESTAMP())) "
            "PRIMARY KEY (Id)"
        )


@spanemu_only
def test_a_default_of_the_commit_timestamp(create):
    db = create(
        f"CREATE TABLE T (Id INT64 NOT NULL, Ts TIMESTAMP NOT NULL "
        f"DEFAULT (PENDING_COMMIT_TIMESTAMP()) {OPTION}) PRIMARY KEY (Id)",
        "CREATE INDEX ByTs ON T (Ts)",
    )
    first = db.commit(insert("T", "Id", (1,)))
    db.commit(insert("T", "Id Ts", (2, PAST)))
    db.dml("INSERT INTO T (Id) VALUES (3)", "INSERT INTO T (Id, Ts) VALUES (4, DEFAULT)")
    rows = db.read("T", "Ts")
    assert rows[:2] == [[first], [PAST]]
    assert rows[2] == rows[3] > [first]
    assert [row[1] for row in db.read("T", "Ts Id", index="ByTs")] == [2, 1, 3, 4]

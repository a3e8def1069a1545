"""Behaviours 6.2: the column option allow_commit_timestamp, and defaults that need it."""

from datetime import datetime, timezone

import pytest

from tests.conformance.backends import COMMIT_TIMESTAMP, FP, IA, insert, refused

OPTION = "OPTIONS (allow_commit_timestamp = true)"
PLAIN = "CREATE TABLE T (Id INT64 NOT NULL, At TIMESTAMP) PRIMARY KEY (Id)"
KEYED = """CREATE TABLE P (At TIMESTAMP NOT NULL) PRIMARY KEY (At)"""
CHILD = """CREATE TABLE C (At TIMESTAMP NOT NULL, Id INT64 NOT NULL) PRIMARY KEY (At, Id),
    INTERLEAVE IN PARENT P"""
PAST = datetime(2020, 1, 1, tzinfo=timezone.utc)
FUTURE = "9999-12-31T00:00:00Z"
NOW = COMMIT_TIMESTAMP


def set_option(table, value):
    return f"ALTER TABLE {table} ALTER COLUMN At SET OPTIONS (allow_commit_timestamp = {value})"


@pytest.mark.parametrize("type_", ["INT64", "DATE", "STRING(MAX)", "ARRAY<TIMESTAMP>"])
def test_only_timestamp_columns_take_the_option(create, type_):
    with refused(FP):
        create(f"CREATE TABLE T (Id INT64 NOT NULL, At {type_} {OPTION}) PRIMARY KEY (Id)")


def test_the_option_comes_and_goes(create):
    db = create(PLAIN)
    for value, allowed in (("true", True), ("false", False), ("true", True), ("null", False)):
        db.ddl(set_option("T", value))
        if allowed:
            db.commit(lambda batch: batch.insert_or_update("T", ("Id", "At"), [(1, NOW)]))
        else:
            with refused(FP):
                db.commit(insert("T", "Id At", (2, NOW)))


def test_the_option_is_refused_while_a_value_lies_in_the_future(create):
    db = create(PLAIN)
    db.commit(insert("T", "Id At", (1, PAST), (2, FUTURE)))
    with refused(FP, match="in the future"):
        db.ddl(set_option("T", "true"))


def test_the_option_may_change_on_a_key_that_children_share(create):
    db = create(KEYED, CHILD)
    db.ddl(set_option("P", "true"))
    with refused(FP):
        db.commit(insert("P", "At", (NOW,)))
    db.ddl(set_option("C", "true"))
    at = db.commit(insert("P", "At", (NOW,)), insert("C", "At Id", (NOW, 1)))
    assert db.read("C", "At Id") == [[at, 1]]


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        (f"At TIMESTAMP {OPTION}, FOREIGN KEY (At) REFERENCES O (At)", FP),
        (f"At TIMESTAMP {OPTION}, CHECK (At > TIMESTAMP '2020-01-01')", IA),
        (f"At TIMESTAMP {OPTION}, G TIMESTAMP AS (TIMESTAMP_ADD(At, INTERVAL 1 DAY)) STORED", FP),
        (f"A TIMESTAMP, At TIMESTAMP AS (A) STORED {OPTION}", FP),
        (f"At TIMESTAMP DEFAULT (CURRENT_TIMESTAMP()) {OPTION}", FP),
        ("At TIMESTAMP DEFAULT (PENDING_COMMIT_TIMESTAMP())", FP),
    ],
    ids=["foreign key", "check", "dependency", "generated", "other default", "no option"],
)
def test_columns_that_cannot_have_the_option(create, columns, code):
    with refused((FP, IA)) as caught:
        create(
            "CREATE TABLE O (At TIMESTAMP) PRIMARY KEY (At)",
            f"CREATE TABLE T (Id INT64 NOT NULL, {columns}) PRIMARY KEY (Id)",
        )
    assert caught.type is code


def test_a_default_of_the_commit_timestamp(create):
    db = create(
        f"CREATE TABLE T (Id INT64 NOT NULL, At TIMESTAMP NOT NULL "
        f"DEFAULT (PENDING_COMMIT_TIMESTAMP()) {OPTION}) PRIMARY KEY (Id)",
        "CREATE INDEX ByAt ON T (At)",
    )
    first = db.commit(insert("T", "Id", (1,)))
    db.commit(insert("T", "Id At", (2, PAST)))
    db.dml("INSERT INTO T (Id) VALUES (3)", "INSERT INTO T (Id, At) VALUES (4, DEFAULT)")
    rows = db.read("T", "At")
    assert rows[:2] == [[first], [PAST]]
    assert rows[2] == rows[3] > [first]
    assert [row[1] for row in db.read("T", "At Id", index="ByAt")] == [2, 1, 3, 4]

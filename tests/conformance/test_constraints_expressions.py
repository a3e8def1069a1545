"""Defaults, generated columns and checks."""

import pytest

from tests.conformance.backends import (
    FP,
    IA,
    OOR,
    delete,
    insert,
    insert_or_update,
    refused,
    replace,
    update,
)

ITEMS = """CREATE TABLE Items (
    Id INT64 NOT NULL, Price INT64 DEFAULT (10), Count INT64,
    Total INT64 AS (Price * Count) STORED, Twice INT64 AS (Total * 2) STORED,
    Half FLOAT64 AS (Total / 2),
) PRIMARY KEY (Id)"""
CHECKED = """CREATE TABLE Checked (
    Id INT64 NOT NULL, A INT64, B INT64, Sum INT64 AS (A + B) STORED,
    Product INT64 AS (A * B),
    CONSTRAINT Ordered CHECK (A < B),
    CONSTRAINT Small CHECK (Sum < 100),
    CONSTRAINT Modest CHECK (Product < 1000),
) PRIMARY KEY (Id)"""


@pytest.fixture
def items(create):
    """Return a default under generated columns that build on each other."""
    return create(ITEMS)


def all_items(db):
    return db.read("Items", "Id Price Count Total Twice Half")


def test_a_default_is_used_only_when_the_column_is_not_listed(items):
    items.commit(insert("Items", "Id Count", (1, 2)), insert("Items", "Id Price", (2, None)))
    assert items.read("Items", "Id Price") == [[1, 10], [2, None]]


def test_a_default_is_not_used_by_updates(items):
    items.commit(insert("Items", "Id Price", (1, None)))
    items.commit(insert_or_update("Items", "Id Count", (1, 2)), update("Items", "Id Count", (1, 3)))
    assert items.read("Items", "Price") == [[None]]


def test_default_as_a_value_of_dml(items):
    items.dml("INSERT INTO Items (Id, Price, Count) VALUES (1, DEFAULT, 1), (2, 3, 1)")
    items.dml("UPDATE Items SET Price = DEFAULT WHERE Id = 2")
    assert items.read("Items", "Price") == [[10], [10]]


def test_generated_columns_follow_defaults_and_each_other(items):
    items.commit(insert("Items", "Id Count", (1, 2)))
    assert all_items(items) == [[1, 10, 2, 20, 40, 10.0]]
    items.commit(update("Items", "Id Price", (1, 5)))
    assert all_items(items) == [[1, 5, 2, 10, 20, 5.0]]
    items.dml("UPDATE Items SET Count = NULL WHERE Id = 1")
    assert all_items(items) == [[1, 5, None, None, None, None]]
    items.commit(replace("Items", "Id Count", (1, 7)))
    assert all_items(items) == [[1, 10, 7, 70, 140, 35.0]]


def test_a_stored_column_over_a_virtual_one(create):
    db = create(
        "CREATE TABLE G (Id INT64 NOT NULL, A INT64, V INT64 AS (A + 1), "
        "W INT64 NOT NULL AS (V * 2) STORED) PRIMARY KEY (Id)"
    )
    db.commit(insert("G", "Id A", (1, 5)))
    assert db.read("G", "V W") == [[6, 12]]
    db.commit(update("G", "Id A", (1, 6)))
    assert db.read("G", "V W") == [[7, 14]]


@pytest.mark.parametrize("operation", [insert, insert_or_update, replace])
def test_a_generated_value_that_is_too_long(create, operation):
    db = create(
        "CREATE TABLE G (Id INT64 NOT NULL, A STRING(MAX), G STRING(3) AS (A) STORED) "
        "PRIMARY KEY (Id)"
    )
    db.commit(operation("G", "Id A", (1, "abc")))
    with refused(FP, match="exceeds the maximum size limit"):
        db.commit(operation("G", "Id A", (2, "abcd")))
    with refused(FP, match="exceeds the maximum size limit"):
        db.commit(update("G", "Id A", (1, "abcd")))


def test_generated_columns_in_indexes_follow(create):
    db = create(
        ITEMS,
        "CREATE INDEX ByTotal ON Items (Total) STORING (Twice)",
        "CREATE INDEX ByHalf ON Items (Half)",
    )
    db.commit(insert("Items", "Id Count", (1, 2), (2, 1)))
    db.commit(update("Items", "Id Price", (2, 50)))
    assert db.read("Items", "Total Twice Id", index="ByTotal") == [[20, 40, 1], [50, 100, 2]]
    assert db.read("Items", "Half Id", index="ByHalf") == [[10.0, 1], [25.0, 2]]
    db.commit(delete("Items", (1,)))
    assert db.read("Items", "Half Id", index="ByHalf") == [[25.0, 2]]


@pytest.mark.parametrize(("column", "value"), [("Total", 1), ("Half", 1.0)])
def test_generated_columns_cannot_be_written(items, column, value):
    items.commit(insert("Items", "Id Count", (1, 2)))
    for operation in (insert, update, insert_or_update, replace):
        with refused(FP, match="Cannot write into generated column"):
            items.commit(operation("Items", f"Id {column}", (1, value)))
    for statement in (
        f"INSERT INTO Items (Id, {column}) VALUES (2, 1)",
        f"UPDATE Items SET {column} = 1 WHERE Id = 1",
    ):
        with refused((FP, IA)):
            items.dml(statement)


@pytest.mark.parametrize(
    ("column", "value", "codes"),
    [
        ("V INT64 AS (DIV(1, A)) STORED", 0, OOR),
        ("V INT64 AS (A + 9223372036854775807) STORED", 1, OOR),
        ("V INT64 AS (CAST(CAST(A AS STRING) || 'x' AS INT64)) STORED", 1, (OOR, IA)),
        ("V INT64, CHECK (DIV(1, A) < 5)", 0, OOR),
        ("V INT64 DEFAULT (CAST(FORMAT('%s', 'x') AS INT64))", 1, (OOR, IA)),
    ],
)
def test_an_expression_fails_the_write_with_its_own_code(create, column, value, codes):
    db = create(f"CREATE TABLE E (Id INT64 NOT NULL, A INT64, {column}) PRIMARY KEY (Id)")
    with refused(codes):
        db.commit(insert("E", "Id A", (1, value)))
    with refused(codes):
        db.dml(f"INSERT INTO E (Id, A) VALUES (1, {value})")
    assert db.read("E", "Id") == []


@pytest.fixture
def checked(create):
    """Create checks over plain, stored and virtual columns, and a row."""
    made = create(CHECKED)
    made.commit(insert("Checked", "Id A B", (1, 1, 2)))
    return made


WRONG = {"Ordered": (2, 1), "Small": (50, 51), "Modest": (32, 33)}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("operation", [insert, insert_or_update, replace])
def test_a_false_check_fails_an_insert(checked, operation, name):
    with refused(OOR, match=f"Check constraint .*{name}"):
        checked.commit(operation("Checked", "Id A B", (2, *WRONG[name])))
    with refused(OOR, match=f"Check constraint .*{name}"):
        checked.dml("INSERT INTO Checked (Id, A, B) VALUES (2, {}, {})".format(*WRONG[name]))
    assert checked.read("Checked", "Id A B") == [[1, 1, 2]]


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("operation", [update, insert_or_update, replace])
def test_a_false_check_fails_an_update(checked, operation, name):
    with refused(OOR, match=f"Check constraint .*{name}"):
        checked.commit(operation("Checked", "Id A B", (1, *WRONG[name])))
    with refused(OOR, match=f"Check constraint .*{name}"):
        checked.dml("UPDATE Checked SET A = {}, B = {} WHERE Id = 1".format(*WRONG[name]))
    assert checked.read("Checked", "Id A B") == [[1, 1, 2]]


def test_a_check_that_is_null_passes(checked):
    checked.commit(insert("Checked", "Id A B", (2, None, 1), (3, None, None)))
    checked.commit(update("Checked", "Id A", (1, None)))
    assert len(checked.read("Checked", "Id")) == 3


def test_a_check_sees_the_whole_row_of_an_update(checked):
    with refused(OOR):
        checked.commit(update("Checked", "Id A", (1, 2)))
    checked.commit(update("Checked", "Id A", (1, 5)), update("Checked", "Id B", (1, 6)))
    assert checked.read("Checked", "A B Sum") == [[5, 6, 11]]


def test_no_check_on_delete(checked):
    checked.commit(delete("Checked", (1,)))
    assert checked.read("Checked", "Id") == []

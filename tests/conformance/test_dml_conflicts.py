"""INSERT ... ON CONFLICT, whose excluded row has all its columns."""

import pytest

from tests.conformance.backends import AE, IA, refused, spanemu_only

pytestmark = spanemu_only  # Google's emulator of June 2025 does not know ON CONFLICT.

STOCK = (
    """CREATE TABLE Stock (
        Id INT64 NOT NULL, Code STRING(10), Price INT64 DEFAULT (7), Note STRING(10),
        Total INT64 AS (Price * 2) STORED, Label STRING(MAX) AS (CONCAT(Code, '!')),
    ) PRIMARY KEY (Id)""",
    "CREATE UNIQUE INDEX ByCode ON Stock (Code)",
    """CREATE TABLE Slots (
        Id INT64 DEFAULT (5), Half INT64 AS (Id + 1) STORED, Name STRING(10),
    ) PRIMARY KEY (Id)""",
    "CREATE UNIQUE INDEX ByHalf ON Slots (Half)",
)


@pytest.fixture
def stock(create):
    """Return one row of stock, and one slot that has its default key."""
    db = create(*STOCK)
    db.dml("INSERT INTO Stock (Id, Code, Price, Note) VALUES (1, 'a', 10, 'old')")
    db.dml("INSERT INTO Slots (Name) VALUES ('first')")
    return db


def all_stock(db):
    return db.rows("SELECT Id, Code, Price, Note FROM Stock ORDER BY Id")


@pytest.mark.parametrize(
    ("assignments", "expected"),
    [
        ("Price = EXCLUDED.Price", [1, "a", 7, "old"]),
        ("Note = EXCLUDED.Note", [1, "a", 10, None]),
        ("Price = Stock.Price + EXCLUDED.Price", [1, "a", 17, "old"]),
        ("Price = EXCLUDED.Total", [1, "a", 14, "old"]),
        ("Note = EXCLUDED.Label", [1, "a", 10, "b!"]),
        ("Price = DEFAULT, Code = EXCLUDED.Code", [1, "b", 7, "old"]),
    ],
)
def test_excluded_has_defaults_and_generated_columns(stock, assignments, expected):
    insert = "INSERT INTO Stock (Id, Code) VALUES (1, 'b')"
    assert stock.dml(f"{insert} ON CONFLICT (Id) DO UPDATE SET {assignments}") == [1]
    assert all_stock(stock) == [expected]


def test_a_row_that_does_not_conflict_is_inserted_with_its_defaults(stock):
    stock.dml(
        "INSERT INTO Stock (Id, Code) VALUES (2, 'b') ON CONFLICT (Id) DO UPDATE SET Price = 0"
    )
    assert all_stock(stock) == [[1, "a", 10, "old"], [2, "b", 7, None]]
    assert stock.rows("SELECT Total, Label FROM Stock WHERE Id = 2") == [[14, "b!"]]


def test_a_default_key_conflicts(stock):
    insert = "INSERT INTO Slots (Name) VALUES ('second')"
    assert stock.dml(f"{insert} ON CONFLICT (Id) DO NOTHING") == [0]
    assert stock.dml(f"{insert} ON CONFLICT DO NOTHING") == [0]
    assert stock.dml(f"{insert} ON CONFLICT (Id) DO UPDATE SET Name = EXCLUDED.Name") == [1]
    assert stock.dml("INSERT OR IGNORE INTO Slots (Name) VALUES ('third')") == [0]
    assert stock.rows("SELECT Id, Name FROM Slots") == [[5, "second"]]


def test_or_update_takes_each_default_key_once(stock):
    refused(IA, stock.dml, "INSERT OR UPDATE INTO Slots (Name) VALUES ('second'), ('third')")
    refused(IA, stock.dml, "INSERT OR UPDATE INTO Slots (Id, Name) VALUES (5, 'x'), (5, 'y')")
    assert stock.dml("INSERT OR UPDATE INTO Slots (Name) VALUES ('second')") == [1]
    assert stock.rows("SELECT Id, Name FROM Slots") == [[5, "second"]]


def test_a_generated_column_conflicts(stock):
    insert = "INSERT INTO Slots (Id, Name) VALUES (5, 'second')"
    assert stock.dml(f"{insert} ON CONFLICT (Half) DO UPDATE SET Name = EXCLUDED.Name") == [1]
    assert stock.rows("SELECT Id, Half, Name FROM Slots") == [[5, 6, "second"]]


def test_a_conflict_on_another_key_is_an_error(stock):
    refused(
        AE, stock.dml, "INSERT INTO Stock (Id, Code) VALUES (2, 'a') ON CONFLICT (Id) DO NOTHING"
    )


def test_the_input_query_stands_in_parentheses(stock):
    rest = "ON CONFLICT (Id) DO UPDATE SET Code = EXCLUDED.Code"
    refused(IA, stock.dml, f"INSERT INTO Stock (Id, Code) SELECT 1, 'c' {rest}")
    assert stock.dml(f"INSERT INTO Stock (Id, Code) (SELECT 1, 'c') {rest}") == [1]
    assert all_stock(stock) == [[1, "c", 10, "old"]]

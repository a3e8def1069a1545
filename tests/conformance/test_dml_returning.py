"""THEN RETURN shows the rows as written, its subqueries the data before."""

import pytest

from tests.conformance.backends import spanemu_only

TABLE = """CREATE TABLE Pots (
    Id INT64 NOT NULL, Litres INT64, Half INT64 AS (DIV(Litres, 2)) STORED
) PRIMARY KEY (Id)"""
ALL = "(SELECT SUM(Litres) FROM Pots)"
SAME = "(SELECT p.Litres FROM Pots p WHERE p.Id = Pots.Id)"


@pytest.fixture
def pots(create):
    """Return two pots, of four litres and of six."""
    db = create(TABLE)
    db.dml("INSERT INTO Pots (Id, Litres) VALUES (1, 4), (2, 6)")
    return db


def returned(pots, statement):
    """Return what THEN RETURN shows, and the sum of all litres for the next statement."""

    def change(transaction):
        sql = f"{statement} THEN RETURN Id, Litres, Half, {ALL}, {SAME}"
        rows = list(transaction.execute_sql(sql))
        ((total,),) = transaction.execute_sql("SELECT SUM(Litres) FROM Pots")
        return rows, total

    result = pots.in_transaction(change)
    assert pots.rows("SELECT SUM(Litres) FROM Pots") == [[result[1]]]
    return result


@pytest.mark.parametrize(
    ("statement", "row", "total"),
    [
        ("INSERT INTO Pots (Id, Litres) VALUES (3, 8)", [3, 8, 4, 10, None], 18),
        ("INSERT OR UPDATE INTO Pots (Id, Litres) VALUES (2, 8)", [2, 8, 4, 10, 6], 12),
        ("DELETE FROM Pots WHERE Id = 1", [1, 4, 2, 10, 4], 6),
    ],
)
def test_subqueries_see_the_data_before_the_statement(pots, statement, row, total):
    assert returned(pots, statement) == ([row], total)


@spanemu_only  # Google's emulator does not find the column that it assigns to.
def test_subqueries_see_the_data_before_an_update(pots):
    update = "UPDATE Pots SET Litres = 8 WHERE Id = 1"
    assert returned(pots, update) == ([[1, 8, 4, 10, 4]], 14)


@spanemu_only
def test_statements_see_earlier_writes_of_their_transaction(pots):
    def change(transaction):
        transaction.execute_update("UPDATE Pots SET Litres = 5 WHERE Id = 1")
        sql = f"UPDATE Pots SET Litres = Litres + 1 WHERE TRUE THEN RETURN Litres, {ALL}, {SAME}"
        return sorted(transaction.execute_sql(sql))

    assert pots.in_transaction(change) == [[6, 11, 5], [7, 11, 6]]
    assert pots.rows("SELECT Litres FROM Pots ORDER BY Id") == [[6], [7]]


@pytest.mark.parametrize(
    ("statement", "shown"),
    [
        ("INSERT INTO Barn.Pots (Id, Litres) VALUES (1, 4) THEN RETURN Pots.Litres", 4),
        ("UPDATE Barn.Pots SET Litres = 5 WHERE Pots.Id = 9 THEN RETURN Pots.Litres", 5),
        ("DELETE FROM Barn.Pots WHERE Pots.Id = 9 THEN RETURN Pots.Litres", 8),
    ],
)
def test_a_table_of_a_named_schema_is_called_by_its_last_name(create, statement, shown):
    db = create("CREATE SCHEMA Barn", TABLE.replace("TABLE Pots", "TABLE Barn.Pots"))
    db.dml("INSERT INTO Barn.Pots (Id, Litres) VALUES (9, 8)")
    assert db.in_transaction(lambda one: list(one.execute_sql(statement))) == [[shown]]

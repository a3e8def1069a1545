"""Statements far beyond what anybody writes by hand: a clear refusal or a quick answer."""

from __future__ import annotations

import pytest
from google.api_core import exceptions

import spanemu

SCHEMA = ["CREATE TABLE T (Id INT64 NOT NULL, Value INT64) PRIMARY KEY (Id)"]
DEPTH = 10_000


@pytest.fixture(scope="module")
def database():
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("extreme", SCHEMA).client()
        with database.batch() as batch:
            batch.insert("T", ["Id", "Value"], [(number, number % 7) for number in range(100)])
        yield database


def rows(database, sql, **given):
    with database.snapshot() as snapshot:
        return list(snapshot.execute_sql(sql, **given))


REFUSED = {
    "parentheses never closed": "SELECT " + "(" * DEPTH,
    "brackets": "SELECT " + "[" * DEPTH + "]" * DEPTH,
    "calls": "SELECT " + "ABS(" * DEPTH + "1" + ")" * DEPTH,
    "NOT": "SELECT " + "NOT " * DEPTH + "TRUE",
    "minus": "SELECT " + "- " * DEPTH + "1",
    "CASE": "SELECT " + "CASE WHEN TRUE THEN " * DEPTH + "1" + " END" * DEPTH,
    "subqueries": "SELECT " + "(SELECT " * DEPTH + "1" + ")" * DEPTH,
    "derived tables": "SELECT 1 FROM " + "(SELECT * FROM " * DEPTH + "T" + ")" * DEPTH,
    "types": "SELECT CAST(NULL AS " + "ARRAY<STRUCT<a " * DEPTH + "INT64" + ">>" * DEPTH + ")",
    "sums": "SELECT " + " + ".join(["1"] * DEPTH),
    "OR": "SELECT 1 FROM T WHERE " + " OR ".join([f"Id = {n}" for n in range(5_000)]),
    "AND": "SELECT 1 FROM T WHERE " + " AND ".join([f"Id <> {n}" for n in range(5_000)]),
    "UNION ALL": " UNION ALL ".join(["SELECT 1"] * 5_000),
    "tables": "SELECT 1 FROM " + ", ".join([f"T AS t{n}" for n in range(500)]),
    "joins": "SELECT 1 FROM T AS t0 "
    + " ".join([f"JOIN T AS t{n} ON t{n}.Id = t{n - 1}.Id" for n in range(1, 500)]),
    "WITH": "WITH "
    + ", ".join(["w0 AS (SELECT 1 AS a)"])
    + ", "
    + ", ".join([f"w{n} AS (SELECT a FROM w{n - 1})" for n in range(1, 2_000)])
    + " SELECT * FROM w1999",
}


@pytest.mark.parametrize("sql", REFUSED.values(), ids=REFUSED)
def test_a_statement_too_large_is_refused(database, sql):
    with pytest.raises(exceptions.InvalidArgument):
        rows(database, sql)


def test_many_parentheses(database):
    assert rows(database, f"SELECT {'(' * DEPTH}1{')' * DEPTH}") == [[1]]
    sql = f"SELECT COUNT(*) FROM T WHERE {'(' * DEPTH}TRUE{')' * DEPTH}"
    assert rows(database, sql) == [[100]]


def test_a_long_list(database):
    numbers = ", ".join([str(number) for number in range(50, 10_050)])
    assert len(rows(database, f"SELECT Id FROM T WHERE Id IN ({numbers})")) == 50
    assert len(rows(database, f"SELECT Id FROM T WHERE Id NOT IN ({numbers})")) == 50
    assert len(rows(database, f"SELECT Id FROM T WHERE Value IN ({numbers})")) == 0


def test_many_alternatives(database):
    sql = "SELECT Id FROM T WHERE " + " OR ".join([f"Id = {number}" for number in range(400)])
    assert len(rows(database, sql)) == 100


def test_many_tables(database):
    joins = " ".join([f"JOIN T AS t{n} ON t{n}.Id = t{n - 1}.Id" for n in range(1, 15)])
    sql = f"SELECT COUNT(*) FROM T AS t0 {joins} WHERE t0.Value = 3"
    assert rows(database, sql) == [[14]]


def test_the_emulator_survives_extreme_statements(database):
    assert rows(database, "SELECT COUNT(*) FROM T") == [[100]]

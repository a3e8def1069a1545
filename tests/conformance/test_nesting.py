"""Nesting of every kind: what Spanner's limits allow runs, and more gets the sentence of a limit."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from google.api_core import exceptions

import spanemu

SENTENCE = "exceeds the maximum allowed limit of"
SCHEMA = ["CREATE TABLE T (k INT64, s STRING(MAX)) PRIMARY KEY (k)"]
POSTGRESQL = ["CREATE TABLE t (k bigint PRIMARY KEY, s text)"]


def around(opening: str, inmost: str, closing: str, before: str = "") -> Callable[[int], str]:
    return lambda n: before + opening * n + inmost + closing * n


def selects(opening: str, inmost: str, closing: str, before: str = "") -> Callable[[int], str]:
    """Return nested SELECTs; the innermost is one of them."""
    return lambda n: before + opening * (n - 1) + inmost + closing * (n - 1)


SELECTS = {
    "tables": selects("SELECT * FROM (", "SELECT k FROM T", ")"),
    "expressions": selects("SELECT k + 1 AS k FROM (", "SELECT k FROM T", ")"),
    "conditions": selects("SELECT k FROM (", "SELECT k FROM T", ") WHERE k > 0"),
    "distinct": selects("SELECT DISTINCT k FROM (", "SELECT k FROM T", ")"),
    "ordered": selects("SELECT k FROM (", "SELECT k FROM T", ") ORDER BY k LIMIT 9"),
    "unions": selects("SELECT * FROM (", "SELECT k FROM T", " UNION ALL SELECT 2)"),
    "parentheses": selects("(SELECT * FROM (", "SELECT k FROM T", "))"),
    "inserted": selects("SELECT * FROM (", "SELECT k + 9 FROM T", ")", "INSERT INTO T (k) "),
}
# Repetitions that run, and the form; five thousand of each get the sentence of a limit.
NESTED = {
    "scalar": (25, around("(SELECT ", "1", ")", "SELECT ")),
    "exists": (25, around("EXISTS (SELECT 1 FROM T WHERE ", "TRUE", ")", "SELECT ")),
    "in": (25, around("k IN (SELECT k FROM T WHERE ", "TRUE", ")", "SELECT k FROM T WHERE ")),
    "array": (25, around("ARRAY_LENGTH(ARRAY(SELECT ", "1", "))", "SELECT ")),
    "set operations": (60, around("(", "SELECT 1", " UNION ALL SELECT 2)")),
    "right operands": (60, around("(SELECT 2 UNION ALL ", "(SELECT 1)", ")")),
    "case": (60, around("CASE WHEN TRUE THEN ", "1", " END", "SELECT ")),
    "condition of case": (60, around("CASE WHEN ", "TRUE", " THEN TRUE END", "SELECT ")),
    "if": (75, around("IF(TRUE, ", "1", ", 2)", "SELECT ")),
    "calls": (75, around("ABS(", "1", ")", "SELECT ")),
    "casts": (60, around("CAST(", "1", " AS INT64)", "SELECT ")),
    "not": (60, around("NOT ", "TRUE", "", "SELECT ")),
    "minus": (60, around("- ", "1", "", "SELECT ")),
    "operators": (60, around("(1 + ", "1", ")", "SELECT ")),
    "left operands": (60, around("(", "1", " + 1)", "SELECT ")),
    "conjunctions": (60, around("(TRUE AND ", "TRUE", ")", "SELECT ")),
    "structs": (10, around("STRUCT(", "1", ")", "SELECT 1 = ARRAY_LENGTH([")),
    "with": (60, around("WITH(a AS 1, ", "1", ")", "SELECT ")),
    "lambdas": (30, around("ARRAY_LENGTH(ARRAY_TRANSFORM([1], x -> ", "1", "))", "SELECT ")),
    "returned": (60, around("ABS(", "k", ")", "DELETE FROM T WHERE FALSE THEN RETURN ")),
}
PARENTHESES = {
    "values": around("(", "1", ")", "SELECT "),
    "conditions": around("(", "k > 0", ")", "SELECT k FROM T WHERE "),
    "queries": around("(", "SELECT 1", ")"),
    "subqueries": around("(", "SELECT 1", ")", "SELECT 1 + "),
    "tables": around("(", "SELECT 1", ")", "SELECT * FROM "),
    "lists": around("(", "1", ")", "SELECT 1 IN "),
    "rows": lambda n: "INSERT INTO T (k) VALUES " + "(" * n + "77" + ")" * n,
    "keys": around("(", "k", ")", "SELECT k FROM T GROUP BY k ORDER BY "),
}


@pytest.fixture(scope="module")
def database():
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("nesting", SCHEMA)
        with database.client().batch() as batch:
            batch.insert("T", ["k"], [[1], [2]])
        yield database


def run(database, sql: str) -> None:
    client = database.client()
    if sql.startswith(("INSERT", "DELETE")):
        client.run_in_transaction(lambda txn: list(txn.execute_sql(sql)))
    else:
        with client.snapshot() as snapshot:
            list(snapshot.execute_sql(sql))


def refuse(database, sql: str) -> None:
    with pytest.raises(exceptions.InvalidArgument, match=SENTENCE):
        run(database, sql)


@pytest.mark.parametrize("form", SELECTS.values(), ids=SELECTS)
def test_sixty_nested_selects(database, form):
    run(database, form(60))
    for count in (61, 100, 5_000):
        with pytest.raises(exceptions.InvalidArgument) as caught:
            run(database, form(count))
        assert "Number of nested subselects exceeds the maximum allowed limit of 60." in str(caught)


@pytest.mark.parametrize(("most", "form"), NESTED.values(), ids=NESTED)
def test_other_nesting(database, most, form):
    sql = form(most)
    run(database, f"{sql}])" if "ARRAY_LENGTH([" in sql else sql)
    for count in (1_000, 5_000):
        refuse(database, form(count))


@pytest.mark.parametrize("form", PARENTHESES.values(), ids=PARENTHESES)
def test_five_thousand_parentheses(database, form):
    run(database, form(5_000))


@pytest.mark.parametrize("type_", ["ARRAY<STRUCT<a ", "STRUCT<a "])
def test_nested_types(database, type_):
    def form(n: int) -> str:
        return f"SELECT CAST(NULL AS {type_ * n}INT64{'>' * type_.count('<') * n}) IS NULL"

    run(database, form(15))
    for count in (16, 100, 5_000):
        refuse(database, form(count))


def test_nesting_in_a_schema(database):
    view = "CREATE VIEW V SQL SECURITY INVOKER AS "
    inside = "SELECT x.k FROM (" * 59 + "SELECT T.k FROM T" + ") AS x" * 59
    database.apply_schema([view + inside])
    deep = "CREATE TABLE U (k INT64, n INT64 AS ({}) STORED) PRIMARY KEY (k)"
    database.apply_schema([deep.format("(" * 5_000 + "k" + ")" * 5_000)])
    for statement in (
        view.replace("V ", "W ") + f"SELECT x.k FROM ({inside}) AS x",
        deep.replace("U ", "X ").format("ABS(" * 5_000 + "k" + ")" * 5_000),
    ):
        with pytest.raises(Exception, match=SENTENCE):
            database.apply_schema([statement])


def test_nesting_in_postgresql():
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("nesting", POSTGRESQL, dialect="postgresql")
        tables = selects("SELECT x.k FROM (", "SELECT k FROM t", ") AS x")
        run(database, tables(60))
        for opening, inmost, closing in (("(", "1", ")"), ("(", "SELECT 1", ")")):
            run(database, f"SELECT {opening * 5_000}{inmost}{closing * 5_000}")
        refuse(database, tables(61))
        for opening, closing in (("abs(", ")"), ("CASE WHEN true THEN ", " END"), ("- ", "")):
            refuse(database, f"SELECT {opening * 5_000}1{closing * 5_000}")


def test_a_caller_with_a_deep_stack_runs_queries(database):
    def below(frames: int) -> None:
        if frames:
            below(frames - 1)
        else:
            run(database, SELECTS["tables"](60))

    below(500)

"""Statements as wholes: their number, their kind, their size and their hints."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.sql.errors import StatementTooLarge, TextTooLong
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.syntax.statement import begins_dml, parse_query, parse_statement
from spanemu.sql.token_cursor import Bounds

BOUNDS = Bounds(DEFAULT_LIMITS)


@pytest.mark.parametrize("text", ["", ";", " -- x\n", "SELECT 1; SELECT 2", "SELECT 1;; x", "nope"])
def test_a_text_holds_one_statement(text: str) -> None:
    with pytest.raises(SpannerError) as refused:
        parse_statement(text)
    assert refused.value.code is Code.INVALID_ARGUMENT


def test_semicolons_around_a_statement_are_ignored() -> None:
    assert parse_statement("; SELECT 1;;") == parse_statement("SELECT 1")


@pytest.mark.parametrize(
    "text", ["BEGIN", "commit", "SET x = 1", "SHOW all", "CREATE TABLE t (a int)", "TRUNCATE t",
             "MERGE INTO t USING u ON true WHEN MATCHED THEN DO NOTHING", "EXPLAIN SELECT 1"]
)  # fmt: skip
def test_utility_statements_are_unimplemented(text: str) -> None:
    with pytest.raises(SpannerError) as refused:
        parse_statement(text)
    assert refused.value.code is Code.UNIMPLEMENTED


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("insert into t values (1)", True),
        ("/*@ x = 1 */ UPDATE t SET a = 1", True),
        ("DELETE nonsense", True),
        ("SELECT 1", False),
        ('"insert"', False),
        ("WITH x AS (SELECT 1) DELETE FROM t", False),
    ],
)
def test_begins_dml(text: str, *, expected: bool) -> None:
    assert begins_dml(text) is expected


def test_words_of_clauses_need_as_to_name_a_column() -> None:
    statement = parse_statement('SELECT 1 AS year, 2 value, 3 "From", 4 AS select, 5 type')
    assert isinstance(statement, ast.QueryStatement)
    assert isinstance(statement.query.body, ast.Select)
    names = [item.alias.name for item in statement.query.body.items if item.alias]
    assert names == ["year", "value", "From", "select", "type"]
    with pytest.raises(SpannerError, match="syntax error"):
        parse_statement("SELECT 1 year")


def test_the_canonical_limit_is_read_back() -> None:
    assert parse_query("SELECT 1 LIMIT '3'::bigint").limit == parse_query("SELECT 1 LIMIT 3").limit


def listed(pattern: str, count: int, separator: str) -> str:
    return separator.join([pattern.format(number) for number in range(count)])


# Each statement slightly exceeds a limit of Spanner.
TOO_LARGE = {
    "OR": f"SELECT 1 FROM t WHERE {listed('a = {}', 1_001, ' OR ')}",
    "BETWEEN": f"SELECT 1 FROM t WHERE {listed('a BETWEEN 0 AND {}', 1_001, ' OR ')}",
    "IN": f"SELECT 1 FROM t WHERE {listed('a IN ({})', 1_001, ' OR ')}",
    "LIKE": "SELECT 1 FROM t WHERE TRUE" + " OR a LIKE 'a'" * 1_001,
    "IS NULL": f"SELECT 1 FROM t WHERE {' OR '.join(['a IS NULL'] * 1_001)}",
    "sum": f"SELECT {listed('{}', 78, ' + ')}",
    "casts": "SELECT 1" + "::bigint" * 78,
    "calls": f"SELECT {listed('abs({})', 1_001, ', ')}",
    "IN list": f"SELECT 1 FROM t WHERE a IN ({listed('{}', 10_001, ', ')})",
    "GROUP BY": f"SELECT 1 FROM t GROUP BY {', '.join(['a'] * 1_001)}",
    "parameters": f"SELECT {', '.join(f'${n}' for n in range(1, 952))}",
    "subqueries": f"SELECT {listed('(SELECT {})', 501, ', ')}",
    "queries": listed("SELECT {}", 205, " UNION ALL "),
    "DML": f"DELETE FROM t WHERE {listed('a = {}', 1_001, ' OR ')}",
}


@pytest.mark.parametrize("text", TOO_LARGE.values(), ids=TOO_LARGE.keys())
def test_an_oversized_statement_is_refused_at_the_limit(text: str) -> None:
    with pytest.raises(StatementTooLarge):
        parse_statement(text + " ) unreadable", BOUNDS)


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(TextTooLong):
        parse_statement("SELECT 1", Bounds(Limits(sql_characters=7)))


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM " + "(" * 5_000,
        "SELECT * FROM a" + " JOIN a ON true" * 5_000,
        "SELECT * FROM a" + " JOIN a" * 5_000,
        "SELECT * FROM a" + ", a" * 5_000,
        "(" * 5_000 + "SELECT 1",
        "SELECT (SELECT " * 5_000,
        "WITH a AS (" * 5_000,
        "SELECT 1 " + "UNION (SELECT 1 " * 5_000,
        "SELECT sum(a) OVER (ORDER BY " * 5_000,
        "SELECT * FROM a GROUP BY GROUPING SETS (" + "GROUPING SETS (" * 5_000,
        "INSERT INTO t " + "(" * 5_000,
        "UPDATE t SET a" + "[1]" * 5_000 + " = 1",
    ],
)
def test_deep_nesting_is_refused(text: str) -> None:
    with pytest.raises(SpannerError) as refused:
        parse_statement(text)
    assert refused.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    "text", [";" * 5_000, "SELECT 1" + ";" * 5_000, "SELECT a" + " OR a" * 10_001,
             "SELECT CASE" + " WHEN a THEN b" * 10_001 + " END"]
)  # fmt: skip
def test_no_repetition_is_endless(text: str) -> None:
    with pytest.raises(SpannerError) as refused:
        parse_statement(text)
    assert refused.value.code is Code.INVALID_ARGUMENT

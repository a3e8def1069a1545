"""The parser refuses an oversized statement at the limit, with the analyzer's message."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.sql.errors import LISTED_ITEMS, StatementTooLarge, SyntaxFailure
from spanemu.sql.googlesql.catalog import bounds_of
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.sql.googlesql.syntax.statement import parse_expression, parse_statement
from tests.unit.sql.world import SCHEMA

UNREADABLE = " $ "


def listed(pattern: str, count: int, separator: str) -> str:
    return separator.join([pattern.format(number) for number in range(count)])


# Each statement slightly exceeds a limit of Spanner.
TOO_LARGE = {
    "OR": f"SELECT 1 FROM Singers WHERE {listed('SingerId = {}', 1_001, ' OR ')}",
    "AND": f"SELECT 1 FROM Singers WHERE {listed('SingerId > {}', 1_001, ' AND ')}",
    "BETWEEN": f"SELECT 1 FROM Singers WHERE {listed('SingerId BETWEEN 0 AND {}', 1_001, ' OR ')}",
    "IN": f"SELECT 1 FROM Singers WHERE {listed('SingerId IN ({})', 1_001, ' OR ')}",
    "NOT IN": f"SELECT 1 FROM Singers WHERE {listed('SingerId NOT IN ({})', 501, ' OR ')}",
    "LIKE": "SELECT 1 FROM Singers WHERE TRUE" + " OR FirstName LIKE 'a'" * 1_001,
    "IS NULL": f"SELECT 1 FROM Singers WHERE {' OR '.join(['Rating IS NULL'] * 1_001)}",
    "sum": f"SELECT {listed('{}', 78, ' + ')}",
    "product": f"SELECT 1 FROM Singers WHERE 1 < {listed('{}', 80, ' * ')}",
    "calls": f"SELECT {listed('ABS({})', 1_001, ', ')}",
    "aggregates": f"SELECT {listed('MAX(SingerId)', 1_001, ', ')} FROM Singers",
    "CASE": f"SELECT CASE SingerId {listed('WHEN {} THEN 1', 1_001, ' ')} END FROM Singers",
    "minus": f"SELECT {', '.join(['-SingerId'] * 1_001)} FROM Singers",
    "IN list": f"SELECT 1 FROM Singers WHERE SingerId IN ({listed('{}', 10_001, ', ')})",
    "GROUP BY": f"SELECT 1 FROM Singers GROUP BY {', '.join(['SingerId'] * 1_001)}",
    "parameters": f"SELECT {listed('@p{}', 951, ', ')}",
    "subqueries": f"SELECT {listed('(SELECT {})', 501, ', ')}",
    "EXISTS": f"SELECT {listed('EXISTS (SELECT {})', 501, ', ')}",
    "queries": listed("SELECT {}", 205, " UNION ALL "),
    "pipe queries": f"FROM Singers |> UNION ALL {listed('(SELECT {})', 205, ', ')}",
    "pipe GROUP BY": f"FROM Singers |> AGGREGATE GROUP BY {', '.join(['SingerId'] * 1_001)}",
    "DML": f"DELETE FROM Singers WHERE {listed('SingerId = {}', 1_001, ' OR ')}",
}

SUBQUERIES = f"SELECT {listed('(SELECT {})', 300, ', ')}"
# These statements exceed no limit, although they have many parts of a limited kind.
FITTING = {
    "subqueries of two queries": f"{SUBQUERIES} UNION ALL {SUBQUERIES}",
    "subqueries of an inner query": f"{SUBQUERIES}, ARRAY({SUBQUERIES})",
    "negative numbers": f"SELECT {listed('-{}', 2_000, ', ')}",
    "one parameter": f"SELECT {', '.join(['@p'] * 2_000)}",
    "values of IN": f"SELECT 1 FROM Singers WHERE SingerId IN ({listed('{}', 10_000, ', ')})",
    "a sum": f"SELECT {listed('{}', 75, ' + ')}",
    "array": f"SELECT [{listed('{}', 20_000, ', ')}]",
    "terms": (
        "UPDATE Singers SET FirstName = 'a' WHERE SingerId IN "
        f"({listed('{}', 5_000, ', ')}) AND ({' OR '.join(['TRUE'] * 2_000)})"
    ),
}


def refusal(text: str) -> SpannerError:
    """Return the error of the analyzer for a text that the parser has read whole."""
    with pytest.raises(SpannerError) as caught:
        GOOGLESQL.analyze(parse_statement(text), text, SCHEMA, {})
    return caught.value


@pytest.mark.parametrize("shape", TOO_LARGE)
def test_parser_and_analyzer_raise_the_same_message(shape):
    text = TOO_LARGE[shape]
    with pytest.raises(StatementTooLarge) as caught:
        parse_statement(text, bounds_of(DEFAULT_LIMITS))
    assert str(caught.value) == str(refusal(text))
    assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize("shape", TOO_LARGE)
def test_text_behind_the_limit_is_not_read(shape):
    with pytest.raises(StatementTooLarge):
        parse_statement(
            TOO_LARGE[shape] + " " + "x, " * 3_000 + UNREADABLE, bounds_of(DEFAULT_LIMITS)
        )


ITEMS = listed("x{} = 1", 10_001, ", ")
NAMES = listed("x{}", 10_001, ", ")
PATH = ".".join(["x"] * 201)
# The parser limits the length of these lists, for which Spanner documents no limit.
TOO_LONG = {
    "table function": f"SELECT * FROM f({NAMES}",
    "hints": f"@{{{ITEMS}",
    "EXCEPT": f"SELECT * EXCEPT ({NAMES}",
    "REPLACE": f"SELECT * REPLACE ({listed('1 AS x{}', 10_001, ', ')}",
    "USING": f"SELECT 1 FROM Singers JOIN Albums USING ({NAMES}",
    "ORDER BY": f"SELECT 1 FROM Singers ORDER BY {NAMES}",
    "PARTITION BY": f"SELECT SUM(1) OVER (PARTITION BY {NAMES}",
    "type": f"SELECT CAST(NULL AS STRUCT<{listed('x{} INT64', 10_001, ', ')}",
    "pipe SET": f"FROM Singers |> SET {ITEMS}",
    "pipe DROP": f"FROM Singers |> DROP {NAMES}",
    "pipe RENAME": f"FROM Singers |> RENAME {listed('a AS x{}', 10_001, ', ')}",
    "INSERT": f"INSERT INTO Singers ({NAMES}",
    "ON CONFLICT": f"INSERT INTO Singers (a) VALUES (1) ON CONFLICT ({NAMES}",
    "SET": f"UPDATE Singers SET {ITEMS}",
    "CALL": f"CALL x({NAMES}",
}


@pytest.mark.parametrize("shape", TOO_LONG)
def test_items_behind_the_limit_of_a_list_are_not_read(shape):
    with pytest.raises(StatementTooLarge) as caught:
        parse_statement(TOO_LONG[shape] + ", x" * 1_000 + UNREADABLE)
    assert caught.value.code is Code.INVALID_ARGUMENT
    assert (caught.value.what, caught.value.limit) == (LISTED_ITEMS, 10_000)


@pytest.mark.parametrize(
    "text", [f"SELECT {PATH}", f"SELECT 1 FROM {PATH}", f"SELECT {PATH}(1)", f"@{{{PATH} = 1}}"]
)
def test_names_behind_the_limit_of_a_path_are_not_read(text):
    with pytest.raises(SyntaxFailure) as caught:
        parse_statement(text.replace(PATH, f"{PATH}{'.x' * 3_000}{UNREADABLE}"))
    assert caught.value.message == "Path with more than 200 names"
    assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize("shape", FITTING)
def test_statements_within_the_limits_are_parsed(shape):
    parse_statement(FITTING[shape], bounds_of(DEFAULT_LIMITS))


def test_limits_of_an_emulator_hold_for_its_parser():
    bounds = bounds_of(Limits(function_calls=2))
    parse_statement("SELECT ABS(1) + 2", bounds)
    with pytest.raises(StatementTooLarge) as caught:
        parse_statement("SELECT ABS(1) + 2 + 3", bounds)
    assert (caught.value.what, caught.value.limit) == ("function calls", 2)


def test_calls_of_user_defined_functions_are_not_counted():
    bounds = bounds_of(Limits(function_calls=1))
    parse_expression("mine(1, mine(2, mine(3)))", bounds)


def test_texts_without_bounds_may_have_any_number_of_parts():
    parse_expression(listed("{}", 2_000, " + "))

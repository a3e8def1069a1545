"""A statement of ten thousand parts, nested or in sequence, is answered or refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.googlesql.syntax.statement import parse_statement
from tests.unit.sql.world import ROWS, MemoryReader, ask

PARTS = 10_000


def nested(opening: str, inmost: str, closing: str) -> Callable[[int], str]:
    return lambda n: opening * n + inmost + closing * n


def chain(pattern: str) -> Callable[[int], str]:
    return lambda n: "".join([pattern.format(at, at + 1) for at in range(n)])


NESTED = {
    "parentheses": nested("(1 + ", "1", ")"),
    "tables": nested("SELECT * FROM (", "SELECT 1", ")"),
    "subqueries": nested("(SELECT ", "1", ")"),
    "exists": nested("EXISTS(SELECT 1 FROM Singers WHERE ", "TRUE", ")"),
    "arrays": nested("[", "1", "]"),
    "structs": nested("STRUCT(", "1", ")"),
    "case": nested("CASE WHEN TRUE THEN ", "1", " END"),
    "functions": nested("ABS(", "1", ")"),
    "casts": nested("CAST(", "1", " AS INT64)"),
    "not": nested("NOT ", "TRUE", ""),
    "minus": nested("- ", "1", ""),
    "types": lambda n: f"CAST(NULL AS {nested('STRUCT<a ', 'INT64', '>')(n)})",
    "lambdas": nested("ARRAY_TRANSFORM([1], x -> ", "1", ")"),
    "in": nested("1 IN (", "1", ")"),
}
LONG = {
    "sum": lambda n: "SELECT 1" + chain(" + 1")(n),
    "and": lambda n: "SELECT 1 FROM Singers WHERE TRUE" + chain(" AND SingerId > {}")(n),
    "or": lambda n: "SELECT 1 FROM Singers WHERE FALSE" + chain(" OR SingerId > {}")(n),
    "in": lambda n: f"SELECT 1 FROM Singers WHERE SingerId IN (0{chain(', {}')(n - 1)})",
    "coalesce": lambda n: f"SELECT COALESCE(1{chain(', {}')(n)})",
    "case": lambda n: f"SELECT CASE 1{chain(' WHEN {} THEN {}')(n)} END",
    "union": lambda n: "SELECT 1" + chain(" UNION ALL SELECT 1")(n),
    "joins": lambda n: "SELECT 1 FROM Singers" + chain(", Singers AS s{}")(n),
    "common tables": lambda n: (
        f"WITH c0 AS (SELECT 1 AS a){chain(', c{1} AS (SELECT a FROM c{0})')(n)} SELECT a FROM c{n}"
    ),
    "pipes": lambda n: "FROM Singers" + chain(" |> WHERE SingerId > {}")(n),
    "columns": lambda n: "FROM Singers" + chain(" |> EXTEND SingerId + 1 AS c{}")(n),
    "rows": lambda n: "INSERT INTO Singers (SingerId) VALUES (0)" + chain(", ({1})")(n),
}
REFUSALS = {Code.INVALID_ARGUMENT, Code.UNIMPLEMENTED}
ANSWERS = REFUSALS | {None}


def outcome(sql: str) -> Code | None:
    """Return None for a statement that runs, and the error code for a refused statement."""
    try:
        ask(sql, MemoryReader(ROWS))
    except SpannerError as refusal:
        return refusal.code
    return None


@pytest.mark.parametrize("shape", NESTED.values(), ids=NESTED)
def test_deep_nesting_is_refused(shape):
    for count in (60, 150, 300, PARTS):
        text = shape(count)
        found = outcome(text if text.startswith(("SELECT", "(SELECT")) else f"SELECT {text}")
        assert found in ANSWERS
    assert found in REFUSALS


@pytest.mark.parametrize("shape", ["common tables", "pipes", "columns"])
def test_long_chains_are_refused_before_they_are_read_to_their_end(shape):
    text = LONG[shape](PARTS)
    with pytest.raises(SyntaxFailure) as caught:
        parse_statement(text)
    assert caught.value.column < len(text) // 5


@pytest.mark.parametrize("shape", LONG.values(), ids=LONG)
def test_long_statements_are_answered_or_refused(shape):
    assert outcome(shape(5)) is None
    for count in (200, PARTS):
        assert outcome(shape(count)) in ANSWERS

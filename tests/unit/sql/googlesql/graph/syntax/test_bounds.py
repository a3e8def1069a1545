"""The parser of graph queries on long and deep texts: a tree or a refusal, in linear time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from spanemu.base.limits import DEFAULT_LIMITS
from spanemu.sql.errors import StatementTooLarge, SyntaxFailure
from spanemu.sql.googlesql.catalog import bounds_of
from spanemu.sql.googlesql.syntax.statement import parse_statement
from tests.unit.sql.byte_codes import byte_codes

Shape = Callable[[int], str]


def nested(opening: str, inmost: str, closing: str) -> Shape:
    return lambda n: opening * n + inmost + closing * n


def matching(shape: Shape) -> Shape:
    return lambda n: f"GRAPH g MATCH {shape(n)} RETURN 1 AS x"


NESTED: dict[str, Shape] = {
    "subpaths": matching(nested("(", "(a)->(b)", ")")),
    "quantified subpaths": matching(nested("(", "(a)->(b)", "){1,2}")),
    "labels": matching(lambda n: f"(a:{nested('(', 'A', ')')(n)})"),
    "negated labels": matching(lambda n: f"(a:{'!' * n}A)"),
    "exists": lambda n: f"GRAPH g RETURN {nested('EXISTS {(a WHERE ', 'TRUE', ')}')(n)} AS x",
    "values": lambda n: f"GRAPH g RETURN {nested('VALUE {RETURN ', '1', ' AS x}')(n)} AS x",
    "calls": lambda n: f"GRAPH g {nested('CALL () {', '', ' RETURN 1 AS x}')(n)} RETURN 1 AS x",
    "graph tables": nested("SELECT 1 FROM GRAPH_TABLE(g RETURN EXISTS(", "SELECT 1", ") AS x)"),
    "in": lambda n: f"GRAPH g RETURN {nested('1 IN {RETURN ', '1', ' AS x}')(n)} AS x",
}
LONG: dict[str, Shape] = {
    "terms": matching(lambda n: "(a)" + "->(b)" * n),
    "hinted terms": matching(lambda n: "(a)" + "@{h=1}->(b)" * n),
    "patterns": matching(lambda n: ", ".join(["(a)"] * n)),
    "labels": matching(lambda n: f"(a:{'|'.join(['A&!B'] * n)})"),
    "properties": matching(lambda n: f"(a {{{', '.join(['x: 1'] * n)}}})"),
    "statements": lambda n: f"GRAPH g {'LET x = 1 ' * n} RETURN 1 AS x",
    "next": lambda n: f"GRAPH g RETURN 1 AS x{' NEXT RETURN x' * n}",
    "items": lambda n: f"GRAPH g RETURN {', '.join(['a.b AS c'] * n)}",
}


@pytest.mark.parametrize("shape", NESTED.values(), ids=NESTED)
def test_deep_nesting_is_refused(shape: Shape) -> None:
    parse_statement(shape(5))
    with pytest.raises(StatementTooLarge):
        parse_statement(shape(10_000), bounds_of(DEFAULT_LIMITS))


@pytest.mark.parametrize("shape", LONG.values(), ids=LONG)
def test_long_queries_are_parsed_or_refused(shape: Shape) -> None:
    parse_statement(shape(200))
    try:
        parse_statement(shape(20_000))
    except (StatementTooLarge, SyntaxFailure):
        return


def instructions(sql: str) -> int:
    """Return how many byte codes the parsing of a statement takes."""
    return byte_codes(lambda: parse_statement(sql))


@pytest.mark.parametrize("shape", LONG.values(), ids=LONG)
def test_work_grows_with_the_query(shape: Shape) -> None:
    parse_statement(shape(40))
    assert instructions(shape(400)) < 11 * instructions(shape(40))

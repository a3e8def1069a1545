"""Shapes of paths: supplied nodes, merged nodes, ranges and repetitions."""

from __future__ import annotations

import pytest

from spanemu.sql.errors import AnalysisError
from spanemu.sql.googlesql import ast as sql_ast
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.patterns import (
    EdgeLink,
    RepeatedLink,
    Shape,
    reversed_shape,
    shape_of,
)
from spanemu.sql.googlesql.syntax.statement import parse_statement


def shape(pattern: str) -> Shape:
    """Return the shape of a path pattern."""
    statement = parse_statement(f"GRAPH g MATCH {pattern} RETURN 1 AS x")
    assert isinstance(statement, sql_ast.QueryStatement)
    body = statement.query.body
    assert isinstance(body, ast.GraphQuery)
    match = body.queries[0].operands[0].statements[0]
    assert isinstance(match, ast.Match)
    return shape_of(match.patterns[0])


def drawn(path: Shape) -> str:
    """Return a path as text: its nodes and links, one after the other."""
    nodes = ["".join(f"({name.name})" for name in place.names()) or "()" for place in path.places]
    links = [_drawn_link(link) for link in path.links]
    return nodes[0] + "".join(link + node for link, node in zip(links, nodes[1:], strict=True))


def _drawn_link(link: EdgeLink | RepeatedLink) -> str:
    if isinstance(link, RepeatedLink):
        return f" [{drawn(link.body)}]{{{link.lower},{link.upper}}} "
    name = link.pattern.variable
    return f" {link.direction}{'' if name is None else name.name} "


def test_nodes_are_supplied_around_edges() -> None:
    assert drawn(shape("-[e]->")) == "() ->e ()"
    assert drawn(shape("-[e]->-[f]-")) == "() ->e () -f ()"


def test_neighbouring_nodes_are_one_node() -> None:
    assert drawn(shape("(a)(b)-[e]->(c)")) == "(a)(b) ->e (c)"
    assert drawn(shape("(a)((b)-[e]->(c))(d)")) == "(a)(b) ->e (c)(d)"


def test_quantified_edge_is_a_repetition_of_itself() -> None:
    assert drawn(shape("(a)-[e]->{1,3}(b)")) == "(a) [() ->e ()]{1,3} (b)"
    assert drawn(shape("(a)-[e]->{2}-[f]->{,2}")) == "(a) [() ->e ()]{2,2} () [() ->f ()]{0,2} ()"


def test_subpath_is_a_range_of_links() -> None:
    path = shape("(a)->(TRAIL (b)->(c)->(d) WHERE TRUE)->(e)")
    (covered,) = path.ranges
    assert (covered.first, covered.last, covered.mode) == (1, 3, ast.PathMode.TRAIL)
    assert covered.where is not None


def test_reversed_path_has_the_same_nodes_backwards() -> None:
    path = reversed_shape(shape("(a)-[e]->((x)<-[f]-(y)){1,2}(b)"))
    assert drawn(path) == "(b) [(y) ->f (x)]{1,2} () <-e (a)"
    assert drawn(reversed_shape(path)) == drawn(shape("(a)-[e]->((x)<-[f]-(y)){1,2}(b)"))


@pytest.mark.parametrize(
    "pattern",
    [
        "-[e]->*",
        "ANY ((a)-[e]->(b)){0,2}",
        "(a)((b)-[e]->{1,2}(c)){2}(d)",
        "ANY SHORTEST TRAIL (a)-[e]->(b)",
        "ANY CHEAPEST (a)-[e COST 1]->(b)-[f]->{1,2}(c)",
        "(a)-[e]->{1,101}(b)",
    ],
)
def test_refuses(pattern: str) -> None:
    with pytest.raises(AnalysisError):
        shape(pattern)

"""Graph queries: set operators and NEXT, subqueries in braces, and GRAPH_TABLE."""

from __future__ import annotations

from spanemu.base.errors import Unsupported
from spanemu.sql.errors import SET_OPERATION_QUERIES
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.graph import ast as graph_ast
from spanemu.sql.googlesql.graph.syntax.patterns import starts_pattern
from spanemu.sql.googlesql.graph.syntax.statements import pattern_match, returned, statements
from spanemu.sql.googlesql.syntax.names import STEPS_MAX
from spanemu.sql.googlesql.syntax.select import SelectParser

_SET_OPERATORS = frozenset({"UNION", "INTERSECT", "EXCEPT"})


def graph_query(parser: SelectParser) -> ast.Query:
    """Parse `GRAPH graph queries`."""
    start = parser.expect("GRAPH").at
    return _query(parser, start, parser.path())


def graph_table(parser: SelectParser) -> ast.GraphTable:
    """Parse `GRAPH_TABLE(graph queries) [[AS] alias]`; a single MATCH needs no RETURN."""
    start = parser.expect("GRAPH_TABLE").at
    parser.expect("(")
    graph = parser.path()
    query = _query(parser, graph.at, graph, closing=")")
    parser.expect(")", "NEXT")
    alias = parser.table_alias()
    if parser.token.symbol == "TABLESAMPLE":
        raise Unsupported("TABLESAMPLE of GRAPH_TABLE")
    return ast.GraphTable(query, alias, at=start, end=parser.end)


def in_braces(parser: SelectParser, *, in_exists: bool) -> ast.Query:
    """Parse `{[GRAPH graph] queries}`; in EXISTS also a pattern, or statements without RETURN."""
    parser.expect("{")
    start = parser.token.at
    graph = None
    if parser.token.symbol == "GRAPH" and parser.peek().symbol != "=":
        parser.advance()
        graph = parser.path()
    query = _query(parser, start, graph, closing="}" if in_exists else "")
    parser.expect("}", "NEXT")
    return query


def _query(
    parser: SelectParser, start: int, graph: ast.Path | None, *, closing: str = ""
) -> ast.Query:
    """Parse queries joined by NEXT; like a SELECT, they count as two levels of nesting.

    With `closing`, the first query may lack RETURN before that symbol.
    """
    parser.deeper(2)
    parser.enter_select(start)
    outer_subqueries, parser.subqueries = parser.subqueries, 0
    queries = [_linear_query(parser, closing)]
    while parser.token.symbol == "NEXT" and queries[0].operands[0].returned is not None:
        parser.advance()
        if len(queries) == STEPS_MAX:
            raise parser.failure(f"More than {STEPS_MAX} graph queries joined by NEXT")
        queries.append(_linear_query(parser, ""))
    parser.subqueries = outer_subqueries
    parser.selects -= 1
    parser.depth -= 2
    body = graph_ast.GraphQuery(graph, tuple(queries), at=start, end=parser.end)
    return ast.Query(body, at=start, end=parser.end)


def _linear_query(parser: SelectParser, closing: str) -> graph_ast.LinearQuery:
    start = parser.token.at
    operands = [_simple_query(parser, closing)]
    operators: list[graph_ast.GraphSetOperator] = []
    limit = parser.bounds.limits.set_operation_queries
    while parser.token.symbol in _SET_OPERATORS and operands[0].returned is not None:
        operators.append(_set_operator(parser))
        operands.append(_simple_query(parser, ""))
        if len(operands) > limit:
            raise parser.too_large(SET_OPERATION_QUERIES, limit, start)
    return graph_ast.LinearQuery(tuple(operands), tuple(operators), at=start, end=parser.end)


def _set_operator(parser: SelectParser) -> graph_ast.GraphSetOperator:
    word = parser.advance()
    if parser.token.symbol not in ("ALL", "DISTINCT"):
        raise parser.unexpected("ALL", "DISTINCT")
    distinct = parser.advance().symbol == "DISTINCT"
    return graph_ast.GraphSetOperator(word.symbol, distinct, at=word.at, end=parser.end)


def _simple_query(parser: SelectParser, closing: str) -> graph_ast.SimpleQuery:
    start = parser.token.at
    if closing == "}" and starts_pattern(parser):
        match = pattern_match(parser)
        return graph_ast.SimpleQuery((match,), None, at=start, end=parser.end)
    parsed = statements(parser)
    if parsed and parser.token.symbol == closing and (closing == "}" or _is_match(parsed)):
        return graph_ast.SimpleQuery(parsed, None, at=start, end=parser.end)
    return graph_ast.SimpleQuery(parsed, returned(parser), at=start, end=parser.end)


def _is_match(parsed: tuple[graph_ast.GraphStatement, ...]) -> bool:
    first = parsed[0]
    return len(parsed) == 1 and isinstance(first, graph_ast.Match) and not first.optional

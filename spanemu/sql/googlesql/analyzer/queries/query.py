"""Resolves whole queries: WITH, a body, ORDER BY, LIMIT, FOR UPDATE, then pipes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import CommonTable, QueryResult
from spanemu.sql.googlesql.analyzer.errors import BadQuery
from spanemu.sql.googlesql.analyzer.name_errors import DuplicateCommonTable
from spanemu.sql.googlesql.analyzer.queries import ordering, pipes, set_operation
from spanemu.sql.googlesql.analyzer.queries.from_clause import resolve_from
from spanemu.sql.googlesql.analyzer.queries.select import resolve_select
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.googlesql.graph.analyzer import query as graph_query
from spanemu.sql.resolved import ResolvedColumn, Scan, WithScan

_WithTables = list[tuple[str, Scan, tuple[ResolvedColumn, ...]]]


def resolve_query(query: ast.Query, env: Env) -> QueryResult:
    """Resolve a whole query; `env` holds the names of the enclosing queries.

    Raise AnalysisError if the query is invalid.
    """
    is_outermost = env.outermost
    if query.for_update:
        env.analysis.traits.for_update = True
        if isinstance(query.body, ast.Select) and query.body.source is None:
            raise BadQuery("Query without FROM clause cannot have FOR UPDATE", at=query.at)
    check_hints(query.order_hint, HintTarget.ORDER_BY, env.analysis)
    env = Env(
        env.analysis,
        env.scope,
        "query",
        env.common_tables,
        for_update=env.for_update or query.for_update,
    )
    tables: _WithTables = []
    if query.with_:
        if not is_outermost:
            raise BadQuery("WITH is not supported on subqueries", at=query.at)
        env = _with(query, env, tables)
    if isinstance(query.body, ast.FromBody):
        # The tables of FROM keep their names, so that the operators can use the names.
        result = pipes.apply_pipes(query.pipes, resolve_from(query.body.source, env), False, env)
    else:
        result = _body_resolver(query.body)(query.body, query.order_by, env)
        if query.limit is not None:
            result = ordering.apply_limit(result, query.limit, query.offset, env)
        if query.pipes:
            result = pipes.apply_pipes(
                query.pipes, pipes.as_relation(result, env), result.ordered, env
            )
    if tables:
        result = replace(result, scan=WithScan(tuple(tables), result.scan))
    return result


def _with(query: ast.Query, env: Env, tables: _WithTables) -> Env:
    """Resolve WITH: add its queries to `tables`, and return an environment with their names."""
    if query.recursive:
        raise BadQuery("RECURSIVE is not supported in the WITH clause", at=query.at)
    known = dict(env.common_tables)
    seen: set[str] = set()
    for table in query.with_:
        key = env.analysis.fold(table.name.name)
        if key in seen:
            raise DuplicateCommonTable(table.name.name, at=table.name.at)
        seen.add(key)
        # FOR UPDATE applies to subqueries in FROM, but not to common tables.
        inside = replace(env, common_tables=known, for_update=False)
        result = resolve_query(table.query, inside)
        marker = env.analysis.column(table.name.name, result.columns[0][1].type)
        unique = f"{table.name.name}#{marker.id}"
        known = {**known, key: CommonTable(unique, result)}
        tables.append((unique, result.scan, tuple(column for _, column in result.columns)))
    return replace(env, common_tables=known)


def _select(body: ast.Select, order_by: Sequence[ast.OrderItem], env: Env) -> QueryResult:
    return resolve_select(body, env, order_by)


def _set_operation(
    body: ast.SetOperation, order_by: Sequence[ast.OrderItem], env: Env
) -> QueryResult:
    operands = [_BODIES[type(operand)](operand, (), env) for operand in body.operands]
    places = [operand.at for operand in body.operands]
    written = set_operation.SetOperator(body.op, body.distinct, body.at, places, body.hint)
    return ordering.order_by_output(set_operation.combine(written, operands, env), order_by, env)


def _nested(body: ast.Query, order_by: Sequence[ast.OrderItem], env: Env) -> QueryResult:
    return ordering.order_by_output(resolve_query(body, env), order_by, env)


def _from(body: ast.FromBody, order_by: Sequence[ast.OrderItem], env: Env) -> QueryResult:
    result = pipes.as_result(resolve_from(body.source, env), False, env)
    return ordering.order_by_output(result, order_by, env)


_ResolveBody = Callable[[Any, Sequence[ast.OrderItem], Env], QueryResult]


def _body_resolver(body: ast.QueryBody) -> _ResolveBody:
    if isinstance(body, ast.GraphBody):
        resolve_body: _ResolveBody = graph_query.resolve_graph_body
        return resolve_body
    return _BODIES[type(body)]


_BODIES: Mapping[type[ast.Node], _ResolveBody] = {
    ast.Select: _select,
    ast.SetOperation: _set_operation,
    ast.Query: _nested,
    ast.FromBody: _from,
}

"""Resolves whole queries: WITH, a body, ORDER BY of its output, LIMIT with OFFSET, FOR UPDATE."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spanemu.sql.analysis.derived_relation import DerivedRelation
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import CommonTable, QueryResult
from spanemu.sql.postgresql.analyzer.errors import (
    DuplicateCommonTable,
    NoOutputColumns,
    OrderOfSetOperation,
    UndefinedColumn,
    UnsupportedQuery,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import make_sort_key, resolve_as
from spanemu.sql.postgresql.analyzer.queries import set_operation
from spanemu.sql.postgresql.analyzer.queries.select import resolve_select
from spanemu.sql.postgresql.analyzer.queries.select_list import (
    Clause,
    SelectColumn,
    selected_column,
)
from spanemu.sql.postgresql.analyzer.scope import Env, Scope, with_alias
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    LimitScan,
    Literal,
    OrderScan,
    ResolvedColumn,
    Scan,
    WithScan,
)
from spanemu.sql.syntax_tree import Expression, Name
from spanemu.values.types import INT64

_WithTables = list[tuple[str, Scan, tuple[ResolvedColumn, ...]]]


def resolve_query(query: ast.Query, env: Env) -> QueryResult:
    """Resolve a whole query; `env` holds the names of the enclosing queries.

    Raise AnalysisError if the query is invalid.
    """
    is_outermost = env.outermost
    if query.for_update:
        env.analysis.traits.for_update = True
        if not isinstance(query.body, ast.Select) or query.body.source is None:
            raise UnsupportedQuery(
                "[ERROR] FOR UPDATE with UNION/INTERSECT/EXCEPT or without FROM is", at=query.at
            )
    env = Env(
        env.analysis,
        env.scope,
        "SELECT",
        env.common_tables,
        for_update=env.for_update or query.for_update,
        keeps_unknown=env.keeps_unknown,
    )
    tables: _WithTables = []
    if query.with_:
        if not is_outermost:
            raise UnsupportedQuery("WITH expressions in subqueries are", at=query.at)
        env = _with(query, env, tables)
    result = _body(query.body, query.order_by, env)
    if not result.columns:
        raise NoOutputColumns(at=query.at)
    result = _apply_limit(query, result, env)
    if tables:
        result = replace(result, scan=WithScan(tuple(tables), result.scan))
    return result


def _with(query: ast.Query, env: Env, tables: _WithTables) -> Env:
    """Resolve WITH: add its queries to `tables`, and return an environment with their names."""
    known = dict(env.common_tables)
    seen: set[str] = set()
    for table in query.with_:
        name = table.name.name
        if name in seen:
            raise DuplicateCommonTable(name, at=table.name.at)
        seen.add(name)
        # FOR UPDATE applies to subqueries in FROM, but not to common tables.
        inside = replace(env, common_tables=known, for_update=False, keeps_unknown=False)
        result = _renamed(resolve_query(table.query, inside), table, env)
        marker = env.analysis.column(name, result.columns[0][1].type)
        unique = f"{name}#{marker.id}"
        known = {**known, name: CommonTable(unique, result)}
        tables.append((unique, result.scan, tuple(column for _, column in result.columns)))
    return replace(env, common_tables=known)


def _renamed(result: QueryResult, table: ast.CommonTable, env: Env) -> QueryResult:
    """Return the result of a common table with the column names of its list."""
    if not table.columns:
        return result
    name = table.name.name
    inner = DerivedRelation(name, result.columns, result.scan, env.analysis.fold)
    renamed = with_alias(inner, name, [column.name for column in table.columns], table.at)
    columns = tuple(
        (name, value.column) for name, value in renamed.star() if isinstance(value, ColumnRef)
    )
    return replace(result, columns=columns)


def _body(body: ast.QueryBody, order_by: Sequence[ast.SortItem], env: Env) -> QueryResult:
    if isinstance(body, ast.Select):
        return resolve_select(body, env, order_by)
    if isinstance(body, ast.Query):
        return _order_by_output(resolve_query(body, env), order_by, env)
    return _order_by_output(_set_operation(body, env), order_by, env)


def _set_operation(body: ast.SetOperation, env: Env) -> QueryResult:
    """Combine the queries of a set operation; its left side can be a long chain of others."""
    chain = []
    first: ast.QueryBody = body
    while isinstance(first, ast.SetOperation):
        chain.append(first)
        first = first.left
    set_operation.check_operand_count(len(chain) + 1, env, body.at)
    inside = replace(env, keeps_unknown=True)
    result = _body(first, (), inside)
    for operation in reversed(chain):
        result = set_operation.combine(operation, result, _body(operation.right, (), inside), env)
    return result


_NO_LIMIT = 2**63 - 1


def _order_by_output(
    result: QueryResult, order_by: Sequence[ast.SortItem], env: Env
) -> QueryResult:
    """Return `result`, of a set operation or a query in parentheses, sorted by output columns.

    Raise OrderOfSetOperation for an expression.
    """
    if not order_by:
        return result
    columns = [
        SelectColumn(name, ColumnRef(column.type, column), -1) for name, column in result.columns
    ]
    keys = []
    for item in order_by:
        column = selected_column(item.value, columns, Clause.ORDER_BY)
        if column is None and isinstance(item.value, Name):
            raise UndefinedColumn(f'"{item.value.path}"', at=item.value.at)
        if column is None:
            raise OrderOfSetOperation(at=item.value.at)
        keys.append(make_sort_key(item, column.expression, env))
    return replace(result, scan=OrderScan(result.scan, tuple(keys)), ordered=True)


def _apply_limit(query: ast.Query, result: QueryResult, env: Env) -> QueryResult:
    """Return `result` restricted by the LIMIT and OFFSET of `query`.

    Raise UnsupportedQuery for a negative number, and for a parameter as OFFSET without LIMIT.
    """
    if query.limit is None and query.offset is None:
        return result
    inside = Env(env.analysis, Scope(None), "LIMIT", {})
    offset = None if query.offset is None else _count(query.offset, "OFFSET", inside)
    if query.limit is not None:
        limit = _count(query.limit, "LIMIT", inside)
    elif isinstance(offset, Literal):
        limit = Literal(INT64, _NO_LIMIT)
    else:
        assert query.offset is not None
        feature = "Queries containing parameters in the OFFSET clause must contain a LIMIT clause;"
        raise UnsupportedQuery(f"{feature} OFFSET alone is", at=query.offset.at)
    return replace(result, scan=LimitScan(result.scan, limit, offset))


def _count(node: Expression, clause: str, env: Env) -> Expr:
    count = resolve_as(node, INT64, env)
    if isinstance(count, Literal) and (count.value is None or count.value < 0):
        kind = "NULL" if count.value is None else "negative"
        raise UnsupportedQuery(f"{clause} clauses that are {kind} values are", at=node.at)
    return count

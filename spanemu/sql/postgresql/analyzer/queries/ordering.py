"""Resolves ORDER BY, and LIMIT with OFFSET."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.analysis import QueryResult
from spanemu.sql.postgresql.analyzer.errors.names import UndefinedColumn
from spanemu.sql.postgresql.analyzer.errors.queries import (
    OrderOfSetOperation,
    UnsupportedQuery,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import make_sort_key, resolve_as
from spanemu.sql.postgresql.analyzer.queries.ordinals import Clause, selected_column
from spanemu.sql.postgresql.analyzer.queries.select_list import SelectColumn
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import ColumnRef, Expr, LimitScan, Literal, OrderScan
from spanemu.sql.syntax_tree import Expression, Name
from spanemu.values.types import INT64

_NO_LIMIT = 2**63 - 1


def order_by_output(result: QueryResult, order_by: Sequence[ast.SortItem], env: Env) -> QueryResult:
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


def apply_limit(query: ast.Query, result: QueryResult, env: Env) -> QueryResult:
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

"""Resolves ORDER BY on the output of a query: of a set operation, or of a query in parentheses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import QueryResult
from spanemu.sql.googlesql.analyzer.errors.shape import (
    BadGrouping,
    OrdinalOutOfRange,
    OrdinalTooSmall,
)
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.queries.group_by import LITERALS, ordinal
from spanemu.sql.googlesql.analyzer.queries.ordering import make_sort_key
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import ColumnRef, Expr, OrderScan, SortKey


def order_by_output(
    result: QueryResult, order_by: Sequence[ast.OrderItem], env: Env
) -> QueryResult:
    """Return `result` sorted by expressions over its output columns."""
    if not order_by:
        return result
    references: list[Expr] = [ColumnRef(column.type, column) for _, column in result.columns]
    named = [(name, ref) for (name, _), ref in zip(result.columns, references, strict=True)]
    inside = Env(
        env.analysis,
        Scope(env.scope, names=alias_names(named)),
        "ORDER BY clause after set operation",
        env.common_tables,
    )
    keys = tuple(resolve_output_sort_key(item, references, inside) for item in order_by)
    scan = OrderScan(result.scan, keys)
    return QueryResult(scan, result.columns, result.value_table, ordered=True)


def alias_names(named: Sequence[tuple[str, Expr]]) -> Mapping[str, Expr | None]:
    """Return the column aliases by lower-cased name; an ambiguous alias maps to None."""
    names: dict[str, Expr | None] = {}
    for name, expression in named:
        key = name.lower()
        if not key:
            continue
        names[key] = None if key in names else expression
    return names


def resolve_output_sort_key(item: ast.OrderItem, outputs: Sequence[Expr], env: Env) -> SortKey:
    """Resolve an item of ORDER BY: the number of an output column, or an expression."""
    node = item.value
    number = ordinal(node)
    if number is None:
        if type(node) in LITERALS:
            raise BadGrouping("Cannot ORDER BY literal values", at=node.at)
        return make_sort_key(item, resolve(node, env), env)
    if number < 1:
        raise OrdinalTooSmall(number, at=node.at)
    if number > len(outputs):
        raise OrdinalOutOfRange("ORDER BY", number, at=node.at)
    return make_sort_key(item, outputs[number - 1], env)

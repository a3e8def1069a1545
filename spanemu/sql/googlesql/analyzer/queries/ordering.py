"""Resolves ORDER BY, and LIMIT with OFFSET."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spanemu.schema.dialect import Fold
from spanemu.sql.analysis import tree
from spanemu.sql.functions.comparison import is_orderable
from spanemu.sql.functions.text import collation as collations
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import QueryResult
from spanemu.sql.googlesql.analyzer.errors import (
    BadCollation,
    BadGrouping,
    BadQuery,
    ExpectsConstant,
    NotOrderable,
    OrdinalOutOfRange,
    OrdinalTooSmall,
)
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve, resolve_int64
from spanemu.sql.googlesql.analyzer.queries.select_list import LITERALS, ordinal
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    LimitScan,
    Literal,
    OrderScan,
    SortKey,
    SubqueryExpr,
)
from spanemu.values.types import STRING


def resolve_sort_key(item: ast.OrderItem, env: Env) -> SortKey:
    """Resolve an item of ORDER BY."""
    return make_sort_key(item, resolve(item.value, env), env)


def make_sort_key(item: ast.OrderItem, value: Expr, env: Env) -> SortKey:
    """Return the sort key of an ORDER BY item whose value is resolved already.

    Raise NotOrderable for a type that cannot be sorted, BadQuery or BadCollation for COLLATE.
    """
    if not is_orderable(value.type):
        raise NotOrderable("ORDER BY", str(value.type), at=item.at)
    order = env.analysis.schema.orders.order(descending=item.descending)
    written = item.collation
    if written is None:
        return SortKey(value, order)
    if value.type != STRING:
        raise BadQuery(
            "COLLATE can only be applied to expressions of type STRING, but was applied to "
            f"{value.type}",
            at=written.at,
        )
    collation = resolve(written, env)
    if not fits(collation, STRING, env.analysis):
        raise BadQuery(
            f"COLLATE must be followed by a string literal or a string parameter, not "
            f"{collation.type}",
            at=written.at,
        )
    collation = coerce(collation, STRING, env.analysis, written.at)
    if not isinstance(collation, Literal):
        return SortKey(value, order, collation)
    if not collations.is_collation(collation.value):
        raise BadCollation(collation.value, at=written.at)
    return SortKey(value, order, collation)


def apply_limit(
    result: QueryResult, limit: ast.Expression, offset: ast.Expression | None, env: Env
) -> QueryResult:
    """Return `result` restricted by LIMIT and OFFSET."""
    scan = LimitScan(result.scan, *resolve_limits(limit, offset, env))
    return QueryResult(scan, result.columns, result.value_table, result.ordered)


def resolve_limits(
    limit: ast.Expression, offset: ast.Expression | None, env: Env
) -> tuple[Expr, Expr | None]:
    """Resolve LIMIT and OFFSET: constant expressions without columns or subqueries."""
    inside = Env(env.analysis, Scope(None), "LIMIT clause", {})
    return _count(limit, inside), None if offset is None else _count(offset, inside)


def _count(node: ast.Expression, env: Env) -> Expr:
    count = resolve_int64(node, env, "LIMIT ... OFFSET ...")
    if not isinstance(count, Literal):
        if any(isinstance(part, SubqueryExpr) for part in tree.expressions_in(count)):
            raise ExpectsConstant("LIMIT ... OFFSET ...", at=node.at)
    elif count.value is None:
        raise BadQuery("LIMIT ... OFFSET ... must not be NULL", at=node.at)
    elif count.value < 0:
        raise BadQuery("LIMIT ... OFFSET ... must not be negative", at=node.at)
    return count


# ---------------------------------------------------------------------------- output columns


def order_by_output(
    result: QueryResult, order_by: Sequence[ast.OrderItem], env: Env
) -> QueryResult:
    """Return `result`, of a set operation or a query in parentheses, sorted by output columns."""
    if not order_by:
        return result
    references: list[Expr] = [ColumnRef(column.type, column) for _, column in result.columns]
    named = [(name, ref) for (name, _), ref in zip(result.columns, references, strict=True)]
    inside = Env(
        env.analysis,
        Scope(env.scope, names=alias_names(named, env.analysis.fold)),
        "ORDER BY clause after set operation",
        env.common_tables,
    )
    keys = tuple(resolve_output_sort_key(item, references, inside) for item in order_by)
    scan = OrderScan(result.scan, keys)
    return QueryResult(scan, result.columns, result.value_table, ordered=True)


def alias_names(named: Sequence[tuple[str, Expr]], fold: Fold) -> Mapping[str, Expr | None]:
    """Return the column aliases by folded name; an ambiguous alias maps to None."""
    names: dict[str, Expr | None] = {}
    for name, expression in named:
        key = fold(name)
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

"""Resolves the items of ORDER BY, and LIMIT with OFFSET."""

from __future__ import annotations

from spanemu.sql.functions.comparison import is_orderable
from spanemu.sql.functions.text.collation import is_collation
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import QueryResult
from spanemu.sql.googlesql.analyzer.errors.shape import BadCollation, BadQuery, NotOrderable
from spanemu.sql.googlesql.analyzer.errors.typing import ExpectsConstant, ExpectsInt64
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.analyzer.tree import expressions_in
from spanemu.sql.resolved import Expr, LimitScan, Literal, SortKey, SubqueryExpr
from spanemu.values.types import INT64, STRING


def resolve_sort_key(item: ast.OrderItem, env: Env) -> SortKey:
    """Resolve an item of ORDER BY."""
    return make_sort_key(item, resolve(item.value, env), env)


def make_sort_key(item: ast.OrderItem, value: Expr, env: Env) -> SortKey:
    """Return the sort key of an ORDER BY item whose value is resolved already.

    Raise NotOrderable for a type that cannot be sorted, BadQuery or BadCollation for COLLATE.
    """
    if not is_orderable(value.type):
        raise NotOrderable("ORDER BY", str(value.type), at=item.at)
    # NULL sorts before all other values.
    nulls_first = not item.descending
    written = item.collation
    if written is None:
        return SortKey(value, item.descending, nulls_first)
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
        return SortKey(value, item.descending, nulls_first, collation)
    if not is_collation(collation.value):
        raise BadCollation(collation.value, at=written.at)
    return SortKey(value, item.descending, nulls_first, collation)


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
    count = resolve(node, env)
    if not fits(count, INT64, env.analysis):
        raise ExpectsInt64("LIMIT ... OFFSET ...", str(count.type), at=node.at)
    count = coerce(count, INT64, env.analysis, node.at)
    if any(isinstance(part, SubqueryExpr) for part in expressions_in(count)):
        raise ExpectsConstant("LIMIT ... OFFSET ...", at=node.at)
    if isinstance(count, Literal) and count.value is None:
        raise BadQuery("LIMIT ... OFFSET ... must not be NULL", at=node.at)
    if isinstance(count, Literal) and count.value < 0:
        raise BadQuery("LIMIT ... OFFSET ... must not be negative", at=node.at)
    return count

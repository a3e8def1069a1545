"""Resolves LIMIT and OFFSET."""

from __future__ import annotations

from spanemu.sql.analyzer.analysis import QueryResult
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.shape import BadQuery
from spanemu.sql.analyzer.errors.typing import ExpectsConstant, ExpectsInt64
from spanemu.sql.analyzer.expressions.coercion import coerce, fits
from spanemu.sql.analyzer.expressions.expression import resolve
from spanemu.sql.analyzer.resolved import Expr, LimitScan, Literal, SubqueryExpr
from spanemu.sql.analyzer.scope import Scope
from spanemu.sql.analyzer.tree import expressions_in
from spanemu.sql.syntax import ast
from spanemu.values.types import INT64


def limited(
    result: QueryResult, limit: ast.Expression, offset: ast.Expression | None, env: Env
) -> QueryResult:
    """`result` cut by LIMIT and OFFSET."""
    scan = LimitScan(result.scan, *limits_of(limit, offset, env))
    return QueryResult(scan, result.columns, result.value_table, result.ordered)


def limits_of(
    limit: ast.Expression, offset: ast.Expression | None, env: Env
) -> tuple[Expr, Expr | None]:
    """The two numbers: constant expressions, which mention no column and hold no query."""
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

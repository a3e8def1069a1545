"""Resolves an expression by dispatching on the type of its syntax node.

`analyzer.analyze` has the table that `Analysis.resolvers` holds.
"""

from __future__ import annotations

from spanemu.base.call import current
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import ExpectsInt64, NotBool
from spanemu.sql.googlesql.analyzer.expressions.coercion import Kind, coerce, fits, kind_of
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.resolved import Expr
from spanemu.values.types import BOOL, INT64


def resolve(node: ast.Expression, env: Env) -> Expr:
    """Resolve `node` in `env`. Raise AnalysisError if the expression is invalid.

    The deadline of the request is checked at each node.
    """
    current().check()
    return env.analysis.resolvers[type(node)](node, env)


def resolve_int64(node: ast.Expression, env: Env, clause: str) -> Expr:
    """Resolve an INT64, as of LIMIT. Raise ExpectsInt64, with `clause`, for another type."""
    expression = resolve(node, env)
    if not fits(expression, INT64, env.analysis):
        raise ExpectsInt64(clause, str(expression.type), at=node.at)
    return coerce(expression, INT64, env.analysis, node.at)


def resolve_condition(node: ast.Expression, env: Env) -> Expr:
    """Resolve a condition, as of WHERE. Raise NotBool, with `env.clause`, for another type."""
    expression = resolve(node, env)
    if expression.type is BOOL and kind_of(expression, env.analysis) is not Kind.PENDING:
        return expression
    if not fits(expression, BOOL, env.analysis):
        raise NotBool(env.clause, str(expression.type), at=node.at)
    return coerce(expression, BOOL, env.analysis, node.at)

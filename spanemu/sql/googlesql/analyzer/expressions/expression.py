"""Resolves an expression: finds its resolver by the kind of node.

`machinery` joins the tables of the chapters (`names`, `literals`, `operators`, `conditionals`,
`constructors`, `calls`, `subqueries`) into the one that `Analysis.resolvers` holds.
"""

from __future__ import annotations

from spanemu.base.call import current
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors.typing import NotBool
from spanemu.sql.googlesql.analyzer.expressions.coercion import Kind, coerce, fits, kind_of
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.resolved import Expr
from spanemu.values.types import BOOL


def resolve(node: ast.Expression, env: Env) -> Expr:
    """What `node` means in `env`."""
    current().check()
    return env.analysis.resolvers[type(node)](node, env)


def resolve_condition(node: ast.Expression, env: Env) -> Expr:
    """A BOOL, as WHERE, HAVING and ON want it; `env.clause` names the place."""
    expression = resolve(node, env)
    if expression.type is BOOL and kind_of(expression, env.analysis) is not Kind.PENDING:
        return expression
    if not fits(expression, BOOL, env.analysis):
        raise NotBool(env.clause, str(expression.type), at=node.at)
    return coerce(expression, BOOL, env.analysis, node.at)

"""Resolves an expression: finds its resolver by the kind of node.

`machinery` joins the tables of the chapters (`names`, `literals`, `operators`, `conditionals`,
`constructors`, `calls`, `subqueries`) into the one that `Analysis.resolvers` holds.
"""

from __future__ import annotations

from spanemu.base.call import current
from spanemu.sql.analyzer.env import Env
from spanemu.sql.analyzer.errors.typing import NotBool
from spanemu.sql.analyzer.expressions.coercion import Kind, coerce, fits, kind_of
from spanemu.sql.analyzer.resolved import Expr
from spanemu.sql.syntax import ast
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

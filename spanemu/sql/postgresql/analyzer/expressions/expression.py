"""Resolves an expression by dispatching on the type of its syntax node.

`analyzer.resolvers` is the table that `Analysis.resolvers` holds.
"""

from __future__ import annotations

from spanemu.base.call import current
from spanemu.sql.functions.comparison import is_orderable
from spanemu.sql.functions.postgresql.casts import CastContext
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.errors import REFUSALS, UnsupportedKeyType
from spanemu.sql.postgresql.analyzer.expressions.coercion import (
    as_output,
    coerce,
    coerce_to_boolean,
)
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.postgresql.types import UNKNOWN, title
from spanemu.sql.resolved import Expr, Literal, SortKey
from spanemu.sql.syntax_tree import Expression
from spanemu.values.types import Type


def resolve(node: Expression, env: Env) -> Expr:
    """Resolve `node` in `env`. Raise AnalysisError if the expression is invalid.

    The type of the result is UNKNOWN for a string literal, NULL and a parameter without type. An
    expression that Spanner refuses counts as NULL for the rest of the analysis, which may find an
    error that PostgreSQL reports before. The deadline of the request is checked at each node.
    """
    current().check()
    try:
        return env.analysis.resolvers[type(node)](node, env)
    except REFUSALS as refusal:
        env.analysis.refuse(refusal)
        return Literal(UNKNOWN, None, at=node.at)


def resolve_as(
    node: Expression, target: Type, env: Env, context: CastContext = CastContext.IMPLICIT
) -> Expr:
    """Resolve `node` and convert it to `target`."""
    return coerce(resolve(node, env), target, env.analysis, node.at, context)


def resolve_output(node: Expression, env: Env) -> Expr:
    """Resolve the value of a result column, which is text if no context gave it a type."""
    return as_output(resolve(node, env), env.analysis, node.at)


def resolve_condition(node: Expression, env: Env, what: str) -> Expr:
    """Resolve a boolean, as of WHERE. Raise WrongArgumentType, with `what`, for another type."""
    return coerce_to_boolean(resolve(node, env), what, env.analysis, node.at)


def resolve_sort_key(item: ast.SortItem, env: Env) -> SortKey:
    """Resolve an item of ORDER BY."""
    return make_sort_key(item, resolve(item.value, env), env)


def make_sort_key(item: ast.SortItem, value: Expr, env: Env) -> SortKey:
    """Return the sort key of an item of ORDER BY whose value is resolved already.

    Raise UnsupportedKeyType for a type that Spanner does not sort by.
    """
    value = as_output(value, env.analysis, item.value.at)
    if not is_orderable(value.type):
        raise UnsupportedKeyType("ORDER BY", title(value.type), at=item.value.at)
    nulls_first = None if item.nulls is None else item.nulls.upper() == "FIRST"
    orders = env.analysis.schema.orders
    return SortKey(value, orders.order(descending=item.descending, nulls_first=nulls_first))

"""Resolves literals, parameters and column names.

An integer that fits in 64 bits is a bigint, any other number a numeric. A string literal and NULL
have the type unknown until their context gives them one.
"""

from __future__ import annotations

from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.errors.typing import BadExpression
from spanemu.sql.postgresql.analyzer.expressions.coercion import read_literal
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.postgresql.types import UNKNOWN
from spanemu.sql.resolved import Expr, Literal
from spanemu.sql.syntax_tree import (
    BoolLiteral,
    FloatLiteral,
    IntLiteral,
    Name,
    NullLiteral,
    StringLiteral,
)
from spanemu.values.types import BOOL, INT64, PG_NUMERIC


def resolve_null(node: NullLiteral, _: Env) -> Expr:
    """Resolve NULL."""
    return Literal(UNKNOWN, None, at=node.at)


def resolve_bool(node: BoolLiteral, _: Env) -> Expr:
    """Resolve TRUE or FALSE."""
    return Literal(BOOL, node.value)


def resolve_integer(node: IntLiteral, env: Env) -> Expr:
    """Resolve an integer that fits in a bigint."""
    env.analysis.literal_types[node.at] = INT64
    return Literal(INT64, node.value, at=node.at)


def resolve_number(node: FloatLiteral, env: Env) -> Expr:
    """Resolve any other number: a numeric."""
    env.analysis.literal_types[node.at] = PG_NUMERIC
    return Literal(PG_NUMERIC, read_literal(node.text, PG_NUMERIC, env.analysis), at=node.at)


def resolve_string(node: StringLiteral, _: Env) -> Expr:
    """Resolve a string literal, which has no type yet."""
    return Literal(UNKNOWN, node.value, at=node.at)


def resolve_parameter(node: ast.Parameter, env: Env) -> Expr:
    """Resolve $1."""
    return env.analysis.parameters.reference(node.number, node.at)


def resolve_name(node: Name, env: Env) -> Expr:
    """Resolve the name of a column."""
    return env.scope.column(node.path)


def resolve_default(node: ast.DefaultKeyword, _: Env) -> Expr:
    """Resolve DEFAULT outside of the values of INSERT and UPDATE, which is an error."""
    raise BadExpression("DEFAULT is not allowed in this context", at=node.at)


def resolve_star(node: ast.Star, _: Env) -> Expr:
    """Resolve a star outside of a select list, which is an error."""
    raise BadExpression('row expansion via "*" is not supported here', at=node.at)

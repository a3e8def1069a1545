"""Resolves primary expressions: literals, parameters, column names, arrays and their elements.

An integer that fits in 64 bits is a bigint, any other number a numeric. A string literal and NULL
have the type unknown until their context gives them one.
"""

from __future__ import annotations

from spanemu.sql.functions.postgresql.casts import CastContext
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.expressions.calls import form_call, function_call
from spanemu.sql.postgresql.analyzer.expressions.coercion import coerce, read_literal, unify
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    BadExpression,
    EmptyArrayType,
    MultidimensionalArray,
    NotSubscriptable,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve, resolve_as
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.postgresql.types import UNKNOWN, title
from spanemu.sql.resolved import Expr, Literal, MakeArray
from spanemu.sql.syntax_tree import (
    ArrayConstructor,
    BoolLiteral,
    Expression,
    FloatLiteral,
    IntLiteral,
    Name,
    NullLiteral,
    StringLiteral,
)
from spanemu.values.types import BOOL, INT64, PG_NUMERIC, Type, array_of


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


def resolve_array(node: ArrayConstructor, env: Env) -> Expr:
    """Resolve ARRAY[...]; its elements get their common type."""
    if not node.items:
        raise EmptyArrayType(at=node.at)
    items = [resolve(item, env) for item in node.items]
    type_, passed = unify(items, "ARRAY", env.analysis, node.at)
    if type_.is_array:
        raise MultidimensionalArray(at=node.at)
    return MakeArray(array_of(type_), passed)


def array_of_items(node: ArrayConstructor, type_: Type, env: Env) -> Expr:
    """Resolve ARRAY[...] with a cast to an array type, which applies to each element."""
    items = tuple(resolve(item, env) for item in node.items)
    if any(item.type.is_array for item in items):
        raise MultidimensionalArray(at=node.at)
    element = type_.item()
    return MakeArray(
        type_,
        tuple(
            coerce(item, element, env.analysis, written.at, CastContext.EXPLICIT)
            for item, written in zip(items, node.items, strict=True)
        ),
    )


def resolve_subscript(node: ast.Subscript, env: Env) -> Expr:
    """Resolve `array[index]`, which counts from one and is NULL outside of the array."""
    array = _array(node.operand, env)
    index = resolve_as(node.index, INT64, env, CastContext.ASSIGNMENT)
    element = array.type.item()
    return form_call("$safe_array_at_ordinal", (array, index), env.analysis, node.at, element)


def resolve_slice(node: ast.Slice, env: Env) -> Expr:
    """Resolve `array[low:high]`; a missing bound is the array's own."""
    array = _array(node.operand, env)
    bounds = (
        Literal(INT64, default)
        if bound is None
        else resolve_as(bound, INT64, env, CastContext.ASSIGNMENT)
        for bound, default in ((node.low, _LOWEST), (node.high, _HIGHEST))
    )
    return function_call("array_slice", (array, *bounds), env.analysis, node.at)


_LOWEST, _HIGHEST = 1, 2**63 - 1


def _array(node: Expression, env: Env) -> Expr:
    if isinstance(node, ast.Subscript | ast.Slice) and not isinstance(node, ast.Slice):
        raise MultidimensionalArray(at=node.at)
    array = resolve(node, env)
    if not array.type.is_array:
        raise NotSubscriptable(title(array.type), at=node.at)
    return array

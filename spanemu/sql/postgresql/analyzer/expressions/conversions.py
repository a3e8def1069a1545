"""Resolves casts and the types that they name, EXTRACT, and the functions without parentheses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spanemu.sql.analysis.call_binding import signature_of
from spanemu.sql.functions.postgresql.casts import WITH_LENGTH, WITH_PRECISION, CastContext
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.expressions.calls import function_call
from spanemu.sql.postgresql.analyzer.expressions.coercion import coerce, read_literal
from spanemu.sql.postgresql.analyzer.expressions.errors import (
    ArrayCast,
    BadModifier,
    ExpressionUnsupported,
    ModifierNotSupported,
    MultidimensionalArray,
    TypeNotSupported,
    UndefinedType,
)
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve
from spanemu.sql.postgresql.analyzer.expressions.primary import array_of_items
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.postgresql.types import UNKNOWN, is_foreign, named, title, type_called
from spanemu.sql.resolved import Expr, FunctionCall, Literal
from spanemu.sql.syntax_tree import ArrayConstructor
from spanemu.values import types
from spanemu.values.types import INT64, INTERVAL, STRING, Type, array_of

# The functions without parentheses that Spanner has, with the names of the functions behind them.
_VALUE_FUNCTIONS: Mapping[str, str] = {"current_date": "current_date", "current_timestamp": "now"}
_PRECISION_MAX = 1000
_TEXT_LENGTH_MAX = 10_485_760
_OF_SCHEMA = {"tokenlist": types.TOKENLIST, "commit_timestamp": types.TIMESTAMP}


def resolve_cast(node: ast.Cast, env: Env) -> Expr:
    """Resolve CAST, `::` and typed literals."""
    type_ = type_of(node.type)
    operand = node.operand
    if type(operand) is ArrayConstructor and type_.is_array:
        return array_of_items(_cast_items(operand, node), type_, env)
    modifiers = modifiers_of(node.type)
    if node.type.interval_fields:
        return _interval(node, env)
    value = coerce(resolve(operand, env), type_, env.analysis, node.at, CastContext.EXPLICIT)
    if not modifiers:
        return value
    return _with_modifiers(value, modifiers, node.at)


def _cast_items(array: ArrayConstructor, node: ast.Cast) -> ArrayConstructor:
    """Return the array with the modifiers of a cast applied to its items instead."""
    element = replace(node.type, dimensions=0)
    if not (element.modifiers or element.interval_fields):
        return array
    if not array.items:
        raise ArrayCast(at=node.at)
    items = tuple(ast.Cast(item, element, at=item.at, end=item.end) for item in array.items)
    return replace(array, items=items)


def _interval(node: ast.Cast, env: Env) -> Expr:
    """Return an interval of which only the named fields remain: INTERVAL '1' DAY."""
    if node.type.dimensions:
        raise ArrayCast(at=node.at)
    literal = resolve(node.operand, env)
    if not isinstance(literal, Literal) or literal.type != UNKNOWN:
        raise ModifierNotSupported(at=node.at)
    env.analysis.literal_types[literal.at] = INTERVAL
    if literal.value is None:
        return Literal(INTERVAL, None)
    value = read_literal(literal.value, INTERVAL, env.analysis, node.type.interval_fields)
    return Literal(INTERVAL, value)


def _with_modifiers(value: Expr, modifiers: tuple[int, ...], at: int) -> Expr:
    """Return the value cut to a length, or rounded to a scale."""
    function = WITH_LENGTH if value.type == STRING else WITH_PRECISION
    arguments = (value, *(Literal(INT64, modifier) for modifier in modifiers))
    types = tuple(argument.type for argument in arguments)
    signature = signature_of(function, function.overloads[0], types, value.type)
    return FunctionCall(value.type, signature, arguments, at=at)


def resolve_extract(node: ast.Extract, env: Env) -> Expr:
    """Resolve EXTRACT(field FROM operand)."""
    arguments = (Literal(STRING, node.unit), resolve(node.operand, env))
    return function_call("extract", arguments, env.analysis, node.at)


def resolve_value_function(node: ast.ValueFunction, env: Env) -> Expr:
    """Resolve CURRENT_DATE or CURRENT_TIMESTAMP. Spanner lacks the similar functions."""
    name = _VALUE_FUNCTIONS.get(node.name)
    if name is None:
        raise ExpressionUnsupported(
            "Unsupported Postgres expression. Expression type: SQLValueFunction, Arguments: ()",
            at=node.at,
        )
    return function_call(name, (), env.analysis, node.at)


def type_of(reference: ast.TypeReference) -> Type:
    """Return the type that a query names.

    Raise TypeNotSupported for a type that only PostgreSQL has, UndefinedType for an unknown name,
    MultidimensionalArray for several pairs of brackets.
    """
    if reference.schema not in ("", "pg_catalog"):
        type_ = _OF_SCHEMA.get(reference.name) if reference.schema == "spanner" else None
    else:
        type_ = named(reference.name)
    if type_ is None:
        foreign = type_called(reference.name)
        if not reference.schema and is_foreign(foreign):
            raise TypeNotSupported(title(foreign), at=reference.at)
        qualifier = f"{reference.schema}." if reference.schema else ""
        raise UndefinedType(qualifier + reference.name, at=reference.at)
    if reference.dimensions > 1:
        raise MultidimensionalArray(at=reference.at)
    return array_of(type_) if reference.dimensions else type_


def modifiers_of(reference: ast.TypeReference) -> tuple[int, ...]:
    """Return the length of varchar(n), or precision and scale of numeric(p, s), or nothing.

    Raise ModifierNotSupported for any other type, BadModifier for numbers out of range.
    """
    modifiers = reference.modifiers
    if not modifiers:
        return ()
    if reference.dimensions or reference.name not in ("varchar", "numeric"):
        raise ModifierNotSupported(at=reference.at)
    if reference.name == "varchar":
        return _length(modifiers, reference.at)
    return _precision_and_scale(modifiers, reference.at)


def _length(modifiers: tuple[int, ...], at: int) -> tuple[int, ...]:
    if len(modifiers) != 1:
        raise BadModifier("invalid type modifier", at=at)
    if modifiers[0] < 1:
        raise BadModifier("length for type varchar must be at least 1", at=at)
    if modifiers[0] > _TEXT_LENGTH_MAX:
        raise BadModifier(f"length for type varchar cannot exceed {_TEXT_LENGTH_MAX}", at=at)
    return modifiers


def _precision_and_scale(modifiers: tuple[int, ...], at: int) -> tuple[int, ...]:
    if len(modifiers) > 2:
        raise BadModifier("invalid NUMERIC type modifier", at=at)
    precision, scale = (*modifiers, 0)[:2]
    if not 1 <= precision <= _PRECISION_MAX:
        problem = f"NUMERIC precision {precision} must be between 1 and {_PRECISION_MAX}"
        raise BadModifier(problem, at=at)
    if not -_PRECISION_MAX <= scale <= _PRECISION_MAX:
        problem = f"NUMERIC scale {scale} must be between -{_PRECISION_MAX} and {_PRECISION_MAX}"
        raise BadModifier(problem, at=at)
    return precision, scale

"""Resolves casts, typed literals, EXTRACT and the functions without parentheses."""

from __future__ import annotations

from collections.abc import Mapping

from spanemu.sql.analysis.call_binding import signature_of
from spanemu.sql.functions.postgresql.casts import WITH_LENGTH, WITH_PRECISION, CastContext
from spanemu.sql.functions.postgresql.time.text import interval_in
from spanemu.sql.postgresql import ast
from spanemu.sql.postgresql.analyzer.errors.typing import (
    ExpressionUnsupported,
    ModifierNotSupported,
)
from spanemu.sql.postgresql.analyzer.expressions.calls import function_call
from spanemu.sql.postgresql.analyzer.expressions.coercion import coerce
from spanemu.sql.postgresql.analyzer.expressions.constructors import array_of_items
from spanemu.sql.postgresql.analyzer.expressions.expression import resolve
from spanemu.sql.postgresql.analyzer.expressions.type_references import modifiers_of, type_of
from spanemu.sql.postgresql.analyzer.scope import Env
from spanemu.sql.postgresql.types import UNKNOWN
from spanemu.sql.resolved import Expr, FunctionCall, Literal
from spanemu.sql.syntax_tree import ArrayConstructor
from spanemu.values.types import INT64, INTERVAL, STRING

# The functions without parentheses that Spanner has, with the names of the functions behind them.
_VALUE_FUNCTIONS: Mapping[str, str] = {"current_date": "current_date", "current_timestamp": "now"}


def resolve_cast(node: ast.Cast, env: Env) -> Expr:
    """Resolve CAST, `::` and typed literals."""
    type_ = type_of(node.type)
    modifiers = modifiers_of(node.type)
    operand = node.operand
    if node.type.interval_fields:
        return _interval(node, env)
    if type(operand) is ArrayConstructor and type_.is_array:
        return array_of_items(operand, type_, env)
    value = coerce(resolve(operand, env), type_, env.analysis, node.at, CastContext.EXPLICIT)
    if not modifiers:
        return value
    return _with_modifiers(value, modifiers, node.at)


def _interval(node: ast.Cast, env: Env) -> Expr:
    """Return an interval of which only the named fields remain: INTERVAL '1' DAY."""
    literal = resolve(node.operand, env)
    if not isinstance(literal, Literal) or literal.type != UNKNOWN:
        raise ModifierNotSupported(at=node.at)
    env.analysis.literal_types[literal.at] = INTERVAL
    if literal.value is None:
        return Literal(INTERVAL, None)
    return Literal(INTERVAL, interval_in(literal.value, node.type.interval_fields))


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
    """Resolve CURRENT_DATE or CURRENT_TIMESTAMP. Spanner lacks the others of their kind."""
    name = _VALUE_FUNCTIONS.get(node.name)
    if name is None:
        raise ExpressionUnsupported(
            "Unsupported Postgres expression. Expression type: SQLValueFunction, Arguments: ()",
            at=node.at,
        )
    return function_call(name, (), env.analysis, node.at)

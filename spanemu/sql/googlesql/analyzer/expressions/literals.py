"""Resolves literals, and coerces untyped literals, which keep their source text for that."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.sql.functions.errors import ValueOutOfRange
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.errors import BadLiteral, BadQuery, LiteralDoesNotCast
from spanemu.sql.googlesql.analyzer.scope import Env
from spanemu.sql.resolved import Expr, Literal
from spanemu.values import date, floats, json, numeric, timestamp, uuid_text
from spanemu.values.types import (
    BOOL,
    BYTES,
    DATE,
    FLOAT64,
    INT64,
    JSON,
    NUMERIC,
    STRING,
    TIMESTAMP,
    UUID,
    Type,
    TypeCode,
)

INT64_MAX = 2**63 - 1


def null_literal() -> Literal:
    """Return an untyped NULL."""
    return Literal(INT64, None, "")


def resolve_null(_: ast.NullLiteral, __: Env) -> Expr:
    """Resolve NULL."""
    return null_literal()


def resolve_bool(node: ast.BoolLiteral, _: Env) -> Expr:
    """Resolve TRUE or FALSE."""
    return Literal(BOOL, node.value, "TRUE" if node.value else "FALSE")


def resolve_integer(node: ast.IntLiteral, _: Env) -> Expr:
    """Resolve an integer literal."""
    text = node.text or str(node.value)
    if not -INT64_MAX - 1 <= node.value <= INT64_MAX:
        raise BadLiteral("integer", f": {text}", at=node.at)
    return Literal(INT64, node.value, text, node.at)


def resolve_float(node: ast.FloatLiteral, _: Env) -> Expr:
    """Resolve a floating-point literal."""
    return Literal(FLOAT64, node.value, node.text, node.at)


def resolve_string(node: ast.StringLiteral, _: Env) -> Expr:
    """Resolve a STRING literal."""
    return Literal(STRING, node.value, "", node.at)


def resolve_bytes(node: ast.BytesLiteral, _: Env) -> Expr:
    """Resolve a BYTES literal."""
    return Literal(BYTES, node.value, "", node.at)


_TYPED: Mapping[str, tuple[Type, Callable[[str, str], Any]]] = {
    "DATE": (DATE, lambda text, _: date.parse(text)),
    "TIMESTAMP": (TIMESTAMP, timestamp.parse_sql),
    "NUMERIC": (NUMERIC, lambda text, _: numeric.parse(text)),
    "DECIMAL": (NUMERIC, lambda text, _: numeric.parse(text)),
    "JSON": (JSON, lambda text, _: json.parse(text)),
    "UUID": (UUID, lambda text, _: uuid_text.parse(text)),
}


def resolve_typed(node: ast.TypedLiteral, env: Env) -> Expr:
    """Resolve a literal with a type, such as DATE '2024-01-01'."""
    word = node.type_word.upper()
    known = _TYPED.get(word)
    if known is None:
        raise BadQuery(f"{word} literals are not supported", at=node.at)
    type_, parse = known
    try:
        value = parse(node.text, env.analysis.schema.default_time_zone)
    except (SpannerError, ValueError, ArithmeticError):
        raise BadLiteral(word, f': "{node.text}"', at=node.at) from None
    return Literal(type_, value)


def resolve_positional(node: ast.PositionalParameter, _: Env) -> Expr:
    """Resolve a positional parameter, which Spanner refuses."""
    raise BadQuery("Positional parameters are not supported", at=node.at)


def resolve_default(node: ast.DefaultKeyword, _: Env) -> Expr:
    """Resolve DEFAULT outside of the places that allow it, which is an error."""
    raise BadQuery("DEFAULT may only be used as a value of INSERT or UPDATE", at=node.at)


# ---------------------------------------------------------------------------- coercion

# (value, source text, default time zone) -> value
_Convert = Callable[[Any, str, str], Any]


def _float_to_numeric(value: Any, image: str, _: str) -> Any:
    """Convert from the source text, which can have more digits than a float holds."""
    return numeric.parse_rounded(image) if image else numeric.from_float(value)


_CONVERSIONS: Mapping[tuple[TypeCode, TypeCode], _Convert] = {
    (TypeCode.INT64, TypeCode.FLOAT64): lambda value, _, __: float(value),
    (TypeCode.INT64, TypeCode.FLOAT32): lambda value, _, __: floats.round32(float(value)),
    (TypeCode.INT64, TypeCode.NUMERIC): lambda value, _, __: numeric.parse(str(value)),
    (TypeCode.FLOAT64, TypeCode.FLOAT32): lambda value, _, __: floats.round32(value),
    (TypeCode.FLOAT64, TypeCode.NUMERIC): _float_to_numeric,
    (TypeCode.STRING, TypeCode.DATE): lambda value, _, __: date.parse(value),
    (TypeCode.STRING, TypeCode.TIMESTAMP): lambda value, _, zone: timestamp.parse_sql(value, zone),
    (TypeCode.STRING, TypeCode.UUID): lambda value, _, __: uuid_text.parse_sql(value),
}


def convert_literal(literal: Literal, target: Type, time_zone: str, at: int) -> Literal:
    """Return `literal` converted to `target`, a type that coercion allows.

    Raise LiteralDoesNotCast or ValueOutOfRange if `target` has no such value.
    """
    conversion = _CONVERSIONS[literal.type.code, target.code]
    try:
        value = conversion(literal.value, literal.image or "", time_zone)
    except (SpannerError, ValueError, ArithmeticError):
        if literal.type.code is not TypeCode.STRING:
            raise ValueOutOfRange(str(target), literal.image or str(literal.value)) from None
        literal_at = literal.at if literal.at >= 0 else at
        raise LiteralDoesNotCast(f'"{literal.value}"', str(target), at=literal_at) from None
    # The result is still untyped: [1, 1.5] is an ARRAY<FLOAT64> that coerces to ARRAY<NUMERIC>.
    return Literal(target, value, literal.image, literal.at)

"""Coerces an untyped literal to the type that its context requires."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.sql.functions.errors import ValueOutOfRange
from spanemu.sql.googlesql.analyzer.errors.typing import LiteralDoesNotCast
from spanemu.sql.resolved import Literal
from spanemu.values import date, floats, numeric, timestamp, uuid_text
from spanemu.values.types import Type, TypeCode

# (value, image as written, default time zone) -> value
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

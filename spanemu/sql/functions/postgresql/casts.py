"""The casts between PostgreSQL's types, by pairs (source, target), with the contexts of each.

    implicit     applied wherever a value of the target type is wanted
    assignment   applied also where a value is stored: INSERT, UPDATE, DEFAULT
    explicit     only for CAST and ::

A context includes those before it: an implicit cast may be written, too. A pair without a row has
no cast. A literal is no text: `text_input.read_literal` reads it as any type. An array is not cast
element by element.

A row's function takes the value alone. `with_length` and `with_precision` apply the modifiers of
varchar(n) and numeric(p, s) after the cast. NaN and the infinities follow Spanner where PostgreSQL
has other values: there is no infinite NUMERIC.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from math import inf, isinf
from typing import Any

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState
from spanemu.sql.functions.conversion import (
    float32_from_float64,
    int64_from_float,
    string_from_bytes,
)
from spanemu.sql.functions.notation import overload
from spanemu.sql.functions.postgresql import text_input, text_output
from spanemu.sql.functions.postgresql.errors import (
    BadFunctionArgument,
    CannotCastJsonb,
    NotConvertible,
    NumberOutOfRange,
)
from spanemu.sql.functions.postgresql.time import text
from spanemu.sql.functions.registry import Function
from spanemu.values import pg_numeric, types, uuid_text
from spanemu.values.floats import fits, round32, with_greatest_nan
from spanemu.values.pg_jsonb import Jsonb
from spanemu.values.types import BadValue, Type
from spanemu.values.value import INT64_MAX, INT64_MIN, OID_MAX

_FLOAT8_DIGITS, _FLOAT4_DIGITS = 15, 6  # of a NUMERIC made from a float


class CastContext(IntEnum):
    """The contexts in which a cast applies, each including those above it."""

    IMPLICIT = 0
    ASSIGNMENT = 1
    EXPLICIT = 2


@dataclass(frozen=True, slots=True)
class Cast:
    """A cast and the narrowest context in which it applies."""

    context: CastContext
    function: Function


def cast_row(
    context: CastContext,
    source: Type,
    target: Type,
    convert: Callable[..., Any],
    /,
    **flags: Any,
) -> tuple[tuple[Type, Type], Cast]:
    """Return an entry of CASTS; `flags` are those of `notation.overload`."""
    declared = overload(f"({source.code.value}) -> {target.code.value}", convert, **flags)
    name = str(target).lower().removeprefix("pg.")
    function = Function(f"cast_to_{name}", (declared,), "cast", hidden=True)
    return (source, target), Cast(context, function)


# ---------------------------------------------------------------------------- texts in rows


class BadTextValue(
    SpannerError, code=Code.OUT_OF_RANGE, sql_state=SqlState.INVALID_TEXT_REPRESENTATION
):
    """A text computed by a statement that is not a value of the type it is cast to."""

    prose = "{problem}"
    problem: str


def at_execution(read: Callable[..., Any]) -> Callable[..., Any]:
    """Return an input function for texts in rows, where a bad text is OUT_OF_RANGE.

    Spanner reads literals with PostgreSQL's input functions, and the texts of rows with GoogleSQL's
    conversions, whose errors have another code.
    """

    def cast(*arguments: Any) -> Any:
        try:
            return read(*arguments)
        except SpannerError as failure:
            raise BadTextValue(str(failure)) from None

    return cast


# ---------------------------------------------------------------------------- numbers


def bigint_from_numeric(number: Decimal) -> int:
    """Round to the nearest integer, half away from zero."""
    if number is pg_numeric.NAN:
        raise NotConvertible("cannot convert NaN to bigint")
    if number.adjusted() <= _INT64_PLACES_MAX:
        rounded = pg_numeric.to_int(number)
        if INT64_MIN <= rounded <= INT64_MAX:
            return rounded
    raise NumberOutOfRange("bigint out of range")


_INT64_PLACES_MAX = 19


def float8_from_numeric(number: Decimal) -> float:
    """Return the nearest double; raise NumberOutOfRange beyond the largest."""
    nearest = pg_numeric.to_float(number)
    if isinf(nearest):
        raise NumberOutOfRange(f"Cannot cast to double from {_shown(number)}")
    return with_greatest_nan(nearest)


def float4_from_numeric(number: Decimal) -> float:
    """Return the nearest FLOAT32; raise NumberOutOfRange beyond the largest."""
    nearest = pg_numeric.to_float(number)
    if isinf(nearest) or not fits(nearest):
        raise NumberOutOfRange(f"Cannot cast to float from {_shown(number)}")
    return with_greatest_nan(round32(nearest))


def numeric_from_float8(number: float) -> Decimal:
    """Return the number rounded to 15 significant digits."""
    return _numeric_from_float(number, _FLOAT8_DIGITS)


def numeric_from_float4(number: float) -> Decimal:
    """Return the number rounded to 6 significant digits."""
    return _numeric_from_float(number, _FLOAT4_DIGITS)


def _numeric_from_float(number: float, digits: int) -> Decimal:
    if abs(number) == inf:
        raise BadFunctionArgument("Cannot cast infinity to PG.NUMERIC")
    return pg_numeric.from_float(number, digits)


def float4_from_float8(number: float) -> float:
    """Return the nearest FLOAT32; an infinity stays, a finite number beyond the largest fails."""
    return with_greatest_nan(float32_from_float64(number))


def _float4_from_bigint(number: int) -> float:
    return round32(float(number))


def oid_from_bigint(number: int) -> int:
    """Return a number that is an oid; raise NumberOutOfRange for any other."""
    if 0 <= number <= OID_MAX:
        return number
    raise NumberOutOfRange("OID out of range")


def _same(value: Any) -> Any:
    return value


def _shown(number: Decimal) -> str:
    return text_input.shown(pg_numeric.format(number))


# ---------------------------------------------------------------------------- JSONB

_KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "boolean",
    Decimal: "numeric",
    str: "string",
    list: "array",
    dict: "object",
}


def _scalar_of(document: Jsonb, kind: type, title: str) -> Any:
    value = document.value
    if value.__class__ is not kind:
        raise CannotCastJsonb(_KINDS[value.__class__], title)
    return value


def _boolean_from_jsonb(document: Jsonb) -> bool:
    value: bool = _scalar_of(document, bool, "boolean")
    return value


def _bigint_from_jsonb(document: Jsonb) -> int:
    return bigint_from_numeric(_scalar_of(document, Decimal, "bigint"))


def _float8_from_jsonb(document: Jsonb) -> float:
    return float8_from_numeric(_scalar_of(document, Decimal, "double precision"))


def _float4_from_jsonb(document: Jsonb) -> float:
    return float4_from_numeric(_scalar_of(document, Decimal, "real"))


def _numeric_from_jsonb(document: Jsonb) -> Decimal:
    number: Decimal = _scalar_of(document, Decimal, "numeric")
    return number


def _text_from_jsonb(document: Jsonb) -> str:
    return document.text


# ---------------------------------------------------------------------------- modifiers


def cut_text(text: str, length: int) -> str:
    """Return `text::varchar(length)`: at most `length` characters."""
    return text[:length]


def fit_numeric(number: Decimal, precision: int, scale: int) -> Decimal:
    """Return `number::numeric(precision, scale)`; raise NumberOutOfRange for too many digits."""
    try:
        return pg_numeric.fitted(number, precision, scale)
    except BadValue as failure:
        raise NumberOutOfRange(failure.reason) from None


WITH_LENGTH = Function(
    "varchar", (overload("(STRING, INT64) -> STRING", cut_text),), "cast", hidden=True
)
WITH_PRECISION = Function(
    "numeric",
    (overload("(PG_NUMERIC, INT64, INT64) -> PG_NUMERIC", fit_numeric),),
    "cast",
    hidden=True,
)
PRECISION_MAX = 1000
SCALE_MAX = 1000  # and its negative is the smallest

# ---------------------------------------------------------------------------- the table

_I, _A, _E = CastContext
_BIGINT, _FLOAT4, _FLOAT8, _NUMERIC = (
    types.INT64,
    types.FLOAT32,
    types.FLOAT64,
    types.PG_NUMERIC,
)
_BOOLEAN, _TEXT, _BYTEA, _JSONB = types.BOOL, types.STRING, types.BYTES, types.PG_JSONB
_OID, _UUID = types.PG_OID, types.UUID
_DATE, _TIMESTAMPTZ, _INTERVAL = types.DATE, types.TIMESTAMP, types.INTERVAL

CASTS: dict[tuple[Type, Type], Cast] = dict(
    (
        cast_row(_I, _BIGINT, _NUMERIC, Decimal),
        cast_row(_I, _BIGINT, _FLOAT8, float),
        cast_row(_I, _BIGINT, _FLOAT4, _float4_from_bigint),
        cast_row(_I, _BIGINT, _OID, oid_from_bigint),
        cast_row(_A, _BIGINT, _TEXT, str),
        cast_row(_I, _FLOAT4, _FLOAT8, _same),
        cast_row(_A, _FLOAT4, _NUMERIC, numeric_from_float4),
        cast_row(_A, _FLOAT4, _BIGINT, int64_from_float),
        cast_row(_A, _FLOAT4, _TEXT, text_output.float4_text),
        cast_row(_A, _FLOAT8, _FLOAT4, float4_from_float8),
        cast_row(_A, _FLOAT8, _NUMERIC, numeric_from_float8),
        cast_row(_A, _FLOAT8, _BIGINT, int64_from_float),
        cast_row(_A, _FLOAT8, _TEXT, text_output.float8_text),
        cast_row(_I, _NUMERIC, _FLOAT8, float8_from_numeric),
        cast_row(_I, _NUMERIC, _FLOAT4, float4_from_numeric),
        cast_row(_A, _NUMERIC, _BIGINT, bigint_from_numeric),
        cast_row(_A, _NUMERIC, _TEXT, pg_numeric.format),
        cast_row(_A, _BOOLEAN, _TEXT, text_output.boolean_text),
        cast_row(_E, _TEXT, _BOOLEAN, at_execution(text_input.boolean_from_text)),
        cast_row(_E, _TEXT, _BIGINT, at_execution(text_input.bigint_from_text)),
        cast_row(_E, _TEXT, _FLOAT4, at_execution(text_input.float4_from_text)),
        cast_row(_E, _TEXT, _FLOAT8, at_execution(text_input.float8_from_text)),
        cast_row(_E, _TEXT, _NUMERIC, text_input.numeric_from_text),
        cast_row(_E, _TEXT, _BYTEA, str.encode),
        cast_row(_E, _TEXT, _JSONB, text_input.jsonb_from_text),
        cast_row(_E, _TEXT, _OID, text_input.oid_from_text),
        cast_row(_E, _TEXT, _UUID, at_execution(text_input.uuid_from_text)),
        cast_row(_E, _BYTEA, _TEXT, string_from_bytes),
        cast_row(_E, _UUID, _TEXT, uuid_text.format),
        cast_row(_E, _JSONB, _TEXT, _text_from_jsonb),
        cast_row(_E, _JSONB, _BOOLEAN, _boolean_from_jsonb),
        cast_row(_E, _JSONB, _BIGINT, _bigint_from_jsonb),
        cast_row(_E, _JSONB, _FLOAT4, _float4_from_jsonb),
        cast_row(_E, _JSONB, _FLOAT8, _float8_from_jsonb),
        cast_row(_E, _JSONB, _NUMERIC, _numeric_from_jsonb),
        cast_row(_I, _DATE, _TIMESTAMPTZ, text.timestamptz_of_date, context=True),
        cast_row(_A, _DATE, _TEXT, text.date_out),
        cast_row(_A, _TIMESTAMPTZ, _DATE, text.date_of_timestamptz, context=True),
        cast_row(_A, _TIMESTAMPTZ, _TEXT, text.timestamptz_out, context=True),
        cast_row(_E, _TEXT, _DATE, text.date_in),
        cast_row(_E, _TEXT, _TIMESTAMPTZ, text.timestamptz_in, context=True),
        cast_row(_E, _TEXT, _INTERVAL, text.interval_in),
        cast_row(_E, _INTERVAL, _TEXT, text.interval_out),
        cast_row(_E, _OID, _BIGINT, _same),
        cast_row(_E, _OID, _TEXT, str),
    )
)

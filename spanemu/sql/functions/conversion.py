"""CAST: a function for each pair of types, from a table of scalars or built for arrays and structs.

`cast_function` returns `convert(value)`, or `convert(value, zone)` where
`conversion_rules.is_zoned` is true; the value is never NULL itself. A value that does not convert
raises an `EvaluationError`, which SAFE_CAST turns into NULL. `conversion_rules` says which pairs of
types are allowed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import lru_cache
from math import floor, inf, isfinite
from typing import Any
from uuid import UUID

from spanemu.base.deadline_checks import interruptible
from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import Unsupported
from spanemu.sql.functions.conversion_rules import is_zoned
from spanemu.sql.functions.errors import BadArgument, BadValue, InvalidText, ValueOutOfRange
from spanemu.sql.functions.text.sql_text import bool_text, escaped_bytes
from spanemu.values import date as dates
from spanemu.values import floats, interval, numeric, timestamp, uuid_text
from spanemu.values.floats import FLOAT32_MAX, round32
from spanemu.values.timestamp import Civil
from spanemu.values.types import BadValue as Unreadable
from spanemu.values.types import Type, TypeCode
from spanemu.values.value import INT64_MAX, INT64_MIN

_INT64 = lazy_pattern(r"\s*([+-]?)(?:(0[xX])([0-9a-fA-F]+)|(\d+))\s*", re.ASCII)
_SAFE_DIGITS = 19  # A number with fewer digits is in range.
_INT64_DIGITS_MAX = 400  # A longer text is out of range, or has absurdly many leading zeros.
_UUID_BYTES = 16
_SHOWN_MAX = 64


def _abbreviated(text: str) -> str:
    return text if len(text) <= _SHOWN_MAX else text[:_SHOWN_MAX] + "..."


# ---------------------------------------------------------------------------- to INT64


def int64_from_string(text: str) -> int:
    """Parse decimal or 0x hexadecimal digits, with an optional sign and white space around them."""
    if len(text) < _SAFE_DIGITS and text.isdecimal() and text.isascii():
        return int(text)
    match = _INT64.fullmatch(text)
    if match is not None and len(text) <= _INT64_DIGITS_MAX:
        sign, is_hex, hex_digits, digits = match.groups()
        number = int(hex_digits, 16) if is_hex else int(digits)
        if sign == "-":
            number = -number
        if INT64_MIN <= number <= INT64_MAX:
            return number
    raise BadValue("int64", _abbreviated(text))


def int64_from_float(value: float) -> int:
    """Round to the nearest integer, half away from zero."""
    if not isfinite(value):
        raise BadArgument(
            "Illegal conversion of non-finite floating point number to an integer: "
            f"{floats.format_float64(value)}"
        )
    size = abs(value)
    whole = floor(size)
    if size - whole >= 0.5:
        whole += 1
    number = -whole if value < 0 else whole
    if INT64_MIN <= number <= INT64_MAX:
        return number
    raise ValueOutOfRange("int64", floats.format_float64(value))


def int64_from_numeric(value: Decimal) -> int:
    """Round to the nearest integer, half away from zero."""
    number = numeric.to_int(value)
    if INT64_MIN <= number <= INT64_MAX:
        return number
    raise ValueOutOfRange("int64", numeric.format(value))


# ---------------------------------------------------------------------------- to other numbers


def bool_from_string(text: str) -> bool:
    """Parse `true` or `false`, in any letter case."""
    word = text.lower()
    if word in ("true", "false"):
        return word == "true"
    raise BadValue("bool", _abbreviated(text))


def numeric_from_string(text: str) -> Decimal:
    """Parse a number and round it to nine decimal digits, half away from zero."""
    try:
        return numeric.parse_rounded(text)
    except Unreadable:
        raise InvalidText("NUMERIC value", _abbreviated(text)) from None


def numeric_from_float(value: float) -> Decimal:
    """Convert the exact value and round it to nine decimal digits, half away from zero."""
    try:
        return numeric.from_float(value)
    except Unreadable:
        text = floats.format_float64(value)
        if isfinite(value):
            raise ValueOutOfRange("numeric", text) from None
        raise BadArgument(
            f"Illegal conversion of non-finite floating point number to numeric: {text}"
        ) from None


def float64_from_string(text: str) -> float:
    """Parse a number, or inf, infinity or nan in any letter case."""
    try:
        return floats.parse_float64(text)
    except Unreadable:
        raise BadValue("double", _abbreviated(text)) from None


def float64_from_numeric(value: Decimal) -> float:
    """Convert to the nearest FLOAT64; a zero becomes 0.0, since NUMERIC has no negative zero."""
    return float(value) if value else 0.0


def float32_from_string(text: str) -> float:
    """Parse a number, or inf, infinity or nan in any letter case."""
    try:
        return floats.parse_float32(text)
    except Unreadable:
        raise BadValue("float", _abbreviated(text)) from None


def float32_from_float64(value: float) -> float:
    """Round to the nearest FLOAT32; keep infinities.

    Raise ValueOutOfRange for a finite number beyond the largest FLOAT32.
    """
    if FLOAT32_MAX < abs(value) < inf:
        raise ValueOutOfRange("float", floats.format_float64(value))
    return round32(value)


def _float32_from_int64(value: int) -> float:
    return round32(float(value))


def _float32_from_numeric(value: Decimal) -> float:
    return round32(float64_from_numeric(value))


# ---------------------------------------------------------------------------- to and from STRING


def string_from_bytes(data: bytes) -> str:
    """Decode the bytes as UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        shown = _abbreviated(escaped_bytes(data[: _SHOWN_MAX + 1]))
        raise InvalidText("cast of bytes to UTF8 string", shown) from None


def date_from_string(text: str) -> date:
    """Parse `YYYY-[M]M-[D]D`."""
    try:
        return dates.parse(text)
    except Unreadable:
        raise InvalidText("date", f"'{_abbreviated(text)}'") from None


def timestamp_from_string(text: str, zone: str) -> int:
    """Parse a timestamp literal; a text without a time zone is read in `zone`."""
    try:
        return timestamp.parse_sql(text, zone)
    except Unreadable:
        raise InvalidText("timestamp", f"'{_abbreviated(text)}'") from None


def interval_from_string(text: str) -> interval.Interval:
    """Parse the canonical form, an unambiguous part of the canonical form, or ISO 8601."""
    try:
        return interval.parse(text)
    except Unreadable:
        raise InvalidText("INTERVAL value", f"'{_abbreviated(text)}'") from None


def uuid_from_string(text: str) -> UUID:
    """Parse 32 hexadecimal digits, which may have hyphens between and braces around them."""
    try:
        return uuid_text.parse_sql(text)
    except Unreadable:
        raise InvalidText("UUID value", f"'{_abbreviated(text)}'") from None


def uuid_from_bytes(data: bytes) -> UUID:
    """Convert sixteen bytes, the most significant first."""
    if len(data) != _UUID_BYTES:
        raise BadArgument(
            f"Invalid bytes value size for UUID, expected {_UUID_BYTES} bytes, "
            f"but got {len(data)} bytes."
        )
    return UUID(bytes=data)


def _bytes_from_uuid(value: UUID) -> bytes:
    return value.bytes


# ---------------------------------------------------------------------------- dates and timestamps


def date_from_timestamp(moment: int, zone: str) -> date:
    """Return the calendar date of the instant in `zone`."""
    fields = timestamp.civil(moment, zone)
    try:
        return date(fields.year, fields.month, fields.day)
    except ValueError:
        raise ValueOutOfRange("date", timestamp.format_sql(moment, zone)) from None


def timestamp_from_date(day: date, zone: str) -> int:
    """Return the instant of midnight in `zone`."""
    try:
        return timestamp.from_civil(Civil(day.year, day.month, day.day), zone)
    except Unreadable:
        raise ValueOutOfRange("timestamp", day.isoformat()) from None


# ---------------------------------------------------------------------------- the table


def _same(value: Any) -> Any:
    return value


_C = TypeCode
_CONVERTERS: dict[tuple[TypeCode, TypeCode], Callable[..., Any]] = {
    (_C.BOOL, _C.INT64): int,
    (_C.BOOL, _C.STRING): bool_text,
    (_C.INT64, _C.BOOL): bool,
    (_C.INT64, _C.NUMERIC): Decimal,
    (_C.INT64, _C.FLOAT32): _float32_from_int64,
    (_C.INT64, _C.FLOAT64): float,
    (_C.INT64, _C.STRING): str,
    (_C.NUMERIC, _C.INT64): int64_from_numeric,
    (_C.NUMERIC, _C.FLOAT32): _float32_from_numeric,
    (_C.NUMERIC, _C.FLOAT64): float64_from_numeric,
    (_C.NUMERIC, _C.STRING): numeric.format,
    (_C.FLOAT32, _C.INT64): int64_from_float,
    (_C.FLOAT32, _C.NUMERIC): numeric_from_float,
    (_C.FLOAT32, _C.FLOAT64): _same,
    (_C.FLOAT32, _C.STRING): floats.format_float32,
    (_C.FLOAT64, _C.INT64): int64_from_float,
    (_C.FLOAT64, _C.NUMERIC): numeric_from_float,
    (_C.FLOAT64, _C.FLOAT32): float32_from_float64,
    (_C.FLOAT64, _C.STRING): floats.format_float64,
    (_C.STRING, _C.BOOL): bool_from_string,
    (_C.STRING, _C.INT64): int64_from_string,
    (_C.STRING, _C.NUMERIC): numeric_from_string,
    (_C.STRING, _C.FLOAT32): float32_from_string,
    (_C.STRING, _C.FLOAT64): float64_from_string,
    (_C.STRING, _C.BYTES): str.encode,
    (_C.STRING, _C.DATE): date_from_string,
    (_C.STRING, _C.TIMESTAMP): timestamp_from_string,
    (_C.STRING, _C.INTERVAL): interval_from_string,
    (_C.STRING, _C.UUID): uuid_from_string,
    (_C.BYTES, _C.STRING): string_from_bytes,
    (_C.BYTES, _C.UUID): uuid_from_bytes,
    (_C.DATE, _C.STRING): date.isoformat,
    (_C.DATE, _C.TIMESTAMP): timestamp_from_date,
    (_C.TIMESTAMP, _C.STRING): timestamp.format_sql,
    (_C.TIMESTAMP, _C.DATE): date_from_timestamp,
    (_C.INTERVAL, _C.STRING): interval.format_sql,
    (_C.UUID, _C.STRING): uuid_text.format,
    (_C.UUID, _C.BYTES): _bytes_from_uuid,
    (_C.ENUM, _C.INT64): _same,
    (_C.PROTO, _C.BYTES): _same,
}


@lru_cache(maxsize=1024)
def cast_function(from_: Type, to: Type) -> Callable[..., Any]:
    """Return `convert(value)`, or `convert(value, zone)` if `is_zoned(from_, to)`.

    The pair must be castable. Raise Unsupported for a pair without a converter.
    """
    if from_ == to:
        return _same
    if from_.is_array and to.is_array:
        return _of_array(from_.item(), to.item())
    if from_.is_struct and to.is_struct:
        return _of_struct(from_, to)
    if from_.code is to.code:
        return _same
    converter = _CONVERTERS.get((from_.code, to.code))
    if converter is None:
        raise Unsupported(f"CAST from {from_} to {to}")
    return converter


def _of_array(from_: Type, to: Type) -> Callable[..., Any]:
    convert = cast_function(from_, to)
    if convert is _same:
        return _same
    if is_zoned(from_, to):
        return lambda items, zone: tuple(
            [None if item is None else convert(item, zone) for item in interruptible(items)]
        )
    return lambda items: tuple(
        [None if item is None else convert(item) for item in interruptible(items)]
    )


def _of_struct(from_: Type, to: Type) -> Callable[..., Any]:
    pairs = [(m.type, t.type) for m, t in zip(from_.fields, to.fields, strict=True)]
    fields = [(cast_function(*pair), is_zoned(*pair)) for pair in pairs]
    if all(convert is _same for convert, _ in fields):
        return _same

    def convert_struct(values: Any, zone: str = "UTC") -> Any:
        return tuple(
            [
                None if value is None else convert(value, zone) if zoned else convert(value)
                for (convert, zoned), value in zip(fields, values, strict=True)
            ]
        )

    return convert_struct

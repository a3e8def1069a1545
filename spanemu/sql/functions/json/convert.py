"""Conversion of JSON values to SQL values: strict (INT64, STRING...), lax (LAX_INT64...), arrays.

A strict conversion accepts a JSON value of the type and raises for any other value. A lax
conversion also parses strings and casts numbers, and returns NULL where there is no such value.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.errors import BadArgument, JsonMismatch
from spanemu.sql.functions.json.encode import WHOLE_DOUBLE_MAX
from spanemu.values import floats
from spanemu.values.floats import fits, round32
from spanemu.values.json import Json
from spanemu.values.types import BadValue as UnreadableValue

_INT64_MIN = -(2**63)
_INT64_MAX = 2**63 - 1
_DIGITS_MAX = 40

_NUMBER = re.compile(r"\s*[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_WHOLE = Context(prec=4 * _DIGITS_MAX, rounding=ROUND_HALF_UP)

_TYPE_NAMES = {
    type(None): "null",
    bool: "boolean",
    int: "number",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def json_type(document: Json) -> str:
    """Return `JSON_TYPE(json)`."""
    return _TYPE_NAMES[document.value.__class__]


def to_bool(document: Json) -> bool:
    """Return `BOOL(json)`."""
    return _bool(document.value)


def to_int64(document: Json) -> int:
    """Return `INT64(json)`."""
    return _int64(document.value)


def to_string(document: Json) -> str:
    """Return `STRING(json)`."""
    return _string(document.value)


def to_float64(document: Json, wide_number_mode: str = "round") -> float:
    """Return `FLOAT64(json [, wide_number_mode])`."""
    return _FLOAT64[_is_exact(wide_number_mode)](document.value)


def to_float32(document: Json, wide_number_mode: str = "round") -> float:
    """Return `FLOAT32(json [, wide_number_mode])`."""
    return _FLOAT32[_is_exact(wide_number_mode)](document.value)


def to_bool_array(document: Json) -> tuple[bool, ...]:
    """Return `BOOL_ARRAY(json)`."""
    return _array(document, _bool)


def to_int64_array(document: Json) -> tuple[int, ...]:
    """Return `INT64_ARRAY(json)`."""
    return _array(document, _int64)


def to_string_array(document: Json) -> tuple[str, ...]:
    """Return `STRING_ARRAY(json)`."""
    return _array(document, _string)


def to_float64_array(document: Json, wide_number_mode: str = "round") -> tuple[float, ...]:
    """Return `FLOAT64_ARRAY(json [, wide_number_mode])`."""
    return _array(document, _FLOAT64[_is_exact(wide_number_mode)])


def to_float32_array(document: Json, wide_number_mode: str = "round") -> tuple[float, ...]:
    """Return `FLOAT32_ARRAY(json [, wide_number_mode])`."""
    return _array(document, _FLOAT32[_is_exact(wide_number_mode)])


def lax_bool(document: Json) -> bool | None:
    """Return `LAX_BOOL(json)`."""
    value = document.value
    if value.__class__ is str:
        word = value.lower()
        return word == "true" if word in ("true", "false") else None
    return bool(value) if isinstance(value, (bool, int, float)) else None


def lax_int64(document: Json) -> int | None:
    """Return `LAX_INT64(json)`; round numbers half away from zero."""
    value = document.value
    if value.__class__ is str:
        value = _number_in(value)
        if value is None:
            return None
    if not isinstance(value, (bool, int, float, Decimal)):
        return None
    number = int(value) if isinstance(value, int) else _rounded(Decimal(value))
    return number if _INT64_MIN <= number <= _INT64_MAX else None


def lax_float64(document: Json) -> float | None:
    """Return `LAX_FLOAT64(json)`; a boolean gives NULL."""
    value = document.value
    if value.__class__ is str:
        try:
            return floats.parse_float64(value)
        except UnreadableValue:
            # A number beyond the range of FLOAT64 becomes an infinity.
            return float(value) if _NUMBER.fullmatch(value) else None
    return float(value) if value.__class__ is int or value.__class__ is float else None


def lax_string(document: Json) -> str | None:
    """Return `LAX_STRING(json)`."""
    value = document.value
    if value.__class__ is str:
        return str(value)
    if value.__class__ is float:
        return floats.format_float64(value)
    if value.__class__ is bool:
        return "true" if value else "false"
    return str(value) if value.__class__ is int else None


def _is_exact(wide_number_mode: str) -> bool:
    """Return whether the conversion must be exact. Raise BadArgument for an unknown mode."""
    if wide_number_mode not in ("exact", "round"):
        raise BadArgument("Invalid `wide_number_mode` specified: must be 'exact' or 'round'")
    return wide_number_mode == "exact"


def _bool(value: Any) -> bool:
    if value.__class__ is not bool:
        raise JsonMismatch("a boolean")
    return value is True


def _int64(value: Any) -> int:
    if value.__class__ is float and value.is_integer():
        value = int(value)
    if value.__class__ is not int or not _INT64_MIN <= value <= _INT64_MAX:
        raise JsonMismatch("an integer")
    return int(value)


def _string(value: Any) -> str:
    if value.__class__ is not str:
        raise JsonMismatch("a string")
    return str(value)


def _float64(value: Any) -> float:
    if value.__class__ is not float and value.__class__ is not int:
        raise JsonMismatch("a number")
    return float(value)


def _exact_float64(value: Any) -> float:
    if value.__class__ is int and not -WHOLE_DOUBLE_MAX <= value <= WHOLE_DOUBLE_MAX:
        raise _lossy(value, "FLOAT64")
    return _float64(value)


def _float32(value: Any) -> float:
    number = _float64(value)
    if not fits(number):
        raise BadArgument(f"JSON number: {value} cannot be converted to FLOAT32")
    return round32(number)


def _exact_float32(value: Any) -> float:
    number = _float32(value)
    if number != value:
        raise _lossy(value, "FLOAT32")
    return number


def _lossy(value: Any, type_name: str) -> BadArgument:
    return BadArgument(
        f"JSON number: {value} cannot be converted to {type_name} without loss of precision"
    )


_FLOAT64: dict[bool, Callable[[Any], float]] = {False: _float64, True: _exact_float64}
_FLOAT32: dict[bool, Callable[[Any], float]] = {False: _float32, True: _exact_float32}


def _array(document: Json, item: Callable[[Any], Any]) -> tuple[Any, ...]:
    if document.value.__class__ is not list:
        raise JsonMismatch("an array")
    return tuple([item(value) for value in interruptible(document.value)])


def _number_in(text: str) -> Decimal | None:
    """Parse the number in a string; return None for a text too long or a number too large."""
    if _NUMBER.fullmatch(text) is None:
        return None
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        return None
    return number if number.adjusted() < _DIGITS_MAX else None


def _rounded(number: Decimal) -> int:
    if number.adjusted() >= _DIGITS_MAX:
        return _INT64_MAX + 1
    return int(number.to_integral_value(ROUND_HALF_UP, _WHOLE))

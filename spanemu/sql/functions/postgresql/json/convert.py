"""Conversions between values of SQL and JSONB.

to_jsonb, jsonb_build_array and jsonb_build_object make documents of values of all types. Numbers
keep their digits; NaN and the infinities become strings. A timestamp is printed in UTC. All other
types are strings of their text; arrays are arrays.

spanner.int64_array and the like make an array of SQL of a JSONB array. Each element must be of the
type; a value that is not is refused as GoogleSQL's functions do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.errors import BadArgument, JsonMismatch, NoJsonForm
from spanemu.sql.functions.postgresql.errors import BadFunctionArgument, BadJsonb, JsonbArrayTooLong
from spanemu.sql.functions.postgresql.text_output import float4_text, float8_text
from spanemu.values import interval, pg_jsonb, pg_numeric, timestamp, uuid_text
from spanemu.values.floats import fits, round32
from spanemu.values.pg_jsonb import Jsonb, checked, ordered
from spanemu.values.types import BadValue, Type, TypeCode
from spanemu.values.value import INT64_MAX, INT64_MIN

Encode = Callable[[Any], Any]


_INT64_PLACES_MAX = 19
_SHOWN_MAX = 64
ARRAY_ELEMENTS_MAX = 1_000_000  # of an array to which a function adds elements


def document_of(value: Any) -> Jsonb:
    """Return plain data in normal form as a document; raise BadJsonb if it is nested too deep."""
    try:
        return checked(value)
    except BadValue as failure:
        raise BadJsonb(failure.reason) from None


def lengthened(items: list[Any]) -> list[Any]:
    """Return an array that a function has made longer. Raise JsonbArrayTooLong if too long."""
    if len(items) > ARRAY_ELEMENTS_MAX:
        raise JsonbArrayTooLong(ARRAY_ELEMENTS_MAX)
    return items


@lru_cache(maxsize=256)
def plain_data(type_: Type) -> Encode:
    """Return a function from a value of the type, or NULL, to plain data of a document.

    Raise NoJsonForm for a type whose values never leave the database.
    """
    if type_.is_array:
        item = plain_data(type_.item())
        return lambda array: (
            None if array is None else [item(element) for element in interruptible(array)]
        )
    encode = _ENCODERS.get(type_.code)
    if encode is None:
        raise NoJsonForm(str(type_))
    return lambda value: None if value is None else encode(value)


def to_jsonb(types: Sequence[Type], _: Type) -> Callable[[Any], Jsonb]:
    """Return the implementation of `to_jsonb(any)`."""
    encode = plain_data(types[0])
    return lambda value: document_of(encode(value))


def jsonb_build_array(types: Sequence[Type], _: Type) -> Callable[..., Jsonb]:
    """Return the implementation of `jsonb_build_array(any, ...)`."""
    encoders = [plain_data(type_) for type_ in types]

    def build(*values: Any) -> Jsonb:
        return document_of([encode(value) for encode, value in zip(encoders, values, strict=True)])

    return build


def jsonb_build_object(types: Sequence[Type], _: Type) -> Callable[..., Jsonb]:
    """Return the implementation of `jsonb_build_object(key, any, ...)`."""
    encoders = [plain_data(type_) for type_ in types[1::2]]

    def build(*values: Any) -> Jsonb:
        keys = values[::2]
        if None in keys:
            at = 2 * keys.index(None) + 1
            raise BadFunctionArgument(f"argument {at}: key must not be null")
        items = [encode(value) for encode, value in zip(encoders, values[1::2], strict=True)]
        return document_of(ordered(zip(keys, items, strict=True)))

    return build


def _number(value: Decimal) -> Decimal | str:
    if value is pg_numeric.NAN:
        return "NaN"
    try:
        return pg_jsonb.number(value)
    except BadValue as failure:
        raise BadJsonb(failure.reason) from None


def _float(text_of: Callable[[float], str]) -> Encode:
    def encode(value: float) -> Decimal | str:
        text = text_of(value)
        return pg_numeric.parse(text) if isfinite(value) else text

    return encode


def _timestamp(value: int) -> str:
    return timestamp.format_utc(value - value % 1000).removesuffix("Z") + "+00:00"


_ENCODERS: Mapping[TypeCode, Encode] = {
    TypeCode.BOOL: bool,
    TypeCode.INT64: Decimal,
    TypeCode.FLOAT32: _float(float4_text),
    TypeCode.FLOAT64: _float(float8_text),
    TypeCode.STRING: str,
    TypeCode.BYTES: lambda value: f"\\x{value.hex()}",
    TypeCode.DATE: date.isoformat,
    TypeCode.TIMESTAMP: _timestamp,
    TypeCode.UUID: uuid_text.format,
    TypeCode.INTERVAL: interval.format_iso,
    TypeCode.PG_NUMERIC: _number,
    TypeCode.PG_JSONB: lambda document: document.value,
    TypeCode.PG_OID: Decimal,
}


def array_of(item: Callable[[Any], Any]) -> Callable[[Jsonb], tuple[Any, ...]]:
    """Return a function from a JSONB array to an array of what `item` makes of each element."""

    def convert(document: Jsonb) -> tuple[Any, ...]:
        if document.value.__class__ is not list:
            raise JsonMismatch("an array")
        return tuple([item(element) for element in interruptible(document.value)])

    return convert


def boolean_item(value: Any) -> bool:
    """Return a boolean."""
    return bool(_instance(value, bool, "a boolean"))


def string_item(value: Any) -> str:
    """Return a string."""
    return str(_instance(value, str, "a string"))


def int64_item(value: Any) -> int:
    """Return a number that is a bigint: 3.0 is, 3.5 is not."""
    number: Decimal = _instance(value, Decimal, "an integer")
    if number.adjusted() <= _INT64_PLACES_MAX:
        whole = int(number)
        if whole == number and INT64_MIN <= whole <= INT64_MAX:
            return whole
    raise BadArgument(f"The provided JSON number: {_shown(number)} cannot be converted to an int64")


def float64_item(value: Any) -> float:
    """Return a number as a double, without losing digits after the point."""
    number: Decimal = _instance(value, Decimal, "a number")
    nearest = pg_numeric.to_float(number)
    if not isfinite(nearest):
        raise BadArgument(f"Input number: {_shown(number)} is out of range")
    if Decimal(repr(nearest)) != number and number != number.to_integral_value():
        raise BadArgument(
            f"Input number: {_shown(number)} cannot round-trip through string representation"
        )
    return nearest


def float32_item(value: Any) -> float:
    """Return a number rounded to a FLOAT32."""
    number = float64_item(value)
    if not fits(number):
        raise BadArgument(f"Input number: {number!r} is out of range of a 32-bit float")
    return round32(number)


def _instance(value: Any, kind: type, title: str) -> Any:
    if value.__class__ is not kind:
        raise JsonMismatch(title)
    return value


def _shown(number: Decimal) -> str:
    return pg_numeric.format(number)[:_SHOWN_MAX]

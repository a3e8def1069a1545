"""Values of all types as JSONB: to_jsonb, jsonb_build_array, jsonb_build_object.

Numbers keep their digits; NaN and the infinities become strings. A timestamp is printed in UTC. All
other types are strings of their text; arrays are arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.postgresql.errors import BadFunctionArgument, BadJsonb
from spanemu.sql.functions.postgresql.json.documents import document_of
from spanemu.sql.functions.postgresql.text_output import float4_text, float8_text
from spanemu.values import interval, pg_jsonb, pg_numeric, timestamp, uuid_text
from spanemu.values.pg_jsonb import Jsonb, ordered
from spanemu.values.types import BadValue, Type, TypeCode

Encode = Callable[[Any], Any]


@lru_cache(maxsize=256)
def plain_data(type_: Type) -> Encode:
    """Return a function from a value of the type, or NULL, to plain data of a document."""
    if type_.is_array:
        item = plain_data(type_.item())
        return lambda array: (
            None if array is None else [item(element) for element in interruptible(array)]
        )
    encode = _ENCODERS[type_.code]
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

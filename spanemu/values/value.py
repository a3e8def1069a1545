"""Conversion of values between wire form and Python form, by functions built once per type.

The wire form is JSON-like: None, bool, int or float, str, list. Decoding is strict and raises
`BadValue`. Encoding trusts its input, because every Python form was decoded or computed here.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from datetime import date
from functools import lru_cache
from math import inf, isnan, nan
from struct import pack, unpack
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.base.deferred import deferred
from spanemu.values import date as dates
from spanemu.values import interval, json, numeric, pg_jsonb, pg_numeric, timestamp, uuid_text
from spanemu.values.floats import FLOAT64_MAX, GREATEST_NAN, round32
from spanemu.values.types import BadValue, Type, TypeCode

Decoder = Callable[[Any], Any]
Encoder = Callable[[Any], Any]

INT64_MIN = -(2**63)
INT64_MAX = 2**63 - 1
OID_MAX = 2**32 - 1
_INT32_MIN = -(2**31)
_INT32_MAX = 2**31 - 1

# The classes, by type, whose wire values are the Python form already.
SAME_ON_THE_WIRE: dict[TypeCode, frozenset[type]] = {
    TypeCode.BOOL: frozenset({bool, type(None)}),
    TypeCode.FLOAT64: frozenset({float, type(None)}),
}
_FLOAT_WORDS = {"NaN": nan, "Infinity": inf, "-Infinity": -inf}


@lru_cache(maxsize=1024)
def decoder(type_: Type, *, nan_greatest: bool = False) -> Decoder:
    """Return a function from the wire form to the Python form, which raises BadValue.

    With `nan_greatest`, NaN is the value that compares as in PostgreSQL databases.
    """
    if type_.code is TypeCode.ARRAY:
        item = type_.item()
        same = None if nan_greatest and item.is_float else SAME_ON_THE_WIRE.get(item.code)
        decode = _array_decoder(decoder(item, nan_greatest=nan_greatest), same, str(type_))
        return _float32_array_decoder(decode) if item.code is TypeCode.FLOAT32 else decode
    if type_.code is TypeCode.STRUCT:
        return _struct_decoder([decoder(field.type) for field in type_.fields], str(type_))
    decode = _DECODERS[type_.code](str(type_))
    return _nan_greatest_decoder(decode) if nan_greatest and type_.is_float else decode


@lru_cache(maxsize=1024)
def encoder(type_: Type) -> Encoder:
    """Return a function from the Python form to the canonical wire form."""
    if type_.code is TypeCode.ARRAY:
        item = type_.item()
        return _float_array_encoder if item.is_float else _array_encoder(encoder(item))
    if type_.code is TypeCode.STRUCT:
        return _struct_encoder([encoder(field.type) for field in type_.fields])
    return _ENCODERS[type_.code]


def text_writer(type_: Type) -> Callable[[Any], str]:
    """Return the function from a value that is not NULL to its wire form, for a type whose wire
    form is a string other than the value itself.
    """
    return _TEXTS[type_.code]


def _bool_decoder(type_text: str) -> Decoder:
    def decode(wire: Any) -> Any:
        if wire is None or wire.__class__ is bool:
            return wire
        raise BadValue(wire, type_text)

    return decode


def _int64_decoder(type_text: str) -> Decoder:
    def decode(wire: Any) -> Any:
        if wire.__class__ is str:
            try:
                number = int(wire)
            except ValueError:
                raise BadValue(wire, type_text) from None
            # `int` also takes 1_000 and digits of other scripts.
            if INT64_MIN <= number <= INT64_MAX and "_" not in wire and wire.isascii():
                return number
        elif wire is None:
            return None
        raise BadValue(wire, type_text)

    return decode


def _enum_decoder(type_text: str) -> Decoder:
    decode_int64 = _int64_decoder(type_text)

    def decode(wire: Any) -> Any:
        number = decode_int64(wire)
        if number is None or _INT32_MIN <= number <= _INT32_MAX:
            return number
        raise BadValue(wire, type_text)

    return decode


def _oid_decoder(type_text: str) -> Decoder:
    decode_int64 = _int64_decoder(type_text)

    def decode(wire: Any) -> Any:
        number = decode_int64(wire)
        if number is None or 0 <= number <= OID_MAX:
            return number
        raise BadValue(wire, type_text)

    return decode


def _float64_decoder(type_text: str) -> Decoder:
    def decode(wire: Any) -> Any:
        kind = wire.__class__
        if kind is float or wire is None:
            return wire
        if kind is int:
            return _float_of_int(wire, type_text)
        number = _FLOAT_WORDS.get(wire) if kind is str else None
        if number is None:
            raise BadValue(wire, type_text)
        return number

    return decode


def _float_of_int(number: int, type_text: str) -> float:
    try:
        return float(number)
    except OverflowError:
        raise BadValue(number, type_text, "out of range") from None


def _float32_decoder(type_text: str) -> Decoder:
    decode_float64 = _float64_decoder(type_text)

    def decode(wire: Any) -> Any:
        number = decode_float64(wire)
        return None if number is None else round32(number)

    return decode


def _nan_greatest_decoder(decode: Decoder) -> Decoder:
    def decode_with_greatest_nan(wire: Any) -> Any:
        number = decode(wire)
        return number if number == number else GREATEST_NAN

    return decode_with_greatest_nan


def _string_decoder(type_text: str) -> Decoder:
    def decode(wire: Any) -> Any:
        if wire is None:
            return None
        if wire.__class__ is str:
            if wire.isascii() or json.is_unicode(wire):
                return wire
            raise BadValue(wire, type_text, "not valid UTF-8")
        raise BadValue(wire, type_text)

    return decode


def _bytes_decoder(type_text: str) -> Decoder:
    def decode(wire: Any) -> Any:
        if wire.__class__ is str:
            try:
                return a2b_base64(wire, strict_mode=True)
            except (Base64Error, ValueError):
                return _lenient(wire, type_text)
        if wire is None:
            return None
        raise BadValue(wire, type_text)

    return decode


def _lenient(wire: str, type_text: str) -> bytes:
    """Decode Base64 with line breaks and blanks in it, or without padding, as Spanner does."""
    text = "".join(wire.split()) if wire.isascii() else wire
    if "=" not in text:
        text += "=" * (-len(text) % 4)
    try:
        return a2b_base64(text, strict_mode=True)
    except (Base64Error, ValueError):
        raise BadValue(wire, type_text, "not Base64") from None


def _text_decoder(parse: Callable[[str], Any]) -> Callable[[str], Decoder]:
    """Return a builder of decoders for a type with a text parser."""

    def build(type_text: str) -> Decoder:
        def decode(wire: Any) -> Any:
            if wire.__class__ is str:
                return parse(wire)
            if wire is None:
                return None
            raise BadValue(wire, type_text)

        return decode

    return build


def _array_decoder(item: Decoder, same: frozenset[type] | None, type_text: str) -> Decoder:
    def decode(wire: Any) -> Any:
        if wire is None:
            return None
        if wire.__class__ is not list and wire.__class__ is not tuple:
            raise BadValue(wire, type_text)
        if same is not None and same.issuperset(map(type, wire)):
            return tuple(wire)  # Vectors are long, and checking all classes at once is cheap.
        return tuple([item(element) for element in interruptible(wire)])

    return decode


_FLOATS = frozenset({float})


def _float32_array_decoder(decode_each: Decoder) -> Decoder:
    """Return a decoder that rounds all numbers of a vector at once.

    It leaves arrays with NULL, with a number out of range and perhaps with NaN to `decode_each`.
    """

    def decode(wire: Any) -> Any:
        if wire.__class__ is list and _FLOATS.issuperset(map(type, wire)):
            total = sum(wire)
            format_ = f"<{len(wire)}f"
            if total == total:
                try:
                    return unpack(format_, pack(format_, *wire))
                except OverflowError:
                    pass
        return decode_each(wire)

    return decode


def _struct_decoder(fields: list[Decoder], type_text: str) -> Decoder:
    def decode(wire: Any) -> Any:
        if wire is None:
            return None
        if wire.__class__ is not list and wire.__class__ is not tuple:
            raise BadValue(wire, type_text)
        if len(wire) != len(fields):
            raise BadValue(wire, type_text, f"needs {len(fields)} fields")
        return tuple([field(cell) for field, cell in zip(fields, wire, strict=True)])

    return decode


def _same(value: Any) -> Any:
    return value


def _encode_float(value: Any) -> Any:
    if value is None or -FLOAT64_MAX <= value <= FLOAT64_MAX:
        return value
    if isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _base64(value: bytes) -> str:
    return b2a_base64(value, newline=False).decode()


def _nullable(format_value: Callable[[Any], str]) -> Encoder:
    def encode(value: Any) -> Any:
        return None if value is None else format_value(value)

    return encode


def _array_encoder(item: Encoder) -> Encoder:
    def encode(value: Any) -> Any:
        return None if value is None else [item(element) for element in interruptible(value)]

    return encode


def _float_array_encoder(value: Any) -> Any:
    if value is None:
        return None
    if None not in value and -FLOAT64_MAX <= sum(value) <= FLOAT64_MAX:
        return list(value)  # A finite sum has no NaN or infinity in it.
    return [_encode_float(element) for element in value]


def _struct_encoder(fields: list[Encoder]) -> Encoder:
    def encode(value: Any) -> Any:
        if value is None:
            return None
        return [field(cell) for field, cell in zip(fields, value, strict=True)]

    return encode


_DECODERS: dict[TypeCode, Callable[[str], Decoder]] = {
    TypeCode.BOOL: _bool_decoder,
    TypeCode.INT64: _int64_decoder,
    TypeCode.FLOAT32: _float32_decoder,
    TypeCode.FLOAT64: _float64_decoder,
    TypeCode.NUMERIC: _text_decoder(numeric.parse),
    TypeCode.STRING: _string_decoder,
    TypeCode.BYTES: _bytes_decoder,
    TypeCode.DATE: _text_decoder(dates.parse),
    TypeCode.TIMESTAMP: _text_decoder(timestamp.parse_utc),
    TypeCode.JSON: _text_decoder(json.read),
    TypeCode.UUID: _text_decoder(uuid_text.parse),
    TypeCode.INTERVAL: _text_decoder(deferred(lambda: interval.parse_iso)),
    TypeCode.ENUM: _enum_decoder,
    TypeCode.PROTO: _bytes_decoder,
    TypeCode.TOKENLIST: _bytes_decoder,
    TypeCode.PG_NUMERIC: _text_decoder(deferred(lambda: pg_numeric.parse)),
    TypeCode.PG_JSONB: _text_decoder(deferred(lambda: pg_jsonb.read)),
    TypeCode.PG_OID: _oid_decoder,
}

# From the Python form to the wire form, of types that are strings on the wire and not in Python.
_TEXTS: dict[TypeCode, Callable[[Any], str]] = {
    TypeCode.INT64: str,
    TypeCode.NUMERIC: numeric.format,
    TypeCode.BYTES: _base64,
    TypeCode.DATE: date.isoformat,
    TypeCode.TIMESTAMP: timestamp.format_utc,
    TypeCode.JSON: json.format,
    TypeCode.UUID: uuid_text.format,
    TypeCode.INTERVAL: deferred(lambda: interval.format_iso),
    TypeCode.ENUM: str,
    TypeCode.PROTO: _base64,
    TypeCode.TOKENLIST: _base64,
    TypeCode.PG_NUMERIC: deferred(lambda: pg_numeric.format),
    TypeCode.PG_JSONB: deferred(lambda: pg_jsonb.format),
    TypeCode.PG_OID: str,
}

_ENCODERS: dict[TypeCode, Encoder] = {
    TypeCode.BOOL: _same,
    TypeCode.FLOAT32: _encode_float,
    TypeCode.FLOAT64: _encode_float,
    TypeCode.STRING: _same,
    **{code: _nullable(text_of) for code, text_of in _TEXTS.items()},
}

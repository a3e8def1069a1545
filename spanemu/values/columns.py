"""Columns of values: many values of a type, decoded or encoded for keys at once.

A call of a Python function for each value is most of the cost of a load. So a column is checked as
a whole by functions in C, and only a column with NULLs or unusual values is converted one value at
a time, by the function for a single value. That function decides what is valid, and names errors.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from operator import add
from struct import pack, unpack
from typing import Any

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.deferred import lazy_pattern
from spanemu.values import document_columns, json, pg_jsonb
from spanemu.values.key import KeyPart, int64_base, part_encoder, timestamp_base
from spanemu.values.types import Type, TypeCode
from spanemu.values.value import INT64_MAX, INT64_MIN, SAME_ON_THE_WIRE, Decoder

Column = Sequence[Any]
ColumnDecoder = Callable[[Column], Column]
ColumnEncoder = Callable[[Column], list[bytes]]

_TEXT = {str}
_strict_base64 = partial(a2b_base64, strict_mode=True)


def column_decoder(type_: Type, decode: Decoder) -> ColumnDecoder:
    """Return a function from wire forms to Python forms, where `decode` converts one of them."""
    build = _DECODERS.get(type_.code)
    return _each(decode) if build is None else _nullable(build(type_, decode))


def _each(decode: Decoder) -> ColumnDecoder:
    return lambda wire: list(map(decode, wire))


def _nullable(decode_column: ColumnDecoder) -> ColumnDecoder:
    """Return a function from wire forms of which some may be NULL."""

    def decode_some(wire: Column) -> Column:
        if None not in wire:
            return decode_column(wire)
        present = iter(decode_column([cell for cell in wire if cell is not None]))
        return [None if cell is None else next(present) for cell in wire]

    return decode_some


def _int64s(_type: Type, decode: Decoder) -> ColumnDecoder:
    def decode_column(wire: Column) -> Column:
        if set(map(type, wire)) == _TEXT:
            try:
                numbers = list(map(int, wire))
            except ValueError:
                return list(map(decode, wire))
            text = "".join(wire)
            in_range = min(numbers) >= INT64_MIN and max(numbers) <= INT64_MAX
            if in_range and text.isascii() and "_" not in text:
                return numbers
        return list(map(decode, wire))

    return decode_column


def _strings(_type: Type, decode: Decoder) -> ColumnDecoder:
    def decode_column(wire: Column) -> Column:
        if set(map(type, wire)) == _TEXT and all(map(str.isascii, wire)):
            return wire
        return list(map(decode, wire))

    return decode_column


def _bytes(_type: Type, decode: Decoder) -> ColumnDecoder:
    def decode_column(wire: Column) -> Column:
        if set(map(type, wire)) == _TEXT:
            try:
                return list(map(_strict_base64, wire))
            except ValueError:
                pass
        return list(map(decode, wire))

    return decode_column


def _same(type_: Type, decode: Decoder) -> ColumnDecoder:
    classes = SAME_ON_THE_WIRE[type_.code]

    def decode_column(wire: Column) -> Column:
        return wire if classes.issuperset(map(type, wire)) else list(map(decode, wire))

    return decode_column


def _timestamps(_type: Type, decode: Decoder) -> ColumnDecoder:
    def decode_column(wire: Column) -> Column:
        if set(map(type, wire)) == _TEXT and _TIMESTAMPS.fullmatch("".join(wire)):
            try:
                ages = [moment - _EPOCH for moment in map(datetime.fromisoformat, wire)]
            except ValueError:
                return list(map(decode, wire))
            return [
                (age.days * 86_400 + age.seconds) * NANOS_PER_SECOND + age.microseconds * 1000
                for age in ages
            ]
        return list(map(decode, wire))

    return decode_column


def _documents(type_: Type, decode: Decoder) -> ColumnDecoder:
    read: ColumnDecoder = document_columns.column_reader(json.Json, json.read)
    if type_.code is TypeCode.PG_JSONB:
        read = document_columns.column_reader(pg_jsonb.Jsonb, pg_jsonb.read)

    def decode_column(wire: Column) -> Column:
        return read(wire) if set(map(type, wire)) == _TEXT else list(map(decode, wire))

    return decode_column


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Python reads no more than microseconds, and other forms besides.
_TIMESTAMPS = lazy_pattern(r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3}(?:\d{3})?)?Z)*", re.ASCII)
_DECODERS: dict[TypeCode, Callable[[Type, Decoder], ColumnDecoder]] = {
    TypeCode.BOOL: _same,
    TypeCode.INT64: _int64s,
    TypeCode.FLOAT64: _same,
    TypeCode.STRING: _strings,
    TypeCode.BYTES: _bytes,
    TypeCode.JSON: _documents,
    TypeCode.PG_JSONB: _documents,
    TypeCode.TIMESTAMP: _timestamps,
}


def key_column_encoder(part: KeyPart) -> ColumnEncoder:
    """Return a function from values to their encoded key parts."""
    type_, order = part
    encode = part_encoder(type_, order)
    if type_.code is TypeCode.STRING and not order.descending:
        return _string_parts(encode)
    if type_.code not in _INTEGERS:
        return lambda values: list(map(encode, values))
    integers, base_of = _INTEGERS[type_.code]
    (base, size), descending = base_of(order.descending), order.descending

    def encode_column(values: Column) -> list[bytes]:
        numbers = integers(values)
        if numbers is None:
            return list(map(encode, values))
        if descending:
            return [(base - number).to_bytes(size, "big") for number in numbers]
        return [(base + number).to_bytes(size, "big") for number in numbers]

    return encode_column


def _all_int64(values: Column) -> Column | None:
    return None if None in values else values


def _all_timestamps(values: Column) -> Column | None:
    """Return values that are nanoseconds; None if there is NULL or a pending timestamp."""
    return values if set(map(type, values)) == {int} else None


def _positive_bits(values: Column) -> Column | None:
    """Return the bits of floats, which sort like them; None if one is not positive or zero."""
    if None in values:
        return None
    count = len(values)
    numbers = [value + 0.0 for value in values]  # 0.0 for -0.0
    bits = unpack(f">{count}Q", pack(f">{count}d", *numbers))
    return bits if max(bits, default=0) <= _INFINITY_BITS else None  # The sign is the first bit.


_INFINITY_BITS = 0x7FF0_0000_0000_0000  # those of NaN are greater
# The integers that stand for values in keys, and their base.
_INTEGERS: dict[TypeCode, tuple[Callable[[Column], Column | None], Any]] = {
    TypeCode.INT64: (_all_int64, int64_base),
    TypeCode.FLOAT64: (_positive_bits, int64_base),
    TypeCode.TIMESTAMP: (_all_timestamps, timestamp_base),
}


def _string_parts(encode: Callable[[Any], bytes]) -> ColumnEncoder:
    def encode_column(values: Column) -> list[bytes]:
        if None in values:
            return list(map(encode, values))
        text = "".join(values)
        if "\x00" in text or "\x01" in text:
            return list(map(encode, values))
        return [f"\x02{value}\x00".encode() for value in values]

    return encode_column


def joined_parts(parts: Sequence[Sequence[bytes]]) -> Sequence[bytes]:
    """Return keys, given a column for each of their parts."""
    if len(parts) == 1:
        return parts[0]
    if len(parts) == 2:
        return list(map(add, *parts))
    return list(map(b"".join, zip(*parts, strict=True)))

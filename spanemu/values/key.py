"""Keys as bytes whose order is the order of the keys, and ranges of them.

    part, ascending     NULL        01
                        value       02 + payload
    part, descending    the same with every byte inverted, so NULL (FE) comes last

    payload   BOOL 1 byte, INT64 8, FLOAT64 8, FLOAT32 4, NUMERIC 16, DATE 4, TIMESTAMP 9, UUID 16,
              ENUM 8: big-endian, shifted so that unsigned order is the value's order
              STRING, BYTES: the bytes with 00 and 01 written as 01 01 and 01 02, then 00

Invariants: no encoded part is a prefix of another one, so the key of a parent is a byte prefix
of its children's keys and nothing else falls between them; no key starts with FF, so FF is above
every key. NaN is the lowest float and -0 is 0. The pending commit timestamp is above every
timestamp.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from spanemu.base.long_sort import put_in_order
from spanemu.base.pace import paced
from spanemu.values.key_part import PART_ENCODERS, PartEncoder, decode_part
from spanemu.values.types import Type, TypeCode

KeyPart = tuple[Type, bool]
KeyEncoder = Callable[[Sequence[Any]], bytes]
KeyDecoder = Callable[[bytes], tuple[Any, ...]]
ByteRange = tuple[bytes, bytes]
"""Keys from the first bytes up to, and without, the second."""

TOP = b"\xff"
EVERYTHING: ByteRange = (b"", TOP)


def can_be_key(type_: Type) -> bool:
    """Whether values of the type can be part of a key."""
    return type_.code in PART_ENCODERS


def key_encoder(parts: Sequence[KeyPart]) -> KeyEncoder:
    """Encode the values of these (type, descending) parts, or of any prefix of them."""
    encoders = [PART_ENCODERS[type_.code][descending] for type_, descending in parts]
    if len(encoders) == 1:
        return _single(encoders[0])
    if len(encoders) == 2:
        return _pair(*encoders)
    if len(encoders) == 3:
        return _triple(*encoders)

    def encode(values: Sequence[Any]) -> bytes:
        return b"".join([part(value) for part, value in zip(encoders, values, strict=False)])

    return encode


def _single(only: PartEncoder) -> KeyEncoder:
    def encode(values: Sequence[Any]) -> bytes:
        return only(values[0]) if values else b""

    return encode


def _pair(first: PartEncoder, second: PartEncoder) -> KeyEncoder:
    def encode(values: Sequence[Any]) -> bytes:
        if len(values) > 1:
            return first(values[0]) + second(values[1])
        return first(values[0]) if values else b""

    return encode


def _triple(first: PartEncoder, second: PartEncoder, third: PartEncoder) -> KeyEncoder:
    pair = _pair(first, second)

    def encode(values: Sequence[Any]) -> bytes:
        if len(values) > 2:
            return first(values[0]) + second(values[1]) + third(values[2])
        return pair(values)

    return encode


def key_decoder(parts: Sequence[KeyPart]) -> KeyDecoder:
    """The inverse of `key_encoder`; a key that stops early yields its prefix of values."""
    shapes = [(type_.code, descending) for type_, descending in parts]

    def decode(key: bytes) -> tuple[Any, ...]:
        values, at = [], 0
        for code, descending in shapes:
            if at == len(key):
                break
            value, at = decode_part(code, descending, key, at)
            values.append(value)
        return tuple(values)

    return decode


def after_prefix(key: bytes) -> bytes:
    """The smallest byte string above every key that starts with `key`."""
    kept = key.rstrip(b"\xff")
    if not kept:
        return TOP
    return kept[:-1] + bytes((kept[-1] + 1,))


def successor(key: bytes) -> bytes:
    """The smallest byte string above `key` itself."""
    return key + b"\x00"


def merge_ranges(ranges: Collection[ByteRange]) -> list[ByteRange]:
    """The same keys as sorted ranges that neither overlap nor touch; empty ranges vanish."""
    found = [one for one in paced(ranges) if one[0] < one[1]]
    if len(found) < 2:
        return found
    merged: list[ByteRange] = []
    for start, end in paced(put_in_order(found)):
        if merged and start <= merged[-1][1]:
            if end > merged[-1][1]:
                merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


_FIXED_SIZES: dict[TypeCode, int] = {
    TypeCode.BOOL: 1,
    TypeCode.INT64: 8,
    TypeCode.ENUM: 8,
    TypeCode.FLOAT64: 8,
    TypeCode.FLOAT32: 4,
    TypeCode.NUMERIC: 25,
    TypeCode.DATE: 4,
    TypeCode.TIMESTAMP: 12,
    TypeCode.UUID: 16,
}


_NULL_SIZE = 2


def key_size(values: Sequence[Any], types: Sequence[Type]) -> int:
    """Bytes that a key counts for the limit on key size; NULL counts two."""
    total = 0
    for value, type_ in zip(values, types, strict=False):
        if value is None:
            total += _NULL_SIZE
        elif type_.code is TypeCode.STRING:
            total += len(value) if value.isascii() else len(value.encode())
        elif type_.code is TypeCode.BYTES:
            total += len(value)
        else:
            total += _FIXED_SIZES[type_.code]
    return total

"""Keys encoded as bytes that sort like the keys, and ranges of such keys.

    NULL     01, or FE where NULLs come last
    value    02 + payload; FD + the payload with every byte inverted where the part is descending

    payload   BOOL 1 byte, INT64 8, FLOAT64 8, FLOAT32 4, NUMERIC 16, DATE 4, TIMESTAMP 9, UUID 16,
              ENUM 8: big-endian, shifted so that unsigned order is the value's order
              STRING, BYTES: the bytes with 00 and 01 written as 01 01 and 01 02, then 00

Invariants: no encoded part is a prefix of another part, so the key of a parent is a byte prefix of
its children's keys, and no other key falls between them. No key starts with FF, so FF is above
every key. NaN is one value, the lowest float or the greatest, and -0 is 0. The pending commit
timestamp is above every timestamp.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import date
from struct import Struct
from typing import Any
from uuid import UUID

from spanemu.base.deadline_checks import interruptible, sort_with_checks
from spanemu.values.floats import with_greatest_nan
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.numeric import from_scaled, to_scaled
from spanemu.values.order import SortOrder
from spanemu.values.types import Type, TypeCode

PartEncoder = Callable[[Any], bytes]

INVERTED = bytes(255 - byte for byte in range(256))

_NULL, _NULL_DESC = b"\x01", b"\xfe"
_VALUE, _VALUE_DESC = b"\x02", b"\xfd"

_DOUBLE, _SINGLE = Struct(">d"), Struct(">f")
_U64, _U32 = Struct(">Q"), Struct(">I")


def _integers(width: int, shift: int) -> tuple[PartEncoder, PartEncoder]:
    """Return encoders of integers from -shift up, with marker and payload in one `int.to_bytes`."""
    (base, size), (top, _) = _integer_bases(width, shift)

    def ascending(value: Any) -> bytes:
        return _NULL if value is None else (value + base).to_bytes(size, "big")

    def descending(value: Any) -> bytes:
        return _NULL_DESC if value is None else (top - value).to_bytes(size, "big")

    return ascending, descending


def _integer_bases(width: int, shift: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return what `_integers` adds to a value, or subtracts it from (descending), and the size."""
    size = width + 1
    base = (_VALUE[0] << (8 * width)) + shift
    return (base, size), ((1 << (8 * size)) - 1 - base, size)


def int64_base(descending: bool) -> tuple[int, int]:
    """Return the number to add an INT64 to, or to subtract it from, and the bytes of the part.

    The same number serves the bits of a positive FLOAT64.
    """
    return _integer_bases(8, _INT64_SHIFT)[descending]


def timestamp_base(descending: bool) -> tuple[int, int]:
    """Return what `int64_base` returns, for nanoseconds of a TIMESTAMP."""
    return _integer_bases(TIMESTAMP_WIDTH, TIMESTAMP_SHIFT)[descending]


def _through(
    convert: Callable[[Any], int], encoders: tuple[PartEncoder, PartEncoder]
) -> tuple[PartEncoder, PartEncoder]:
    """Return encoders of values that are converted to integers first."""
    up, down = encoders

    def ascending(value: Any) -> bytes:
        return _NULL if value is None else up(convert(value))

    def descending(value: Any) -> bytes:
        return _NULL_DESC if value is None else down(convert(value))

    return ascending, descending


def _timestamps() -> tuple[PartEncoder, PartEncoder]:
    up, down = _integers(TIMESTAMP_WIDTH, TIMESTAMP_SHIFT)
    pending = _VALUE + b"\xff" * TIMESTAMP_WIDTH
    pending_desc = pending.translate(INVERTED)

    def ascending(value: Any) -> bytes:
        return pending if value is COMMIT_TIMESTAMP else up(value)

    def descending(value: Any) -> bytes:
        return pending_desc if value is COMMIT_TIMESTAMP else down(value)

    return ascending, descending


def _inverting(ascending: PartEncoder) -> tuple[PartEncoder, PartEncoder]:
    def descending(value: Any) -> bytes:
        return ascending(value).translate(INVERTED)

    return ascending, descending


def _encode_bytes(value: Any) -> bytes:
    if value is None:
        return _NULL
    if b"\x00" in value or b"\x01" in value:
        # 01 first, because the second replacement adds bytes 01.
        value = value.replace(b"\x01", b"\x01\x02").replace(b"\x00", b"\x01\x01")
    return b"\x02%b\x00" % value


def _encode_string(value: Any) -> bytes:
    if value is None:
        return _NULL
    if "\x00" in value or "\x01" in value:
        return _encode_bytes(value.encode())
    return f"\x02{value}\x00".encode()


def _double_bits(value: float) -> int:
    """Return an integer that sorts like the double: NaN is 0, then -Infinity and up; -0 is 0."""
    number = value + 0.0  # 0.0 for -0.0, and Python's NaN for any NaN
    if number != number:
        return 0
    bits: int = _U64.unpack(_DOUBLE.pack(number))[0]
    return bits ^ 0xFFFFFFFFFFFFFFFF if bits >> 63 else bits | 1 << 63


def _single_bits(value: float) -> int:
    number = value + 0.0  # 0.0 for -0.0, and Python's NaN for any NaN
    if number != number:
        return 0
    bits: int = _U32.unpack(_SINGLE.pack(number))[0]
    return bits ^ 0xFFFFFFFF if bits >> 31 else bits | 1 << 31


def _double_from_bits(bits: int) -> float:
    if not bits:
        return float("nan")
    bits = bits ^ (1 << 63) if bits >> 63 else bits ^ 0xFFFFFFFFFFFFFFFF
    return with_greatest_nan(_DOUBLE.unpack(_U64.pack(bits))[0])


def _single_from_bits(bits: int) -> float:
    if not bits:
        return float("nan")
    bits = bits ^ (1 << 31) if bits >> 31 else bits ^ 0xFFFFFFFF
    return with_greatest_nan(_SINGLE.unpack(_U32.pack(bits))[0])


TIMESTAMP_WIDTH = 9
TIMESTAMP_SHIFT = 1 << 70
_PENDING = (1 << 72) - 1
_INT64_SHIFT = 1 << 63
_NUMERIC_SHIFT = 1 << 127


# Encoders of GoogleSQL's orders, (ascending, descending); other types cannot be part of a key.
_ENCODERS: dict[TypeCode, tuple[PartEncoder, PartEncoder]] = {
    TypeCode.BOOL: _integers(1, 0),
    TypeCode.INT64: _integers(8, _INT64_SHIFT),
    TypeCode.ENUM: _integers(8, _INT64_SHIFT),
    TypeCode.FLOAT64: _through(_double_bits, _integers(8, 0)),
    TypeCode.FLOAT32: _through(_single_bits, _integers(4, 0)),
    TypeCode.NUMERIC: _through(to_scaled, _integers(16, _NUMERIC_SHIFT)),
    TypeCode.STRING: _inverting(_encode_string),
    TypeCode.BYTES: _inverting(_encode_bytes),
    TypeCode.DATE: _through(date.toordinal, _integers(4, 0)),
    TypeCode.TIMESTAMP: _timestamps(),
    TypeCode.UUID: _through(lambda value: value.int, _integers(16, 0)),
}
# The same for floats in orders in which NaN is the greatest value; NaN is 0 in `_double_bits`.
_NAN_GREATEST_ENCODERS: dict[TypeCode, tuple[PartEncoder, PartEncoder]] = {
    TypeCode.FLOAT64: _through(
        lambda value: _double_bits(value) or 0xFFFFFFFFFFFFFFFF, _integers(8, 0)
    ),
    TypeCode.FLOAT32: _through(lambda value: _single_bits(value) or 0xFFFFFFFF, _integers(4, 0)),
}


def part_encoder(type_: Type, order: SortOrder) -> PartEncoder:
    """Return a function that encodes a value, or NULL, as one part of a key."""
    table = _NAN_GREATEST_ENCODERS if order.nan_greatest and type_.is_float else _ENCODERS
    encode = table[type_.code][order.descending]
    if order.nulls_first is not order.descending:
        return encode
    null = _NULL if order.nulls_first else _NULL_DESC
    return lambda value: null if value is None else encode(value)


def _decode_timestamp(number: int) -> Any:
    return COMMIT_TIMESTAMP if number == _PENDING else number - TIMESTAMP_SHIFT


def _unescape(payload: bytes) -> bytes:
    # Read from the left, 01 01 is always an escaped pair: no lone 01 follows a first byte.
    return payload.replace(b"\x01\x01", b"\x00").replace(b"\x01\x02", b"\x01")


# The size of the payload, and a function from the payload as an unsigned number to the value.
FIXED_DECODERS: dict[TypeCode, tuple[int, Callable[[int], Any]]] = {
    TypeCode.BOOL: (1, bool),
    TypeCode.INT64: (8, lambda number: number - _INT64_SHIFT),
    TypeCode.ENUM: (8, lambda number: number - _INT64_SHIFT),
    TypeCode.FLOAT64: (8, _double_from_bits),
    TypeCode.FLOAT32: (4, _single_from_bits),
    TypeCode.NUMERIC: (16, lambda number: from_scaled(number - _NUMERIC_SHIFT)),
    TypeCode.DATE: (4, date.fromordinal),
    TypeCode.TIMESTAMP: (TIMESTAMP_WIDTH, _decode_timestamp),
    TypeCode.UUID: (16, lambda number: UUID(int=number)),
}


def decode_part(code: TypeCode, key: bytes, at: int) -> tuple[Any, int]:
    """Return the value of the key part at offset `at`, and the offset of the next part.

    The first byte of the part shows its direction.
    """
    marker = key[at : at + 1]
    if marker in (_NULL, _NULL_DESC):
        return None, at + 1
    if marker not in (_VALUE, _VALUE_DESC):
        raise ValueError(f"no key part at byte {at} of {key.hex()}")
    descending = marker == _VALUE_DESC
    if code in FIXED_DECODERS:
        width, convert = FIXED_DECODERS[code]
        payload = key[at + 1 : at + 1 + width]
        if descending:
            payload = payload.translate(INVERTED)
        return convert(int.from_bytes(payload, "big")), at + 1 + width
    end = key.index(b"\xff" if descending else b"\x00", at + 1)
    payload = key[at + 1 : end]
    if descending:
        payload = payload.translate(INVERTED)
    payload = _unescape(payload)
    return (payload.decode() if code is TypeCode.STRING else payload), end + 1


KeyPart = tuple[Type, SortOrder]
KeyEncoder = Callable[[Sequence[Any]], bytes]
KeyDecoder = Callable[[bytes], tuple[Any, ...]]
ByteRange = tuple[bytes, bytes]
"""Keys from the first bytes up to, but excluding, the second."""

TOP = b"\xff"
EVERYTHING: ByteRange = (b"", TOP)


def can_be_key(type_: Type) -> bool:
    """Return whether values of the type can be part of a key."""
    return type_.code in _ENCODERS


def key_encoder(parts: Sequence[KeyPart]) -> KeyEncoder:
    """Return a function that encodes values of the (type, order) parts, or of a prefix."""
    encoders = [part_encoder(type_, order) for type_, order in parts]
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


def key_decoder(types: Sequence[Type]) -> KeyDecoder:
    """Return the inverse of `key_encoder`, whatever the orders of the parts.

    A key prefix yields the values of its parts.
    """
    codes = [type_.code for type_ in types]

    def decode(key: bytes) -> tuple[Any, ...]:
        values, at = [], 0
        for code in codes:
            if at == len(key):
                break
            value, at = decode_part(code, key, at)
            values.append(value)
        return tuple(values)

    return decode


def after_prefix(key: bytes) -> bytes:
    """Return the smallest byte string above every key that starts with `key`."""
    kept = key.rstrip(b"\xff")
    if not kept:
        return TOP
    return kept[:-1] + bytes((kept[-1] + 1,))


def successor(key: bytes) -> bytes:
    """Return the smallest byte string above `key` itself."""
    return key + b"\x00"


def merge_ranges(ranges: Collection[ByteRange]) -> list[ByteRange]:
    """Return the union as sorted ranges that neither overlap nor touch, without empty ranges."""
    nonempty = [key_range for key_range in interruptible(ranges) if key_range[0] < key_range[1]]
    if len(nonempty) < 2:
        return nonempty
    merged: list[ByteRange] = []
    for start, end in interruptible(sort_with_checks(nonempty)):
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
    """Return the bytes that a key counts for the limit on key size; NULL counts two."""
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

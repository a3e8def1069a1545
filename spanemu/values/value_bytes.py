"""Values -> the bytes of `google.protobuf.Value`s in the message that contains them.

Rows are written as bytes by this module, not as messages: filling a message value by value and then
serializing it takes twice as long as joining bytes, and chunking needs the sizes anyway. A value is
written with its tag, as an element of a repeated field:

    tag  size  kind  ...
    12   05    1a    03 61 62 63        PartialResultSet.values += "abc"

Only these fields and kinds are needed:

    repeated Value values = 2   in PartialResultSet         PARTIAL
    repeated Value values = 1   in ListValue                LISTED
    Value value = 2             in a ModValue of a change stream record: like PARTIAL
    Value: null_value = 1, number_value = 2, string_value = 3, bool_value = 4, list_value = 6
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from struct import Struct
from typing import Any

from spanemu.values.types import Type, TypeCode
from spanemu.values.value import encoder

CellEncoder = Callable[[Any], bytes]

PARTIAL = 0x12
LISTED = 0x0A

_NULL = b"\x02\x08\x00"
_BOOLS = (b"\x02\x20\x00", b"\x02\x20\x01")
_NUMBER = b"\x09\x11"
_STRING_KIND = 0x1A
_LIST_KIND = 0x32
_FRAMES_COUNT = 512
_ONE_BYTE = tuple(bytes((number,)) for number in range(0x80))

_pack_double = Struct("<d").pack


def varint(number: int) -> bytes:
    """Return a non-negative integer in protobuf's encoding."""
    if number < 0x80:
        return _ONE_BYTE[number]
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def field(number: int, content: bytes) -> bytes:
    """Return a length-delimited field: a string, bytes or a message."""
    size = len(content)
    if number < 0x10 and size < 0x80:
        return _ONE_BYTE[number << 3 | 2] + _ONE_BYTE[size] + content
    return varint(number << 3 | 2) + varint(len(content)) + content


@lru_cache(maxsize=2048)
def cell_encoder(type_: Type, tag: int) -> CellEncoder:
    """Return a function from a Python value of `type_` to an element of field `tag`."""
    if type_.code is TypeCode.ARRAY:
        return _array_encoder(type_.item(), tag)
    if type_.code is TypeCode.STRUCT:
        return _struct_encoder([field.type for field in type_.fields], tag)
    return _SCALARS.get(type_.code, _text_encoder)(type_, tag)


def raw_bytes(raw: Any, tag: int) -> bytes:
    """Return the bytes of a value given in its raw, JSON-like form."""
    if raw is None:
        return bytes((tag,)) + _NULL
    if raw.__class__ is bool:
        return bytes((tag,)) + _BOOLS[raw]
    if raw.__class__ is str:
        text = raw.encode()
        return _frame(tag, _STRING_KIND, len(text)) + text
    if raw.__class__ is list:
        content = b"".join([raw_bytes(item, LISTED) for item in raw])
        return _frame(tag, _LIST_KIND, len(content)) + content
    return bytes((tag,)) + _NUMBER + _pack_double(raw)


class EncodedList:
    """The value of an ARRAY whose elements are encoded already, for rows that are made as bytes.

    `content` holds the elements with the tag LISTED. `elements` returns their Python values, made
    from `source`, when somebody iterates.
    """

    __slots__ = ("_elements", "_source", "content")

    def __init__(
        self, content: bytes, elements: Callable[[Any], Sequence[Any]], source: Any
    ) -> None:
        self.content = content
        self._elements = elements
        self._source = source

    def __len__(self) -> int:
        return len(self._elements(self._source))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._elements(self._source))


def listed(content: bytes) -> bytes:
    """Return a list of these encoded elements, as an element of a list itself."""
    return _frame(LISTED, _LIST_KIND, len(content)) + content


def list_frame(tag: int, size: int) -> bytes:
    """Return the bytes before `size` bytes of encoded elements of a list."""
    return _frame(tag, _LIST_KIND, size)


@lru_cache(maxsize=16_384)
def _frame(tag: int, kind: int, size: int) -> bytes:
    """Return the bytes before `size` bytes of content of a string or list."""
    inner = bytes((kind,)) + varint(size)
    return bytes((tag,)) + varint(len(inner) + size) + inner


@lru_cache(maxsize=4)
def _frames(tag: int) -> Sequence[bytes]:
    """Return the frames of all strings that are short enough for a lookup."""
    return tuple(_frame(tag, _STRING_KIND, size) for size in range(_FRAMES_COUNT))


def _string_encoder(_type: Type, tag: int) -> CellEncoder:
    frames, null = _frames(tag), bytes((tag,)) + _NULL

    def encode(cell: Any) -> bytes:
        if cell is None:
            return null
        text: bytes = cell.encode()
        size = len(text)
        if size < _FRAMES_COUNT:
            return frames[size] + text
        return _frame(tag, _STRING_KIND, size) + text

    return encode


def _integer_encoder(_type: Type, tag: int) -> CellEncoder:
    frames, null = _frames(tag), bytes((tag,)) + _NULL

    def encode(cell: Any) -> bytes:
        if cell is None:
            return null
        text = b"%d" % cell
        return frames[len(text)] + text

    return encode


def _text_encoder(type_: Type, tag: int) -> CellEncoder:
    """Return the encoder of a type whose wire form is a string written by its codec."""
    text_of, write, null = encoder(type_), _string_encoder(type_, tag), bytes((tag,)) + _NULL

    def encode(cell: Any) -> bytes:
        return null if cell is None else write(text_of(cell))

    return encode


def _bool_encoder(_type: Type, tag: int) -> CellEncoder:
    null, false, true = (bytes((tag,)) + content for content in (_NULL, *_BOOLS))

    def encode(cell: Any) -> bytes:
        if cell is None:
            return null
        return true if cell else false

    return encode


def _float_encoder(type_: Type, tag: int) -> CellEncoder:
    number, raw_of = bytes((tag,)) + _NUMBER, encoder(type_)

    def encode(cell: Any) -> bytes:
        raw = raw_of(cell)  # A string for NaN and the infinities.
        if raw.__class__ is float:
            return number + _pack_double(raw)
        return raw_bytes(raw, tag)

    return encode


def _array_encoder(item: Type, tag: int) -> CellEncoder:
    encode_item, null = cell_encoder(item, LISTED), bytes((tag,)) + _NULL

    def encode(cell: Any) -> bytes:
        if cell is None:
            return null
        if cell.__class__ is EncodedList:
            content = cell.content
        else:
            content = b"".join([encode_item(item) for item in cell])
        return _frame(tag, _LIST_KIND, len(content)) + content

    return encode


def _struct_encoder(fields: Sequence[Type], tag: int) -> CellEncoder:
    encoders = [cell_encoder(type_, LISTED) for type_ in fields]
    null = bytes((tag,)) + _NULL

    def encode(cell: Any) -> bytes:
        if cell is None:
            return null
        content = b"".join([write(part) for write, part in zip(encoders, cell, strict=True)])
        return _frame(tag, _LIST_KIND, len(content)) + content

    return encode


_SCALARS: dict[TypeCode, Callable[[Type, int], CellEncoder]] = {
    TypeCode.BOOL: _bool_encoder,
    TypeCode.ENUM: _integer_encoder,
    TypeCode.FLOAT32: _float_encoder,
    TypeCode.FLOAT64: _float_encoder,
    TypeCode.INT64: _integer_encoder,
    TypeCode.PG_OID: _integer_encoder,
    TypeCode.STRING: _string_encoder,
}

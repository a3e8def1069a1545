"""Values -> the bytes of `google.protobuf.Value`s in the message that contains them.

Rows are written as bytes, not as messages: filling a message value by value and then serializing it
takes twice as long as joining bytes, and chunking needs the sizes anyway. `row_bytes` writes values
of known types, this module the raw values of any type. A value is written with its tag, as an
element of a repeated field:

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

PARTIAL = 0x12
LISTED = 0x0A

NULL = b"\x02\x08\x00"
BOOLS = (b"\x02\x20\x00", b"\x02\x20\x01")
NUMBER = b"\x09\x11"
STRING_KIND = 0x1A
LIST_KIND = 0x32
FRAMES_COUNT = 512  # frames of short strings, for a lookup
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


def raw_bytes(raw: Any, tag: int) -> bytes:
    """Return the bytes of a value given in its raw, JSON-like form."""
    if raw is None:
        return bytes((tag,)) + NULL
    if raw.__class__ is bool:
        return bytes((tag,)) + BOOLS[raw]
    if raw.__class__ is str:
        text = raw.encode()
        return frame(tag, STRING_KIND, len(text)) + text
    if raw.__class__ is list:
        content = b"".join([raw_bytes(item, LISTED) for item in raw])
        return frame(tag, LIST_KIND, len(content)) + content
    return bytes((tag,)) + NUMBER + _pack_double(raw)


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
    return frame(LISTED, LIST_KIND, len(content)) + content


def list_frame(tag: int, size: int) -> bytes:
    """Return the bytes before `size` bytes of encoded elements of a list."""
    return frame(tag, LIST_KIND, size)


@lru_cache(maxsize=16_384)
def frame(tag: int, kind: int, size: int) -> bytes:
    """Return the bytes before `size` bytes of content of a string or list."""
    inner = bytes((kind,)) + varint(size)
    return bytes((tag,)) + varint(len(inner) + size) + inner

"""Values -> the bytes of `google.protobuf.Value`s in the message that contains them.

Rows are written as bytes, not as messages: filling a message value by value and then serializing it
takes twice as long as joining bytes, and chunking needs the sizes anyway. A value is written with
its tag, as an element of a repeated field:

    tag  size  kind  ...
    12   05    1a    03 61 62 63        PartialResultSet.values += "abc"

Only these fields and kinds are needed:

    repeated Value values = 2   in PartialResultSet         PARTIAL
    repeated Value values = 1   in ListValue                LISTED
    Value value = 2             in a ModValue of a change stream record: like PARTIAL
    Value: null_value = 1, number_value = 2, string_value = 3, bool_value = 4, list_value = 6

`raw_bytes` writes a raw value of any type. Rows and cells of known types are written by functions
generated for their types:

    (INT64, STRING)   lambda row: J((N if (c := row[0]) is None else F[len(t := k0(c))] + t, ...))

A function for each cell would cost a Python call for each cell; generated code costs a call for
each row. The text of a function consists of the templates below and of names bound here, never of
anything that a user wrote. Generated functions return text with a character for each byte, because
Python joins and formats text faster than bytes. `to_bytes` makes the bytes of many rows at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from struct import Struct
from types import CodeType
from typing import Any

from spanemu.values.types import Type, TypeCode
from spanemu.values.value import encoder, text_writer

PARTIAL = 0x12
LISTED = 0x0A

NULL = b"\x02\x08\x00"
_BOOLS = (b"\x02\x20\x00", b"\x02\x20\x01")
NUMBER = b"\x09\x11"
_STRING_KIND = 0x1A
_LIST_KIND = 0x32
_FRAMES_COUNT = 512  # frames of short strings, for a lookup
_LISTED_FRAMES_COUNT = 4096
_TEXT, _NULLABLE_TEXT, _DOUBLE = {str}, {str, type(None)}, {float}
_ONE_BYTE = tuple(bytes((number,)) for number in range(0x80))

_LISTED_NULL = (bytes((LISTED,)) + NULL).decode("latin-1")
_LISTED_NUMBER = (bytes((LISTED,)) + NUMBER).decode("latin-1")

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
        return bytes((tag,)) + _BOOLS[raw]
    if raw.__class__ is str:
        text = raw.encode()
        return frame(tag, _STRING_KIND, len(text)) + text
    if raw.__class__ is list:
        content = b"".join([raw_bytes(item, LISTED) for item in raw])
        return frame(tag, _LIST_KIND, len(content)) + content
    return bytes((tag,)) + NUMBER + _pack_double(raw)


def raw_pieces(cells: Sequence[Any]) -> Sequence[Iterable[str]]:
    """Return the bytes of many raw values, as elements of the lists of their rows.

    As in generated functions, a character stands for each byte. The bytes of a value may be in
    several pieces, so that texts are copied only once, into their rows.
    """
    kinds = set(map(type, cells))
    if kinds == _DOUBLE:
        packed = Struct(f"<{len(cells)}d").pack(*cells).decode("latin-1")
        return [[_LISTED_NUMBER + packed[at : at + 8] for at in range(0, len(packed), 8)]]
    if kinds == _TEXT:
        return _text_pieces(cells)
    if kinds == _NULLABLE_TEXT:
        before, texts = _text_pieces(["" if cell is None else cell for cell in cells])
        heads = zip(cells, before, strict=True)
        return [_LISTED_NULL if cell is None else head for cell, head in heads], texts
    return [[raw_bytes(cell, LISTED).decode("latin-1") for cell in cells]]


def _text_pieces(texts: Sequence[str]) -> tuple[Iterable[str], Sequence[str]]:
    """Return what stands before each text, and the texts."""
    if not all(map(str.isascii, texts)):
        texts = [text.encode().decode("latin-1") for text in texts]
    sizes = list(map(len, texts))
    frames = listed_frames(LISTED, _STRING_KIND)
    if max(sizes) < len(frames):
        return map(frames.__getitem__, sizes), texts
    return [frame(LISTED, _STRING_KIND, size).decode("latin-1") for size in sizes], texts


@lru_cache(maxsize=2)
def listed_frames(tag: int, kind: int) -> list[str]:
    """Return what stands before the content of a value, or of a list without a kind, by its size.

    A character stands for each byte.
    """
    frames = [frame(tag, kind, size) if kind else bytes((tag,)) + varint(size)
              for size in range(_LISTED_FRAMES_COUNT)]  # fmt: skip
    return [each.decode("latin-1") for each in frames]


def lists_text(tag: int, lists: Sequence[str]) -> str:
    """Return messages that are lists with this content as fields with a tag, one after another."""
    sizes, frames = list(map(len, lists)), listed_frames(tag, 0)
    if max(sizes, default=0) < len(frames):
        heads: Iterable[str] = map(frames.__getitem__, sizes)
    else:
        heads = [(bytes((tag,)) + varint(size)).decode("latin-1") for size in sizes]
    return "".join(chain.from_iterable(zip(heads, lists, strict=True)))


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
    return frame(LISTED, _LIST_KIND, len(content)) + content


def list_frame(tag: int, size: int) -> bytes:
    """Return the bytes before `size` bytes of encoded elements of a list."""
    return frame(tag, _LIST_KIND, size)


@lru_cache(maxsize=16_384)
def frame(tag: int, kind: int, size: int) -> bytes:
    """Return the bytes before `size` bytes of content of a string or list."""
    inner = bytes((kind,)) + varint(size)
    return bytes((tag,)) + varint(len(inner) + size) + inner


CellEncoder = Callable[[Any], bytes]
TextEncoder = Callable[[Any], str]  # from a row or a cell to text with a character for each byte

_ONE_BYTE_EACH = "latin-1"

# Expressions over the cell `c`, which is not NULL. `{k}` is the function bound for the column.
_STRING = f"F[n] + c if (n := len(c)) < {_FRAMES_COUNT} and c.isascii() else S(c)"
_SHORT_TEXT = "F[len(t := {k}(c))] + t"
_LONG_TEXT = "S({k}(c))"
_BOOL = "Y if c else X"
_FLOAT = "D + str(P(c), L) if c - c == 0.0 else {k}(c)"  # not for NaN and the infinities
_LIST = "G(len(t := {k}(c))) + t"

# Types whose texts have no bound, or characters outside of ASCII.
_LONG = frozenset(
    {
        TypeCode.BYTES,
        TypeCode.JSON,
        TypeCode.PG_JSONB,
        TypeCode.PG_NUMERIC,
        TypeCode.PROTO,
        TypeCode.TOKENLIST,
    }
)


def to_bytes(text: str) -> bytes:
    """Return the bytes of the text of encoded rows."""
    return text.encode(_ONE_BYTE_EACH)


def to_text(data: bytes) -> str:
    """Return the text whose bytes are `data`."""
    return data.decode(_ONE_BYTE_EACH)


@lru_cache(maxsize=1024)
def row_encoder(types: tuple[Type, ...], tag: int) -> TextEncoder:
    """Return a function from a row to its values, as elements of field `tag`."""
    names = dict(_names(tag))
    cells = [
        f"N if (c := row[{position}]) is None else {_template(type_, tag, f'k{position}', names)}"
        for position, type_ in enumerate(types)
    ]
    text = cells[0] if len(cells) == 1 else f"J(({''.join([f'{cell}, ' for cell in cells])}))"
    encode: TextEncoder = eval(_code(f"lambda row: {text}"), names)
    return encode


@lru_cache(maxsize=2048)
def cell_encoder(type_: Type, tag: int) -> CellEncoder:
    """Return a function from a Python value of `type_` to an element of field `tag`."""
    encode: CellEncoder = _cell_function(type_, tag, ".encode(L)")
    return encode


def _cell_text_encoder(type_: Type, tag: int) -> TextEncoder:
    encode: TextEncoder = _cell_function(type_, tag, "")
    return encode


def _cell_function(type_: Type, tag: int, ending: str) -> Any:
    names = dict(_names(tag))
    value = _template(type_, tag, "k", names)
    return eval(_code(f"lambda c: (N if c is None else {value}){ending}"), names)


@lru_cache(maxsize=4096)
def _code(text: str) -> CodeType:
    return compile(text, "<encoder>", "eval")


@lru_cache(maxsize=4)
def _names(tag: int) -> dict[str, Any]:
    """Return the names that all functions for field `tag` use."""

    def string(text: str) -> str:
        data = text.encode()
        return to_text(frame(tag, _STRING_KIND, len(data)) + data)

    @lru_cache(maxsize=16_384)
    def list_frame(size: int) -> str:
        return to_text(frame(tag, _LIST_KIND, size))

    head = bytes((tag,))
    return {
        "__builtins__": {},
        "D": to_text(head + NUMBER),
        "F": [to_text(frame(tag, _STRING_KIND, size)) for size in range(_FRAMES_COUNT)],
        "G": list_frame,
        "J": "".join,
        "L": _ONE_BYTE_EACH,
        "N": to_text(head + NULL),
        "P": _pack_double,
        "S": string,
        "X": to_text(head + _BOOLS[False]),
        "Y": to_text(head + _BOOLS[True]),
        "len": len,
        "str": str,
    }


def _template(type_: Type, tag: int, name: str, names: dict[str, Any]) -> str:
    """Return an expression for the cell `c`, and bind in `names` what it calls as `name`."""
    code = type_.code
    if code is TypeCode.BOOL:
        return _BOOL
    if code is TypeCode.STRING:
        return _STRING
    if type_.is_float:
        names[name] = _special_float(type_, tag)
        return _FLOAT.format(k=name)
    if code is TypeCode.ARRAY:
        names[name] = _items(_cell_text_encoder(type_.item(), LISTED))
        return _LIST.format(k=name)
    if code is TypeCode.STRUCT:
        names[name] = row_encoder(tuple(field.type for field in type_.fields), LISTED)
        return _LIST.format(k=name)
    names[name] = text_writer(type_)
    return (_LONG_TEXT if code in _LONG else _SHORT_TEXT).format(k=name)


def _special_float(type_: Type, tag: int) -> TextEncoder:
    raw_of = encoder(type_)
    return lambda number: to_text(raw_bytes(raw_of(number), tag))


def _items(encode: TextEncoder) -> Callable[[Sequence[Any]], str]:
    def text(items: Any) -> str:
        if items.__class__ is EncodedList:
            return to_text(items.content)
        return "".join([encode(item) for item in items])

    return text

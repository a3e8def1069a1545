"""The commits that clients send most -> plain data, read from the bytes of the request.

The runtime of protocol buffers makes a Python object of every message that is looked at, and each
cell of a mutation is a message of its own: a commit of one row is read twice as fast from its
bytes. So a CommitRequest is read from them if it has these fields only:

    0a session    12 transaction_id    1a single_use_transaction
    22 mutations {
      0a insert    12 update    1a insert_or_update    22 replace {
        0a table    12 columns ...    1a values { 0a value { 1a string_value }    0a value ... } ...
    32 request_options    42 max_commit_delay    4a precommit_token

The runtime reads the options, and values other than short texts. A request with any other field,
with two sessions or transactions, with two operations in a mutation, or with anything wrong is left
to `requests`, which has all the rules and errors.
"""

from __future__ import annotations

from typing import Any

from google.protobuf.message import DecodeError

from spanemu.base.errors import SpannerError
from spanemu.base.record import NamedTuple
from spanemu.database.options import CommitOptions, Selector
from spanemu.frontend import wire
from spanemu.frontend.convert.requests import PLAIN_COMMIT, commit_options_from_proto
from spanemu.frontend.convert.selectors import existing_from_proto, single_use_read_write
from spanemu.frontend.convert.types import value_from_proto
from spanemu.frontend.large_requests import varint_at
from spanemu.values.mutation import Write, WriteKind

# Tags of fields, all of which have a size and a content.
_SESSION, _TRANSACTION_ID, _SINGLE_USE, _MUTATION = 0x0A, 0x12, 0x1A, 0x22
_OPTIONS = frozenset({0x32, 0x42, 0x4A})
_KINDS = {
    0x0A: WriteKind.INSERT,
    0x12: WriteKind.UPDATE,
    0x1A: WriteKind.INSERT_OR_UPDATE,
    0x22: WriteKind.REPLACE,
}
_TABLE, _COLUMN, _ROW = 0x0A, 0x12, 0x1A
_VALUE, _TEXT = 0x0A, 0x1A

# The least size that takes more than a byte. Most take one, which is read where it is needed: a
# call of a function would take as long as the rest of a field.
_LONG = 0x80
# The bytes before a text in a row, by the size of its Value; for other sizes, bytes before nothing.
_TEXT_FRAMES = tuple(
    bytes((_VALUE, size, _TEXT, size - 2)) if 2 <= size < _LONG else bytes((_VALUE, size ^ 1))
    for size in range(256)
)
_HEADS_MAX = 256
_HEAD_BYTES_MAX = 1024

# The name of the session, the transaction, the writes, the options.
SmallCommit = tuple[str, Selector, list[Write], CommitOptions]


class _Head(NamedTuple):
    """The part of a write before its rows: its bytes, with the tag of a row, and what they say."""

    data: bytes
    table: str
    columns: tuple[str, ...]


# By the field of the table: clients write the same columns of a table again and again.
_heads: dict[bytes, _Head] = {}


class _OtherRequest(Exception):
    """A request that is not read from its bytes."""


def small_commit_from_bytes(data: bytes | bytearray) -> SmallCommit | None:
    """Return the commit of a serialized CommitRequest; None if the runtime has to read it."""
    try:
        return _commit(bytes(data))
    except (_OtherRequest, LookupError, UnicodeDecodeError, DecodeError, SpannerError):
        return None


def _commit(data: bytes) -> SmallCommit:
    session = selector = None
    writes, options = [], []
    position, end = 0, len(data)
    while position < end:
        begin, tag, size = position, data[position], data[position + 1]
        position += 2
        if size >= _LONG:
            size, position = varint_at(data, position - 1)
        stop = position + size
        if tag == _MUTATION:
            writes.append(_write(data, position, stop))
        elif tag == _SESSION and session is None:
            session = data[position:stop].decode()
        elif tag == _SINGLE_USE and selector is None:
            selector = single_use_read_write(data[position:stop])
        elif tag == _TRANSACTION_ID and selector is None:
            selector = existing_from_proto(data[position:stop])
        elif tag not in _OPTIONS:
            raise _OtherRequest
        elif size:
            options.append(data[begin:stop])
        position = stop
    if position != end or session is None or selector is None:
        raise _OtherRequest
    return session, selector, writes, _options(b"".join(options)) if options else PLAIN_COMMIT


def _options(data: bytes) -> CommitOptions:
    """Return the options of a CommitRequest that has nothing else."""
    return commit_options_from_proto(wire.CommitRequest.FromString(data))


def _write(data: bytes, position: int, end: int) -> Write:
    """Return the write of the mutation between two positions."""
    kind, size = _KINDS[data[position]], data[position + 1]
    position += 2
    if size >= _LONG:
        size, position = varint_at(data, position - 1)
    if position + size != end:
        raise _OtherRequest
    head = _heads.get(data[position : position + 2 + data[position + 1]])
    if head is None or not data.startswith(head.data, position):
        head = _head(data, position, end)
    position += len(head.data) - 1
    rows = []
    while position < end:
        tag, size = data[position], data[position + 1]
        position += 2
        if size >= _LONG:
            size, position = varint_at(data, position - 1)
        if tag != _ROW:
            raise _OtherRequest
        rows.append(_row(data, position, position + size))
        position += size
    if position != end:
        raise _OtherRequest
    return Write(kind, head.table, head.columns, rows)


def _head(data: bytes, begin: int, end: int) -> _Head:
    """Return the beginning of the write between two positions, and keep it for the next one."""
    names = []
    position, tag = begin, _TABLE
    while position < end and data[position] == tag:
        size, position = varint_at(data, position + 1)
        names.append(data[position : position + size].decode())
        position += size
        tag = _COLUMN
    if not names or not names[0]:
        raise _OtherRequest
    head = _Head(data[begin:position] + bytes((_ROW,)), names[0], tuple(names[1:]))
    if len(head.data) <= _HEAD_BYTES_MAX:
        if len(_heads) >= _HEADS_MAX:
            _heads.clear()
        _heads[data[begin : begin + 2 + data[begin + 1]]] = head
    return head


def _row(data: bytes, position: int, end: int) -> list[Any]:
    """Return the raw values of the ListValue between two positions."""
    row = []
    while position < end:
        size, begin = data[position + 1], position + 4
        if data.startswith(_TEXT_FRAMES[size], position):
            position = begin + size - 2
            row.append(data[begin:position].decode())
            continue
        if data[position] != _VALUE:
            raise _OtherRequest
        size, begin = varint_at(data, position + 1)
        position = begin + size
        row.append(value_from_proto(wire.Value.FromString(data[begin:position])))
    if position != end:
        raise _OtherRequest
    return row

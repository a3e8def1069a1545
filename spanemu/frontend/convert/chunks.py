"""Rows -> PartialResultSets of at most about one mebibyte, as serialized bytes.

    PartialResultSet   metadata = 1   values = 2   chunked_value = 3   resume_token = 4
                       stats = 5      precommit_token = 8   last = 9

The rows of a stream may appear over time (`LiveChunks`): those that there are leave in one message,
without delay.

Values are flattened: a reader divides them into rows by the number of columns. A message ends
between rows where possible, between the cells of a large row, and inside a cell only when the cell
alone is too large; `chunked_value` then says that the last value continues in the next message.
Nearly all results fit one message, which is written without an iterator.

The messages of a stream that can be resumed are smaller (`RESUMABLE_CHUNK_BYTES`), because the
official client takes rows faster from them. Other streams keep large messages: a client might
write in the transaction of an unfinished stream.

A reader joins the last value of a message with the first value of the next by kind. Strings are
concatenated. Lists are concatenated, after the last element of the first list and the first element
of the second were joined by the same rule if both are strings or lists. A cut between two elements
of a list must therefore be followed by an empty string or list, which the rule joins.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.base.limits import RESUMABLE_CHUNK_BYTES, ROW_BYTES_MAX, STREAM_CHUNK_BYTES
from spanemu.base.live import LiveRow, LiveRows
from spanemu.database.statements.results import ResultStream
from spanemu.frontend.convert.results import (
    Shape,
    close_rows,
    metadata_field,
    precommit_token_bytes,
    shape_of,
    stats_field,
)
from spanemu.frontend.errors import RowTooLarge
from spanemu.values.value import encoder
from spanemu.values.value_bytes import PARTIAL, field, raw_bytes, row_encoder, to_bytes, to_text

_CHUNKED = b"\x18\x01"
_LAST = b"\x48\x01"
_NO_REST = object()
_EMPTY: tuple[Any, ...] = ("", [])

Row = tuple[Any, ...]
# Returns the resume token of the position after that many rows.
TokenAt = Callable[[int], bytes]


class StreamBroken(Exception):
    """Raised by a stream's rows: the rows sent so far are to arrive, followed by `failure`."""

    def __init__(self, failure: SpannerError) -> None:
        super().__init__(failure)
        self.failure = failure


class Chunks:
    """The messages of one stream. `token_at` is None when the stream cannot be resumed."""

    _bytes = 0  # of the rows in earlier messages
    _size = 0  # of the rows in the present message

    def __init__(
        self,
        stream: ResultStream,
        token_at: TokenAt | None = None,
        rows_before: int = 0,
        chunk_bytes: int = STREAM_CHUNK_BYTES,
    ) -> None:
        self._stream = stream
        self._token_at = token_at
        self._rows = self._rows_before = rows_before
        self._chunk_bytes = chunk_bytes
        self._flush_bytes = chunk_bytes
        if token_at is not None:
            self._flush_bytes = min(chunk_bytes, RESUMABLE_CHUNK_BYTES)
        self._shape: Shape = shape_of(stream.columns)
        # The beginning of the first message (the metadata), and the end of every message (the
        # precommit token).
        self._head = metadata_field(stream, self._shape)
        self._tail = precommit_token_bytes(stream.transaction.precommit_token, 8)
        self._parts: list[str] = []

    def messages(self) -> Iterable[bytes]:
        """Return the messages: a tuple, when the stream has ended, if there is only one.

        The rows of the stream do not raise StreamBroken.
        """
        rows = iter(self._stream.rows)
        try:
            row = self._fill(rows)
            if row is None:
                return (self._last(),)
        except BaseException as failure:
            if isinstance(failure, Exception):
                self._stream.failed(failure)
            close_rows(self._stream)
            raise
        rest = self._following(rows, row)
        return _continued(next(rest), rest)

    def __iter__(self) -> Generator[bytes, None, None]:
        """Yield the messages. Closing the iterator closes the stream's rows."""
        return self._following(iter(self._stream.rows), None)

    def _following(self, rows: Iterator[Row], row: Row | None) -> Generator[bytes, None, None]:
        """Yield the messages from a row on that does not fit the present one; None for no row."""
        try:
            while row is not None or (row := self._fill(rows)) is not None:
                yield from self._row_beyond(row)
                row = None
            yield self._last()
        except StreamBroken as broken:
            if self._parts:
                yield self._flush(self._token())
            raise broken.failure from None
        except Exception as failure:
            self._stream.failed(failure)
            raise
        finally:
            close_rows(self._stream)

    def _fill(self, rows: Iterator[Row]) -> Row | None:
        """Take rows into the message; return the first that does not fit it, None at their end."""
        encode, append = self._shape.partial, self._parts.append
        size, size_max = self._size, self._flush_bytes
        number = self._rows
        try:
            for row in rows:
                values = encode(row)
                size += len(values)
                if size > size_max:
                    size -= len(values)
                    return row
                append(values)
                number += 1
            return None
        finally:
            self._size, self._rows = size, number

    def _row_beyond(self, row: Row) -> Iterator[bytes]:
        """Yield messages, so that a row has space in the next, or the messages of a large row."""
        if self._parts:
            yield self._flush(self._token())
        values = self._shape.partial(row)
        if len(values) > self._chunk_bytes:
            yield from self._large_row(row, len(values))
        else:
            self._parts.append(values)
            self._size += len(values)
        self._rows += 1

    def _flush(self, suffix: bytes) -> bytes:
        message = b"".join((self._head, to_bytes("".join(self._parts)), suffix, self._tail))
        self._head = b""
        self._parts.clear()
        self._bytes += self._size
        self._size = 0
        return message

    def _token(self) -> bytes:
        return b"" if self._token_at is None else field(4, self._token_at(self._rows))

    def _last(self) -> bytes:
        """Return the last message, marked so that the client need not request another."""
        stream = self._stream
        stats = stats_field(stream.stats, 5)
        if stream.recorder is not None:
            stream.recorder.ended(stream, self._rows - self._rows_before, self._bytes + self._size)
        return self._flush(stats + _LAST)

    def _large_row(self, row: tuple[Any, ...], size: int) -> Iterator[bytes]:
        """Yield the messages of a row larger than a message; the remainder stays in `_parts`."""
        if size > ROW_BYTES_MAX:
            raise RowTooLarge(size, ROW_BYTES_MAX)
        for cell, type_ in zip(row, self._shape.types, strict=True):
            values = row_encoder((type_,), PARTIAL)((cell,))
            if self._size + len(values) > self._chunk_bytes and self._parts:
                yield self._flush(b"")
            if len(values) <= self._chunk_bytes:
                self._parts.append(values)
                self._size += len(values)
            else:
                yield from self._large_cell(encoder(type_)(cell))

    def _large_cell(self, rest: Any) -> Iterator[bytes]:
        while rest is not _NO_REST:
            head, rest = cut(rest, self._chunk_bytes)
            self._parts.append(to_text(raw_bytes(head, PARTIAL)))
            if rest is not _NO_REST:
                yield self._flush(_CHUNKED)
        self._size += len(self._parts[-1])


class LiveChunks(Chunks):
    """The messages of a stream of live rows, and the rows themselves where the sender must wait.

    The sender first waits before the first message, so that a server leaves the thread of the
    request at once. The metadata leave with the first rows, or alone if there are none yet. `rows`
    are the steps of the stream's rows; `token_at` returns the resume token of a position.
    """

    def __init__(
        self,
        stream: ResultStream,
        rows: Iterator[LiveRow | LiveRows],
        token_at: Callable[[bytes], bytes],
        chunk_bytes: int = STREAM_CHUNK_BYTES,
    ) -> None:
        super().__init__(stream, chunk_bytes=chunk_bytes)
        assert isinstance(stream.rows, LiveRows)
        self._live = stream.rows
        self._steps = rows
        self._position = stream.rows.position
        self._token_at_position = token_at

    def __iter__(self) -> Generator[Any, None, None]:
        """Yield messages and the live rows. Closing the iterator closes the stream's rows."""
        try:
            yield self._live
            yield from self._messages()
            yield self._last()
        except StreamBroken as broken:
            if self._parts:
                yield self._flush(self._token())
            raise broken.failure from None
        except Exception as failure:
            self._stream.failed(failure)
            raise
        finally:
            close_rows(self._stream)

    def _messages(self) -> Iterator[Any]:
        encode, parts, limit = self._shape.partial, self._parts, self._chunk_bytes
        for row in self._steps:
            if isinstance(row, LiveRows):
                if parts or self._head:
                    yield self._flush(self._token())
                yield row
                continue
            values = encode(row.cells)
            if parts and self._size + len(values) > limit:
                yield self._flush(self._token())
            if len(values) > limit:
                yield from self._large_row(row.cells, len(values))
            else:
                parts.append(values)
                self._size += len(values)
            self._rows += 1
            self._position = row.position

    def _token(self) -> bytes:
        return field(4, self._token_at_position(self._position)) if self._position else b""


def _continued(first: bytes, rest: Generator[bytes, None, None]) -> Iterator[bytes]:
    """Yield the messages of a large result."""
    with closing(rest):
        yield first
        yield from rest


def cut(raw: Any, room: int) -> tuple[Any, Any]:
    """Return the part of a raw value that fits `room` bytes, and the rest of the value.

    The reader joins the rest to the part. The part has at least one character or element, so that
    repeated cuts end.
    """
    if raw.__class__ is str:
        return _cut_text(raw, room)
    if raw.__class__ is list:
        return _cut_list(raw, room)
    return raw, _NO_REST


def _cut_text(text: str, room: int) -> tuple[str, Any]:
    # A prefix of `room` bytes has at most `room` characters; most text has one byte a character.
    head = text[: max(room, 1)].encode()[: max(room, 4)].decode(errors="ignore")
    rest = text[len(head) :]
    return (head, rest) if rest else (text, _NO_REST)


def _cut_list(items: list[Any], room: int) -> tuple[list[Any], Any]:
    has_content = False  # Whether an element was taken other than the padding of the last cut.
    for position, item in enumerate(items):
        size = _size(item)
        if size <= room or item in _EMPTY:
            room -= size
            has_content = has_content or item not in _EMPTY
            continue
        following = items[position + 1 :]
        if item.__class__ is str or item.__class__ is list:
            head, rest = cut(item, room)
            left = _join_padding(head, following) if rest is _NO_REST else [rest]
            return [*items[:position], head], _or_no_rest([*left, *following])
        if has_content:
            left = _join_padding(items[position - 1], items)
            return items[:position], [*left, *items[position:]]
        return items[: position + 1], _or_no_rest(following)
    return items, _NO_REST


def _join_padding(last: Any, following: list[Any]) -> list[Any]:
    """Return the padding that opens the continuation after `last`, so that the reader joins it."""
    if not following:
        return []
    if last.__class__ is str:
        return [""]
    return [[]] if last.__class__ is list else []


def _or_no_rest(rest: list[Any]) -> Any:
    return rest or _NO_REST


def _size(raw: Any) -> int:
    """Return an upper bound of the bytes of a raw value on the wire."""
    if raw.__class__ is str:
        return len(raw.encode()) + 12
    if raw.__class__ is list:
        return sum(map(_size, raw)) + 12
    return 12

"""Rows -> PartialResultSets of about one mebibyte, as serialized bytes.

    PartialResultSet   metadata = 1   values = 2   chunked_value = 3   resume_token = 4
                       stats = 5      precommit_token = 8   last = 9

Values are flattened: a reader cuts them into rows by the number of columns. A message ends
between rows where it can, between the cells of a row that is large, and inside a cell only when
that cell alone is too large; then `chunked_value` says that its last value goes on in the next
message. A result that fits one message, which is nearly all of them, is written without a detour.

A reader joins the last value of a message with the first of the next by kind: strings are
concatenated; lists too, after the last element of one and the first of the other were joined by
the same rule if both are strings or lists. So a cut between two elements of a list must be
followed by an empty string or list for the rule to swallow.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.base.limits import ROW_BYTES_MAX, STREAM_CHUNK_BYTES
from spanemu.database.statements.results import ResultStream
from spanemu.frontend.convert.encoding import PARTIAL, field, raw_bytes
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

_CHUNKED = b"\x18\x01"
_LAST = b"\x48\x01"
_NOTHING = object()
_EMPTY: tuple[Any, ...] = ("", [])

# Given the number of rows sent so far, the resume token of that place.
TokenAt = Callable[[int], bytes]


class StreamBroken(Exception):
    """Raised by a stream's rows: what was sent so far is to arrive, and then `failure`."""

    def __init__(self, failure: SpannerError) -> None:
        super().__init__(failure)
        self.failure = failure


class Chunks:
    """Cuts one stream. `token_at` is None when the stream cannot be resumed."""

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
        self._bytes = 0
        self._chunk_bytes = chunk_bytes
        self._shape: Shape = shape_of(stream.columns)
        # Opens the next message: the metadata of the first one, and the precommit token of all.
        self._head = metadata_field(stream, self._shape)
        self._tail = precommit_token_bytes(stream.transaction, 8)
        self._parts: list[bytes] = []
        self._size = 0
        self._is_over = False

    def messages(self) -> Iterable[bytes]:
        """The messages: a tuple if there is only one, as mostly, and then the stream is over."""
        rest = iter(self)
        first = next(rest)
        if self._is_over:
            rest.close()
            return (first,)
        return _continued(first, rest)

    def __iter__(self) -> Generator[bytes, None, None]:
        """The messages. Closing the iterator closes the stream's rows."""
        encoders, parts, limit = self._shape.partial, self._parts, self._chunk_bytes
        try:
            for row in self._stream.rows:
                cells = [encode(cell) for encode, cell in zip(encoders, row, strict=False)]
                values = b"".join(cells)
                if self._size + len(values) > limit:
                    if parts:
                        yield self._flush(self._token())
                    if len(values) > limit:
                        if len(values) > ROW_BYTES_MAX:
                            raise RowTooLarge(len(values), ROW_BYTES_MAX)
                        yield from self._large_row(row, cells)
                        self._rows += 1
                        continue
                parts.append(values)
                self._size += len(values)
                self._rows += 1
            yield self._last()
        except StreamBroken as broken:
            if parts:
                yield self._flush(self._token())
            raise broken.failure from None
        except Exception as failure:
            if self._stream.meter is not None:
                self._stream.meter.failed(failure)
            raise
        finally:
            close_rows(self._stream)

    def _flush(self, suffix: bytes) -> bytes:
        message = b"".join((self._head, *self._parts, suffix, self._tail))
        self._head = b""
        self._parts.clear()
        self._bytes += self._size
        self._size = 0
        return message

    def _token(self) -> bytes:
        return b"" if self._token_at is None else field(4, self._token_at(self._rows))

    def _last(self) -> bytes:
        """The last message. The stream is over: a client need not ask what comes after."""
        stream = self._stream
        stats = stats_field(stream.stats, 5)
        if stream.meter is not None:
            stream.meter.ended(stream, self._rows - self._rows_before, self._bytes + self._size)
        self._is_over = True
        return self._flush(stats + _LAST)

    def _large_row(self, row: tuple[Any, ...], cells: list[bytes]) -> Iterator[bytes]:
        """The messages of a row that fills one; what is left of it stays in `_parts`."""
        types = [type_ for _, type_ in self._stream.columns]
        for cell, values, type_ in zip(row, cells, types, strict=True):
            if self._size + len(values) > self._chunk_bytes and self._parts:
                yield self._flush(b"")
            if len(values) <= self._chunk_bytes:
                self._parts.append(values)
                self._size += len(values)
            else:
                yield from self._large_cell(encoder(type_)(cell))

    def _large_cell(self, rest: Any) -> Iterator[bytes]:
        while rest is not _NOTHING:
            head, rest = cut(rest, self._chunk_bytes)
            self._parts.append(raw_bytes(head, PARTIAL))
            if rest is not _NOTHING:
                yield self._flush(_CHUNKED)
        self._size += len(self._parts[-1])


def _continued(first: bytes, rest: Generator[bytes, None, None]) -> Iterator[bytes]:
    with closing(rest):
        yield first
        yield from rest


def cut(raw: Any, room: int) -> tuple[Any, Any]:
    """What of a raw value fits `room` bytes, and the rest that a reader joins to it.

    Always takes something, so that cutting ends: at least one character or one element.
    """
    if raw.__class__ is str:
        return _cut_text(raw, room)
    if raw.__class__ is list:
        return _cut_list(raw, room)
    return raw, _NOTHING


def _cut_text(text: str, room: int) -> tuple[str, Any]:
    # A prefix of `room` bytes has at most `room` characters; most text has one byte for each.
    head = text[: max(room, 1)].encode()[: max(room, 4)].decode(errors="ignore")
    rest = text[len(head) :]
    return (head, rest) if rest else (text, _NOTHING)


def _cut_list(items: list[Any], room: int) -> tuple[list[Any], Any]:
    begun = False  # Whether anything was taken but what the last cut left to be swallowed.
    for position, item in enumerate(items):
        size = _size(item)
        if size <= room or item in _EMPTY:
            room -= size
            begun = begun or item not in _EMPTY
            continue
        following = items[position + 1 :]
        if item.__class__ is str or item.__class__ is list:
            head, rest = cut(item, room)
            left = _swallowed(head, following) if rest is _NOTHING else [rest]
            return [*items[:position], head], _or_nothing([*left, *following])
        if begun:
            left = _swallowed(items[position - 1], items)
            return items[:position], [*left, *items[position:]]
        return items[: position + 1], _or_nothing(following)
    return items, _NOTHING


def _swallowed(last: Any, following: list[Any]) -> list[Any]:
    """What must open a continuation after `last`, for the reader's rule to join with it."""
    if not following:
        return []
    if last.__class__ is str:
        return [""]
    return [[]] if last.__class__ is list else []


def _or_nothing(rest: list[Any]) -> Any:
    return rest or _NOTHING


def _size(raw: Any) -> int:
    """Bytes of a raw value on the wire, not less than the truth."""
    if raw.__class__ is str:
        return len(raw.encode()) + 12
    if raw.__class__ is list:
        return sum(map(_size, raw)) + 12
    return 12

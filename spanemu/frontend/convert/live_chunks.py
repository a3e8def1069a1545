"""Live rows -> PartialResultSets: those that there are in one message, without delay."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any

from spanemu.base.limits import STREAM_CHUNK_BYTES
from spanemu.base.live import LiveRow, LiveRows
from spanemu.database.statements.results import ResultStream
from spanemu.frontend.convert.chunks import Chunks, StreamBroken
from spanemu.frontend.convert.results import close_rows
from spanemu.values.value_bytes import field


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
            if self._stream.recorder is not None:
                self._stream.recorder.failed(failure)
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

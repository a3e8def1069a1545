"""What a database always does for change streams: it follows its schema and wakes readers.

A commit only leaves a note while there are readers: a thread of its own finds the partitions that
were changed, and wakes their readers. A change of partitions or streams wakes every reader.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from spanemu.base.errors import Code, SpannerError
from spanemu.base.limits import CHANGE_STREAM_READERS_MAX
from spanemu.base.live import Waker
from spanemu.change_streams import partitions as partitioning
from spanemu.change_streams import records as change_records
from spanemu.change_streams import tracking
from spanemu.schema.schema import Schema
from spanemu.storage.change_log import ChangeEntry, StreamPartitions
from spanemu.storage.store import Store

if TYPE_CHECKING:
    Records = Sequence[tuple[int, change_records.DataChangeRecord]]


def follow_schema(store: Store, schema: Schema, at: int, new_token: Callable[[], str]) -> None:
    """Record what the streams of a schema watch, which is current from `at` on.

    The caller holds the store's mutex.
    """
    if schema.change_streams:
        tracking.watch_streams(store, schema, at, new_token)
    elif store.change_log is not None:
        store.watch(None)


_RECORDS_KEPT = 1_024  # entries whose records are kept for the readers of other partitions


class TooManyReaders(SpannerError, code=Code.RESOURCE_EXHAUSTED):
    prose = (
        "{limit} queries read partition {token} of change stream {stream} at present; no more may."
    )
    limit: int
    token: str
    stream: str


class Wakeable(Protocol):
    """A reader that can be woken."""

    def wake(self) -> None:
        """Wake the reader to look for records."""
        ...


class StreamReaders:
    """The readers of the partitions of a database's change streams.

    The store's mutex guards the readers, and the store calls the `on_...` methods while it is held.
    They visit copies of the readers: the garbage collector may close an abandoned reader, which
    leaves, at any moment.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._readers: dict[str, dict[str, set[Wakeable]]] = {}  # by stream and token
        self._records: dict[tuple[str, int], Records] = {}  # by stream and serial of the entry
        # Changes whose readers still sleep.
        self._changes: list[tuple[ChangeEntry, tracking.TrackedStreams]] = []
        self._waker = Waker(self._wake_for_changes)

    def count(self) -> int:
        """Return the number of readers of partitions."""
        with self._store.mutex:
            streams = self._readers.values()
            return sum(len(readers) for by_token in streams for readers in by_token.values())

    def join(self, stream: str, token: str, reader: Wakeable) -> None:
        """Add a reader of a partition. Raises TooManyReaders."""
        with self._store.mutex:
            readers = self._readers.setdefault(stream, {}).setdefault(token, set())
            if len(readers) >= CHANGE_STREAM_READERS_MAX:
                raise TooManyReaders(CHANGE_STREAM_READERS_MAX, token, stream)
            readers.add(reader)
            self._store.change_listener = self

    def leave(self, stream: str, token: str, reader: Wakeable) -> None:
        """Remove a reader of a partition, if it is there."""
        with self._store.mutex:
            by_token = self._readers.get(stream, {})
            readers = by_token.get(token, set())
            readers.discard(reader)
            if not readers:
                by_token.pop(token, None)
            if not by_token:
                self._readers.pop(stream, None)
            if not self._readers:
                self._store.change_listener = None
                self._records.clear()

    def records(self, entry: ChangeEntry, stream: str, era: partitioning.Era) -> Records:
        """Return the records of an entry with the index of their partition, made once."""
        key = stream, entry.serial
        records = self._records.get(key)
        if records is None:
            if len(self._records) >= _RECORDS_KEPT:
                self._records.clear()
            records = self._records[key] = change_records.records_of(entry, stream, era)
        return records

    # ------------------------------------------------------------------ events of the store

    def on_entry(self, entry: ChangeEntry, partitions: StreamPartitions) -> None:
        """Wake the readers of the partitions that own changed rows."""
        self._changes.append((entry, cast("tracking.TrackedStreams", partitions)))
        self._waker.signal()

    def on_partitions(self, partitions: StreamPartitions | None) -> None:
        """Wake all readers: a partition has ended, or a stream was changed or dropped."""
        self.wake_all()

    def on_restore(self) -> None:
        """Wake all readers, and drop the records that were made from entries before the restore."""
        self._records.clear()
        self.wake_all()

    def wake_all(self) -> None:
        """Wake all readers, to look for records or to notice that the database was dropped."""
        for by_token in tuple(self._readers.values()):
            for readers in tuple(by_token.values()):
                for reader in tuple(readers):
                    reader.wake()

    def _wake_for_changes(self) -> None:
        """Wake the readers of the entries since the last call, each once."""
        with self._store.mutex:
            changes, self._changes = self._changes, []
            names = tuple(self._readers)
        touched: set[tuple[str, str]] = set()
        for entry, streams in changes:
            touched.update(streams.touched(entry, names))
        for stream, token in touched:
            with self._store.mutex:
                readers = tuple(self._readers.get(stream, {}).get(token, ()))
            for reader in readers:
                reader.wake()

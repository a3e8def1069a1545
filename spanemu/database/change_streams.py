"""The partitions of a database's change streams, and what tests do to them.

Partitions follow the splits by themselves (`change_streams.tracking`). The operations here change
the partitions of one stream and leave the splits alone, so that a test can lead a reader through
every change of partitions. Which partitions an operation picks depends on the rows alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Protocol, cast
from weakref import WeakMethod

from spanemu.base.call import current
from spanemu.base.clock import BEGINNING, Clock, monotonic
from spanemu.base.errors import SpannerError
from spanemu.base.timers import Timer
from spanemu.change_streams.partitions import Bound, Partition
from spanemu.change_streams.pg_json import data_row
from spanemu.change_streams.records import records_of
from spanemu.change_streams.tracking import TrackedStream, TrackedStreams, tracked_streams
from spanemu.database import errors
from spanemu.database.core import DatabaseCore
from spanemu.storage.layout import EVERYTHING, TreeId, root_boundary
from spanemu.storage.reads import LATEST
from spanemu.storage.store import Store

_KEY_BYTES = 16  # of a key in the middle of a range without rows

Change = Callable[[TrackedStream], tuple[TrackedStream, Iterable[str]]]


class _Reader:
    """A request that waits for a commit, or for a change of partitions."""

    def __init__(self) -> None:
        self.woken = current().signal()

    def wake(self) -> None:
        """Let the request continue."""
        self.woken.set()


class ChangeStreams:
    """The change streams of a database, by name."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core

    @property
    def size_bytes(self) -> int:
        """The size of the captured changes, which all streams share."""
        log = self._core.store.change_log
        return 0 if log is None else log.size_bytes()

    @property
    def last_commit(self) -> int | None:
        """The timestamp of the last recorded commit, None if there is none."""
        log = self._core.store.change_log
        last = None if log is None else log.last
        return None if last is None else last.timestamp

    def recorded(self, name: str, first: int | None, last: int | None) -> list[dict[str, Any]]:
        """Return the retained records of a stream, of all partitions, in the order of commits.

        The records are JSON objects, as PostgreSQL databases return them. The bounds are inclusive
        commit timestamps.
        """
        store, key = self._core.store, self._core.generation.schema.fold(name)
        with store.mutex:  # The last stream may be dropped at any time.
            stream, log = self._stream(name), store.change_log
        assert log is not None, "the database has streams"
        history, oldest = stream.history, store.clock.peek() - stream.rules.retention_nanos
        records: list[dict[str, Any]] = []
        start = max(first or BEGINNING, oldest, history.created)
        while entries := log.between(start, LATEST if last is None else last):
            for entry in entries:
                era = history.at(entry.timestamp)
                rows = [data_row(record) for _, record in records_of(entry, key, era)]
                records += [json.loads(value.text)["data_change_record"] for (value,) in rows]
            start = entries[-1].timestamp + 1
        return records

    def wait_until(self, name: str, condition: Callable[[], bool], seconds: float) -> None:
        """Return when a condition on the records of a stream holds, or after `seconds`.

        Raises Cancelled and DeadlineExceeded, ChangeStreamNotFound when the stream is dropped, and
        DatabaseNotFound when the database is.
        """
        call, deadline = current(), monotonic() + seconds
        while True:
            with self._reader(name) as reader:  # before the conditions, which may change meanwhile
                self._core.check_open()
                left = deadline - monotonic()
                if condition() or left <= 0:
                    return
                reader.woken.wait(left)
            call.check()

    @contextmanager
    def _reader(self, name: str) -> Iterator[_Reader]:
        """Add a reader of all open partitions of a stream, for a block."""
        readers, key = self._core.stream_readers, self._core.generation.schema.fold(name)
        reader, tokens = _Reader(), []
        try:
            with self._core.store.mutex:
                for partition in self.partitions(name):
                    readers.join(key, partition.token, reader)
                    tokens.append(partition.token)
            yield reader
        finally:
            for token in tokens:
                readers.leave(key, token, reader)

    def partitions(self, name: str) -> Sequence[Partition]:
        """Return the open partitions of a stream, in key order."""
        with self._core.store.mutex:
            return self._stream(name).history.current.partitions

    def churn(self, name: str) -> Sequence[Partition]:
        """Replace each open partition by a child with the same keys; return the children."""
        return self._change(name, lambda stream: (stream, [each.token for each in _open(stream)]))

    def split(self, name: str, token: str = "") -> Sequence[Partition]:
        """Split an open partition in two, by default that with the most root rows.

        It is cut in the middle of its rows. Return the children.
        """

        def change(stream: TrackedStream) -> tuple[TrackedStream, Iterable[str]]:
            store = self._core.store
            chosen = _open(stream) if not token else [_partition(stream, token)]
            largest = max(chosen, key=lambda each: _root_rows(store, stream, each)[0])
            return stream.with_cut(_middle(store, stream, largest)), ()

        return self._change(name, change)

    def merge(self, name: str, token: str = "") -> Sequence[Partition]:
        """Merge an open partition, by default the first, with the next one; return the child.

        Raises ValueError if no partition follows.
        """

        def change(stream: TrackedStream) -> tuple[TrackedStream, Iterable[str]]:
            high = (_partition(stream, token) if token else _open(stream)[0]).high
            if high is None:
                raise ValueError(f"no partition of {name} follows the one to merge")
            return stream.without_cut(high), ()

        return self._change(name, change)

    def vary(self, turn: int) -> None:
        """Split, merge or replace partitions of each stream, in turns."""
        operations = (self.split, self.merge, self.churn)
        schema = self._core.generation.schema
        for stream in list(schema.change_streams.values()):
            with suppress(SpannerError, ValueError):  # e.g. a single partition, or a drop meanwhile
                operations[turn % len(operations)](stream.name)

    def _change(self, name: str, change: Change) -> Sequence[Partition]:
        """Change the cuts of a stream, and replace some partitions; return the new ones."""
        store = self._core.store
        with store.mutex:
            stream, renewed = change(self._stream(name))
            log = store.change_log
            assert log is not None, "the database has streams"
            key, now = self._core.generation.schema.fold(name), store.clock.now()
            streams = cast("TrackedStreams", log.partitions)
            after = streams.changed(key, stream, store.split_map, now, renewed)
            store.watch(log.watching._replace(partitions=after))
            return [each for each in _open(after.streams[key]) if each.start == now]

    def _stream(self, name: str) -> TrackedStream:
        schema = self._core.generation.schema
        stream = tracked_streams(self._core.store).get(schema.fold(name))
        if stream is None:
            raise errors.ChangeStreamNotFound(name)
        return stream


class HasChangeStreams(Protocol):
    """A database, as the churn of its partitions needs it."""

    @property
    def change_streams(self) -> ChangeStreams:
        """The change streams of the database."""
        ...


class PartitionChurn:
    """Changes of the partitions of all change streams at an interval, so that readers meet them.

    In Spanner, partitions split, merge and move at any time. Here they follow the emulator's
    splits, which hardly change in a test. `interval` (nanoseconds) passes on `clock`. `databases`
    is a bound method, whose object the churn does not keep in memory.
    """

    def __init__(
        self, databases: Callable[[], Sequence[HasChangeStreams]], clock: Clock, interval: int
    ) -> None:
        self._databases = WeakMethod(databases)
        self._clock = clock
        self._interval = interval
        self._turn = 0
        self._is_stopped = False
        self._timer = self._next()

    def stop(self) -> None:
        """End the changes."""
        self._is_stopped = True
        self._timer.cancel()

    def _next(self) -> Timer:
        return self._clock.call_at(self._clock.peek() + self._interval, self._change)

    def _change(self) -> None:
        databases = self._databases()
        if databases is None or self._is_stopped:
            return
        for database in databases():
            database.change_streams.vary(self._turn)
        self._turn += 1
        self._timer = self._next()


def _open(stream: TrackedStream) -> Sequence[Partition]:
    return stream.history.current.partitions


def _partition(stream: TrackedStream, token: str) -> Partition:
    for partition in _open(stream):
        if partition.token == token:
            return partition
    raise ValueError(f"{token} is no open partition of {stream.rules.name}")


def _root_rows(
    store: Store, stream: TrackedStream, partition: Partition
) -> tuple[int, TreeId, bytes, bytes]:
    """Return the most rows that a root table has in a partition, with the table and its range."""
    ranges = []
    for root in stream.hierarchies:
        low, high = _cut(partition.low, root, b""), _cut(partition.high, root, EVERYTHING[0][1])
        if low < high:
            rows = sum(1 for _ in store.scan_items(root, [(low, high)]))
            ranges.append((rows, root, low, high))
    if not ranges:
        raise ValueError(f"{stream.rules.name} watches no table")
    return max(ranges, key=lambda each: (each[0], -each[1]))


def _cut(bound: Bound | None, root: TreeId, otherwise: bytes) -> bytes:
    """Return the first key of a root tree that is not below a bound."""
    if bound is None:
        return otherwise
    if bound.hierarchy != root:
        return b"" if bound.hierarchy < root else EVERYTHING[0][1]
    return bound.cut((root,))


def _middle(store: Store, stream: TrackedStream, partition: Partition) -> Bound:
    """Return the cut of a partition before its middle row, or in the middle of the key bytes."""
    rows, root, low, high = _root_rows(store, stream, partition)
    if rows > 1:
        keys = [key for key, _ in store.scan_items(root, [(low, high)])]
        return Bound.at(root_boundary(root, keys[rows // 2]))
    ends = [int.from_bytes(key[:_KEY_BYTES].ljust(_KEY_BYTES, b"\0"), "big") for key in (low, high)]
    key = (sum(ends) // 2).to_bytes(_KEY_BYTES, "big")
    if not low < key < high:
        raise ValueError(f"the partition {partition.token} is too small to split")
    return Bound.at(root_boundary(root, key))

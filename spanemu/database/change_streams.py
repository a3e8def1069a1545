"""The partitions of a database's change streams, and what tests do to them.

Partitions follow the splits by themselves (`change_streams.tracking`). The operations here change
the partitions of one stream and leave the splits alone, so that a test can lead a reader through
every change of partitions. Which partitions an operation picks depends on the rows alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, cast

from spanemu.base.deferred import deferred
from spanemu.change_streams.partitions import Bound, Partition
from spanemu.change_streams.tracking import TrackedStream, TrackedStreams, tracked_streams
from spanemu.database.core import DatabaseCore
from spanemu.storage.boundary import root_boundary
from spanemu.storage.layout import EVERYTHING, TreeId
from spanemu.storage.store import Store

if TYPE_CHECKING:
    from spanemu.database import errors
else:
    errors = deferred("spanemu.database.errors")

_KEY_BYTES = 16  # of a key in the middle of a range without rows

Change = Callable[[TrackedStream], tuple[TrackedStream, Iterable[str]]]


class ChangeStreams:
    """The change streams of a database, by name."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core

    @property
    def size_bytes(self) -> int:
        """The size of the captured changes, which all streams share."""
        log = self._core.store.change_log
        return 0 if log is None else log.size_bytes()

    def partitions(self, name: str) -> Sequence[Partition]:
        """Return the open partitions of a stream, in key order."""
        with self._core.store.mutex:
            return self._stream(name).history.current.partitions

    def churn(self, name: str) -> Sequence[Partition]:
        """Replace each open partition by a child with the same keys; return the children."""
        return self._change(name, lambda stream: (stream, [each.token for each in _open(stream)]))

    def split(self, name: str, token: str = "") -> Sequence[Partition]:
        """Split an open partition in two, by default the one with the most root rows.

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

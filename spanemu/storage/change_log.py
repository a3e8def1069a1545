"""The change log of a store: one raw entry for each commit that changed a watched table.

A commit appends its entry in the critical section that makes its rows visible. Everything else,
such as the records of one change stream, is made from the entries when they are read.

The entries are kept in chunks. A full chunk never changes, so clones and snapshots share it, and
old entries are dropped chunk by chunk.

The store's mutex guards all fields; the reading methods take it for one batch of entries.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from operator import itemgetter
from typing import Protocol, Self, overload

from spanemu.base.clock import BEGINNING
from spanemu.base.record import NamedTuple, dataclass
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId
from spanemu.storage.split_map import SplitMap, cell_bytes
from spanemu.storage.versions import Row
from spanemu.values.cell_mask import WHOLE_ROW

CHUNK_ENTRIES = 256
ENTRIES_WEIGHED_MAX = 1_024  # the size of a longer log is estimated from this many entries
ENTRY_BYTES = 120  # of an entry without its changes: timestamp, serial, tag and references
CHANGE_BYTES = 96  # of a changed row without its cells


class RowChange(NamedTuple):
    """The net effect of a commit on one row.

    `before` and `after` are the committed rows, None where there is none; a row may be shorter than
    the table is wide (`storage.versions.row_cells`). `written` is the mask of the written cells of
    an updated row. It is WHOLE_ROW for an insert, for a delete, and for a delete followed by an
    insert, which has both rows.
    """

    tree: TreeId
    key: bytes
    before: Row | None
    after: Row | None
    written: int


class NewRows(Sequence[RowChange]):
    """The changes of a commit that inserts many rows into one table, in little memory."""

    __slots__ = ("_keys", "_rows", "_tree")

    def __init__(self, tree: TreeId, keys: Sequence[bytes], rows: Sequence[Row]) -> None:
        self._tree = tree
        self._keys = keys
        self._rows = rows

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[RowChange]:
        tree = self._tree
        for key, row in zip(self._keys, self._rows, strict=True):
            yield new_record(RowChange, (tree, key, None, row, WHOLE_ROW))

    @overload
    def __getitem__(self, number: int) -> RowChange: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[RowChange]: ...

    def __getitem__(self, number: int | slice) -> RowChange | Sequence[RowChange]:
        if isinstance(number, slice):
            return NewRows(self._tree, self._keys[number], self._rows[number])
        return RowChange(self._tree, self._keys[number], None, self._rows[number], WHOLE_ROW)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class ChangeEntry(NamedTuple):
    """The watched changes of one commit.

    `serial` differs for all commits of a database, also across restores. `schema` is that of the
    commit. `is_system` is true for rows that no client wrote: `is_ttl` for those that a row
    deletion policy deleted, otherwise the backfill of a default value. `excluded` is
    exclude_txn_from_change_streams.
    """

    timestamp: int
    serial: int
    changes: Sequence[RowChange]
    schema: Schema
    tag: str = ""
    is_system: bool = False
    is_ttl: bool = False
    excluded: bool = False


class ChangeOrigin(NamedTuple):
    """The properties of a transaction that its changes are recorded with; see `ChangeEntry`."""

    tag: str = ""
    is_system: bool = False
    is_ttl: bool = False
    excluded: bool = False


BY_CLIENT = ChangeOrigin()


class Serials:
    """The serial numbers of the commits of a database, which no restore resets."""

    def __init__(self, last: int = 0) -> None:
        self.last = last

    def copy(self) -> Serials:
        """Return the serial numbers of a clone, which shares the commits so far."""
        return Serials(self.last)


class StreamPartitions(Protocol):
    """The partitions of the change streams of a database, as the store sees them. Immutable."""

    @property
    def latest(self) -> int:
        """The time of the last change of any partition."""
        ...

    def following(self, split_map: SplitMap, at: int) -> Self:
        """Return the partitions from `at` on, for the current splits."""
        ...

    def moved(self, hierarchy: TreeId, start: bytes, split_map: SplitMap, at: int) -> Self:
        """Return the partitions after the split that begins at `start` has moved."""
        ...

    def restarted(self) -> Self:
        """Return the open partitions as if they had existed from the beginning of time."""
        ...


class ChangeListener(Protocol):
    """A receiver of what readers of change streams wait for.

    The caller holds the store's mutex, so the methods return quickly and wait for nothing.
    """

    def on_entry(self, entry: ChangeEntry, partitions: StreamPartitions) -> None:
        """Handle an entry that was appended; `partitions` are those of its commit."""
        ...

    def on_partitions(self, partitions: StreamPartitions | None) -> None:
        """Handle a change of partitions or streams; None if no stream is left."""
        ...

    def on_restore(self) -> None:
        """Handle a restore of the database: the log may be shorter, and the time earlier."""
        ...


class Watching(NamedTuple):
    """The watched trees, with masks of their watched cells, and the partitions of all streams."""

    cells: Mapping[TreeId, int]
    retention_nanos: int
    partitions: StreamPartitions


@dataclass(frozen=True, slots=True)
class LogMark:
    """A state of a log; it can be restored any number of times."""

    log: ChangeLog
    chunks: tuple[list[ChangeEntry], ...]
    last_length: int
    watching: Watching
    dropped: int

    def restore(self) -> ChangeLog:
        """Return the log in this state."""
        self.log.rollback(self.chunks, self.last_length)
        self.log.dropped = self.dropped
        self.log.watching = self.watching
        return self.log


Mutex = AbstractContextManager[object]
# The constructor of a NamedTuple without its parsing of arguments, which each commit would pay.
new_record = tuple.__new__
_timestamp = itemgetter(0)


class ChangeLog:
    """The changes of the watched tables of one store, in commit order.

    `dropped` is the timestamp of the latest entry that was dropped because of its age.
    """

    def __init__(self, mutex: Mutex, watching: Watching, serials: Serials) -> None:
        self._mutex = mutex
        self.watching = watching
        self.dropped = BEGINNING
        self._serials = serials
        self._chunks: list[list[ChangeEntry]] = []

    def __len__(self) -> int:
        """Return the number of entries."""
        with self._mutex:
            return sum(map(len, self._chunks))

    @property
    def partitions(self) -> StreamPartitions:
        """The partitions of the streams, present and past."""
        return self.watching.partitions

    # ------------------------------------------------------------------ reading

    def between(self, first: int, last: int, limit: int = CHUNK_ENTRIES) -> list[ChangeEntry]:
        """Return the first entries, at most `limit`, with first <= timestamp <= last.

        Continue after the timestamp of the last entry returned.
        """
        with self._mutex:
            entries: list[ChangeEntry] = []
            chunks = self._chunks
            number = bisect_left(chunks, first, key=_last_timestamp)
            while number < len(chunks) and len(entries) < limit:
                chunk = chunks[number]
                low = bisect_left(chunk, first, key=_timestamp)
                high = bisect_left(chunk, last + 1, key=_timestamp)
                entries += chunk[low : min(high, low + limit - len(entries))]
                if high < len(chunk):
                    break
                number += 1
            return entries

    @property
    def last(self) -> ChangeEntry | None:
        """The entry of the last commit, None if there is none."""
        with self._mutex:
            return self._chunks[-1][-1] if self._chunks else None

    def size_bytes(self, trees: Container[TreeId] | None = None) -> int:
        """Return the size of the entries, or of their changes in some trees.

        The size is exact for a short log, and estimated for a long one.
        """
        with self._mutex:
            count = len(self)
            step = -(-count // ENTRIES_WEIGHED_MAX) or 1
            every = (entry for chunk in self._chunks for entry in chunk)
            weighed = [entry_bytes(entry, trees) for n, entry in enumerate(every) if n % step == 0]
            return sum(weighed) * count // len(weighed) if weighed else 0

    # ------------------------------------------------------------------ writing

    def append(
        self, at: int, changes: Sequence[RowChange], schema: Schema, origin: ChangeOrigin
    ) -> ChangeEntry:
        """Add and return the entry of the last commit.

        Each new chunk drops at most two chunks that are too old.
        """
        serials = self._serials
        serials.last += 1
        kept = changes if changes.__class__ is NewRows else tuple(changes)
        entry = new_record(ChangeEntry, (at, serials.last, kept, schema, *origin))
        chunks = self._chunks
        if chunks and len(chunks[-1]) < CHUNK_ENTRIES:
            chunks[-1].append(entry)
        else:
            self.drop_old(at, chunks_max=2)
            chunks.append([entry])
        return entry

    def drop_old(self, now: int, chunks_max: int | None = None) -> None:
        """Drop the chunks whose entries are all older than the retention."""
        chunks, oldest = self._chunks, now - self.watching.retention_nanos
        count = bisect_left(chunks, oldest, key=_last_timestamp)
        if chunks_max is not None:
            count = min(count, chunks_max)
        if count:
            self.dropped = _last_timestamp(chunks[count - 1])
            del chunks[:count]

    # ------------------------------------------------------------------ snapshots and clones

    def mark(self) -> LogMark:
        """Return the current state."""
        chunks = self._chunks
        last_length = len(chunks[-1]) if chunks else 0
        return LogMark(self, tuple(chunks), last_length, self.watching, self.dropped)

    def rollback(self, chunks: Sequence[list[ChangeEntry]], last_length: int) -> None:
        """Restore the entries of a mark; serial numbers continue."""
        self._chunks = list(chunks)
        if chunks:
            # Copied, because other marks and clones may share the chunk.
            self._chunks[-1] = chunks[-1][:last_length]

    def share(self, mutex: Mutex, serials: Serials) -> ChangeLog:
        """Return a log for a clone of the store, which shares all full chunks."""
        twin = ChangeLog(mutex, self.watching, serials)
        twin.rollback(self._chunks, CHUNK_ENTRIES)
        twin.dropped = self.dropped
        return twin

    def forget(self) -> None:
        """Drop all entries, and date the partitions back to the beginning of time."""
        self._chunks = []
        self.watching = self.watching._replace(partitions=self.partitions.restarted())

    def check(self, last_commit: int) -> None:
        """Assert every invariant."""
        timestamps = [entry.timestamp for chunk in self._chunks for entry in chunk]
        assert timestamps == sorted(set(timestamps))
        assert not timestamps or timestamps[-1] <= last_commit
        assert all(self._chunks)


def entry_bytes(entry: ChangeEntry, trees: Container[TreeId] | None = None) -> int:
    """Return the estimated size of an entry, or of its changes in some trees."""
    changes = [each for each in entry.changes if trees is None or each.tree in trees]
    return ENTRY_BYTES + sum(map(_change_bytes, changes)) if changes else 0


def _change_bytes(change: RowChange) -> int:
    return CHANGE_BYTES + len(change.key) + sum(map(cell_bytes, _cells(change)))


def _cells(change: RowChange) -> Iterator[object]:
    yield from change.before or ()
    yield from change.after or ()


def _last_timestamp(chunk: list[ChangeEntry]) -> int:
    return chunk[-1][0]

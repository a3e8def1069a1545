"""The store of one database: versioned rows, read at any timestamp, changed by whole commits.

    store.get(tree, key, at)             one row as of a timestamp
    store.scan(tree, ranges, at)         rows in key order
    store.apply(writes)                  a commit: all of it becomes visible at once
    store.snapshot() / restore / clone   restore costs as much as was written since

Thread-safety: `mutex` guards all fields. A commit holds it while it is applied, and a scan for one
batch of keys at a time, never while rows stream to a client. Single rows are read without it: a
dict lookup is atomic and version chains are immutable.

Invariants, walked by `check`: those of `splits`; no version is newer than `last_commit`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from spanemu.base.clock import BEGINNING, Clock
from spanemu.storage.boundary import Boundary, Path
from spanemu.storage.garbage_collection import GarbageQueue, Pins, StoreSnapshot, Undo, undo
from spanemu.storage.layout import EVERYTHING, TreeId, in_order
from spanemu.storage.observer import JOURNAL_MAX, StoreObserver, TreeWrite, replace_observer
from spanemu.storage.split_map import Dropped, SplitMap
from spanemu.storage.versions import Row, Version, changed, push, visible
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import ByteRange

LATEST = 1 << 62

BATCH_ROWS_FIRST = 64  # a scan's first batch; each further batch is four times as large
BATCH_ROWS_MAX = 4096
AGED_ROWS_PER_COMMIT = 16  # rows that a commit collects, besides two for each write


class Store:
    """The rows of one database. Timestamps are nanoseconds, strictly increasing by commit."""

    def __init__(self, clock: Clock, retention_nanos: int) -> None:
        self.clock = clock
        self.retention_nanos = retention_nanos
        self.mutex = threading.RLock()  # Guards every field below.
        self.last_commit = BEGINNING
        self.oldest_readable = BEGINNING  # earlier reads may miss collected versions
        self.pins = Pins()
        self._dropped = Dropped()
        self.sequences: dict[int, int] = {}  # sequence id -> values drawn so far
        self.observer: StoreObserver | None = None
        self._journal: list[Any] | None = None  # writes not yet reported to the observer
        self.split_map = SplitMap()
        self._trees = self.split_map.trees
        self._garbage = GarbageQueue()
        self._log: list[Undo] = []
        self._snapshots: list[StoreSnapshot] = []

    # ------------------------------------------------------------------ trees and splits

    def create_tree(self, tree: TreeId, hierarchy: TreeId, path: Path = ()) -> None:
        """Add an empty tree for a table or an index.

        `path` lists the trees that it is interleaved in, then itself. It is required below the
        second level.
        """
        with self.mutex:
            short = (tree,) if tree == hierarchy else (hierarchy, tree)
            self._remember(self.split_map.create(tree, path or short))

    def drop_tree(self, tree: TreeId, at: int | None = None) -> None:
        """Drop a table or an index with the boundaries between its rows.

        Rows readable before `at` are kept; without `at`, none are.
        """
        with self.mutex:
            if at is not None:
                self._dropped.add(tree, self._trees[tree], at)
                self._remember(lambda: self._dropped.remove(tree))
            self._remember(self.split_map.drop(tree))

    def cut(self, boundaries: Iterable[Boundary]) -> list[Boundary]:
        """Add split boundaries; return the new ones."""
        with self.mutex:
            added, undo = self.split_map.cut(boundaries)
            self._remember(undo)
            return added

    def merge(self, boundaries: Iterable[Boundary]) -> bool:
        """Remove boundaries; return whether any of them existed."""
        with self.mutex:
            undo = self.split_map.merge(boundaries)
            self._remember(undo)
            return undo is not None

    def move(self, hierarchy: TreeId, start: bytes, server: int) -> None:
        """Move the split that begins at a position, b"" for the first, to a server."""
        with self.mutex:
            self._remember(self.split_map.move(hierarchy, start, server))

    def all_boundaries(self) -> list[Boundary]:
        """Return the boundaries of all hierarchies."""
        with self.mutex:
            return self.split_map.all_boundaries()

    def _remember(self, undo: Callable[[], object] | None) -> None:
        if undo is not None and self._snapshots:
            self._log.append(undo)

    # ------------------------------------------------------------------ reading

    def read_timestamp(self) -> int:
        """Return a timestamp that sees every commit so far, and that no later commit will get."""
        with self.mutex:
            return self.clock.now()

    def get(self, tree: TreeId, key: bytes, at: int = LATEST) -> Row | None:
        """Return the row with that key as of `at`."""
        hierarchy = self._trees.get(tree) or self._dropped.get(tree)
        if hierarchy is None:
            return None
        rows = (hierarchy.only or hierarchy.split_of(tree, key)).trees.get(tree)
        version = None if rows is None else rows.get(key)
        if version is None:
            return None
        return version[1] if version[0] <= at else visible(version[2], at)

    def head(self, tree: TreeId, key: bytes) -> Version | None:
        """Return the newest version of a row."""
        hierarchy = self._trees.get(tree)
        rows = None if hierarchy is None else hierarchy.split_of(tree, key).trees.get(tree)
        return None if rows is None else rows.get(key)

    def first_key(self, tree: TreeId, low: bytes) -> bytes | None:
        """Return the first key of a tree that is not below `low`; its row may be deleted."""
        with self.mutex:
            keys, _ = self._batch(tree, (low, EVERYTHING[0][1]), 1, False)
            return keys[0] if keys else None

    def scan(
        self,
        tree: TreeId,
        ranges: Sequence[ByteRange] | None = None,
        at: int = LATEST,
        *,
        descending: bool = False,
    ) -> Iterator[Row]:
        """Yield rows as of `at`, in key order, from sorted and disjoint ranges."""
        return chain.from_iterable(self.scan_batches(tree, ranges, at, descending=descending))

    def scan_batches(
        self,
        tree: TreeId,
        ranges: Sequence[ByteRange] | None = None,
        at: int = LATEST,
        *,
        descending: bool = False,
    ) -> Iterator[list[Row]]:
        """Yield the rows of `scan` in batches, so that comprehensions do the work per row."""
        ordered = in_order(ranges, descending=descending)
        for _, versions in self._batches(tree, ordered, descending):
            yield [
                row
                for version in versions
                if (row := version[1] if version[0] <= at else visible(version[2], at)) is not None
            ]

    def scan_items(
        self,
        tree: TreeId,
        ranges: Sequence[ByteRange] | None = None,
        at: int = LATEST,
        *,
        descending: bool = False,
    ) -> Iterator[tuple[bytes, Row]]:
        """Yield the rows of `scan` with their encoded keys."""
        ordered = in_order(ranges, descending=descending)
        for keys, versions in self._batches(tree, ordered, descending):
            for key, version in zip(keys, versions, strict=True):
                row = version[1] if version[0] <= at else visible(version[2], at)
                if row is not None:
                    yield key, row

    def changed_since(
        self, tree: TreeId, ranges: Iterable[ByteRange], at: int, cells: int = WHOLE_ROW
    ) -> bool:
        """Return whether one of the masked cells of a row in the ranges changed after `at`."""
        return any(
            version[0] > at and changed(version, at, cells)
            for _, versions in self._batches(tree, ranges, False)
            for version in versions
        )

    def row_count(self, tree: TreeId) -> int:
        """Return the number of keys in a tree, recently deleted ones included. O(splits)."""
        with self.mutex:
            hierarchy = self._trees.get(tree)
            if hierarchy is None:
                return 0
            return sum(len(split.trees.get(tree, ())) for split in hierarchy.splits)

    def nth_key(
        self, tree: TreeId, within: ByteRange, n: int, *, descending: bool = False
    ) -> bytes | None:
        """Return the n-th key in a range, deleted rows included, or None if there are fewer."""
        with self.mutex:
            keys, _ = self._batch(tree, within, n, descending)
        return keys[-1] if len(keys) == n else None

    def _batches(
        self, tree: TreeId, ranges: Iterable[ByteRange], descending: bool
    ) -> Iterator[tuple[list[bytes], list[Version]]]:
        for low, high in ranges:
            size = BATCH_ROWS_FIRST
            while True:
                with self.mutex:
                    keys, versions = self._batch(tree, (low, high), size, descending)
                if keys:
                    yield keys, versions
                if len(keys) < size:
                    break
                low, high = (low, keys[-1]) if descending else (keys[-1] + b"\0", high)
                size = min(size * 4, BATCH_ROWS_MAX)

    def _batch(
        self, tree: TreeId, within: ByteRange, size: int, descending: bool
    ) -> tuple[list[bytes], list[Version]]:
        low, high = within
        keys: list[bytes] = []
        versions: list[Version] = []
        hierarchy = self._trees.get(tree) or self._dropped.get(tree)
        if hierarchy is None or low >= high:
            return keys, versions
        for split in hierarchy.splits_over(tree, low, high, descending):
            rows = split.trees.get(tree)
            if rows:
                within_split = rows.irange(low, high, (True, False), descending)
                batch = list(islice(within_split, size - len(keys)))
                keys += batch
                versions += map(rows.__getitem__, batch)
                if len(keys) == size:
                    break
        return keys, versions

    # ------------------------------------------------------------------ writing

    def apply(self, writes: Sequence[TreeWrite], at: int) -> None:
        """Make a commit visible at `at`, which `clock.now` returned under `mutex`."""
        with self.mutex:
            horizon = self._horizon(at)
            trees, garbage, journal = self._trees, self._garbage.rows, self._journal
            log = self._log if self._snapshots else None
            for tree_id, key, row in writes:
                hierarchy = trees[tree_id]
                split = hierarchy.only or hierarchy.split_of(tree_id, key)
                owned = tree_id in split.owned
                tree = split.trees[tree_id] if owned else split.writable(tree_id)
                older = tree.get(key)
                if log is not None:
                    log.append((tree_id, key, older))
                tree[key] = version = push(older, at, row, horizon)
                if journal is not None:
                    journal += tree_id, key, version
                if version[3] == 2 or row is None:
                    garbage.append((at, tree_id, key))
            self.last_commit = at
            if garbage and garbage[0][0] <= horizon:
                self._forget_versions(horizon, 2 * len(writes) + AGED_ROWS_PER_COMMIT)
            if journal is not None and len(journal) >= JOURNAL_MAX:
                self.flush_observers()

    def observe(self, new: StoreObserver | None, removed: StoreObserver | None = None) -> None:
        """Add the observer `new`, and remove `removed`; None stands for no observer."""
        with self.mutex:
            self.flush_observers()
            self.observer = replace_observer(self.observer, removed, new)
            self._journal = None if self.observer is None else []

    def flush_observers(self) -> None:
        """Report all writes up to now to the observer."""
        with self.mutex:
            if self._journal and self.observer is not None:
                journal, self._journal = self._journal, []
                self.observer.on_writes(journal)

    def collect_garbage(self) -> int:
        """Discard every version that no reader can see any more; return how many.

        Each commit collects a part of the garbage, in proportion to its writes.
        """
        with self.mutex:
            horizon = self._horizon(self.clock.peek())
            return self._forget_versions(horizon, len(self._garbage.rows))

    def _horizon(self, now: int) -> int:
        """Return the timestamp up to which versions may be discarded, and advance to it."""
        horizon = now - self.retention_nanos
        if self.pins.held:
            horizon = self.pins.earliest(horizon)
        if horizon > self.oldest_readable:
            self.oldest_readable = horizon
        if self._dropped.order:
            self._dropped.forget(horizon)
        return horizon

    def _forget_versions(self, horizon: int, rows_max: int) -> int:
        log = self._log if self._snapshots else None
        return self._garbage.collect(self.split_map, horizon, rows_max, log)

    # ------------------------------------------------------------------ snapshots and clones

    def snapshot(self) -> StoreSnapshot:
        """Return the present state, which `restore` can restore any number of times."""
        with self.mutex:
            taken = StoreSnapshot(
                len(self._log),
                self._garbage.mark(self.last_commit),
                dict(self.sequences),
                self.oldest_readable,
                self._dropped.copy(),
            )
            self._snapshots.append(taken)
            return taken

    def restore(self, snapshot: StoreSnapshot) -> None:
        """Undo every change since `snapshot`; later snapshots become invalid.

        Costs as much as was written since. Raise ValueError for a snapshot that is not valid.
        """
        with self.mutex:
            if snapshot not in self._snapshots:
                raise ValueError("the snapshot was discarded, or an earlier one was restored since")
            del self._snapshots[self._snapshots.index(snapshot) + 1 :]
            undo(self._log, snapshot.log_length, self.split_map, self._garbage)
            self._garbage.restore(snapshot.garbage)
            self.sequences = dict(snapshot.sequences)
            self.last_commit, self.oldest_readable = snapshot.garbage.at, snapshot.oldest_readable
            self._dropped = snapshot.dropped.copy()

    def forget(self, snapshot: StoreSnapshot) -> None:
        """Discard a snapshot, so that the undo log need not reach back to it."""
        with self.mutex:
            if snapshot in self._snapshots:
                self._snapshots.remove(snapshot)
            if not self._snapshots:
                self._log.clear()

    def forget_history(self) -> bool:
        """Rewrite every row as written at the beginning of time; return whether that was possible.

        Visits every row. Does nothing while snapshots exist, because they hold another history.
        """
        with self.mutex:
            if self._snapshots:
                return False
            self.flush_observers()
            if self.last_commit != BEGINNING:
                self.split_map.forget_history()
            self._garbage, self._dropped = GarbageQueue(), Dropped()
            self.last_commit = self.oldest_readable = BEGINNING
            return True

    def clone(self) -> Store:
        """Return a store with the same rows and history, which shares trees until either writes."""
        with self.mutex:
            twin = Store(self.clock, self.retention_nanos)
            twin.last_commit = self.last_commit
            twin.oldest_readable = self.oldest_readable
            twin._dropped = self._dropped.copy()
            twin.sequences = dict(self.sequences)
            twin._garbage = self._garbage.copy()
            twin.split_map = self.split_map.share()
            twin._trees = twin.split_map.trees
            return twin

    def as_of(self, at: int, paths: Mapping[TreeId, Path]) -> Store:
        """Return a clone in its state at `at`, with exactly the trees of `paths`.

        Visits every row of trees that were written since.
        """
        with self.mutex:
            twin = self.clone()
            for tree in sorted(twin._trees.keys() - paths.keys(), reverse=True):
                twin.drop_tree(tree)
            for tree in [tree for tree in paths if tree not in twin._trees]:
                twin.create_tree(tree, paths[tree][0], paths[tree])
                if (dropped := twin._dropped.get(tree)) is not None:
                    twin._trees[tree].fill(tree, dropped)
            twin._dropped = Dropped()
            if at < self.last_commit:
                twin.split_map.rewind(at)
            return twin

    def check(self) -> None:
        """Assert every invariant."""
        with self.mutex:
            self.split_map.check(self.last_commit)

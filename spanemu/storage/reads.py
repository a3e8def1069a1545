"""The reading half of a store: rows at a timestamp, by key or in key order.

The store's mutex is held for one batch of keys at a time, never while rows stream to a client.
Single rows are read without it: a dict lookup is atomic and version chains are immutable.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from spanemu.base.clock import Clock
from spanemu.storage.layout import EVERYTHING, TreeId, in_order
from spanemu.storage.split_map import Dropped, SplitMap
from spanemu.storage.versions import Row, Version, changed, visible
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import ByteRange

LATEST = 1 << 62

BATCH_ROWS_FIRST = 64  # a scan's first batch; each further batch is four times as large
BATCH_ROWS_MAX = 4096


class StoreReads:
    """The reading half of a store; `mutex` guards the other fields."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.mutex = threading.RLock()
        self.split_map = SplitMap()
        self._trees = self.split_map.trees
        self._dropped = Dropped()

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

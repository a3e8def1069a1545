"""The reading half of a store: rows at a timestamp, by key or in key order.

The store's mutex is held for one batch of keys at a time, never while rows stream to a client.
Single rows are read without it: a dict lookup is atomic and version chains are immutable.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeVar
from weakref import WeakSet

from spanemu.base.clock import BEGINNING, Clock
from spanemu.storage import layers
from spanemu.storage.layout import EVERYTHING, TreeId, in_order
from spanemu.storage.leaf import Piece
from spanemu.storage.split_map import Dropped, SplitMap
from spanemu.storage.tree import Tree
from spanemu.storage.versions import Row, Version, visible, was_written
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import ByteRange

LATEST = 1 << 62

BATCH_ROWS_FIRST = 64  # a scan's first batch; each further batch is four times as large
BATCH_ROWS_MAX = 4096
BATCH_LEAVES_MAX = 1024  # visited for one batch, which may skip deleted rows
COUNT_LOOKS_MAX = 4096  # versions looked at to count rows, while the mutex is held

Item = TypeVar("Item")


class StoreReads:
    """The reading half of a store; `mutex` guards the other fields."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.last_commit = BEGINNING
        self.mutex = threading.RLock()
        self.split_map = SplitMap()
        self._dropped = Dropped()
        self.oldest_readable = BEGINNING  # earlier reads may miss collected versions
        self._validators: WeakSet[object] = WeakSet()  # transactions with a validated timestamp

    def read_timestamp(self) -> int:
        """Return a timestamp that sees every commit so far, and that no later commit will get."""
        with self.mutex:
            return self.clock.now()

    def validated_timestamp(self, transaction: object) -> int:
        """Return a read timestamp for a transaction that will ask what was written since."""
        with self.mutex:
            self._validators.add(transaction)
            return self.clock.now()

    def has_other_validators(self, transaction: object) -> bool:
        """Return whether another transaction will ask what was written since its timestamp.

        The caller holds `mutex`.
        """
        return any(other is not transaction for other in self._validators)

    def get(self, tree: TreeId, key: bytes, at: int = LATEST) -> Row | None:
        """Return the row with that key as of `at`."""
        rows = self.split_map.whole.get(tree)
        if rows is None:
            hierarchy = self.split_map.trees.get(tree)
            if hierarchy is not None:
                rows = (hierarchy.only or hierarchy.split_of(tree, key)).trees.get(tree)
            if rows is None:
                rows = self._dropped_rows(tree, key)
                if rows is None:
                    return None
        maps = rows.maps
        version = maps[0].get(key)
        if version is None:
            if len(maps) == 1:
                return None
            # A copy of a large tree has one layer: to slice and to loop takes longer than to look.
            version = maps[1].get(key) if len(maps) == 2 else layers.find(maps[1:], key)
            if version is None:
                return None
        return version[1] if version[0] <= at else visible(version[2], at)

    def _dropped_rows(self, tree: TreeId, key: bytes) -> Tree | None:
        """Return the rows of a tree that is dropped, or whose drop was undone meanwhile."""
        for is_back in (False, True):
            known = self.split_map.trees if is_back else self._dropped
            hierarchy = known.get(tree)
            if hierarchy is not None:
                rows = hierarchy.split_of(tree, key).trees.get(tree)
                if rows is not None:
                    return rows
        return None

    def lacks(self, tree: TreeId, keys: Sequence[bytes]) -> bool:
        """Return whether no row has one of the keys."""
        hierarchy = self.split_map.trees.get(tree)
        only = None if hierarchy is None else hierarchy.only
        if only is not None and keys:
            rows = only.trees.get(tree)
            if rows is None:  # The tree has no rows, unless it was dropped meanwhile.
                is_lacking = self._dropped_rows(tree, keys[0]) is None
            else:
                is_lacking = layers.lack(rows.maps, keys)
            if is_lacking:
                return True
        return all(self.get(tree, key) is None for key in keys)

    def head(self, tree: TreeId, key: bytes) -> Version | None:
        """Return the newest version of a row."""
        hierarchy = self.split_map.trees.get(tree)
        rows = None if hierarchy is None else hierarchy.split_of(tree, key).trees.get(tree)
        return None if rows is None else rows.get(key)

    def first_key(self, tree: TreeId, low: bytes) -> bytes | None:
        """Return the first key of a tree that is not below `low`; its row may be deleted."""
        return self.nth_key(tree, (low, EVERYTHING[0][1]), 1)

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
        return self._batches(
            tree, ordered, lambda rows, piece: rows.rows(piece, at), descending, at
        )

    def count(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None = None, at: int = LATEST
    ) -> Iterator[int]:
        """Yield numbers of rows whose sum is the number of rows that `scan` yields."""
        for low, high in in_order(ranges, descending=False):
            start: bytes | None = low
            while start is not None and start < high:
                with self.mutex:
                    count, start = self._count(tree, start, high, at)
                yield count

    def _count(self, tree: TreeId, low: bytes, high: bytes, at: int) -> tuple[int, bytes | None]:
        """Return how many rows a range has, or its beginning, and the key at which to go on."""
        hierarchy = self.split_map.trees.get(tree) or self._dropped.get(tree)
        count = 0
        if hierarchy is not None:
            for split in hierarchy.splits_over(tree, low, high, descending=False):
                rows = split.trees.get(tree)
                if rows is not None:
                    more, rest = rows.count_rows(low, high, at, COUNT_LOOKS_MAX)
                    count += more
                    if rest is not None:
                        return count, rest
        return count, None

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
        return chain.from_iterable(
            self._batches(
                tree, ordered, lambda rows, piece: rows.row_items(piece, at), descending, at
            )
        )

    def written_since(
        self, tree: TreeId, ranges: Iterable[ByteRange], at: int, cells: int = WHOLE_ROW
    ) -> bool:
        """Return whether one of the masked cells of a row in the ranges was written after `at`."""
        return any(
            was_written(version, at, cells)
            for versions in self._batches(
                tree, ranges, lambda rows, piece: rows.written_after(piece, at)
            )
            for version in versions
        )

    def written_items(
        self, tree: TreeId, within: ByteRange, at: int
    ) -> list[tuple[bytes, Version]]:
        """Return the keys of a range that were written after `at`, with their newest versions."""
        with self.mutex:
            return [
                item
                for rows, piece in self._pieces(tree, *within, descending=False)
                for item in rows.items_after(piece, at)
            ]

    def row_count(self, tree: TreeId) -> int:
        """Return the number of keys in a tree, recently deleted ones included. O(splits)."""
        with self.mutex:
            hierarchy = self.split_map.trees.get(tree)
            if hierarchy is None:
                return 0
            return sum(len(split.trees.get(tree, ())) for split in hierarchy.splits)

    def nth_key(
        self, tree: TreeId, within: ByteRange, n: int, *, descending: bool = False
    ) -> bytes | None:
        """Return the n-th key in a range, deleted rows included, or None if there are fewer."""
        with self.mutex:
            for _, (leaf, first, end) in self._pieces(tree, *within, descending):
                if n <= end - first:
                    return leaf.keys[end - n if descending else first + n - 1]
                n -= end - first
        return None

    def _batches(
        self,
        tree: TreeId,
        ranges: Iterable[ByteRange],
        read: Callable[[Tree, Piece], list[Item]],
        descending: bool = False,
        at: int = -1,
    ) -> Iterator[list[Item]]:
        """Yield what `read` returns for the leaves of ranges, in batches of growing size.

        Leaves whose rows are all deleted as of `at` are skipped.
        """
        for low, high in ranges:
            size = BATCH_ROWS_FIRST
            while low < high:
                with self.mutex:
                    pieces = self._pieces(tree, low, high, descending, at)
                    batch, last = self._batch(pieces, read, descending, size)
                # An empty batch, too: a reader must notice that its rows were collected.
                yield batch
                if last is None:
                    break
                low, high = (low, last) if descending else (last + b"\0", high)
                size = min(size * 4, BATCH_ROWS_MAX)

    def _batch(
        self,
        pieces: Iterator[tuple[Tree, Piece]],
        read: Callable[[Tree, Piece], list[Item]],
        descending: bool,
        size: int,
    ) -> tuple[list[Item], bytes | None]:
        """Return at most `size` items, and the last key of the batch unless the range ends."""
        batch: list[Item] = []
        leaves = 0
        for rows, (leaf, first, end) in pieces:
            is_last = end - first >= size - len(batch) or (leaves := leaves + 1) == BATCH_LEAVES_MAX
            if end - first > size - len(batch):
                if descending:
                    first = end - (size - len(batch))
                else:
                    end = first + size - len(batch)
            items = read(rows, (leaf, first, end))
            if descending:
                items.reverse()
            batch += items
            if is_last:
                return batch, leaf.keys[first if descending else end - 1]
        return batch, None

    def _pieces(
        self, tree: TreeId, low: bytes, high: bytes, descending: bool, at: int = -1
    ) -> Iterator[tuple[Tree, Piece]]:
        """Yield the pieces of leaves with the keys in a range, and their trees, in scan order."""
        hierarchy = self.split_map.trees.get(tree) or self._dropped.get(tree)
        if hierarchy is not None and low < high:
            is_own = hierarchy.owner is self.split_map.owner
            for split in hierarchy.splits_over(tree, low, high, descending):
                rows = split.trees.get(tree)
                if rows is not None:
                    rows.is_owned = is_own and tree in split.owned
                    for piece in rows.pieces(low, high, descending, at):
                        yield rows, piece

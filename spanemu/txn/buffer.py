"""Writes that a transaction has made and not yet committed, over the rows below them.

Each entry is the final state of one row: a tuple, or None where the row is deleted. A statement
that fails is taken back with `rollback_to`, so what the buffer holds is always the effect of
whole statements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sortedcontainers import SortedList

from spanemu.sql.executor.reader import ByteRange, Row
from spanemu.storage.layout import TreeId
from spanemu.storage.store import EVERYTHING

ABSENT: Any = object()  # no entry: the store decides


class TreeBuffer:
    """Pending rows of one tree, kept sorted only once somebody scans."""

    __slots__ = ("_sorted", "_stale", "_unsorted", "rows")

    def __init__(self) -> None:
        self.rows: dict[bytes, Row | None] = {}
        self._sorted: SortedList[bytes] | None = None
        self._unsorted: list[bytes] = []
        self._stale = False  # keys were taken away: `_sorted` must be made anew

    def put(self, key: bytes, row: Row | None) -> None:
        """Set the pending state of a row."""
        if key not in self.rows:
            self._unsorted.append(key)
        self.rows[key] = row

    def discard(self, key: bytes) -> None:
        """Take an entry away altogether."""
        del self.rows[key]
        self._stale = True

    def keys(self, low: bytes, high: bytes, descending: bool) -> Iterator[bytes]:
        """Keys with an entry in [low, high), in order."""
        ordered = self._ordered()
        return ordered.irange(low, high, inclusive=(True, False), reverse=descending)

    def _ordered(self) -> SortedList[bytes]:
        if self._sorted is None or self._stale:
            self._sorted = SortedList(self.rows)
            self._stale = False
            self._unsorted = []
        elif self._unsorted:
            self._sorted.update(self._unsorted)
            self._unsorted = []
        return self._sorted


class Buffer:
    """All pending writes of one transaction, with a journal to undo a statement."""

    def __init__(self) -> None:
        self.trees: dict[TreeId, TreeBuffer] = {}
        self._journal: list[tuple[TreeId, bytes, Any]] = []

    def get(self, tree: TreeId, key: bytes) -> Any:
        """The pending row, None where it is deleted, or ABSENT."""
        found = self.trees.get(tree)
        return ABSENT if found is None else found.rows.get(key, ABSENT)

    def put(self, tree: TreeId, key: bytes, row: Row | None) -> None:
        """Set the pending state of a row."""
        found = self.trees.get(tree)
        if found is None:
            found = self.trees[tree] = TreeBuffer()
        self._journal.append((tree, key, found.rows.get(key, ABSENT)))
        found.put(key, row)

    def mark(self) -> int:
        """A point for `rollback_to`."""
        return len(self._journal)

    def rollback_to(self, mark: int) -> None:
        """Take back every `put` since `mark`."""
        while len(self._journal) > mark:
            tree, key, before = self._journal.pop()
            if before is ABSENT:
                self.trees[tree].discard(key)
            else:
                self.trees[tree].rows[key] = before

    def entries(self) -> Iterator[tuple[TreeId, bytes, Row | None]]:
        """Everything pending."""
        for tree, pending in self.trees.items():
            for key, row in pending.rows.items():
                yield tree, key, row

    def merge(
        self,
        tree: TreeId,
        below: Iterator[tuple[bytes, Row]],
        ranges: Sequence[ByteRange] | None,
        descending: bool,
    ) -> Iterator[tuple[bytes, Row]]:
        """`below` as it would look with the pending writes applied; both in key order."""
        pending = self.trees.get(tree)
        if pending is None or not pending.rows:
            return below
        return self._merged(pending, below, ranges, descending)

    @staticmethod
    def _merged(
        pending: TreeBuffer,
        below: Iterator[tuple[bytes, Row]],
        ranges: Sequence[ByteRange] | None,
        descending: bool,
    ) -> Iterator[tuple[bytes, Row]]:
        wanted = EVERYTHING if ranges is None else ranges
        ordered = reversed(wanted) if descending else wanted
        # Copied now: the transaction may go on writing while these rows stream.
        ours = [
            (key, pending.rows[key])
            for low, high in ordered
            for key in pending.keys(low, high, descending)
        ]
        place, end = 0, len(ours)
        for key, row in below:
            while place < end and (ours[place][0] > key if descending else ours[place][0] < key):
                mine, place = ours[place], place + 1
                if mine[1] is not None:
                    yield mine[0], mine[1]
            if place == end or ours[place][0] != key:
                yield key, row
        for late, pending_row in ours[place:]:
            if pending_row is not None:
                yield late, pending_row

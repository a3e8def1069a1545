"""Writes that a transaction has made and not yet committed, over the rows below them.

Each entry is the final state of one row: a tuple, or None where the row is deleted. Of a row that
is only updated, some cells are written and the others are as they were below (`Part`): others may
change those meanwhile, so the entry is put on top of the row as it is then (`rebase`).

A statement that fails is taken back with `rollback_to`, so what the buffer holds is always the
effect of whole statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from sortedcontainers import SortedList

from spanemu.sql.executor.reader import ByteRange, Row
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import TreeWrite
from spanemu.storage.ranges import EVERYTHING
from spanemu.values.cell_mask import WHOLE_ROW, merged

SAMPLE_ROWS_MAX = 16
ABSENT: Any = object()  # no entry: the store decides

# Cells written of a row that goes on existing, and the row below that the others are of.
Part = tuple[int, Row | None]


class TreeBuffer:
    """Pending rows of one tree, kept sorted only once somebody scans."""

    __slots__ = ("_sorted", "_stale", "rows", "unsorted")

    def __init__(self) -> None:
        self.rows: dict[bytes, Row | None] = {}
        self.unsorted: list[bytes] = []  # keys of `rows` that came since somebody scanned
        self._sorted: SortedList[bytes] | None = None
        self._stale = False  # keys were taken away: `_sorted` must be made anew

    def put(self, key: bytes, row: Row | None) -> None:
        """Set the pending state of a row."""
        if key not in self.rows:
            self.unsorted.append(key)
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
            self.unsorted = []
        elif self.unsorted:
            self._sorted.update(self.unsorted)
            self.unsorted = []
        return self._sorted


class Buffer:
    """All pending writes of one transaction, with a journal to undo a statement."""

    def __init__(self) -> None:
        self.trees: dict[TreeId, TreeBuffer] = {}
        self.parts: dict[tuple[TreeId, bytes], Part] = {}
        self._journal: list[tuple[TreeId, bytes, Any, Part | None]] = []

    def get(self, tree: TreeId, key: bytes) -> Any:
        """The pending row, None where it is deleted, or ABSENT."""
        found = self.trees.get(tree)
        return ABSENT if found is None else found.rows.get(key, ABSENT)

    def put(
        self,
        tree: TreeId,
        key: bytes,
        row: Row | None,
        written: int = WHOLE_ROW,
        base: Row | None = None,
    ) -> None:
        """Set the pending state of a row, of which only the cells `written` differ from `base`."""
        found = self.trees.get(tree)
        if found is None:
            found = self.trees[tree] = TreeBuffer()
        before, part = found.rows.get(key, ABSENT), None
        if written != WHOLE_ROW or self.parts:
            part = self.parts.get((tree, key))
            self._put_part((tree, key), before, written, base)
        self._journal.append((tree, key, before, part))
        if before is ABSENT:
            found.unsorted.append(key)
        found.rows[key] = row

    def _put_part(
        self, row_key: tuple[TreeId, bytes], before: Any, written: int, base: Row | None
    ) -> None:
        if written == WHOLE_ROW:
            self.parts.pop(row_key, None)
        elif before is ABSENT:
            self.parts[row_key] = (written, base)
        elif row_key in self.parts:
            earlier, base = self.parts[row_key]
            self.parts[row_key] = (earlier | written, base)

    def sample(self) -> list[tuple[TreeId, list[Row | None], int]]:
        """(tree, some of its pending rows, how many there are) of each tree, for statistics."""
        found: list[tuple[TreeId, list[Row | None], int]] = []
        for tree, buffer in self.trees.items():
            rows = buffer.rows
            found.append((tree, list(islice(rows.values(), SAMPLE_ROWS_MAX)), len(rows)))
        return found

    def written(self, tree: TreeId, key: bytes) -> int:
        """Which cells of a pending row are written."""
        part = self.parts.get((tree, key))
        return WHOLE_ROW if part is None else part[0]

    def rebase(self, tree: TreeId, key: bytes, head: Row) -> Row:
        """The pending row on top of what is below it now."""
        written, _ = self.parts[tree, key]
        rows = self.trees[tree].rows
        pending = rows[key]
        assert pending is not None, "a part is never of a deleted row"
        row = merged(head, pending, written)
        rows[key] = row
        self.parts[tree, key] = (written, head)
        return row

    def mark(self) -> int:
        """A point for `rollback_to`."""
        return len(self._journal)

    def rollback_to(self, mark: int) -> None:
        """Take back every `put` since `mark`."""
        while len(self._journal) > mark:
            tree, key, before, part = self._journal.pop()
            if before is ABSENT:
                self.trees[tree].discard(key)
            else:
                self.trees[tree].rows[key] = before
            if part is not None:
                self.parts[tree, key] = part
            elif self.parts:
                self.parts.pop((tree, key), None)

    @contextmanager
    def without(self, mark: int) -> Iterator[None]:
        """Meanwhile every `put` since `mark` is as if it had not been; nothing may be put."""
        journal = self._journal[mark:]
        later = [
            (tree, key, self.get(tree, key), self.parts.get((tree, key)))
            for tree, key, _, _ in journal
        ]
        self.rollback_to(mark)
        try:
            yield
        finally:
            for tree, key, row, part in later:
                self.trees[tree].put(key, row)
                if part is not None:
                    self.parts[tree, key] = part
                else:
                    self.parts.pop((tree, key), None)
            self._journal += journal

    def entries(self) -> list[TreeWrite]:
        """Everything pending."""
        return [
            (tree, key, row)
            for tree, pending in self.trees.items()
            for key, row in pending.rows.items()
        ]

    def merge(
        self,
        tree: TreeId,
        below: Iterator[tuple[bytes, Row]],
        ranges: Sequence[ByteRange] | None,
        descending: bool,
        present: Callable[[bytes], Row | None] | None = None,
    ) -> Iterator[tuple[bytes, Row]]:
        """`below` as it would look with the pending writes applied; both in key order.

        `present` gives the pending row of a key, where that may have to be rebased first.
        """
        pending = self.trees.get(tree)
        if pending is None or not pending.rows:
            return below
        return self._merged(pending, below, ranges, descending, present)

    @staticmethod
    def _merged(
        pending: TreeBuffer,
        below: Iterator[tuple[bytes, Row]],
        ranges: Sequence[ByteRange] | None,
        descending: bool,
        present: Callable[[bytes], Row | None] | None,
    ) -> Iterator[tuple[bytes, Row]]:
        row_of = pending.rows.__getitem__ if present is None else present
        wanted = EVERYTHING if ranges is None else ranges
        ordered = reversed(wanted) if descending else wanted
        # Copied now: the transaction may go on writing while these rows stream.
        ours = [
            (key, row_of(key))
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

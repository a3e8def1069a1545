"""The buffered writes of a transaction, merged over the committed rows.

An entry is the final state of one row: a tuple, or None for a deleted row. An update writes only
some cells of a row (`Part`). Other transactions may change the remaining cells meanwhile, so the
written cells are applied to the row as it is committed by then (`rebase`).

`rollback_to` takes back a failed statement, so the buffer always holds the effect of whole
statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from sortedcontainers import SortedList

from spanemu.sql.executor.run import ByteRange, Row
from spanemu.storage.layout import EVERYTHING, TreeId
from spanemu.storage.observer import TreeWrite
from spanemu.values.cell_mask import WHOLE_ROW, merged

SAMPLE_ROWS_MAX = 16
ABSENT: Any = object()  # no entry: the committed row counts

# The written cells of an updated row, and the committed row that has the remaining cells.
Part = tuple[int, Row | None]


class TreeBuffer:
    """The pending rows of one tree, sorted only when a range is scanned."""

    __slots__ = ("_sorted", "_stale", "rows", "unsorted")

    def __init__(self) -> None:
        self.rows: dict[bytes, Row | None] = {}
        self.unsorted: list[bytes] = []  # keys of `rows` added since the last scan
        self._sorted: SortedList[bytes] | None = None
        self._stale = False  # keys were removed: `_sorted` must be rebuilt

    def put(self, key: bytes, row: Row | None) -> None:
        """Set the pending state of a row."""
        if key not in self.rows:
            self.unsorted.append(key)
        self.rows[key] = row

    def discard(self, key: bytes) -> None:
        """Remove the entry of a row."""
        del self.rows[key]
        self._stale = True

    def keys(self, low: bytes, high: bytes, descending: bool) -> Iterator[bytes]:
        """Yield the keys with an entry in [low, high), in order."""
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
        # Cells of index entries that were set to the values that they had. A statement that fails
        # leaves them here.
        self.rewritten: dict[tuple[TreeId, bytes], int] = {}
        self._journal: list[tuple[TreeId, bytes, Any, Part | None]] = []

    def get(self, tree: TreeId, key: bytes) -> Any:
        """Return the pending row, None if it is deleted, or ABSENT."""
        buffer_of_tree = self.trees.get(tree)
        return ABSENT if buffer_of_tree is None else buffer_of_tree.rows.get(key, ABSENT)

    def put(
        self,
        tree: TreeId,
        key: bytes,
        row: Row | None,
        written: int = WHOLE_ROW,
        base: Row | None = None,
    ) -> None:
        """Set the pending state of a row; only its cells `written` differ from `base`."""
        buffer_of_tree = self.trees.get(tree)
        if buffer_of_tree is None:
            buffer_of_tree = self.trees[tree] = TreeBuffer()
        before, part = buffer_of_tree.rows.get(key, ABSENT), None
        if written != WHOLE_ROW or self.parts:
            part = self.parts.get((tree, key))
            self._put_part((tree, key), before, written, base)
        self._journal.append((tree, key, before, part))
        if before is ABSENT:
            buffer_of_tree.unsorted.append(key)
        buffer_of_tree.rows[key] = row

    def rewrite(self, tree: TreeId, key: bytes, cells: int) -> None:
        """Record that cells of an index entry are set to the values that they have."""
        self.rewritten[tree, key] = self.rewritten.get((tree, key), 0) | cells

    def put_all(self, tree: TreeId, keys: Sequence[bytes], rows: Sequence[Row]) -> None:
        """Set the pending states of new rows. This cannot be undone.

        Only a commit does this, which no statement follows. No row may be partly written.
        """
        pending = self.trees.get(tree)
        if pending is None:
            pending = self.trees[tree] = TreeBuffer()
        pending.unsorted += keys if not pending.rows else set(keys) - pending.rows.keys()
        pending.rows.update(zip(keys, rows, strict=True))

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
        """Return (tree, some pending rows, number of pending rows) of each tree, for statistics."""
        samples: list[tuple[TreeId, list[Row | None], int]] = []
        for tree, buffer in self.trees.items():
            rows = buffer.rows
            samples.append((tree, list(islice(rows.values(), SAMPLE_ROWS_MAX)), len(rows)))
        return samples

    def written(self, tree: TreeId, key: bytes) -> int:
        """Return the mask of the cells of a pending row that are written."""
        part = self.parts.get((tree, key))
        return WHOLE_ROW if part is None else part[0]

    def cells_written(self) -> dict[tuple[TreeId, bytes], int]:
        """Return the masks of `written` for all rows that are partly written."""
        return {row_key: part[0] for row_key, part in self.parts.items()}

    def rebase(self, tree: TreeId, key: bytes, head: Row) -> Row:
        """Return a pending row with its unwritten cells taken from `head`, the committed row."""
        written, _ = self.parts[tree, key]
        rows = self.trees[tree].rows
        pending = rows[key]
        assert pending is not None, "a deleted row has no partly written cells"
        row = merged(head, pending, written)
        rows[key] = row
        self.parts[tree, key] = (written, head)
        return row

    def savepoint(self) -> int:
        """Return the current journal position, for `rollback_to`."""
        return len(self._journal)

    def rollback_to(self, savepoint: int) -> None:
        """Undo every `put` since `savepoint`."""
        while len(self._journal) > savepoint:
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
    def without(self, savepoint: int) -> Iterator[None]:
        """Hide every `put` since `savepoint` inside the context, which must not put rows."""
        journal = self._journal[savepoint:]
        later = [
            (tree, key, self.get(tree, key), self.parts.get((tree, key)))
            for tree, key, _, _ in journal
        ]
        self.rollback_to(savepoint)
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
        """Return all pending writes."""
        return [
            (tree, key, row)
            for tree, pending in self.trees.items()
            for key, row in pending.rows.items()
        ]

    def rows_added(
        self,
        tree: TreeId,
        ranges: Sequence[ByteRange] | None,
        committed: Callable[[bytes], Row | None],
    ) -> int:
        """Return how many rows the pending writes add to the committed rows in ranges.

        The number is negative where they delete more rows. `committed` returns the committed row of
        a key.
        """
        pending = self.trees.get(tree)
        if pending is None or not pending.rows:
            return 0
        return sum(
            (pending.rows[key] is not None) - (committed(key) is not None)
            for low, high in (EVERYTHING if ranges is None else ranges)
            for key in pending.keys(low, high, descending=False)
        )

    def merge(
        self,
        tree: TreeId,
        committed: Iterator[tuple[bytes, Row]],
        ranges: Sequence[ByteRange] | None,
        descending: bool,
        present: Callable[[bytes], Row | None] | None = None,
    ) -> Iterator[tuple[bytes, Row]]:
        """Return `committed` rows with the pending writes applied; both are in key order.

        `present` returns the pending row of a key, after rebasing it if necessary.
        """
        pending = self.trees.get(tree)
        if pending is None or not pending.rows:
            return committed
        return self._merged(pending, committed, ranges, descending, present)

    @staticmethod
    def _merged(
        pending: TreeBuffer,
        committed: Iterator[tuple[bytes, Row]],
        ranges: Sequence[ByteRange] | None,
        descending: bool,
        present: Callable[[bytes], Row | None] | None,
    ) -> Iterator[tuple[bytes, Row]]:
        row_of = pending.rows.__getitem__ if present is None else present
        scanned = EVERYTHING if ranges is None else ranges
        ordered = reversed(scanned) if descending else scanned
        # Copied now: the transaction may write more while these rows stream.
        ours = [
            (key, row_of(key))
            for low, high in ordered
            for key in pending.keys(low, high, descending)
        ]
        position, end = 0, len(ours)
        for key, row in committed:
            while position < end and (
                ours[position][0] > key if descending else ours[position][0] < key
            ):
                entry, position = ours[position], position + 1
                if entry[1] is not None:
                    yield entry[0], entry[1]
            if position == end or ours[position][0] != key:
                yield key, row
        for late, pending_row in ours[position:]:
            if pending_row is not None:
                yield late, pending_row

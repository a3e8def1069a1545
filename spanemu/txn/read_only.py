"""Reads as of one timestamp, which take no locks, never wait and never abort."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from spanemu.base.call import current
from spanemu.base.deadline_checks import Batched
from spanemu.schema.indexes import SearchIndex, TableOrIndex
from spanemu.schema.table import Column, Table
from spanemu.sql.executor.run import ByteRange, Row
from spanemu.storage import postings, vector_rows
from spanemu.storage.layout import TreeId, tree_of
from spanemu.storage.observer import ReadKind
from spanemu.storage.store import Store
from spanemu.storage.versions import row_cells
from spanemu.txn.errors import ReadTooOld
from spanemu.values import vector_rows as rows_by_vector
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import successor
from spanemu.values.timestamp import format_utc

_FEW_DOCUMENTS = 64  # that are matched one by one sooner than postings are made of them


class SnapshotReader:
    """A `RowReader` over the store at the timestamp `at` (nanoseconds)."""

    def __init__(self, store: Store, at: int) -> None:
        self.at = at
        self.request: object = None  # the request in progress, for the store's observer
        self._store = store

    def stopping_early(self) -> SnapshotReader:
        """Return this reader: snapshot reads take no locks that a partial scan could spare."""
        return self

    def scan(
        self,
        source: TableOrIndex,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> Iterator[Row]:
        """Yield the rows or entries of `source` in key order."""
        tree = tree_of(source)
        if self._store.explorer is not None:
            self._store.explorer.read(tree, ranges, cells, self.at)
        stored = self._store.scan_batches(tree, ranges, self.at, descending=descending)
        batches: Iterable[list[Row]] = map(self._checked_retention, stored)
        if isinstance(source, Table) and source.has_short_rows:
            batches = self._filled(batches, source.width)
        rows = Batched(batches)
        return rows if self._store.observer is None else self._observed(tree, rows)

    @staticmethod
    def _filled(batches: Iterable[list[Row]], width: int) -> Iterator[list[Row]]:
        """Yield rows with the cells of columns that were added after they were written."""
        for rows in batches:
            is_whole = list(map(len, rows)).count(width) == len(rows)
            yield rows if is_whole else [row_cells(row, width) for row in rows]

    def get(
        self, table: Table, key: bytes, *, for_update: bool = False, cells: int = WHOLE_ROW
    ) -> Row | None:
        """Return the row with that encoded key."""
        store = self._store
        if store.explorer is not None:
            store.explorer.read(tree_of(table), ((key, successor(key)),), cells, self.at)
        if store.observer is not None:
            store.observer.on_get(tree_of(table), key)
        row = store.get(tree_of(table), key, self.at)
        if store.oldest_readable > self.at:
            self._checked_retention([])
        if row is None or len(row) == table.width:
            return row
        return row_cells(row, table.width)

    def _checked_retention(self, rows: list[Row]) -> list[Row]:
        """Return `rows`. Raise ReadTooOld if versions at the read timestamp may be removed."""
        if self._store.oldest_readable > self.at:
            raise ReadTooOld(format_utc(self.at), format_utc(self._store.oldest_readable))
        return rows

    def _observed(self, tree: TreeId, rows: Iterator[Row]) -> Iterator[Row]:
        observer = self._store.observer
        if observer is None:
            return rows
        return observer.on_scan(tree, rows, ReadKind.SNAPSHOT, self.request)

    def count(
        self,
        source: TableOrIndex,
        ranges: Sequence[ByteRange] | None = None,
        *,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> int | None:
        """Return the number of rows in ranges; None if an observer is to see each row."""
        store, tree = self._store, tree_of(source)
        if store.observer is not None:
            return None
        if store.explorer is not None:
            store.explorer.read(tree, ranges, cells, self.at)
        check, total = current().check, 0
        for count in store.count(tree, ranges, self.at):
            self._checked_retention([])
            check()
            total += count
        return total

    @property
    def reads_freely(self) -> bool:
        """True unless an observer or an explorer is to see which rows are read."""
        return self._store.observer is None and self._store.explorer is None

    def vector_view(self, table: Table, column: Column) -> rows_by_vector.VectorView | None:
        """Return the rows of a table by the vectors of a column; None if they must be scanned."""
        store, length = self._store, column.vector_length
        if store.oldest_readable > self.at or length is None:
            return None
        tree = tree_of(table)
        if store.explorer is not None:
            store.explorer.read(tree, None, WHOLE_ROW, self.at)
        with store.mutex:
            if tree not in store.split_map.trees:
                return None  # a table that was dropped since
            if store.vector_rows is None:
                store.vector_rows = vector_rows.VectorRows(store)
            rows: vector_rows.VectorRows = store.vector_rows
        return rows.view(rows_by_vector.VectorColumn(tree, column.position, length), self.at)

    def documents(
        self, index: SearchIndex, prefix: bytes, lists: tuple[int, ...]
    ) -> postings.View | None:
        """Return the documents of a partition of a search index, or None if they are few."""
        tree, store = tree_of(index), self._store
        if store.explorer is not None:
            store.explorer.read(tree, (postings.range_of(prefix),), WHOLE_ROW, self.at)
        if store.nth_key(tree, postings.range_of(prefix), _FEW_DOCUMENTS) is None:
            return None
        selection = postings.Selection(prefix, lists)
        documents = store.documents(tree, postings.layout_of(index), selection, self.at)
        self._checked_retention([])
        return documents

    def observe_search(self, table: Table, rows: Iterable[Row]) -> None:
        """Report the rows of a table that a search by vector has read."""
        if self._store.observer is not None:
            deque(self._observed(tree_of(table), iter(rows)), maxlen=0)

    def row_count_estimate(self, table: Table) -> int:
        """Return the approximate number of rows of a table."""
        return self._store.row_count(tree_of(table))

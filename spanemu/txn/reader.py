"""A read-write transaction as the SQL engine sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.executor.reader import ByteRange, Row
from spanemu.storage.layout import tree_of
from spanemu.storage.observer import Reading
from spanemu.txn.lock_modes import Cells, Lock
from spanemu.txn.read_write import ReadWrite
from spanemu.values.cell_mask import EXISTENCE, WHOLE_ROW, cells_of


class TransactionReader:
    """The `RowReader` of a read-write transaction.

    `lock_scanned` makes every read take exclusive locks on the ranges that it scans
    (LOCK_SCANNED_RANGES=exclusive), as FOR UPDATE does for its query. What is read for a statement
    that `writes` must hold until the commit, however weak the isolation.
    """

    def __init__(
        self, transaction: ReadWrite, *, lock_scanned: bool = False, writes: bool = False
    ) -> None:
        self._transaction = transaction
        self._lock_scanned = lock_scanned
        self._writes = writes

    def scan(
        self,
        table: Table,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> Iterator[Row]:
        """Rows of `table` in key order."""
        rows = self._transaction.scan(
            table,
            ranges,
            descending=descending,
            lock=self._lock(table, cells, for_update),
            kept=self._writes,
        )
        return self._observed(table, rows)

    def scan_index(
        self,
        index: Index,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> Iterator[Row]:
        """Entries of `index` in key order."""
        rows = self._transaction.scan_index(
            index,
            ranges,
            descending=descending,
            lock=self._lock(index, cells, for_update),
            kept=self._writes,
        )
        return self._observed(index, rows)

    def get(
        self, table: Table, key: bytes, *, for_update: bool = False, cells: int = WHOLE_ROW
    ) -> Row | None:
        """The row with that encoded primary key."""
        lock = self._lock(table, cells, for_update)
        transaction = self._transaction
        if transaction.store.observer is not None:
            transaction.store.observer.got(tree_of(table), key)
        return transaction.get_row(table, key, lock, kept=self._writes)

    def row_count_estimate(self, table: Table) -> int:
        """About how many rows a table has."""
        return self._transaction.row_count_estimate(table)

    def _observed(self, thing: Table | Index, rows: Iterator[Row]) -> Iterator[Row]:
        transaction = self._transaction
        observer = transaction.store.observer
        if observer is None:
            return rows
        reading = Reading.DML if self._writes else Reading.TRANSACTION
        return observer.scanning(tree_of(thing), rows, reading, transaction.owner.last_request)

    def _lock(self, thing: Table | Index, cells: Cells, for_update: bool) -> Lock:
        """Existence is read, and the cells. Keys never change: it is other cells that are locked
        exclusively, if there are any."""
        reads = cells | EXISTENCE
        if not (for_update or self._lock_scanned):
            return reads, 0
        if isinstance(thing, Table):
            key = cells_of(thing.key_positions)
        else:
            key = cells_of(range(len(thing.full_key)))
        return reads, cells & ~EXISTENCE & ~key or cells & key or EXISTENCE

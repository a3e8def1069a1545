"""A read-write transaction as the SQL engine sees it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.executor.reader import ByteRange, Row
from spanemu.txn.read_write import ReadWrite


class TransactionReader:
    """The `RowReader` of a read-write transaction.

    `lock_scanned` makes every read take exclusive locks (LOCK_SCANNED_RANGES=exclusive). What is
    read for a statement that `writes` must hold until the commit, however weak the isolation.
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
    ) -> Iterator[Row]:
        """Rows of `table` in key order."""
        return self._transaction.scan(
            table,
            ranges,
            descending=descending,
            for_update=for_update or self._lock_scanned,
            kept=self._writes,
        )

    def scan_index(
        self,
        index: Index,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
    ) -> Iterator[Row]:
        """Entries of `index` in key order."""
        return self._transaction.scan_index(
            index,
            ranges,
            descending=descending,
            for_update=for_update or self._lock_scanned,
            kept=self._writes,
        )

    def get(self, table: Table, key: bytes, *, for_update: bool = False) -> Row | None:
        """The row with that encoded primary key."""
        return self._transaction.get_row(
            table, key, for_update=for_update or self._lock_scanned, kept=self._writes
        )

    def row_count_estimate(self, table: Table) -> int:
        """About how many rows a table has."""
        return self._transaction.row_count_estimate(table)

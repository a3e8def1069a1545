"""The row readers of a read-write transaction and of one partition, as the SQL engine uses them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from itertools import chain

from spanemu.schema.indexes import SearchIndex, TableOrIndex
from spanemu.schema.table import Table
from spanemu.sql.executor.run import ByteRange, Row, RowReader
from spanemu.storage.layout import TreeId, in_order, tree_of
from spanemu.storage.observer import ReadKind
from spanemu.storage.store import Store
from spanemu.txn.locks.modes import Cells, Lock
from spanemu.txn.read_write import TransactionWorkspace
from spanemu.values.cell_mask import EXISTENCE, WHOLE_ROW, cells_of
from spanemu.values.key import after_prefix, successor

ROWS_FIRST = 1
GROWTH = 4
ROWS_LARGEST = 256
ROWS_MAX = 700


def incremental_ranges(
    store: Store, tree: TreeId, ranges: Sequence[ByteRange] | None, *, descending: bool
) -> Iterator[ByteRange]:
    """Yield `ranges` cut into subranges of growing numbers of rows, in scan order.

    A scan that may stop early locks one subrange after the other, and so no more than it reads.
    """
    size, total = ROWS_FIRST, 0
    for low, high in in_order(ranges, descending=descending):
        while total < ROWS_MAX:
            last = store.nth_key(tree, (low, high), size, descending=descending)
            if last is None:
                break
            total += size
            size = min(size * GROWTH, ROWS_LARGEST)
            after = successor(last)
            if descending:
                yield last, high
                high = last
            else:
                yield low, after
                low = after
        yield low, high


class TransactionReader:
    """The `RowReader` of a read-write transaction.

    `lock_scanned` makes every read take exclusive locks on the ranges that it scans
    (LOCK_SCANNED_RANGES=exclusive), as FOR UPDATE does for its query. Reads of a statement that
    `writes` must hold until the commit, at any isolation level. With `incremental`, a scan locks
    its ranges step by step, for statements that may not read all rows.
    """

    def __init__(
        self,
        transaction: TransactionWorkspace,
        *,
        lock_scanned: bool = False,
        writes: bool = False,
        incremental: bool = False,
    ) -> None:
        self._transaction = transaction
        self._lock_scanned = lock_scanned
        self._writes = writes
        self._incremental = incremental

    def stopping_early(self) -> TransactionReader:
        """Return a reader for a scan that may stop early, which locks only what it reads."""
        return TransactionReader(
            self._transaction,
            lock_scanned=self._lock_scanned,
            writes=self._writes,
            incremental=True,
        )

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
        lock = self._lock(source, cells, for_update)
        scan = partial(
            self._transaction.scan, source, descending=descending, lock=lock, must_hold=self._writes
        )
        return self._observed(source, self._rows(source, scan, ranges, descending))

    def get(
        self, table: Table, key: bytes, *, for_update: bool = False, cells: int = WHOLE_ROW
    ) -> Row | None:
        """Return the row with that encoded primary key."""
        if for_update or self._lock_scanned:
            lock = self._lock(table, cells, for_update)
        else:
            lock = cells | EXISTENCE, 0
        transaction = self._transaction
        if transaction.store.observer is not None:
            transaction.store.observer.on_get(tree_of(table), key)
        return transaction.get_row(table, key, lock, must_hold=self._writes)

    def count(
        self,
        source: TableOrIndex,
        ranges: Sequence[ByteRange] | None = None,
        *,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> int | None:
        """Return the number of rows in ranges, locked as a scan would lock them.

        None if an observer is to see each row.
        """
        if self._incremental or self._transaction.store.observer is not None:
            return None
        lock = self._lock(source, cells, for_update)
        return self._transaction.count(tree_of(source), ranges, lock, must_hold=self._writes)

    @property
    def reads_freely(self) -> bool:
        """False: reads take locks, or the commit validates them."""
        return False

    def documents(self, index: SearchIndex, prefix: bytes, lists: tuple[int, ...]) -> None:
        """Lock a whole partition of a search index, and return None: its entries are scanned."""
        partition = [(prefix, after_prefix(prefix))] if prefix else None
        lock = self._lock(index, cells_of(lists), for_update=False)
        scan = self._transaction.scan(index, partition, lock=lock, must_hold=self._writes)
        next(scan, None)

    def row_count_estimate(self, table: Table) -> int:
        """Return the approximate number of rows of a table."""
        return self._transaction.row_count_estimate(table)

    def _rows(
        self,
        source: TableOrIndex,
        scan: Callable[[Sequence[ByteRange] | None], Iterator[Row]],
        ranges: Sequence[ByteRange] | None,
        descending: bool,
    ) -> Iterator[Row]:
        if not self._incremental:
            return scan(ranges)
        store = self._transaction.store
        steps = incremental_ranges(store, tree_of(source), ranges, descending=descending)
        return chain.from_iterable(scan((step,)) for step in steps)

    def _observed(self, source: TableOrIndex, rows: Iterator[Row]) -> Iterator[Row]:
        transaction = self._transaction
        observer = transaction.store.observer
        if observer is None:
            return rows
        reading = ReadKind.DML if self._writes else ReadKind.TRANSACTION
        request = transaction.holder.client.last_request
        return observer.on_scan(tree_of(source), rows, reading, request)

    def _lock(self, source: TableOrIndex, cells: Cells, for_update: bool) -> Lock:
        """Return the lock for reading `cells` and the existence of rows.

        An exclusive lock covers the cells outside the key, because keys never change; it covers key
        cells only if no other cells are read.
        """
        reads = cells | EXISTENCE
        if not (for_update or self._lock_scanned):
            return reads, 0
        if isinstance(source, Table):
            key = cells_of(source.key_positions)
        else:
            key = cells_of(range(len(source.full_key)))
        return reads, cells & ~EXISTENCE & ~key or cells & key or EXISTENCE


class PartitionReader:
    """A `RowReader` that skips the rows of some trees outside `partition`, which is sorted."""

    def __init__(
        self, reader: RowReader, trees: Collection[TreeId], partition: Sequence[ByteRange]
    ) -> None:
        self._reader = reader
        self._trees = trees
        self._partition = partition

    def stopping_early(self) -> PartitionReader:
        """Return a reader of the same partition for a scan that may stop early."""
        return PartitionReader(self._reader.stopping_early(), self._trees, self._partition)

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
        clipped = self._clipped(tree_of(source), ranges)
        return self._reader.scan(
            source, clipped, descending=descending, for_update=for_update, cells=cells
        )

    def get(
        self, table: Table, key: bytes, *, for_update: bool = False, cells: int = WHOLE_ROW
    ) -> Row | None:
        """Return the row with that encoded primary key, or None outside the partition."""
        if not self._clipped(tree_of(table), ((key, successor(key)),)):
            return None
        return self._reader.get(table, key, for_update=for_update, cells=cells)

    def count(
        self,
        source: TableOrIndex,
        ranges: Sequence[ByteRange] | None = None,
        *,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> int | None:
        """Return the number of rows in ranges, or None if they are to be scanned."""
        clipped = self._clipped(tree_of(source), ranges)
        return self._reader.count(source, clipped, for_update=for_update, cells=cells)

    @property
    def reads_freely(self) -> bool:
        """True if the rows of the partition may be read without any effect."""
        return self._reader.reads_freely

    def documents(self, index: SearchIndex, prefix: bytes, lists: tuple[int, ...]) -> None:
        """Return None: partitioned queries do not search."""

    def row_count_estimate(self, table: Table) -> int:
        """Return the approximate number of rows of a table."""
        return self._reader.row_count_estimate(table)

    def _clipped(
        self, tree: TreeId, ranges: Sequence[ByteRange] | None
    ) -> Sequence[ByteRange] | None:
        if tree not in self._trees:
            return ranges
        return self._partition if ranges is None else list(_intersection(self._partition, ranges))


def _intersection(some: Sequence[ByteRange], others: Sequence[ByteRange]) -> Iterator[ByteRange]:
    """Yield the intersection of two sorted unions of ranges, sorted."""
    left, right = 0, 0
    while left < len(some) and right < len(others):
        (low, high), (start, end) = some[left], others[right]
        first, last = max(low, start), min(high, end)
        if first < last:
            yield first, last
        if high < end:
            left += 1
        else:
            right += 1

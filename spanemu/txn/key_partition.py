"""A row reader limited to one key partition, for partitioned DML and partitioned queries."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.executor.reader import ByteRange, Row, RowReader
from spanemu.storage.layout import TreeId, tree_of
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import successor


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
        table: Table,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> Iterator[Row]:
        """Yield the rows of `table` in key order."""
        clipped = self._clipped(tree_of(table), ranges)
        return self._reader.scan(
            table, clipped, descending=descending, for_update=for_update, cells=cells
        )

    def scan_index(
        self,
        index: Index,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> Iterator[Row]:
        """Yield the entries of `index` in key order."""
        clipped = self._clipped(tree_of(index), ranges)
        return self._reader.scan_index(
            index, clipped, descending=descending, for_update=for_update, cells=cells
        )

    def get(
        self, table: Table, key: bytes, *, for_update: bool = False, cells: int = WHOLE_ROW
    ) -> Row | None:
        """Return the row with that encoded primary key, or None outside the partition."""
        if not self._clipped(tree_of(table), ((key, successor(key)),)):
            return None
        return self._reader.get(table, key, for_update=for_update, cells=cells)

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

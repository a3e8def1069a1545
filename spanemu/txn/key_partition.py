"""A statement's view of some of the keys: what one partition of DML or of a query works on."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.sql.executor.reader import ByteRange, Row, RowReader
from spanemu.storage.layout import TreeId, tree_of
from spanemu.values.cell_mask import WHOLE_ROW
from spanemu.values.key import successor


class PartitionReader:
    """A `RowReader` that passes over all rows of some trees outside `share`, which is sorted."""

    def __init__(
        self, reader: RowReader, trees: Collection[TreeId], share: Sequence[ByteRange]
    ) -> None:
        self._reader = reader
        self._trees = trees
        self._share = share

    def stopping_early(self) -> PartitionReader:
        """The same share, read by somebody who may not want all rows."""
        return PartitionReader(self._reader.stopping_early(), self._trees, self._share)

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
        mine = self._mine(tree_of(table), ranges)
        return self._reader.scan(
            table, mine, descending=descending, for_update=for_update, cells=cells
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
        """Entries of `index` in key order."""
        mine = self._mine(tree_of(index), ranges)
        return self._reader.scan_index(
            index, mine, descending=descending, for_update=for_update, cells=cells
        )

    def get(
        self, table: Table, key: bytes, *, for_update: bool = False, cells: int = WHOLE_ROW
    ) -> Row | None:
        """The row with that encoded primary key."""
        if not self._mine(tree_of(table), ((key, successor(key)),)):
            return None
        return self._reader.get(table, key, for_update=for_update, cells=cells)

    def row_count_estimate(self, table: Table) -> int:
        """About how many rows a table has."""
        return self._reader.row_count_estimate(table)

    def _mine(self, tree: TreeId, ranges: Sequence[ByteRange] | None) -> Sequence[ByteRange] | None:
        if tree not in self._trees:
            return ranges
        return self._share if ranges is None else list(_common(self._share, ranges))


def _common(some: Sequence[ByteRange], others: Sequence[ByteRange]) -> Iterator[ByteRange]:
    """What two sorted unions of ranges have in common, sorted."""
    mine, theirs = 0, 0
    while mine < len(some) and theirs < len(others):
        (low, high), (start, end) = some[mine], others[theirs]
        first, last = max(low, start), min(high, end)
        if first < last:
            yield first, last
        if high < end:
            mine += 1
        else:
            theirs += 1

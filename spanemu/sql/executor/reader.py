"""The interface through which a running statement reads rows, as of one view of the data.

Ranges are half-open pairs of encoded keys (`values.key`), sorted and disjoint; `None` means the
whole table or index. Rows come back in key order. A table's row is a tuple over `Column.position`,
exactly `table.width` long; an index entry is a tuple over `index.columns`.

`cells` is the mask of the cells that the statement uses (`values.cell_mask`): another transaction
may lock and change the other cells meanwhile. `for_update` locks the cells exclusively, so that no
other transaction may read them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from spanemu.schema.index import Index
from spanemu.schema.table import Table
from spanemu.values.cell_mask import WHOLE_ROW

Row = tuple[Any, ...]
ByteRange = tuple[bytes, bytes]


class RowReader(Protocol):
    """The rows of tables and indexes, as one statement sees them."""

    def stopping_early(self) -> RowReader:
        """Return a reader for a caller that may not consume a scan: unread rows stay unlocked."""
        ...

    def scan(
        self,
        table: Table,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> Iterator[Row]:
        """Yield the rows of `table` whose encoded key is in one of `ranges`."""
        ...

    def scan_index(
        self,
        index: Index,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> Iterator[Row]:
        """Yield the entries of `index` whose encoded key is in one of `ranges`."""
        ...

    def get(
        self, table: Table, key: bytes, *, for_update: bool = False, cells: int = WHOLE_ROW
    ) -> Row | None:
        """Return the row with the encoded primary key `key`, or None."""
        ...

    def row_count_estimate(self, table: Table) -> int:
        """Return about how many rows a table has, for choosing plans, at no cost."""
        ...

"""All that a running statement asks of the world below: rows, as of one view of the data.

Ranges are half-open pairs of encoded keys (`values.key`), sorted and disjoint; `None` means the
whole table or index. Rows come back in key order, each a tuple over `Column.position` exactly
`table.width` long, or for an index a tuple over `index.columns`.

`cells` tells which cells of each row will be looked at (`values.cell_mask`): the others may be
locked, and changed, by somebody else meanwhile. `for_update` asks that nobody else may look at
them.
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
    """Rows of tables and indexes, seen by one statement."""

    def stopping_early(self) -> RowReader:
        """The same for somebody who may not want all rows of a scan: the others are not locked."""
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
        """Rows of `table` whose encoded key is in one of `ranges`."""
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
        """Entries of `index` whose encoded key is in one of `ranges`."""
        ...

    def get(
        self, table: Table, key: bytes, *, for_update: bool = False, cells: int = WHOLE_ROW
    ) -> Row | None:
        """The row with that encoded primary key."""
        ...

    def row_count_estimate(self, table: Table) -> int:
        """About how many rows a table has, for choosing plans. Costs nothing."""
        ...

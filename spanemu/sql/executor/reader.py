"""All that a running statement asks of the world below: rows, as of one view of the data.

Ranges are half-open pairs of encoded keys (`values.key`), sorted and disjoint; `None` means the
whole table or index. Rows come back in key order, each a tuple over `Column.position` exactly
`table.width` long, or for an index a tuple over `index.columns`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from spanemu.schema.index import Index
from spanemu.schema.table import Table

Row = tuple[Any, ...]
ByteRange = tuple[bytes, bytes]


class RowReader(Protocol):
    """Rows of tables and indexes, seen by one statement."""

    def scan(
        self,
        table: Table,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
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
    ) -> Iterator[Row]:
        """Entries of `index` whose encoded key is in one of `ranges`."""
        ...

    def get(self, table: Table, key: bytes, *, for_update: bool = False) -> Row | None:
        """The row with that encoded primary key."""
        ...

    def row_count_estimate(self, table: Table) -> int:
        """About how many rows a table has, for choosing plans. Costs nothing."""
        ...

"""What a dump and a load need of a database: a protocol that `api.data_connection` implements.

Cells are in Spanner's wire form, which loses nothing: INT64, NUMERIC, DATE and TIMESTAMP as text,
BYTES and PROTO in Base64, FLOAT64 as a number or as the text NaN or Infinity, arrays as lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from spanemu.schema.dialect import DatabaseDialect
from spanemu.schema.schema import Schema

Cell = None | bool | float | str | list["Cell"]
Row = list[Cell]
Batch = list[list[Cell]]  # consecutive rows by column: a list of cells for each column


class Snapshot(Protocol):
    """A database at a single read timestamp."""

    def batches(self, table: str, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows of a table in the order of its key."""
        ...

    def value(self, sql: str) -> Cell:
        """Return the first cell of the first row of a query."""
        ...


class Connection(Protocol):
    """A database that can be dumped, and into which rows can be loaded."""

    @property
    def database_id(self) -> str: ...

    def dialect(self) -> DatabaseDialect:
        """Return the dialect of the database."""
        ...

    def schema(self) -> Schema:
        """Return the current schema."""
        ...

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        """Return a snapshot of the rows as they are now."""
        ...

    def insert_groups(self, table: str, groups: Mapping[tuple[str, ...], Batch]) -> None:
        """Insert rows in one commit, by the names of their columns. Raises SpannerError."""
        ...

    def run_ddl(self, statements: Sequence[str], descriptors: bytes = b"") -> None:
        """Run schema statements; `descriptors` define the types of protocol buffers they name."""
        ...

    def run_dml(self, statements: Sequence[str]) -> None:
        """Run DML statements in one transaction. Raises SpannerError or StatementRefused."""
        ...


class Progress(Protocol):
    """A listener to the progress of a dump or a load."""

    def begin_table(self, table: str) -> None: ...

    def add_rows(self, count: int) -> None: ...


class Silence:
    """A listener that shows nothing."""

    def begin_table(self, table: str) -> None:
        """Do nothing."""

    def add_rows(self, count: int) -> None:
        """Do nothing."""

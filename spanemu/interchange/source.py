"""The database that is dumped: its schema, the tables to write, and the rows at one moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from spanemu.interchange.connection import Batch, Connection, Progress, Silence, Snapshot
from spanemu.interchange.schema_parts import (
    SchemaParts,
    loaded_columns,
    loaded_tables,
    schema_parts,
    with_counters,
)
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table

SILENCE = Silence()


class UnknownTable(Exception):
    """A table to dump or load that the database does not have; the message names it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The parts of a database to dump or load; without `tables`, all tables.

    Messages of queues, which are in transit, are a part of the state of an emulator only.
    """

    tables: Sequence[str] = ()
    schema: bool = True
    rows: bool = True
    messages: bool = False

    def of(self, schema: Schema) -> list[Table]:
        """Return the tables with rows to dump or load, in order. Raises UnknownTable."""
        try:
            if not self.rows:
                return []
            return loaded_tables(schema, self.tables, messages=self.messages)
        except KeyError as missing:
            raise UnknownTable(f"there is no table {missing.args[0]}") from missing


EVERYTHING = Choice()


@dataclass(frozen=True, slots=True)
class DumpSource:
    """A database at one read timestamp. `parts` is None if the schema is not dumped."""

    schema: Schema
    parts: SchemaParts | None
    tables: list[Table]
    snapshot: Snapshot
    progress: Progress

    def batches(self, table: Table) -> Iterator[Batch]:
        """Yield the rows of a table, with the columns that `loaded_columns` returns."""
        self.progress.begin_table(table.name)
        for batch in self.snapshot.batches(
            table.name, [column.name for column in loaded_columns(table)]
        ):
            yield batch
            self.progress.add_rows(len(batch[0]))


@contextmanager
def dump_source(
    connection: Connection, choice: Choice = EVERYTHING, progress: Progress = SILENCE
) -> Iterator[DumpSource]:
    """Yield a database as it is now. Raises UnknownTable or SpannerError."""
    schema = connection.schema()
    tables = choice.of(schema)
    with connection.snapshot() as snapshot:
        parts = schema_parts(with_counters(schema, snapshot)) if choice.schema else None
        yield DumpSource(schema, parts, tables, snapshot, progress)

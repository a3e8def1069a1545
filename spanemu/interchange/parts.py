"""The parts of a database to dump or load: the schema before and after its rows, and the tables.

Foreign keys and change streams follow the rows: rows of tables that refer to each other can be
loaded in any order, and the load is not a change that a change stream records. So do privileges,
which may be on change streams, and the option of a queue to accept no messages. Everything else
comes before the rows.

A sequence and an identity column continue where they stood: their start counter in the dump is the
counter of the dumped database, as in the exports of Spanner's Dataflow template.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from spanemu.base.suggestions import nearest
from spanemu.ddl.api import statements_of
from spanemu.ddl.difference import diff
from spanemu.ddl.schema_text import ordered_tables
from spanemu.interchange.connection import Batch, Cell, Connection, Progress, Silence, Snapshot
from spanemu.schema.dialect import POSTGRESQL
from spanemu.schema.objects import SYSTEM_ROLES
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table

SILENCE = Silence()


class UnknownTable(Exception):
    """A table to dump or load that the database does not have; the message names it."""


@dataclass(frozen=True, slots=True)
class SchemaParts:
    """The statements that create a schema, before and after its rows.

    `origins` are what messages call the two, such as the paths of files.
    """

    before: list[str]
    after: list[str]
    descriptors: bytes = b""  # of the types of protocol buffers that the statements name
    origins: tuple[str, str] = ("the schema", "the schema")


def schema_parts(schema: Schema, database: str = "db") -> SchemaParts:
    """Return the statements that create a schema for the database id `database`."""
    plain = without_late_objects(schema)
    before = statements_of(plain, database)
    after = [step.statement for step in diff(plain, schema, database)]
    bundle = schema.proto_bundle
    return SchemaParts(before, after, b"" if bundle is None else bundle.descriptors)


def without_late_objects(schema: Schema) -> Schema:
    """Return the schema without the objects that follow the rows."""
    tables = {name: _plain(table) for name, table in schema.tables.items()}
    roles = {
        name: replace(role, grants=())
        for name, role in schema.roles.items()
        if role.name not in SYSTEM_ROLES
    }
    return schema.next(tables=tables, change_streams={}, roles=roles)


def _plain(table: Table) -> Table:
    """Return a table without foreign keys, and a queue that accepts messages."""
    options = {name: value for name, value in table.options.items() if name != "disable_send"}
    return replace(table, foreign_keys=(), options=options)


def loaded_tables(
    schema: Schema, names: Iterable[str] = (), *, messages: bool = False
) -> list[Table]:
    """Return the tables whose rows are dumped, each after the tables that its rows need.

    `names` selects some of them; raises KeyError for a name that is no table. With `messages`, the
    tables include queues.
    """
    tables = [table for table in ordered_tables(schema) if messages or not table.is_queue]
    selected = {}
    for name in names:
        table = schema.requested_table(name)
        if table is None or table.is_queue:
            raise KeyError(name)
        selected[table.name] = table
    return [table for table in tables if not selected or table.name in selected]


def loaded_columns(table: Table) -> list[Column]:
    """Return the columns that have values of their own, in the order of the table."""
    return [column for column in table.columns if column.generated is None]


# ---------------------------------------------------------------------------- counters


def with_counters(schema: Schema, snapshot: Snapshot) -> Schema:
    """Return the schema with sequences that start where those of a database stand."""
    tables = {
        name: _with_identities(table, schema, snapshot) for name, table in schema.tables.items()
    }
    sequences = {}
    for name, sequence in schema.sequences.items():
        counter = None
        if not sequence.internal:
            counter = _next(snapshot.value(_sequence_state(schema, sequence.name)))
        kept = sequence.start_counter if counter is None else counter
        sequences[name] = replace(sequence, start_counter=kept)
    for table in tables.values():
        for column in table.columns:
            if column.identity is not None:
                name = schema.fold(column.identity.sequence)
                if name in sequences:
                    counter = column.identity.start_counter
                    sequences[name] = replace(sequences[name], start_counter=counter)
    return schema.next(sequences=sequences, tables=tables)


def _with_identities(table: Table, schema: Schema, snapshot: Snapshot) -> Table:
    columns = []
    for column in table.columns:
        if column.identity is not None:
            counter = _next(snapshot.value(_identity_state(schema, table.name, column.name)))
            if counter is not None:
                identity = replace(column.identity, start_counter=counter)
                column = replace(column, identity=identity)
        columns.append(column)
    return replace(table, columns=tuple(columns))


def _next(state: Cell) -> int | None:
    """Return the counter after a state; None for a sequence that was never used."""
    return None if state is None else int(str(state)) + 1


def _sequence_state(schema: Schema, name: str) -> str:
    if schema.dialect is POSTGRESQL:
        return f"SELECT spanner.get_internal_sequence_state({_pg_text(name)})"
    path = ".".join(f"`{part}`" for part in name.split("."))
    return f"SELECT GET_INTERNAL_SEQUENCE_STATE(SEQUENCE {path})"


def _identity_state(schema: Schema, table: str, column: str) -> str:
    name = f"{table}.{column}"
    if schema.dialect is POSTGRESQL:
        return f"SELECT spanner.get_table_column_identity_state({_pg_text(name)})"
    return f"SELECT GET_TABLE_COLUMN_IDENTITY_STATE('{name}')"


def _pg_text(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


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
            raise UnknownTable(no_table(str(missing.args[0]), schema)) from missing


def no_table(name: str, schema: Schema) -> str:
    """Return the message for a table that a schema does not have."""
    tables = [table.name for table in schema.tables.values()]
    return f"there is no table {name}; there are: {nearest(name, tables)}"


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


class CountedBatches:
    """The rows of a table, and how many there were so far."""

    def __init__(self, batches: Iterable[Batch]) -> None:
        self.rows = 0
        self._batches = batches

    def __iter__(self) -> Iterator[Batch]:
        for batch in self._batches:
            self.rows += len(batch[0])
            yield batch


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

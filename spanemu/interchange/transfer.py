"""Loads SQL files and folders into a database, a few rows in memory at a time."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from spanemu.base.errors import SpannerError
from spanemu.interchange.connection import Cell, Connection, Progress, Row
from spanemu.interchange.folder import FolderDump, TableFile
from spanemu.interchange.row_files import FileRow, InvalidRow, RowFormat
from spanemu.interchange.schema_parts import SchemaParts, loaded_columns
from spanemu.interchange.source import EVERYTHING, SILENCE, Choice
from spanemu.interchange.statements import FileStatement, file_statements
from spanemu.schema.dialect import DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.schema_source import SchemaStatement
from spanemu.sql.dialects import dialect_of

MUTATIONS_PER_COMMIT = 20_000  # a quarter of Spanner's limit, since index entries count as well
BYTES_PER_COMMIT = 4 * 1024 * 1024
STATEMENTS_PER_TRANSACTION = 10
STATEMENT_CHARS_PER_TRANSACTION = 20_000


class LoadRejected(Exception):
    """A file that cannot be loaded; the message names the file, the place in it and the reason."""


def load_sql(
    connection: Connection,
    file: TextIO,
    dialect: DatabaseDialect,
    origin: str,
    progress: Progress = SILENCE,
) -> None:
    """Run the statements of a file: consecutive schema statements as a batch, DML in batches."""
    begins_dml = dialect_of(dialect).begins_dml
    ddl: list[FileStatement] = []
    dml: list[FileStatement] = []
    for statement in file_statements(file, dialect):
        if begins_dml(statement.text):
            _run_ddl(connection, ddl, origin)
            if _is_full(dml, statement):
                _run_dml(connection, dml, origin, progress)
            dml.append(statement)
        else:
            _run_dml(connection, dml, origin, progress)
            ddl.append(statement)
    _run_ddl(connection, ddl, origin)
    _run_dml(connection, dml, origin, progress)


def _is_full(pending: Sequence[FileStatement], following: FileStatement) -> bool:
    """Return whether a transaction should not take another statement."""
    characters = sum(len(statement.text) for statement in (*pending, following))
    return len(pending) == STATEMENTS_PER_TRANSACTION or characters > (
        STATEMENT_CHARS_PER_TRANSACTION
    )


def _run_ddl(connection: Connection, pending: list[FileStatement], origin: str) -> None:
    if pending:
        try:
            connection.run_ddl(_own_statements(connection, pending))
        except SpannerError as failure:
            raise LoadRejected(f"{_place(origin, pending)}: {failure}") from failure
        pending.clear()


def _run_dml(
    connection: Connection, pending: list[FileStatement], origin: str, progress: Progress
) -> None:
    if pending:
        try:
            connection.run_dml([statement.text for statement in pending])
        except SpannerError as failure:
            raise LoadRejected(f"{_place(origin, pending)}: {failure}") from failure
        progress.add_rows(len(pending))
        pending.clear()


def _place(origin: str, statements: Sequence[FileStatement]) -> str:
    """Return the place of statements that ran at once, of which one failed."""
    first, last = statements[0].line, statements[-1].line
    return f"{origin}:{first}" if first == last else f"{origin}: lines {first} to {last}"


def load_folder(
    connection: Connection,
    dump: FolderDump,
    form: RowFormat,
    choice: Choice = EVERYTHING,
    progress: Progress = SILENCE,
) -> None:
    """Load a folder: the schema that the rows need, the rows, then the rest of the schema."""
    with loaded_schema(connection, dump.parts if choice.schema else None) as schema:
        for table, files in _files_of_tables(dump, schema, choice):
            if files:
                progress.begin_table(table.name)
            for file in files:
                _load_file(connection, file, RowBatches(table, schema), form, progress)


@contextmanager
def loaded_schema(connection: Connection, parts: SchemaParts | None) -> Iterator[Schema]:
    """Create the schema that rows need and yield it, then create the rest; None creates nothing."""
    if parts is not None:
        _run_parts(connection, parts.before, parts.descriptors)
    yield connection.schema()
    if parts is not None:
        _run_parts(connection, parts.after, parts.descriptors)


def _run_parts(connection: Connection, texts: Sequence[str], descriptors: bytes) -> None:
    for text in texts:
        statements = list(file_statements(io.StringIO(text), connection.dialect()))
        if statements:
            connection.run_ddl(_own_statements(connection, statements), descriptors)


def _own_statements(connection: Connection, statements: Iterable[FileStatement]) -> list[str]:
    """Return schema statements with the id of the database in ALTER DATABASE."""
    dialect, database = connection.dialect(), connection.database_id
    return [
        SchemaStatement(statement.text, "", statement.line, dialect).text_for(database)
        for statement in statements
    ]


def _files_of_tables(
    dump: FolderDump, schema: Schema, choice: Choice
) -> list[tuple[Table, list[TableFile]]]:
    """Return the files of each chosen table, in the order in which tables are loaded."""
    tables = choice.of(schema)
    files: dict[str, list[TableFile]] = {table.name: [] for table in tables}
    for file in dump.files:
        table = schema.requested_table(file.table)
        if table is None:
            raise LoadRejected(f"{file.path}: there is no table {file.table}")
        if table.name in files:
            files[table.name].append(file)
    return [(table, files[table.name]) for table in tables]


def _load_file(
    connection: Connection,
    file: TableFile,
    batches: RowBatches,
    form: RowFormat,
    progress: Progress,
) -> None:
    columns = file.columns or [column.name for column in loaded_columns(batches.table)]
    with file.path.open(encoding="utf-8-sig", newline="") as text:
        rows = form.read(text, batches.table, columns)
        load_rows(connection, rows, batches, file.path, progress)


def load_rows(
    connection: Connection,
    rows: Iterable[FileRow],
    batches: RowBatches,
    path: Path,
    progress: Progress,
) -> None:
    """Insert the rows of a file. Raises LoadRejected."""
    try:
        for row in rows:
            batches.add(row.line, row.columns, row.cells)
            if batches.is_full:
                batches.insert_into(connection, progress)
        batches.insert_into(connection, progress)
    except InvalidRow as problem:
        raise LoadRejected(f"{path}: {problem}") from problem
    except UnicodeDecodeError as problem:
        raise LoadRejected(f"{path} is not in UTF-8: {problem}") from problem
    except SpannerError as failure:
        where = f"{path}: lines {batches.first} to {batches.last}"
        raise LoadRejected(f"{where}: {failure}") from failure


@dataclass(slots=True)
class RowBatches:
    """Rows of a table that wait for their commit, grouped by columns. Lines count from one."""

    table: Table
    schema: Schema
    first: int = 0
    last: int = 0
    _rows: dict[tuple[str, ...], list[Row]] = field(default_factory=dict)
    _mutations: int = 0
    _bytes: int = 0

    def add(self, line: int, columns: tuple[str, ...], cells: Row) -> None:
        """Add a row of the file's line `line`."""
        if not self._rows:
            self.first = line
        self.last = line
        self._rows.setdefault(columns, []).append(cells)
        self._mutations += len(columns) * (1 + len(self.schema.indexes_of(self.table)))
        self._bytes += sum(map(_size, cells))

    @property
    def is_full(self) -> bool:
        """Return whether the rows should be committed before more rows are added."""
        return self._mutations >= MUTATIONS_PER_COMMIT or self._bytes >= BYTES_PER_COMMIT

    def insert_into(self, connection: Connection, progress: Progress) -> None:
        """Insert the rows. Raises SpannerError."""
        for columns, rows in self._rows.items():
            connection.insert(self.table.name, columns, rows)
            progress.add_rows(len(rows))
        self._rows, self._mutations, self._bytes = {}, 0, 0


def _size(cell: Cell) -> int:
    if isinstance(cell, str):
        return len(cell)
    return sum(map(_size, cell)) if isinstance(cell, list) else 8

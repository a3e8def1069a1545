"""Loads SQL files and folders into a database, a few rows in memory at a time."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from math import ceil
from pathlib import Path
from typing import TextIO

from spanemu.base.counts import counted
from spanemu.base.errors import Code, SpannerError
from spanemu.interchange.connection import Batch, Cell, Connection, Progress
from spanemu.interchange.errors import LoadRejected, StatementRefused
from spanemu.interchange.folder import FolderDump, TableFile
from spanemu.interchange.insert_rows import InsertedRows, InsertReader, begins_insert
from spanemu.interchange.parts import (
    EVERYTHING,
    SILENCE,
    Choice,
    SchemaParts,
    loaded_columns,
    no_table,
)
from spanemu.interchange.row_files import FileRows, InvalidRow, RowFormat, file_rows
from spanemu.interchange.statements import FileStatement, file_statements
from spanemu.schema.dialect import DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.schema_source import SchemaStatement
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import BadValue
from spanemu.values.value import decoder

MUTATIONS_PER_COMMIT = 20_000  # a quarter of Spanner's limit, since index entries count as well
BYTES_PER_COMMIT = 4 * 1024 * 1024
STATEMENTS_PER_TRANSACTION = 10
STATEMENT_CHARS_PER_TRANSACTION = 20_000


def load_sql(
    connection: Connection,
    file: TextIO,
    dialect: DatabaseDialect,
    origin: str,
    progress: Progress = SILENCE,
) -> None:
    """Run the statements of a file. Raises LoadRejected."""
    load = _SqlLoad(connection, dialect, origin, progress)
    for statement in file_statements(file, dialect):
        load.add(statement)
    load.run_all()


class _SqlLoad:
    """The load of a SQL file: consecutive statements of a kind wait for each other.

    Schema statements run as a batch, the rows of INSERT statements are committed together, and
    other DML runs in batches.
    """

    def __init__(
        self, connection: Connection, dialect: DatabaseDialect, origin: str, progress: Progress
    ) -> None:
        self._connection = connection
        self._begins_dml = dialect_of(dialect).begins_dml
        self._origin = origin
        self._progress = progress
        self._reader: InsertReader | None = None  # of the current schema
        self._ddl: list[FileStatement] = []
        self._dml: list[FileStatement] = []
        self._batches: RowBatches | None = None

    def add(self, statement: FileStatement) -> None:
        """Add a statement. Runs those before it where necessary."""
        if not (begins_insert(statement.text) or self._begins_dml(statement.text)):
            self._insert_rows()
            self._run_dml()
            self._ddl.append(statement)
            return
        self._run_ddl()
        if (inserted := self._inserted(statement.text)) is not None:
            self._run_dml()
            self._add_rows(statement, inserted)
            return
        self._insert_rows()
        if _is_full(self._dml, statement):
            self._run_dml()
        self._dml.append(statement)

    def run_all(self) -> None:
        """Run the statements that wait."""
        self._run_ddl()
        self._insert_rows()
        self._run_dml()

    def _inserted(self, statement: str) -> InsertedRows | None:
        if self._reader is None:
            self._reader = InsertReader(self._connection.schema())
        return self._reader.read(statement)

    def _add_rows(self, statement: FileStatement, inserted: InsertedRows) -> None:
        assert self._reader is not None
        table, columns, rows = inserted
        if self._batches is None or self._batches.table is not table:
            self._insert_rows()
            self._progress.begin_table(table.name)
            self._batches = RowBatches(table, self._reader.schema)
        lines = [statement.line] * len(rows)
        for part in self._batches.parts(file_rows(lines, len(statement.text), columns, rows)):
            self._batches.add(part)
            if self._batches.is_full:
                self._insert_batches(self._batches)

    def _insert_rows(self) -> None:
        if self._batches is not None:
            self._insert_batches(self._batches)
            self._batches = None

    def _insert_batches(self, batches: RowBatches) -> None:
        with batches.failures(self._origin):
            batches.insert_into(self._connection, self._progress)

    def _run_ddl(self) -> None:
        if self._ddl:
            with self._failures(self._ddl[0].line, self._ddl[-1].line):
                self._connection.run_ddl(_own_statements(self._connection, self._ddl))
            self._ddl.clear()
            self._reader = None

    def _run_dml(self) -> None:
        if self._dml:
            with self._failures(self._dml[0].line, self._dml[-1].line):
                self._connection.run_dml([statement.text for statement in self._dml])
            self._progress.add_rows(len(self._dml))
            self._dml.clear()

    @contextmanager
    def _failures(self, first: int, last: int) -> Iterator[None]:
        """Raise LoadRejected for a failure of statements that begin on these lines."""
        try:
            yield
        except StatementRefused as refused:
            line = self._dml[refused.index].line
            raise LoadRejected(f"{_at(self._origin, line, line)}: {refused.failure}") from refused
        except SpannerError as failure:
            raise LoadRejected(f"{_at(self._origin, first, last)}: {failure}") from failure


def _is_full(pending: Sequence[FileStatement], following: FileStatement) -> bool:
    """Return whether a transaction should not take another statement."""
    characters = sum(len(statement.text) for statement in (*pending, following))
    return len(pending) == STATEMENTS_PER_TRANSACTION or characters > (
        STATEMENT_CHARS_PER_TRANSACTION
    )


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
                batches = RowBatches(table, schema, "line", form.hint)
                _load_file(connection, file, batches, form, progress)


@contextmanager
def loaded_schema(connection: Connection, parts: SchemaParts | None) -> Iterator[Schema]:
    """Create the schema that rows need and yield it, then create the rest; None creates nothing.

    Raises LoadRejected.
    """
    if parts is not None:
        _run_parts(connection, parts.before, parts.descriptors, parts.origins[0])
    yield connection.schema()
    if parts is not None:
        _run_parts(connection, parts.after, parts.descriptors, parts.origins[1])


def _run_parts(
    connection: Connection, texts: Sequence[str], descriptors: bytes, origin: str
) -> None:
    for text in texts:
        statements = list(file_statements(io.StringIO(text), connection.dialect()))
        if statements:
            try:
                connection.run_ddl(_own_statements(connection, statements), descriptors)
            except SpannerError as failure:
                raise LoadRejected(f"{origin}: {failure}") from failure


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
            raise LoadRejected(f"{file.path}: {no_table(file.table, schema)}")
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
    batches.check_count(file.path, file.rows)


def load_rows(
    connection: Connection,
    rows: Iterable[FileRows],
    batches: RowBatches,
    path: Path,
    progress: Progress,
) -> None:
    """Insert the rows of a file. Raises LoadRejected."""
    try:
        with batches.failures(str(path)):
            for some in rows:
                for part in batches.parts(some):
                    batches.add(part)
                    if batches.is_full:
                        batches.insert_into(connection, progress)
            batches.insert_into(connection, progress)
    except InvalidRow as problem:
        raise LoadRejected(f"{path}: {problem}") from problem
    except UnicodeError as problem:
        raise LoadRejected(f"{path} is not in UTF-8: {problem}") from problem


def no_hint(line: int, cell: Cell) -> str:
    """Return no hint, for formats without options for reading rows."""
    return ""


@dataclass(slots=True)
class RowBatches:
    """Rows of a table that wait for their commit. Lines count from one.

    `unit` is what the numbers of rows count, empty for the lines of SQL, and `hint` ends an error
    about a cell on a line. `inserted` counts the rows that were committed.
    """

    table: Table
    schema: Schema
    unit: str = ""
    hint: Callable[[int, Cell], str] = no_hint
    inserted: int = 0
    _parts: list[FileRows] = field(default_factory=list)
    _mutations_per_cell: int = field(init=False)
    _mutations: int = 0
    _bytes: int = 0

    def __post_init__(self) -> None:
        self._mutations_per_cell = 1 + len(self.schema.indexes_of(self.table))

    def parts(self, rows: FileRows) -> Iterator[FileRows]:
        """Yield rows in parts, each of which fills the commit at most, once those before are in."""
        count, start = len(rows.lines), 0
        mutations, size = self._mutations_of(rows) / count, max(1, rows.size) / count
        while start < count:
            left = (MUTATIONS_PER_COMMIT - self._mutations) / mutations
            end = start + max(1, ceil(min(left, (BYTES_PER_COMMIT - self._bytes) / size)))
            yield rows if not start and end >= count else rows.part(start, end)
            start = end

    def add(self, rows: FileRows) -> None:
        """Add rows."""
        self._parts.append(rows)
        self._mutations += self._mutations_of(rows)
        self._bytes += rows.size

    def _mutations_of(self, rows: FileRows) -> int:
        return max(1, len(rows.columns)) * len(rows.lines) * self._mutations_per_cell

    @property
    def is_full(self) -> bool:
        """Return whether the rows should be committed before more rows are added."""
        return self._mutations >= MUTATIONS_PER_COMMIT or self._bytes >= BYTES_PER_COMMIT

    def insert_into(self, connection: Connection, progress: Progress) -> None:
        """Insert the rows in one commit. Raises SpannerError; the rows are then still here."""
        if self._parts:
            groups: dict[tuple[str, ...], list[FileRows]] = {}
            for part in self._parts:
                groups.setdefault(part.columns, []).append(part)
            batches = {columns: _columns_of(parts) for columns, parts in groups.items()}
            connection.insert_groups(self.table.name, batches)
            count = sum(len(part.lines) for part in self._parts)
            progress.add_rows(count)
            self.inserted += count
        self._parts, self._mutations, self._bytes = [], 0, 0

    def check_count(self, path: Path, written: int | None) -> None:
        """Raise LoadRejected if a file had another number of rows when it was written."""
        if written not in (None, self.inserted):
            counts = f"{counted(self.inserted, 'row')} read, {written} written"
            raise LoadRejected(f"{path}: {counts}")

    @contextmanager
    def failures(self, origin: str) -> Iterator[None]:
        """Raise LoadRejected for a failed insert: on the line of an invalid value, or on lines."""
        try:
            yield
        except SpannerError as failure:
            if not self._parts:
                raise
            first, last, hint = self._parts[0].lines[0], self._parts[-1].lines[-1], ""
            if failure.code in _CODES_OF_VALUES and (fault := self._fault()) is not None:
                first, last = fault[0], fault[0]
                hint = self.hint(*fault)
            lines = _at(origin, first, last, self.unit)
            raise LoadRejected(f"{lines}: {failure}{hint}") from failure

    def _fault(self) -> tuple[int, Cell] | None:
        """Return the line of the first row with a cell that its column does not take, and this."""
        for part in self._parts:
            takers = [_taker(self.table, name) for name in part.columns]
            for line, *cells in zip(part.lines, *part.cells, strict=True):
                for takes, cell in zip(takers, cells, strict=True):
                    if not takes(cell):
                        return line, cell
        return None


def _columns_of(parts: Sequence[FileRows]) -> Batch:
    """Return the cells of rows with the same columns, by column."""
    columns = zip(*[part.cells for part in parts], strict=True)
    return [list(chain.from_iterable(each)) for each in columns]


_CODES_OF_VALUES = frozenset({Code.INVALID_ARGUMENT, Code.FAILED_PRECONDITION, Code.OUT_OF_RANGE})


def _taker(table: Table, name: str) -> Callable[[Cell], bool]:
    """Return a predicate: whether a column takes a cell."""
    column = table.requested_column(name)
    return (lambda cell: True) if column is None else partial(_takes, column)


def _takes(column: Column, cell: Cell) -> bool:
    """Return whether a column takes a cell, as far as its type, its length and NOT NULL say."""
    if cell is None:
        return not column.not_null
    try:
        value = decoder(column.type)(cell)
    except BadValue:
        # The time of the commit is written as a text that is no time.
        return column.allow_commit_timestamp
    if column.length is None:
        return True
    items = value if column.type.is_array else [value]
    return all(item is None or len(item) <= column.length for item in items)


def _at(origin: str, first: int, last: int, unit: str = "") -> str:
    """Return a place in a file: `T.csv: line 3`, `T.csv: lines 3 to 7`, or `dump.sql:3`."""
    if first != last:
        return f"{origin}: {unit or 'line'}s {first} to {last}"
    return f"{origin}: {unit} {first}" if unit else f"{origin}:{first}"

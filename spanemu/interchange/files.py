"""Dumps as files: the formats by name, and the format of files that exist."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from io import SEEK_END, TextIOWrapper
from pathlib import Path
from typing import BinaryIO

from spanemu.base.counts import counted
from spanemu.interchange.avro import export
from spanemu.interchange.connection import Connection, Progress
from spanemu.interchange.errors import InvalidDump, LoadRejected
from spanemu.interchange.folder import FolderDump, read_folder, write_folder
from spanemu.interchange.inventory import INVENTORY
from spanemu.interchange.parts import EVERYTHING, SILENCE, Choice, DumpSource
from spanemu.interchange.row_files import Csv, JsonLines, RowFormat
from spanemu.interchange.sql_checksum import check_sql, sql_dialect
from spanemu.interchange.sql_text import write_sql
from spanemu.interchange.transfer import load_folder, load_sql
from spanemu.schema.dialect import DatabaseDialect

SQL, JSONL, CSV, AVRO = "sql", "jsonl", "csv", "avro"
FORMS = (SQL, JSONL, CSV, AVRO)
EXPORT = "spanner-export.json"
PLAIN_CSV = Csv()


def checked_form(name: str) -> str:
    """Return the name of a format. Raises ValueError for another name."""
    if name not in FORMS:
        raise ValueError(f"{name!r} is not a format of dumps; there are {', '.join(FORMS)}")
    if name == AVRO and find_spec("fastavro") is None:
        raise ValueError("Avro needs the package fastavro: pip install 'spanemu[avro]'")
    return name


def form_of(path: Path) -> str:
    """Return the format of a file or a folder, by the files that the folder has."""
    path = _source(path)
    if path.is_dir():
        if (path / EXPORT).exists():
            return AVRO
        return JSONL if any(path.glob("*.jsonl")) else CSV
    if path.name == EXPORT or path.suffix.startswith(".avro"):
        return AVRO
    if path.suffix == ".json":
        return JSONL if any(path.parent.glob("*.jsonl")) else CSV
    return {".jsonl": JSONL, ".csv": CSV}.get(path.suffix.lower(), SQL)


def _source(path: Path) -> Path:
    """Return the folder of an inventory, and any other path itself."""
    return path.parent if path.name == INVENTORY else path


def write_files(path: Path, form: str, source: DumpSource, csv: Csv = PLAIN_CSV) -> None:
    """Write a dump to a file of SQL, or to a folder in another format."""
    if form == SQL:
        with path.open("w", encoding="utf-8", newline="\n") as file:
            write_sql(file, source)
    elif form == AVRO:
        export.write_export(path, source)
    else:
        write_folder(path, source, _row_format(form, csv))


@dataclass(frozen=True, slots=True)
class Loaded:
    """The extent of a load. In SQL, statements count with the rows, and `unit` says so."""

    tables: int
    rows: int
    unit: tuple[str, str]

    def __str__(self) -> str:
        if not self.rows:
            return "no rows"
        return f"{counted(self.tables, 'table')}, {counted(self.rows, *self.unit)}"


@dataclass(frozen=True, slots=True)
class DumpFiles:
    """A dump in files; messages call it `origin`. `dialect` is None if the files do not say it.

    `sql` is the file of a dump in SQL, or its path.
    """

    origin: str
    form: str
    dialect: DatabaseDialect | None
    content: FolderDump | export.Export | None = None  # None for SQL
    csv: Csv = PLAIN_CSV
    sql: BinaryIO | Path | None = None

    def check_dialect(self, dialect: DatabaseDialect) -> None:
        """Raise LoadRejected for a database in whose dialect the statements are not."""
        if self.form == SQL and self.dialect not in (None, dialect):
            assert self.dialect is not None
            dialects = f"the dialect {self.dialect.name}, and the database has {dialect.name}"
            raise LoadRejected(f"{self.origin} is a dump in {dialects}")

    def load(
        self, connection: Connection, choice: Choice = EVERYTHING, progress: Progress = SILENCE
    ) -> Loaded:
        """Load the dump, and return what was loaded. Raises LoadRejected or UnknownTable."""
        counter = _Counter(progress)
        try:
            self._load(connection, choice, counter)
        except LoadRejected as problem:
            if not counter.rows:
                raise
            was = "was" if counter.rows == 1 else "were"
            before = f"{counted(counter.rows, *self._unit)} before {was} loaded"
            raise LoadRejected(f"{problem} ({before})") from problem
        return Loaded(len(counter.tables), counter.rows, self._unit)

    @property
    def _unit(self) -> tuple[str, str]:
        return ("row or statement", "rows and statements") if self.form == SQL else ("row", "rows")

    def _load(self, connection: Connection, choice: Choice, progress: Progress) -> None:
        if isinstance(self.content, FolderDump):
            rows = _row_format(self.form, self.csv)
            load_folder(connection, self.content, rows, choice, progress)
        elif self.content is not None:
            export.load_export(connection, self.content, choice, progress)
        elif self.sql is not None:
            check_whole(choice, self.origin)
            dialect = connection.dialect()
            self.check_dialect(dialect)
            with self._text(self.sql) as text:
                load_sql(connection, text, dialect, self.origin, progress)

    @contextmanager
    def _text(self, source: BinaryIO | Path) -> Iterator[TextIOWrapper]:
        """Yield the text of a dump in SQL. Raises LoadRejected for another encoding."""
        file = source.open("rb") if isinstance(source, Path) else source
        if not file.seek(0, SEEK_END):
            raise LoadRejected(f"{self.origin} is empty")
        file.seek(0)
        try:
            with TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
                yield text
        except UnicodeError as problem:
            raise LoadRejected(f"{self.origin} is not in UTF-8: {problem}") from problem


class _Counter:
    """A listener that counts tables and rows for another listener."""

    def __init__(self, progress: Progress) -> None:
        self.tables: set[str] = set()
        self.rows = 0
        self._progress = progress

    def begin_table(self, table: str) -> None:
        """Remember the table, and pass it on."""
        self.tables.add(table)
        self._progress.begin_table(table)

    def add_rows(self, count: int) -> None:
        """Count rows, and pass them on."""
        self.rows += count
        self._progress.add_rows(count)


def read_files(
    path: Path, form: str = "", csv: Csv = PLAIN_CSV, *, edited: bool = False
) -> DumpFiles:
    """Return the dump in a file or a folder.

    Damaged files are not found if the dump was `edited`. Raises InvalidDump, LoadRejected or
    OSError.
    """
    path, form = _source(path), form or form_of(path)
    if form == SQL:
        if path.is_fifo():
            raise InvalidDump(f"{path} is a pipe, which cannot be read twice")
        with path.open("rb") as file:
            if not file.seek(0, SEEK_END):
                raise LoadRejected(f"{path} is empty")
            file.seek(0)
            dialect = read_sql(file, str(path), edited=edited).dialect
        return DumpFiles(str(path), form, dialect, sql=path)
    if form == AVRO:
        exported = export.read_export(path, edited=edited)
        return DumpFiles(str(path), form, exported.dialect, exported)
    dump = read_folder(path, _row_format(form, csv).suffix, edited=edited)
    if form == CSV:
        csv = _agreed(csv, dump, path)
    return DumpFiles(str(path), form, dump.dialect, dump, csv)


def read_sql(file: BinaryIO, origin: str, *, edited: bool = False) -> DumpFiles:
    """Return the dump in a file of SQL that can be read several times.

    Raises DamagedFile or InvalidDump.
    """
    if not edited:
        check_sql(file, origin)
        file.seek(0)
    dialect = sql_dialect(file)
    file.seek(0)
    return DumpFiles(origin, SQL, dialect, sql=file)


def _agreed(csv: Csv, dump: FolderDump, path: Path) -> Csv:
    """Return the form in which the CSV files of a dump were written. Raises InvalidDump."""
    if not dump.options:
        return csv
    written = Csv(**dump.options)
    if csv not in (PLAIN_CSV, written):
        raise InvalidDump(f"{path} was written with {written.command_line}")
    return written


def check_whole(choice: Choice, origin: str) -> None:
    """Raise LoadRejected for a choice of parts: a load of SQL runs all statements."""
    if choice != EVERYTHING:
        raise LoadRejected(f"{origin} is SQL, of which no part can be selected")


def _row_format(form: str, csv: Csv) -> RowFormat:
    return JsonLines() if form == JSONL else csv

"""Dumps as files: the formats by name, and the format of files that exist."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from spanemu.base.deferred import deferred
from spanemu.interchange.connection import Connection, Progress
from spanemu.interchange.folder import FolderDump, read_folder, write_folder
from spanemu.interchange.parts import EVERYTHING, SILENCE, Choice, DumpSource
from spanemu.interchange.row_files import Csv, JsonLines, RowFormat
from spanemu.interchange.sql_text import write_sql
from spanemu.interchange.transfer import LoadRejected, load_folder, load_sql
from spanemu.schema.dialect import DatabaseDialect

if TYPE_CHECKING:
    from spanemu.interchange.avro import export
else:
    export = deferred("spanemu.interchange.avro.export")

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
    folder = path if path.is_dir() else path.parent
    if path.name == EXPORT or (path.is_dir() and (path / EXPORT).exists()):
        return AVRO
    if path.is_dir() or path.suffix == ".json":
        return JSONL if any(folder.glob("*.jsonl")) else CSV
    return SQL


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
class DumpFiles:
    """A dump in files. `dialect` is None if the files do not say it."""

    path: Path
    form: str
    dialect: DatabaseDialect | None
    content: FolderDump | export.Export | None = None  # None for SQL
    csv: Csv = PLAIN_CSV

    def load(
        self, connection: Connection, choice: Choice = EVERYTHING, progress: Progress = SILENCE
    ) -> None:
        """Load the dump. Raises LoadRejected or UnknownTable."""
        if isinstance(self.content, FolderDump):
            rows = _row_format(self.form, self.csv)
            load_folder(connection, self.content, rows, choice, progress)
        elif self.content is not None:
            export.load_export(connection, self.content, choice, progress)
        else:
            check_whole(choice, str(self.path))
            with self.path.open(encoding="utf-8-sig") as file:
                load_sql(connection, file, connection.dialect(), str(self.path), progress)


def read_files(path: Path, form: str = "", csv: Csv = PLAIN_CSV) -> DumpFiles:
    """Return the dump in a file or a folder. Raises InvalidDump or OSError."""
    form = form or form_of(path)
    if form == SQL:
        return DumpFiles(path, form, None)
    if form == AVRO:
        exported = export.read_export(path)
        return DumpFiles(path, form, exported.dialect, exported)
    dump = read_folder(path, _row_format(form, csv).suffix)
    return DumpFiles(path, form, dump.dialect, dump, csv)


def check_whole(choice: Choice, origin: str) -> None:
    """Raise LoadRejected for a choice of parts: a load of SQL runs all statements."""
    if choice != EVERYTHING:
        raise LoadRejected(f"{origin} is SQL, of which no part can be selected")


def _row_format(form: str, csv: Csv) -> RowFormat:
    return JsonLines() if form == JSONL else csv

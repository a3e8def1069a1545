"""Dumps as a folder of text files, one for each table, beside a manifest and the schema.

    manifest.json      the tables with their files and columns, in the form of Spanner's CSV exports
    schema.sql         the schema that the rows need
    schema-after.sql   the rest of the schema: foreign keys and change streams
    descriptors.pb     the types of protocol buffers, if the schema has any
    Singers.jsonl      rows: JSON lines, or CSV

A load reads `manifest.json`. Files without a manifest are loaded by their names: Singers.csv.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from spanemu.interchange.parts import DumpSource, SchemaParts, loaded_columns
from spanemu.interchange.row_files import RowFormat
from spanemu.schema.dialect import DATABASE_DIALECTS, DatabaseDialect
from spanemu.schema.table import Table

MANIFEST = "manifest.json"
SCHEMA = "schema.sql"
SCHEMA_AFTER = "schema-after.sql"
DESCRIPTORS = "descriptors.pb"
NAME_CHARS = " .-_"  # that the name of a file may have, besides letters and digits


class InvalidDump(ValueError):
    """A folder that is no dump; the message names the file."""


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file with rows of a table; `columns` are empty if the file or the table has their names."""

    table: str
    path: Path
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FolderDump:
    """A dump as its folder describes it. `dialect` is None if the folder has no manifest."""

    files: list[TableFile]
    parts: SchemaParts | None
    dialect: DatabaseDialect | None


def write_folder(folder: Path, source: DumpSource, form: RowFormat) -> None:
    """Write a dump into a folder, which is made if it does not exist; the manifest comes last."""
    folder.mkdir(parents=True, exist_ok=True)
    if source.parts is not None:
        write_schema(folder, source.parts)
    entries = []
    for table in source.tables:
        name = quote(table.name, safe=NAME_CHARS) + form.suffix
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            form.write(file, loaded_columns(table), source.batches(table))
        entries.append(_entry(table, name))
    manifest = {"tables": entries, "dialect": source.schema.dialect.name}
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _entry(table: Table, name: str) -> dict[str, Any]:
    columns = [
        {"column_name": column.name, "type_name": column.type_text}
        for column in loaded_columns(table)
    ]
    return {"table_name": table.name, "file_patterns": [glob.escape(name)], "columns": columns}


def write_schema(folder: Path, parts: SchemaParts) -> None:
    """Write the files with the schema of a dump into its folder."""
    for name, statements in ((SCHEMA, parts.before), (SCHEMA_AFTER, parts.after)):
        text = "".join(f"{statement};\n" for statement in statements)
        (folder / name).write_text(text, encoding="utf-8")
    if parts.descriptors:
        (folder / DESCRIPTORS).write_bytes(parts.descriptors)


def read_folder(path: Path, suffix: str) -> FolderDump:
    """Return the dump in a folder, or that of a manifest. Raises InvalidDump or OSError."""
    folder = path if path.is_dir() else path.parent
    manifest = folder / MANIFEST if path.is_dir() else path
    parts = read_schema(folder)
    if path.is_dir() and not manifest.exists():
        files = [TableFile(unquote(each.stem), each) for each in sorted(folder.glob(f"*{suffix}"))]
        if not files and parts is None:
            raise InvalidDump(f"{path}: there is neither {MANIFEST} nor a file *{suffix}")
        return FolderDump(files, parts, None)
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
        files = [file for entry in content["tables"] for file in _files(entry, folder)]
        dialects = {each.name: each for each in DATABASE_DIALECTS.values()}
        dialect = dialects[content.get("dialect") or DATABASE_DIALECTS[0].name]
    except (ValueError, KeyError, TypeError) as problem:
        raise InvalidDump(f"{manifest} is not a manifest: {problem!r}") from problem
    return FolderDump(files, parts, dialect)


def _files(entry: Any, folder: Path) -> Iterator[TableFile]:
    columns = tuple(column["column_name"] for column in entry.get("columns", ()))
    for pattern in entry["file_patterns"]:
        for path in sorted(folder.glob(pattern)):
            yield TableFile(entry["table_name"], path, columns)


def read_schema(folder: Path) -> SchemaParts | None:
    """Return the schema in the folder of a dump; None if the dump has none."""
    if not (folder / SCHEMA).exists():
        return None
    descriptors = folder / DESCRIPTORS
    after = folder / SCHEMA_AFTER
    return SchemaParts(
        [(folder / SCHEMA).read_text(encoding="utf-8")],
        [after.read_text(encoding="utf-8")] if after.exists() else [],
        descriptors.read_bytes() if descriptors.exists() else b"",
    )

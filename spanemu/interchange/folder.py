"""Dumps as a folder of text files, one for each table, beside a manifest and the schema.

    manifest.json      the tables with their files and columns, in the form of Spanner's CSV exports
    schema.sql         the schema that the rows need
    schema-after.sql   the rest of the schema: foreign keys and change streams
    descriptors.pb     the types of protocol buffers, if the schema has any
    Singers.jsonl      rows: JSON lines, or CSV
    spanemu.json       the inventory of these files

A load reads `manifest.json`. Files without a manifest are loaded by their names: Singers.csv. So is
a file with rows that is loaded alone.
"""

from __future__ import annotations

import glob
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from spanemu.base.text_files import read_text
from spanemu.interchange.errors import DamagedFile, InvalidDump, reason_of
from spanemu.interchange.inventory import (
    FolderWriter,
    Inventory,
    read_inventory,
    verified_inventory,
    written_folder,
)
from spanemu.interchange.parts import CountedBatches, DumpSource, SchemaParts, loaded_columns
from spanemu.interchange.row_files import RowFormat
from spanemu.schema.dialect import DATABASE_DIALECTS, DatabaseDialect
from spanemu.schema.table import Table

MANIFEST = "manifest.json"
MANIFEST_SUFFIX = ".json"
SCHEMA = "schema.sql"
SCHEMA_AFTER = "schema-after.sql"
DESCRIPTORS = "descriptors.pb"
SCHEMA_FILES = (SCHEMA, SCHEMA_AFTER, DESCRIPTORS)
NAME_CHARS = " .-_"  # that the name of a file may have, besides letters and digits


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file with rows of a table; `columns` are empty if the file or the table has their names.

    `rows` is the number of rows that were written, None if it is not known.
    """

    table: str
    path: Path
    columns: tuple[str, ...] = ()
    rows: int | None = None


@dataclass(frozen=True, slots=True)
class FolderDump:
    """A dump as its folder describes it. `dialect` is None if the folder has no manifest.

    `options` say how the files with rows are to be read, if they were written in another form than
    the default.
    """

    files: list[TableFile]
    parts: SchemaParts | None
    dialect: DatabaseDialect | None
    options: Mapping[str, Any] = field(default_factory=dict)


def write_folder(folder: Path, source: DumpSource, form: RowFormat) -> None:
    """Write a dump into a folder, created if necessary; the manifest is written last."""
    with written_folder(folder, form.options) as files:
        if source.parts is not None:
            write_schema(files, source.parts)
        entries = []
        for table in source.tables:
            name = quote(table.name, safe=NAME_CHARS) + form.suffix
            with files.text(name) as file:
                counted = CountedBatches(source.batches(table))
                form.write(file, loaded_columns(table), counted)
            files.rows[name] = counted.rows
            entries.append(_entry(table, name))
        manifest = {"tables": entries, "dialect": source.schema.dialect.name}
        files.write(MANIFEST, json.dumps(manifest, indent=2) + "\n")


def _entry(table: Table, name: str) -> dict[str, Any]:
    columns = [
        {"column_name": column.name, "type_name": column.type_text}
        for column in loaded_columns(table)
    ]
    return {"table_name": table.name, "file_patterns": [glob.escape(name)], "columns": columns}


def write_schema(files: FolderWriter, parts: SchemaParts) -> None:
    """Write the files with the schema of a dump into its folder."""
    for name, statements in ((SCHEMA, parts.before), (SCHEMA_AFTER, parts.after)):
        files.write(name, "".join(f"{statement};\n" for statement in statements))
    if parts.descriptors:
        files.write(DESCRIPTORS, parts.descriptors)


def read_folder(path: Path, suffix: str, *, edited: bool = False) -> FolderDump:
    """Return the dump in a folder, of a manifest, or of a file with rows.

    Damaged files are not found if the dump was `edited`. Raises InvalidDump, DamagedFile or
    OSError.
    """
    if not path.is_dir() and path.suffix != MANIFEST_SUFFIX:
        return _read_file(path, edited=edited)
    folder = path if path.is_dir() else path.parent
    inventory = None if edited else verified_inventory(folder)
    options = {} if inventory is None else inventory.options
    parts = read_schema(folder, inventory)
    manifest = folder / MANIFEST if path.is_dir() else path
    if path.is_dir() and not manifest.exists():
        files = [_named_file(each) for each in sorted(folder.glob(f"*{suffix}"))]
        if not files and parts is None:
            raise InvalidDump(f"{path}: there is neither {MANIFEST} nor a file *{suffix}")
        return FolderDump(files, parts, None, options)
    files, dialect = _read_manifest(manifest, inventory, edited=edited)
    return FolderDump(files, parts, dialect, options)


def _read_file(path: Path, *, edited: bool) -> FolderDump:
    """Return a file with rows as a dump, with the columns that a manifest beside it lists."""
    inventory = None if edited else read_inventory(path.parent)
    if inventory is None or path.name not in inventory.files:
        return FolderDump([_named_file(path)], None, None)
    inventory.verify([MANIFEST, path.name])
    files, _ = _read_manifest(path.parent / MANIFEST, inventory, edited=edited)
    files = [file for file in files if file.path == path]
    if not files:
        raise InvalidDump(f"{path} has no rows of a table: {MANIFEST} does not name it")
    return FolderDump(files, None, None, inventory.options)


def _named_file(path: Path) -> TableFile:
    """Return the file of the table after which it is named."""
    return TableFile(unquote(path.stem), path)


def _read_manifest(
    path: Path, inventory: Inventory | None, *, edited: bool
) -> tuple[list[TableFile], DatabaseDialect]:
    """Return the files of a manifest, and the dialect.

    Raises InvalidDump, OSError, and DamagedFile for a file that is missing, unless `edited`.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        files = []
        for entry in content["tables"]:
            for pattern in entry["file_patterns"]:
                paths = sorted(path.parent.glob(pattern))
                if not (paths or edited):  # Spanner's import refuses it, too.
                    raise DamagedFile(path.parent / pattern, f"is missing: {path.name} names it")
                files += [_table_file(entry, each, inventory) for each in paths]
        return files, listed_dialect(content)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise InvalidDump(f"{path} is not a manifest: {reason_of(problem)}") from problem


def listed_dialect(content: Any) -> DatabaseDialect:
    """Return the dialect that a manifest names, by default GoogleSQL. Raises ValueError."""
    name = content.get("dialect") or DATABASE_DIALECTS[0].name
    for dialect in DATABASE_DIALECTS.values():
        if dialect.name == name:
            return dialect
    raise ValueError(f"there is no dialect {name}")


def _table_file(entry: Any, path: Path, inventory: Inventory | None) -> TableFile:
    columns = tuple(column["column_name"] for column in entry.get("columns", ()))
    rows = None if inventory is None else inventory.rows(path)
    return TableFile(entry["table_name"], path, columns, rows)


def read_schema(folder: Path, inventory: Inventory | None) -> SchemaParts | None:
    """Return the schema in the folder of a dump; None if the dump has none.

    Raises DamagedFile for files with a schema that are not in the inventory.
    """
    if inventory is not None:
        inventory.refuse_others(SCHEMA_FILES)
    if not (folder / SCHEMA).exists():
        return None
    descriptors = folder / DESCRIPTORS
    after = folder / SCHEMA_AFTER
    return SchemaParts(
        [_text(folder / SCHEMA)],
        [_text(after)] if after.exists() else [],
        descriptors.read_bytes() if descriptors.exists() else b"",
        (str(folder / SCHEMA), str(after)),
    )


def _text(path: Path) -> str:
    """Return the text of a file. Raises InvalidDump or OSError."""
    try:
        return read_text(path)
    except UnicodeError as problem:
        raise InvalidDump(f"{path} is not in UTF-8: {problem}") from problem

"""Writes and loads the folder of an export."""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast
from urllib.parse import quote

import fastavro

from spanemu.interchange.avro.definitions import (
    UnknownDefinition,
    name_of,
    schema_statements,
)
from spanemu.interchange.avro.records import (
    Record,
    avro_name,
    object_records,
    reader_of,
    table_record,
    writer_of,
)
from spanemu.interchange.connection import Batch, Connection, Progress, Row
from spanemu.interchange.errors import DamagedFile, InvalidDump, LoadRejected, reason_of
from spanemu.interchange.folder import NAME_CHARS, listed_dialect, read_schema, write_schema
from spanemu.interchange.inventory import (
    FolderWriter,
    Inventory,
    verified_inventory,
    written_folder,
)
from spanemu.interchange.parts import (
    EVERYTHING,
    SILENCE,
    Choice,
    CountedBatches,
    DumpSource,
    SchemaParts,
    loaded_columns,
)
from spanemu.interchange.row_files import FileRows, file_rows
from spanemu.interchange.transfer import RowBatches, load_rows, loaded_schema
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.schema_source import quoted_database

EXPORT = "spanner-export.json"
# The lists of an export that name objects with a manifest.
_LISTS = ("tables", "sequences", "changeStreams", "models", "placements", "propertyGraphs")
_READ_BYTES = 1 << 20

# ---------------------------------------------------------------------------- write


def write_export(folder: Path, source: DumpSource) -> None:
    """Write an export into a folder, created if necessary; the list of files is written last."""
    schema = source.schema
    export: dict[str, Any] = {"tables": []}
    with written_folder(folder) as files:
        for table in source.tables:
            rows = CountedBatches(source.batches(table))
            name = _write_file(files, table_record(table, schema), _records(table, rows))
            files.rows[name] = rows.rows
            export["tables"].append(_entry(table.name))
        if source.parts is not None:
            write_schema(files, source.parts)
            for list_name, record in object_records(schema):
                _write_file(files, record, iter(()))
                export.setdefault(list_name, []).append(_entry(name_of(record)))
            export["databaseOptions"] = [
                {"optionName": name, "optionType": _option_type(value), "optionValue": str(value)}
                for name, value in _database_options(schema)
            ]
        if schema.dialect is POSTGRESQL:
            export["dialect"] = schema.dialect.name
        files.write(EXPORT, json.dumps(export, indent=2) + "\n")


def _database_options(schema: Schema) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name, value in schema.options.items() if "nanos" not in name)


def _option_type(value: Any) -> str:
    if isinstance(value, bool):
        return "BOOL"
    return "INT64" if isinstance(value, int) else "STRING"


def _entry(name: str) -> dict[str, str]:
    return {"name": name, "manifestFile": f"{_file_name(name)}-manifest.json"}


def _file_name(name: str) -> str:
    return quote(name, safe=NAME_CHARS)


def _records(table: Table, batches: Iterable[Batch]) -> Iterator[dict[str, Any]]:
    columns = loaded_columns(table)
    names = [avro_name(column.name) for column in columns]
    writers = [writer_of(column.type) for column in columns]
    for batch in batches:
        values = [
            cells if write is None else [None if cell is None else write(cell) for cell in cells]
            for write, cells in zip(writers, batch, strict=True)
        ]
        for row in zip(*values, strict=True):
            yield dict(zip(names, row, strict=True))


def _write_file(files: FolderWriter, record: Record, rows: Iterator[dict[str, Any]]) -> str:
    """Write the file with the records of a table, and its manifest; return the file's name."""
    object_name = _file_name(name_of(record))
    name = f"{object_name}.avro-00000-of-00001"
    with files.binary(name) as file:
        hashing = _Hashing(file)
        fastavro.writer(hashing, record, rows, codec="deflate")
    md5 = base64.b64encode(hashing.md5.digest()).decode("ascii")
    manifest = {"files": [{"name": name, "md5": md5}]}
    files.write(f"{object_name}-manifest.json", json.dumps(manifest, indent=2) + "\n")
    return name


class _Hashing:
    """A file that computes the checksum of what is written to it."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.md5 = hashlib.md5(usedforsecurity=False)

    def write(self, data: bytes) -> int:
        """Write bytes."""
        self.md5.update(data)
        return self._file.write(data)

    def flush(self) -> None:
        """Flush the file."""
        self._file.flush()

    def seekable(self) -> bool:
        """Return False: the checksum requires that the file is written sequentially."""
        return False


# ---------------------------------------------------------------------------- read


@dataclass(frozen=True, slots=True)
class ExportedFiles:
    """The files of an object, all with the same record schema, and their numbers of rows.

    The number is None if it is not known.
    """

    record: Record
    files: list[tuple[Path, int | None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Export:
    """An export as its folder describes it."""

    dialect: DatabaseDialect
    objects: list[ExportedFiles]
    parts: SchemaParts


def read_export(path: Path, *, edited: bool = False) -> Export:
    """Return the export in a folder, or of a file EXPORT.

    Damaged files are not found if the export was `edited`. Raises InvalidDump, DamagedFile or
    OSError.
    """
    listed = path / EXPORT if path.is_dir() else path
    if listed.suffix != ".json":
        raise InvalidDump(f"{path}: an Avro source is a folder, or its file {EXPORT}")
    folder = listed.parent
    inventory = None if edited else verified_inventory(folder)
    reader = _Reader(folder, inventory, edited=edited)
    try:
        content = json.loads(listed.read_text(encoding="utf-8"))
        dialect = listed_dialect(content)
        objects = [reader.files_of(entry) for name in _LISTS for entry in content.get(name, ())]
        parts = read_schema(folder, inventory) or _derived_parts(content, objects, dialect)
    except InvalidDump:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise InvalidDump(f"{listed} is not an export: {reason_of(problem)}") from problem
    return Export(dialect, objects, parts)


def _derived_parts(
    content: Mapping[str, Any], objects: list[ExportedFiles], dialect: DatabaseDialect
) -> SchemaParts:
    """Return the schema that the records of an export define, with the options of the database."""
    if content.get("udfs"):
        raise UnknownDefinition("functions in an export are not implemented")
    parts = schema_statements([each.record for each in objects], dialect)
    options = []
    for option in content.get("databaseOptions", ()):
        value = option["optionValue"]
        if option.get("optionType", "STRING").upper() in ("STRING", "CHARACTER VARYING"):
            value = "'" + value.replace("'", "\\'") + "'"
        database = quoted_database("db", dialect)
        if dialect is POSTGRESQL:
            text = f"ALTER DATABASE {database} SET spanner.{option['optionName']} = {value}"
        else:
            text = f"ALTER DATABASE {database} SET OPTIONS ({option['optionName']} = {value})"
        options.append(f"{text};\n")
    descriptors = base64.b64decode(content.get("protoDescriptors", ""))
    names = ", ".join(f"`{name}`" for name in content.get("protoBundle", ()))
    bundle = [f"CREATE PROTO BUNDLE ({names});\n"] if names else []
    before = [f"{statement};\n" for statement in parts.before]
    after = [f"{statement};\n" for statement in parts.after]
    return SchemaParts(["".join([*options, *bundle, *before])], ["".join(after)], descriptors)


@dataclass(frozen=True, slots=True)
class _Reader:
    """A folder of which the manifests are read. `inventory` says that all files are verified."""

    folder: Path
    inventory: Inventory | None
    edited: bool

    def files_of(self, entry: Mapping[str, Any]) -> ExportedFiles:
        """Return the files of an object. Raises InvalidDump, DamagedFile or OSError."""
        if "manifestFile" in entry:
            paths = self._of_manifest(self.folder / entry["manifestFile"])
        else:
            paths = [self.folder / name for name in entry["dataFiles"]]
        if not paths:
            raise InvalidDump(f"{entry['name']} has no file, which would define it")
        record = _record_schema(paths[0])
        rows = [None if self.inventory is None else self.inventory.rows(path) for path in paths]
        return ExportedFiles(
            {**record, "spannerName": entry["name"]}, list(zip(paths, rows, strict=True))
        )

    def _of_manifest(self, path: Path) -> list[Path]:
        """Return the files of a manifest, with the checksums that it lists."""
        try:
            listed = json.loads(path.read_text(encoding="utf-8")).get("files", ())
            files = [(self.folder / each["name"], each.get("md5")) for each in listed]
        except (ValueError, KeyError, TypeError, AttributeError) as problem:
            raise InvalidDump(f"{path} is not a manifest: {reason_of(problem)}") from problem
        if self.inventory is None and not self.edited:
            for file, md5 in files:
                _check(file, md5)
        return [file for file, _ in files]


def _record_schema(path: Path) -> Record:
    """Return the schema of the records of a file. Raises InvalidDump or OSError."""
    with path.open("rb") as file:
        try:
            record = fastavro.reader(file).writer_schema
        except Exception as problem:  # fastavro's errors have no common class
            raise InvalidDump(f"{path} is not an Avro file: {problem}") from problem
    if not isinstance(record, dict):
        raise InvalidDump(f"{path} has no records")
    return record


def load_export(
    connection: Connection,
    export: Export,
    choice: Choice = EVERYTHING,
    progress: Progress = SILENCE,
) -> None:
    """Load an export: the schema that the rows need, the rows, then the rest of the schema."""
    with loaded_schema(connection, export.parts if choice.schema else None) as schema:
        files = {name_of(each.record): each for each in export.objects}
        for table in choice.of(schema):
            if table.name in files:
                progress.begin_table(table.name)
                for path, written in files[table.name].files:
                    batches = RowBatches(table, schema, "row")
                    load_rows(connection, _rows(path, table), batches, path, progress)
                    batches.check_count(path, written)


def _check(path: Path, md5: str | None) -> None:
    """Raise DamagedFile unless a file has its checksum."""
    if md5 is not None:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, _md5).digest()
        if base64.b64encode(digest).decode("ascii") != md5:
            raise DamagedFile(path, "is damaged: its MD5 is not that of the manifest")


def _md5() -> Any:
    return hashlib.md5(usedforsecurity=False)


def _rows(path: Path, table: Table) -> Iterator[FileRows]:
    """Yield the rows of a file. Raises LoadRejected for a file that is not valid Avro."""
    number = 0
    with path.open("rb") as file:
        try:
            header = fastavro.schemaless_reader(file, _HEADER, None)
            record = json.loads(header["meta"]["avro.schema"])
            readers = _readers(record, table)
            names = tuple(name for name, _, _ in readers)
            for block in fastavro.block_reader(_plain_file(header, record, file)):
                first, rows = number + 1, list[Row]()
                for values in block:
                    number += 1
                    rows.append(
                        [
                            None if (value := values[own]) is None else read(value)
                            for _, own, read in readers
                        ]
                    )
                if rows:
                    yield file_rows(range(first, number + 1), block.size, names, rows)
        except Exception as problem:  # fastavro's errors have no common class
            where = f"{path}: after row {number}"
            raise LoadRejected(f"{where}: {type(problem).__name__}: {problem}") from problem


# The beginning of an Avro file, behind which its blocks follow.
_HEADER = fastavro.parse_schema(
    {
        "type": "record",
        "name": "org.apache.avro.file.Header",
        "fields": [
            {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}},
            {"name": "meta", "type": {"type": "map", "values": "bytes"}},
            {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
        ],
    }
)


def _plain_file(header: Any, record: Any, blocks: BinaryIO) -> BinaryIO:
    """Return an Avro file without logical types: Python's types cannot hold all their values."""
    plain = json.dumps(_without_logical_types(record)).encode()
    start = io.BytesIO()
    fastavro.schemaless_writer(
        start, _HEADER, {**header, "meta": {**header["meta"], "avro.schema": plain}}
    )
    start.seek(0)
    return cast("BinaryIO", _Joined(start, blocks))


class _Joined:
    """A file that continues in another file."""

    def __init__(self, first: BinaryIO, second: BinaryIO) -> None:
        self._first = first
        self._second = second
        self._position = 0

    def read(self, size: int) -> bytes:
        """Read `size` bytes, less at the end."""
        data = self._first.read(size)
        if len(data) < size:
            data += self._second.read(size - len(data))
        self._position += len(data)
        return data

    def tell(self) -> int:
        """Return the position."""
        return self._position


def _readers(record: Any, table: Table) -> list[tuple[str, str, Any]]:
    """Return (column, field, function) of the columns that have values of their own."""
    readers = []
    for own in record["fields"]:
        column = table.requested_column(name_of(own))
        if column is None:
            raise ValueError(f"table {table.name} has no column {name_of(own)}")
        if column.generated is None and own["type"] != "null":
            readers.append((column.name, own["name"], reader_of(column.type, own["type"])))
    return readers


def _without_logical_types(avro: Any) -> Any:
    if isinstance(avro, list):
        return [_without_logical_types(each) for each in avro]
    if isinstance(avro, dict):
        kept = {key: each for key, each in avro.items() if key != "logicalType"}
        for key in ("type", "items", "fields"):
            if key in kept:
                kept[key] = _without_logical_types(kept[key])
        return kept
    return avro

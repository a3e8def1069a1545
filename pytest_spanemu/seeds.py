"""Seed files: rows that every test starts with.

    seeds/                  a directory: its files, tables in the order their constraints ask for
    NAME.csv                rows of table NAME; the first line names the columns
    NAME.json, .jsonl       rows of table NAME as objects; .yaml likewise, if PyYAML is installed
    *.json, *.yaml          tables: {"T": {"columns": [...], "rows": [[...]]}} or {"T": [{...}]}
    *.sql                   statements, run after all rows, in the order of their names

Values are in Spanner's wire form or plain JSON: INT64 as a number or a string, BYTES in base64,
TIMESTAMP and DATE as RFC 3339 text, "spanner.commit_timestamp()" for the time of the load. An empty
cell of a CSV file is NULL. Errors name the file and the line, or the number of the row.

The rows of all files are written together, table by table, many rows in a commit. If Spanner
rejects a commit, its rows are written one by one, to find the row at fault.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from google.api_core.exceptions import GoogleAPICallError

from pytest_spanemu.clean_errors import refused_statement
from pytest_spanemu.databases.catalog import Catalog, ColumnInfo, TableInfo
from pytest_spanemu.sources.source import Dml, SourceError, natural_order, read, steps_of
from pytest_spanemu.sql import dialect_of
from spanemu.base.record import dataclass

SQL = ".sql"
MUTATIONS_PER_COMMIT = 20_000  # a quarter of Spanner's limit, since index entries count as well


def load_seeds(
    database: Any, seeds: Sequence[str], root: Path, tell: Callable[[str], None] = lambda _: None
) -> None:
    """Write the rows of seed files, then run their statements. Raises SourceError.

    `database` is the official client's `Database`. `tell` receives texts about the progress.
    """
    files = seed_files(seeds, root)
    rows = [row for path in files for row in _rows_of(path)]
    if rows:
        written = 0
        for count in _write(database, _inserts(Catalog.of(database), rows)):
            written += count
            tell(f"{written:,} of {len(rows):,} rows of the seeds")
    for path in files:
        if path.suffix == SQL:
            _run(database, path)


# ---------------------------------------------------------------------------- files


@dataclass(frozen=True, slots=True)
class _SeedRow:
    """A row of a table. `position` is a file with a line, or with the number of the row."""

    table: str
    values: Mapping[str, Any]
    position: str


def seed_files(seeds: Sequence[str], root: Path) -> list[Path]:
    """Return the files that settings name, in the order in which to load them.

    Raises SourceError for a name without a file.
    """
    return [path for seed in seeds for path in _files(seed, root)]


def _files(seed: str, root: Path) -> list[Path]:
    path = root / seed
    if path.is_dir():
        return sorted(
            (file for file in path.iterdir() if file.suffix in _READERS or file.suffix == SQL),
            key=natural_order,
        )
    files = sorted(root.glob(seed), key=natural_order) if not path.is_file() else [path]
    if not files:
        raise SourceError(f"seeds {seed!r}: there is no file or directory {path}")
    return files


def _rows_of(path: Path) -> list[_SeedRow]:
    """Return the rows in a file, none for a file of statements. Raises SourceError."""
    if path.suffix == SQL:
        return []
    reader = _READERS.get(path.suffix)
    if reader is None:
        raise SourceError(f"{path}: seeds are {', '.join([*_READERS, SQL])} files")
    try:
        return list(reader(path))
    except SourceError:  # It names the file already.
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise SourceError(f"{path}: {problem}") from problem


def _csv(path: Path) -> Iterator[_SeedRow]:
    lines = csv.DictReader(read(path).splitlines(), strict=True)
    for row in lines:
        if None in row:
            raise ValueError(f"line {lines.line_num} has more cells than the first line names")
        cells = {name: None if cell == "" else cell for name, cell in row.items()}
        yield _SeedRow(path.stem, cells, f"{path}:{lines.line_num}")


def _jsonl(path: Path) -> Iterator[_SeedRow]:
    for number, line in enumerate(read(path).splitlines(), 1):
        if line.strip():
            yield _SeedRow(path.stem, json.loads(line), f"{path}:{number}")


def _json(path: Path) -> Iterator[_SeedRow]:
    return _document_rows(json.loads(read(path)), path)


def _yaml(path: Path) -> Iterator[_SeedRow]:
    try:
        yaml = import_module("yaml")
    except ImportError:
        raise SourceError(f"{path}: YAML needs a package: pip install pyyaml") from None
    try:
        return _document_rows(yaml.safe_load(read(path)), path)
    except yaml.YAMLError as problem:
        raise ValueError(str(problem)) from problem


def _document_rows(document: Any, path: Path) -> Iterator[_SeedRow]:
    """Yield the rows of a document: a list for the table of the file's name, or tables by name."""
    tables = {path.stem: document} if isinstance(document, list) else (document or {})
    for table, content in tables.items():
        for number, row in enumerate(_table_rows(content), 1):
            yield _SeedRow(table, row, f"{path} (row {number} of {table})")


def _table_rows(content: Any) -> Sequence[Mapping[str, Any]]:
    if isinstance(content, list):
        return content
    columns = content["columns"]
    return [dict(zip(columns, row, strict=True)) for row in content["rows"]]


_READERS: Mapping[str, Callable[[Path], Iterator[_SeedRow]]] = {
    ".csv": _csv,
    ".json": _json,
    ".jsonl": _jsonl,
    ".yaml": _yaml,
    ".yml": _yaml,
}

# ---------------------------------------------------------------------------- rows


@dataclass(frozen=True, slots=True)
class _Insert:
    """An insert of a seed row. `mutations` is what it counts towards the limit of a commit."""

    seed: _SeedRow
    table: str
    columns: tuple[str, ...]
    values: list[Any]
    mutations: int


def _inserts(catalog: Catalog, rows: Iterable[_SeedRow]) -> Iterator[_Insert]:
    """Yield inserts for the rows, those of parent and referenced tables first."""
    by_table: dict[str, list[_SeedRow]] = {}
    for row in rows:
        try:
            by_table.setdefault(catalog.table(row.table).name, []).append(row)
        except KeyError as missing:
            raise SourceError(f"{row.position}: {missing.args[0]}") from None
    for table in catalog.insertion_order():
        for row in by_table.get(table.name, ()):
            columns = tuple(row.values)
            values = [_cell(table, row, name) for name in columns]
            mutations = len(columns) * (1 + len(table.unique))
            yield _Insert(row, table.name, columns, values, mutations)


def _cell(table: TableInfo, row: _SeedRow, name: str) -> Any:
    for column in table.columns.values():
        if column.name.lower() == name.lower():
            return _wire_value(column, row.values[name])
    raise SourceError(f"{row.position}: table {table.name} has no column {name!r}")


def _write(database: Any, inserts: Iterable[_Insert]) -> Iterator[int]:
    """Commit inserts, many at once. Yield the number of rows in each commit."""
    batch: list[_Insert] = []
    mutations = 0
    for insert in inserts:
        batch.append(insert)
        mutations += insert.mutations
        if mutations > MUTATIONS_PER_COMMIT:
            _commit(database, batch)
            yield len(batch)
            batch, mutations = [], 0
    if batch:
        _commit(database, batch)
        yield len(batch)


def _commit(database: Any, inserts: Sequence[_Insert]) -> None:
    grouped: dict[tuple[str, tuple[str, ...]], list[list[Any]]] = {}
    for insert in inserts:
        grouped.setdefault((insert.table, insert.columns), []).append(insert.values)
    try:
        with database.batch() as batch:
            for (table, columns), values in grouped.items():
                batch.insert(table, columns, values)
    except (GoogleAPICallError, ValueError, TypeError) as problem:
        first, message = inserts[0].seed.position, _message(problem)
        if len(inserts) == 1:
            raise SourceError(f"{first}: {message}") from None
        for insert in inserts:
            _commit(database, [insert])
        raise SourceError(f"{first} and rows after it: {message}") from None


def _message(problem: Exception) -> str:
    """Return the message of an error without the request id that the official client appends."""
    return str(getattr(problem, "message", problem)).partition(", request_id")[0]


def _run(database: Any, path: Path) -> None:
    for step in steps_of(read(path), str(path), dialect=dialect_of(database)):
        if not isinstance(step, Dml):
            line = getattr(step, "line", 1)
            raise SourceError(
                f"{path}:{line}: seeds take INSERT, UPDATE and DELETE statements only"
            )
        sql = step.text
        try:
            database.run_in_transaction(
                lambda transaction, sql=sql: transaction.execute_update(sql)
            )
        except GoogleAPICallError as problem:
            raise refused_statement(step, problem) from None


# ---------------------------------------------------------------------------- values

_TRUE, _FALSE = frozenset({"true", "1", "t", "yes"}), frozenset({"false", "0", "f", "no"})


def _wire_value(column: ColumnInfo, value: Any) -> Any:
    """Return a value from a file as the official client sends it."""
    if value is None or column.kind not in _CONVERSIONS:
        return value
    return _CONVERSIONS[column.kind](value)


def _bool(value: Any) -> Any:
    word = str(value).lower()
    return True if word in _TRUE else False if word in _FALSE else value


def _float(value: Any) -> Any:
    try:
        return float(value)
    except (TypeError, ValueError):
        return value


_CONVERSIONS: Mapping[str, Callable[[Any], Any]] = {
    "BOOL": _bool,
    "FLOAT32": _float,
    "FLOAT64": _float,
    "NUMERIC": lambda value: str(value) if isinstance(value, int | float) else value,
    "JSON": lambda value: value if isinstance(value, str) else json.dumps(value),
    "ARRAY": lambda value: json.loads(value) if isinstance(value, str) else value,
}

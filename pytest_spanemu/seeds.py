"""Seed files: rows that every test starts with.

    seeds/                  a directory: its files, tables in the order their constraints ask for
    NAME.csv                rows of table NAME; the first line names the columns
    NAME.json, NAME.jsonl   rows of table NAME as objects
    *.json                  tables: {"T": {"columns": [...], "rows": [[...]]}} or {"T": [{...}]}
    *.sql                   statements, run after all rows, in the order of their names

Values are in Spanner's wire form or plain JSON: INT64 as a number or a string, BYTES in base64,
TIMESTAMP and DATE as RFC 3339 text, "spanner.commit_timestamp()" for the time of the load. An empty
cell of a CSV file is NULL.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_spanemu.catalog import Catalog, ColumnInfo, TableInfo
from pytest_spanemu.sources.files import natural_order, read, steps_of
from pytest_spanemu.sources.source import Dml, SourceError

MUTATIONS_PER_COMMIT = 20_000  # a quarter of Spanner's limit, since index entries count as well
_TRUE, _FALSE = frozenset({"true", "1", "t", "yes"}), frozenset({"false", "0", "f", "no"})

Row = Mapping[str, Any]


def default_seeds(root: Path) -> tuple[str, ...]:
    """What is taken when nothing is set."""
    return ("seeds",) if (root / "seeds").is_dir() else ()


def load_seeds(database: Any, seeds: Sequence[str], root: Path) -> None:
    """Write the rows of seed files through the official client's `Database`. Raises SourceError."""
    paths = [path for seed in seeds for path in _paths(seed, root)]
    if not paths:
        return
    rows: dict[str, list[Row]] = {}
    for path in paths:
        for table, more in _rows_of(path).items():
            rows.setdefault(table, []).extend(more)
    if rows:
        write_rows(database, Catalog.of(database), rows)
    for path in paths:
        if path.suffix == ".sql":
            _run(database, path)


def write_rows(database: Any, catalog: Catalog, rows: Mapping[str, Sequence[Row]]) -> None:
    """Insert rows of several tables, those that others refer to first."""
    try:
        by_table = {catalog.table(name).name: found for name, found in rows.items()}
    except KeyError as missing:
        raise SourceError(f"seeds: {missing.args[0]}") from None
    waiting: list[tuple[TableInfo, tuple[str, ...], list[Any]]] = []
    cells = 0
    for table in catalog.insertion_order():
        for row in by_table.get(table.name, ()):
            columns = tuple(row)
            waiting.append((table, columns, [_cell(table, name, row[name]) for name in columns]))
            cells += len(columns) * (1 + len(table.unique))
            if cells > MUTATIONS_PER_COMMIT:
                _commit(database, waiting)
                waiting, cells = [], 0
    _commit(database, waiting)


def _commit(database: Any, rows: Iterable[tuple[TableInfo, tuple[str, ...], list[Any]]]) -> None:
    grouped: dict[tuple[str, tuple[str, ...]], list[list[Any]]] = {}
    for table, columns, values in rows:
        grouped.setdefault((table.name, columns), []).append(values)
    if not grouped:
        return
    with database.batch() as batch:
        for (name, columns), listed in grouped.items():
            batch.insert(name, columns, listed)


def _paths(seed: str, root: Path) -> list[Path]:
    path = root / seed
    if path.is_dir():
        return sorted(
            (each for each in path.iterdir() if each.suffix in _READERS or each.suffix == ".sql"),
            key=natural_order,
        )
    found = sorted(root.glob(seed), key=natural_order) if not path.is_file() else [path]
    if not found:
        raise SourceError(f"seeds {seed!r}: there is no file or directory {path}")
    return found


def _rows_of(path: Path) -> Mapping[str, Sequence[Row]]:
    if path.suffix == ".sql":
        return {}
    reader = _READERS.get(path.suffix)
    if reader is None:
        raise SourceError(f"{path}: seeds are .csv, .json, .jsonl or .sql files")
    try:
        return reader(path)
    except (ValueError, TypeError, KeyError) as problem:
        raise SourceError(f"{path}: {problem}") from problem


def _csv(path: Path) -> Mapping[str, Sequence[Row]]:
    lines = csv.DictReader(read(path).splitlines())
    return {
        path.stem: [
            {name: None if cell == "" else cell for name, cell in row.items()} for row in lines
        ]
    }


def _jsonl(path: Path) -> Mapping[str, Sequence[Row]]:
    return {path.stem: [json.loads(line) for line in read(path).splitlines() if line.strip()]}


def _json(path: Path) -> Mapping[str, Sequence[Row]]:
    found = json.loads(read(path))
    if isinstance(found, list):
        return {path.stem: found}
    return {table: _table_rows(content) for table, content in found.items()}


def _table_rows(content: Any) -> Sequence[Row]:
    if isinstance(content, list):
        return content
    columns = content["columns"]
    return [dict(zip(columns, row, strict=True)) for row in content["rows"]]


_READERS = {".csv": _csv, ".json": _json, ".jsonl": _jsonl}


def _cell(table: TableInfo, name: str, value: Any) -> Any:
    column = next(
        (each for each in table.columns.values() if each.name.lower() == name.lower()), None
    )
    if column is None:
        raise SourceError(f"seeds: table {table.name} has no column {name!r}")
    return wire_value(column, value)


def wire_value(column: ColumnInfo, value: Any) -> Any:
    """A value from a file as the official client sends it."""
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


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) else value


def _json_text(value: Any) -> Any:
    return value if isinstance(value, str) else json.dumps(value)


def _array(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


_CONVERSIONS = {
    "BOOL": _bool,
    "FLOAT32": _float,
    "FLOAT64": _float,
    "NUMERIC": _text,
    "JSON": _json_text,
    "ARRAY": _array,
}


def _run(database: Any, path: Path) -> None:
    for step in steps_of(read(path), str(path)):
        if not isinstance(step, Dml):
            origin = getattr(step, "line", 1)
            raise SourceError(
                f"{path}:{origin}: seeds change rows; this is no INSERT, UPDATE or DELETE"
            )
        sql = step.text
        database.run_in_transaction(lambda transaction, sql=sql: transaction.execute_update(sql))

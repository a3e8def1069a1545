"""Which files seeds are, and the rows in them, each with the place it comes from."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pytest_spanemu.sources.files import natural_order, read
from pytest_spanemu.sources.source import SourceError

SQL = ".sql"


@dataclass(frozen=True, slots=True)
class SeedRow:
    """A row of a table. `place` is a file with a line, or with the number of the row."""

    table: str
    values: Mapping[str, Any]
    place: str


def default_seeds(root: Path) -> tuple[str, ...]:
    """What is taken when nothing is set."""
    return ("seeds",) if (root / "seeds").is_dir() else ()


def seed_files(seeds: Sequence[str], root: Path) -> list[Path]:
    """The files that settings name, in the order in which they are read. Raises SourceError."""
    return [path for seed in seeds for path in _files(seed, root)]


def rows_of(path: Path) -> list[SeedRow]:
    """The rows in a file; none in one of statements. Raises SourceError."""
    if path.suffix == SQL:
        return []
    reader = _READERS.get(path.suffix)
    if reader is None:
        raise SourceError(f"{path}: seeds are {', '.join([*_READERS, SQL])} files")
    try:
        return list(reader(path))
    except SourceError:  # which names the file
        raise
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise SourceError(f"{path}: {problem}") from problem


def _files(seed: str, root: Path) -> list[Path]:
    path = root / seed
    if path.is_dir():
        return sorted(
            (each for each in path.iterdir() if each.suffix in _READERS or each.suffix == SQL),
            key=natural_order,
        )
    found = sorted(root.glob(seed), key=natural_order) if not path.is_file() else [path]
    if not found:
        raise SourceError(f"seeds {seed!r}: there is no file or directory {path}")
    return found


def _csv(path: Path) -> Iterator[SeedRow]:
    lines = csv.DictReader(read(path).splitlines(), strict=True)
    for row in lines:
        if None in row:
            raise ValueError(f"line {lines.line_num} has more cells than the first line names")
        cells = {name: None if cell == "" else cell for name, cell in row.items()}
        yield SeedRow(path.stem, cells, f"{path}:{lines.line_num}")


def _jsonl(path: Path) -> Iterator[SeedRow]:
    for number, line in enumerate(read(path).splitlines(), 1):
        if line.strip():
            yield SeedRow(path.stem, json.loads(line), f"{path}:{number}")


def _json(path: Path) -> Iterator[SeedRow]:
    return _placed(json.loads(read(path)), path)


def _yaml(path: Path) -> Iterator[SeedRow]:
    try:
        yaml = import_module("yaml")
    except ImportError:
        raise SourceError(f"{path}: YAML needs a package: pip install pyyaml") from None
    try:
        return _placed(yaml.safe_load(read(path)), path)
    except yaml.YAMLError as problem:
        raise ValueError(str(problem)) from problem


def _placed(found: Any, path: Path) -> Iterator[SeedRow]:
    """Rows of the table that the file is called after, or tables with their rows."""
    tables = {path.stem: found} if isinstance(found, list) else (found or {})
    for table, content in tables.items():
        for number, row in enumerate(_table_rows(content), 1):
            yield SeedRow(table, row, f"{path} (row {number} of {table})")


def _table_rows(content: Any) -> Sequence[Mapping[str, Any]]:
    if isinstance(content, list):
        return content
    columns = content["columns"]
    return [dict(zip(columns, row, strict=True)) for row in content["rows"]]


_READERS: Mapping[str, Callable[[Path], Iterator[SeedRow]]] = {
    ".csv": _csv,
    ".json": _json,
    ".jsonl": _jsonl,
    ".yaml": _yaml,
    ".yml": _yaml,
}

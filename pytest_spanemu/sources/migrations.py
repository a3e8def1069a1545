"""Directories of numbered migrations, as wrench, golang-migrate and goose lay them out.

wrench            DIR/schema.sql, then DIR/migrations/NNNNNN[_name][.up].sql; a schema.sql that
                  holds the table SchemaMigrations was written after the migrations, and is all
golang-migrate    DIR/N_name.up.sql; the .down.sql files are left alone
goose             DIR/N_name.sql with "-- +goose Up", "-- +goose Down" and statement blocks
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pytest_spanemu.sources.files import (
    SQL_SUFFIXES,
    FilesSource,
    natural_order,
    read,
    step_of,
    steps_of,
)
from pytest_spanemu.sources.source import Dml, Migration, Source, SourceError, Step

_NUMBERED = re.compile(r"(\d+)(?:_.*?)?(\.up)?\.sql")
_WRENCH_TABLE = re.compile(r"CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?`?SchemaMigrations\b", re.I)
_GOOSE = re.compile(r"--\s*\+goose\s+(\w+)", re.I)


def directory_source(text: str, path: Path) -> Source:
    """The source that a directory's content suggests. Raises SourceError when it holds no SQL."""
    schema, migrations = path / "schema.sql", path / "migrations"
    if migrations.is_dir():
        return WrenchSource(text, schema, migrations)
    found = sorted(
        (each for each in path.iterdir() if each.suffix in SQL_SUFFIXES), key=natural_order
    )
    if not found:
        raise SourceError(f"schema source {text!r}: no .sql, .ddl or .sdl file in {path}")
    is_numbered = all(_NUMBERED.fullmatch(each.name) for each in found)
    if is_numbered or any(each.name.endswith(".up.sql") for each in found):
        return NumberedFilesSource(text, found)
    return FilesSource(text, found)


class NumberedFilesSource:
    """Numbered migrations: the way up, and down where there are .down.sql files."""

    def __init__(self, text: str, paths: Sequence[Path]) -> None:
        self.text = text
        self._paths = sorted(filter(_is_up, paths), key=_number)

    def steps(self) -> Sequence[Step]:
        """The statements; updates and deletes are partitioned DML, as wrench runs them."""
        return [step for path in self._paths for step in _file_steps(path)]

    def migrations(self) -> Sequence[Migration]:
        """One for each file."""
        return [Migration(path.name, _file_steps(path), _way_down(path)) for path in self._paths]

    def inputs(self) -> Sequence[bytes]:
        """The files' names and contents."""
        return [part for path in self._paths for part in (path.name.encode(), read(path).encode())]


class WrenchSource:
    """wrench's directory: the schema as it once was, and migrations since."""

    def __init__(self, text: str, schema: Path, migrations: Path) -> None:
        self.text = text
        self._schema = FilesSource(text, [schema] if schema.is_file() else [])
        self._migrations = NumberedFilesSource(text, list(migrations.glob("*.sql")))
        self._schema_path = schema

    def steps(self) -> Sequence[Step]:
        """The schema, then the migrations unless they are in it already."""
        if self._schema_path.is_file() and _WRENCH_TABLE.search(read(self._schema_path)):
            return self._schema.steps()
        return [*self._schema.steps(), *self._migrations.steps()]

    def migrations(self) -> Sequence[Migration]:
        """The schema, where it is not written after the migrations, and one for each file."""
        schema = tuple(self._schema.steps())
        first = [Migration(self._schema_path.name, schema)] if schema else []
        if self._schema_path.is_file() and _WRENCH_TABLE.search(read(self._schema_path)):
            first = []  # It is what the migrations come to.
        return [*first, *self._migrations.migrations()]

    def inputs(self) -> Sequence[bytes]:
        """All files' contents."""
        return [*self._schema.inputs(), *self._migrations.inputs()]


class GooseSource:
    """goose migrations: the Up section of each file."""

    def __init__(self, text: str, path: Path) -> None:
        self.text = text
        if not path.is_dir():
            raise SourceError(f"schema source {text!r}: there is no directory {path}")
        self._paths = sorted(path.glob("*.sql"), key=_number)

    def steps(self) -> Sequence[Step]:
        """The Up sections' statements."""
        return [step for path in self._paths for step in _goose_steps(read(path), str(path))]

    def migrations(self) -> Sequence[Migration]:
        """One for each file."""
        return [
            Migration(path.name, tuple(_goose_steps(read(path), str(path))), _goose_down(path))
            for path in self._paths
        ]

    def inputs(self) -> Sequence[bytes]:
        """The files' contents."""
        return [read(path).encode() for path in self._paths]


def _file_steps(path: Path) -> tuple[Step, ...]:
    return tuple(_partitioned(step) for step in steps_of(read(path), str(path)))


def _way_down(path: Path) -> tuple[Step, ...] | None:
    down = path.with_name(path.name.removesuffix(".up.sql") + ".down.sql")
    return _file_steps(down) if down.is_file() else None


def _goose_down(path: Path) -> tuple[Step, ...] | None:
    return tuple(_goose_steps(read(path), str(path), "down")) or None


def _goose_steps(text: str, origin: str, section: str = "up") -> Iterator[Step]:
    """Statements end at semicolons, but a StatementBegin ... StatementEnd block is one."""
    up = block = False
    waiting: list[str] = []
    began = 1
    for number, line in enumerate(text.splitlines(), 1):
        match = _GOOSE.match(line.strip())
        if match is None:
            if up:
                waiting.append(line)
            continue
        if up and waiting:
            yield from _goose_section(waiting, block, origin, began)
        waiting, began = [], number + 1
        word = match[1].lower()
        if word in ("up", "down"):
            up = word == section
        block = word == "statementbegin"
    if up and waiting:
        yield from _goose_section(waiting, block, origin, began)


def _goose_section(lines: Sequence[str], block: bool, origin: str, began: int) -> Sequence[Step]:
    text = "\n".join(lines)
    if block and text.strip():
        return [step_of(text.strip().rstrip(";"), origin, began)]
    return steps_of(text, origin, began)


def _partitioned(step: Step) -> Step:
    if isinstance(step, Dml) and not step.text.lstrip().lower().startswith("insert"):
        return Dml(step.text, step.origin, step.line, partitioned=True)
    return step


def _is_up(path: Path) -> bool:
    return not path.name.endswith(".down.sql") and _NUMBERED.fullmatch(path.name) is not None


def _number(path: Path) -> tuple[int, str]:
    match = re.match(r"\d+", path.name)
    return (int(match[0]) if match else -1), path.name


KINDS: Mapping[str, Callable[[str, Path], Source]] = {"goose": GooseSource}

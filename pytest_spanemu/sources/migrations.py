"""Directories of numbered migrations, in the layouts of wrench, golang-migrate and goose.

wrench            DIR/schema.sql, then DIR/migrations/NNNNNN[_name][.up].sql; a schema.sql with
                  the table SchemaMigrations includes the migrations, which are then not run
golang-migrate    DIR/N_name.up.sql, and DIR/N_name.down.sql to undo
goose             DIR/N_name.sql with "-- +goose Up", "-- +goose Down" and statement blocks
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from pytest_spanemu.options import Dialect
from pytest_spanemu.sources.source import (
    SQL_SUFFIXES,
    Dml,
    FilesSource,
    Migration,
    Source,
    SourceError,
    Step,
    natural_order,
    read,
    step_of,
    steps_of,
)

_NUMBERED = re.compile(r"(\d+)(?:_.*?)?(\.up)?\.sql")
_WRENCH_TABLE = re.compile(
    r"""CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[`"]?SchemaMigrations\b""", re.I
)
_GOOSE = re.compile(r"--\s*\+goose\s+(\w+)", re.I)


def directory_source(text: str, path: Path, dialect: Dialect) -> Source:
    """Return the source for the layout of a directory. Raises SourceError without SQL files."""
    schema, migrations = path / "schema.sql", path / "migrations"
    if migrations.is_dir():
        return WrenchSource(text, schema, migrations, dialect)
    sql_files = [file for file in path.iterdir() if file.suffix in SQL_SUFFIXES]
    if not sql_files:
        raise SourceError(f"schema source {text!r}: no .sql, .ddl or .sdl file in {path}")
    is_numbered = all(_NUMBERED.fullmatch(each.name) for each in sql_files)
    if is_numbered or any(each.name.endswith(".up.sql") for each in sql_files):
        return NumberedFilesSource(text, sql_files, dialect)
    return FilesSource(text, sorted(sql_files, key=natural_order), dialect)


class NumberedFilesSource:
    """Numbered migration files, which .down.sql files undo."""

    def __init__(self, text: str, paths: Sequence[Path], dialect: Dialect) -> None:
        self.text = text
        self._paths = sorted(filter(_is_up, paths), key=_number)
        self._dialect = dialect

    def steps(self) -> Sequence[Step]:
        """Return the statements. UPDATE and DELETE run as partitioned DML, as in wrench."""
        return [step for path in self._paths for step in _file_steps(path, self._dialect)]

    def migrations(self) -> Sequence[Migration]:
        """Return a migration for each file."""
        own = self._dialect
        return [
            Migration(path.name, _file_steps(path, own), _undo_steps(path, own))
            for path in self._paths
        ]

    def inputs(self) -> Sequence[bytes]:
        """Return the names and contents of the files."""
        return [part for path in self._paths for part in (path.name.encode(), read(path).encode())]


class WrenchSource:
    """A directory of wrench: an initial schema, and migrations."""

    def __init__(self, text: str, schema: Path, migrations: Path, dialect: Dialect) -> None:
        self.text = text
        self._schema = FilesSource(text, [schema] if schema.is_file() else [], dialect)
        self._migrations = NumberedFilesSource(text, list(migrations.glob("*.sql")), dialect)
        self._schema_path = schema

    def steps(self) -> Sequence[Step]:
        """Return the schema, then the migrations unless the schema includes them."""
        if self._includes_migrations():
            return self._schema.steps()
        return [*self._schema.steps(), *self._migrations.steps()]

    def migrations(self) -> Sequence[Migration]:
        """Return the schema, unless it includes the migrations, and a migration for each file."""
        schema = tuple(self._schema.steps())
        if not schema or self._includes_migrations():
            return self._migrations.migrations()
        return [Migration(self._schema_path.name, schema), *self._migrations.migrations()]

    def _includes_migrations(self) -> bool:
        path = self._schema_path
        return path.is_file() and _WRENCH_TABLE.search(read(path)) is not None

    def inputs(self) -> Sequence[bytes]:
        """Return the contents of all files."""
        return [*self._schema.inputs(), *self._migrations.inputs()]


class GooseSource:
    """goose migrations: the Up section of each file."""

    def __init__(self, text: str, path: Path, dialect: Dialect) -> None:
        self.text, self._dialect = text, dialect
        if not path.is_dir():
            raise SourceError(f"schema source {text!r}: directory {path} does not exist")
        self._paths = sorted(path.glob("*.sql"), key=_number)

    def steps(self) -> Sequence[Step]:
        """Return the statements of the Up sections of all files, in the order of their numbers."""
        return [step for path in self._paths for step in self._steps_in(path)]

    def migrations(self) -> Sequence[Migration]:
        """Return a migration for each file."""
        return [
            Migration(
                path.name,
                tuple(self._steps_in(path)),
                tuple(self._steps_in(path, "down")) or None,
            )
            for path in self._paths
        ]

    def inputs(self) -> Sequence[bytes]:
        """Return the contents of the files."""
        return [read(path).encode() for path in self._paths]

    def _steps_in(self, path: Path, section: str = "up") -> Iterator[Step]:
        return _goose_steps(read(path), str(path), section, self._dialect)


def _file_steps(path: Path, dialect: Dialect) -> tuple[Step, ...]:
    steps = steps_of(read(path), str(path), dialect=dialect)
    return tuple(map(_partitioned, steps))


def _undo_steps(path: Path, dialect: Dialect) -> tuple[Step, ...] | None:
    down = path.with_name(path.name.removesuffix(".up.sql") + ".down.sql")
    return _file_steps(down, dialect) if down.is_file() else None


def _goose_steps(text: str, origin: str, section: str, dialect: Dialect) -> Iterator[Step]:
    """Yield the statements of a section.

    Statements end at semicolons; a StatementBegin ... StatementEnd block is one statement.
    """
    in_section = block = False
    lines: list[str] = []
    first_line = 1
    for number, line in enumerate(text.splitlines(), 1):
        match = _GOOSE.match(line.strip())
        if match is None:
            if in_section:
                lines.append(line)
            continue
        if in_section and lines:
            yield from _goose_section(lines, block, origin, first_line, dialect)
        lines, first_line = [], number + 1
        word = match[1].lower()
        if word in ("up", "down"):
            in_section = word == section
        block = word == "statementbegin"
    if in_section and lines:
        yield from _goose_section(lines, block, origin, first_line, dialect)


def _goose_section(
    lines: Sequence[str], block: bool, origin: str, first_line: int, dialect: Dialect
) -> Sequence[Step]:
    text = "\n".join(lines)
    if block and text.strip():
        return [step_of(text.strip().rstrip(";"), origin, first_line)]
    return steps_of(text, origin, first_line, dialect)


def _partitioned(step: Step) -> Step:
    if isinstance(step, Dml) and not step.text.lstrip().lower().startswith("insert"):
        return Dml(step.text, step.origin, step.line, partitioned=True)
    return step


def _is_up(path: Path) -> bool:
    return not path.name.endswith(".down.sql") and _NUMBERED.fullmatch(path.name) is not None


def _number(path: Path) -> tuple[int, str]:
    match = re.match(r"\d+", path.name)
    return (int(match[0]) if match else -1), path.name

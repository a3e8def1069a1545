"""Schema sources: the steps that build a schema in an empty database, and the source's inputs.

Files, globs and directories of SQL are the plainest source; other sources read steps from files
with the same functions.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from pytest_spanemu.options import Dialect
from spanemu import split_schema
from spanemu.base.record import dataclass
from spanemu.base.text_files import read_text
from spanemu.schema.dialect import dialect_named

SQL_SUFFIXES = frozenset({".sql", ".ddl", ".sdl"})
_SHOWN_CHARS = 40
_EXCLUDED_DIRECTORIES = frozenset({"node_modules", "site-packages", "__pycache__"})
NOT_CODE = ("test_", "conftest")  # how the names of files begin that no schema depends on
_FIRST_WORD = re.compile(r"\s*(?:(?:@\{[^}]*\}|/\*@.*?\*/)\s*)?(\w+)", re.DOTALL)
_DML = frozenset({"insert", "update", "delete"})


class SourceError(ValueError):
    """A source that cannot be read. The message names the source."""


@dataclass(frozen=True, slots=True)
class Ddl:
    """A schema statement, with its file and line."""

    text: str
    origin: str
    line: int


@dataclass(frozen=True, slots=True)
class Dml:
    """A DML statement, with its file and line, run as partitioned DML if `partitioned`."""

    text: str
    origin: str
    line: int
    partitioned: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """Code that changes the database: a function of the template."""

    origin: str
    run: Callable[[Any], None]


Step = Ddl | Dml | Program

# The values that models permit in a column, by table and column in lower case. The database may
# know the column as plain text: SQLAlchemy stores an `Enum` as STRING, without a check constraint
# unless `create_constraint` is set.
Choices = Mapping[tuple[str, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Migration:
    """A migration. `undo` is None for a migration that cannot be undone."""

    name: str  # the revision or file name
    steps: tuple[Step, ...]
    undo: tuple[Step, ...] | None = None

    @property
    def number(self) -> int | None:
        """The number at the start of the name, None without one."""
        match = re.match(r"\d+", self.name)
        return int(match[0]) if match else None


@runtime_checkable
class MigrationSource(Protocol):
    """A source of migrations that can be run separately."""

    text: str

    def migrations(self) -> Sequence[Migration]:
        """Return the migrations in order. Raises SourceError."""
        ...


class Source(Protocol):
    """A schema source, read when the first test needs a database."""

    text: str

    def steps(self) -> Sequence[Step]:
        """Return the steps in order. Raises SourceError."""
        ...

    def inputs(self) -> Sequence[bytes] | None:
        """Return the inputs that determine the result; None if unknown, which prevents caching."""
        ...


def choices_of_sources(sources: Iterable[Source]) -> Choices:
    """Return the choices that the models among the sources declare; a later source wins."""
    choices: dict[tuple[str, str], tuple[str, ...]] = {}
    for source in sources:
        if (declared := getattr(source, "choices", None)) is not None:
            choices |= declared()
    return choices


class FilesSource:
    """SQL files in a given order, of schema statements and DML."""

    def __init__(self, text: str, paths: Sequence[Path], dialect: Dialect) -> None:
        self.text = text
        self._paths = tuple(paths)
        self._dialect = dialect

    def steps(self) -> Sequence[Step]:
        """Return the statements of all files."""
        return [
            step
            for path in self._paths
            for step in steps_of(read(path), str(path), dialect=self._dialect)
        ]

    def inputs(self) -> Sequence[bytes]:
        """Return the current contents of the files."""
        return [read(path).encode() for path in self._paths]


class TextSource:
    """Statements given as text: in the setting itself, or by a plugin for the source `named`."""

    def __init__(self, sql: str, dialect: Dialect, named: str = "") -> None:
        self.text = named or " ".join(sql.split())[:_SHOWN_CHARS]
        self._sql, self._origin, self._dialect = sql, named or "<schema>", dialect

    def steps(self) -> Sequence[Step]:
        """Return the statements."""
        return steps_of(self._sql, self._origin, dialect=self._dialect)

    def inputs(self) -> Sequence[bytes]:
        """Return the text."""
        return [self._sql.encode()]


def code_below(root: Path) -> list[bytes]:
    """Return the names and contents of a project's Python files, as `project_files` finds them."""
    return [
        part
        for path in project_files(root)
        for part in (str(path.relative_to(root)).encode(), path.read_bytes())
    ]


def project_files(root: Path) -> Iterator[Path]:
    """Yield a project's Python files.

    Tests, conftest files, virtual environments and hidden directories are left out.
    """
    for directory, directories, names in os.walk(root):
        directories[:] = sorted(
            name
            for name in directories
            if not name.startswith(".")
            and name not in _EXCLUDED_DIRECTORIES
            and not Path(directory, name, "pyvenv.cfg").exists()
        )
        for name in sorted(names):
            if name.endswith(".py") and not name.startswith(NOT_CODE):
                yield Path(directory, name)


def natural_order(path: Path) -> tuple[list[tuple[int, int, str]], str]:
    """Return a sort key by which 2_b.sql comes before 10_a.sql."""
    parts = re.split(r"(\d+)", str(path))
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part.lower()) for part in parts if part
    ], str(path)


def read(path: Path) -> str:
    """Return the text of a file. Raises SourceError."""
    try:
        return read_text(path)
    except (OSError, UnicodeDecodeError) as problem:
        raise SourceError(f"{path}: {problem}") from None


def steps_of(
    text: str, origin: str, line: int = 1, dialect: Dialect = Dialect.GOOGLESQL
) -> list[Step]:
    """Split a text into steps. `line` is the first line of the text in its file."""
    statements = split_schema(text, origin, line, dialect_named(dialect))
    return [step_of(statement.text, origin, statement.line) for statement in statements]


def step_of(statement: str, origin: str, line: int) -> Step:
    """Return the step for a statement: Dml or Ddl, by its first word."""
    if first_word(statement) in _DML:
        return Dml(statement, origin, line)
    return Ddl(statement, origin, line)


def first_word(statement: str) -> str:
    """Return the first word of a statement in lower case, after a statement hint."""
    match = _FIRST_WORD.match(statement)
    return match[1].lower() if match else ""

"""Schema sources: the steps that build a schema in an empty database, and the source's inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from spanemu.base.record import dataclass


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

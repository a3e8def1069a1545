"""What a schema source is: steps to run on an empty database, and a fingerprint of its inputs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


class SourceError(ValueError):
    """A source that cannot be read, with a sentence that names it."""


@dataclass(frozen=True, slots=True)
class Ddl:
    """Schema statements of one place in a file."""

    text: str
    origin: str
    line: int


@dataclass(frozen=True, slots=True)
class Dml:
    """A statement that changes rows. `partitioned` ones run as partitioned DML."""

    text: str
    origin: str
    line: int
    partitioned: bool = False


@dataclass(frozen=True, slots=True)
class Program:
    """Code that changes the database itself; it is given the open template."""

    origin: str
    run: Callable[[Any], None]


Step = Ddl | Dml | Program

# The values that models permit in a column, by table and column in lower case. The database may
# know the column as plain text: SQLAlchemy stores an `Enum` as STRING, without a check constraint
# unless `create_constraint` is set.
Choices = Mapping[tuple[str, str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Migration:
    """One migration of a ladder of them. `undo` is None where there is no way down."""

    name: str  # a revision, or a file's name
    steps: tuple[Step, ...]
    undo: tuple[Step, ...] | None = None

    @property
    def number(self) -> int | None:
        """The number that its name starts with, if any."""
        found = re.match(r"\d+", self.name)
        return int(found[0]) if found else None


@runtime_checkable
class MigrationSource(Protocol):
    """A source of migrations that can be run one by one."""

    text: str

    def migrations(self) -> Sequence[Migration]:
        """The migrations, the first one first. Raises SourceError."""
        ...


class Source(Protocol):
    """A source, read lazily: neither method is called before a test needs a database."""

    text: str

    def steps(self) -> Sequence[Step]:
        """What to run, in order. Raises SourceError."""
        ...

    def inputs(self) -> Sequence[bytes] | None:
        """What the result depends on; None when nobody can tell, so that it is never cached."""
        ...


def choices_of_sources(sources: Iterable[Source]) -> Choices:
    """Return the choices that the models among the sources declare; a later source wins."""
    choices: dict[tuple[str, str], tuple[str, ...]] = {}
    for source in sources:
        if (declared := getattr(source, "choices", None)) is not None:
            choices |= declared()
    return choices

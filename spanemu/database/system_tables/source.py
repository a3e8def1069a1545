"""What rows of system tables are made of: one generation of a schema, seen at one timestamp."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.schema.schema import Schema


@dataclass(frozen=True, eq=False)
class Source:
    """A database as of `at` (nanoseconds)."""

    core: DatabaseCore
    at: int

    @cached_property
    def generation(self) -> Generation:
        """The schema generation of the timestamp, with what was compiled for it."""
        return self.core.history.at(self.at)

    @property
    def schema(self) -> Schema:
        """The schema as of the timestamp."""
        return self.generation.schema

    @property
    def effective_at(self) -> int:
        """Since when the schema is what it is."""
        return max(0, self.core.history.start(self.at))


def split_name(name: str) -> tuple[str, str]:
    """(schema, name) of "[schema.]name"; the default schema is ""."""
    schema, _, last = name.rpartition(".")
    return schema, last


def last_part(name: str) -> str:
    """A name without its schema."""
    return name.rpartition(".")[2]

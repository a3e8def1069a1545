"""What the analyzer asks about system tables: INFORMATION_SCHEMA, SPANNER_SYS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from spanemu.values.types import Type


@dataclass(frozen=True)
class SystemTable:
    """A table that the database computes. `name` is canonical: INFORMATION_SCHEMA.TABLES.

    `columns` are (name, type) in the order of the rows that its provider yields.
    """

    name: str
    columns: tuple[tuple[str, Type], ...]

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """Column numbers by lower-cased name."""
        return {name.lower(): number for number, (name, _) in enumerate(self.columns)}


class SystemCatalog(Protocol):
    """The system tables of a database, looked up by dotted name whatever its case."""

    def table(self, name: str) -> SystemTable | None:
        """The system table of that name."""
        ...


class NoSystemTables:
    """A catalog without tables, for expressions and tests."""

    def table(self, name: str) -> SystemTable | None:
        return None

"""What a statement is analyzed in besides its schema: system tables, and limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.sql.googlesql.catalog import COUNTED_NAMES
from spanemu.sql.googlesql.syntax.bounds import Bounds
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


NO_SYSTEM_TABLES = NoSystemTables()


@dataclass(frozen=True, slots=True)
class Setting:
    """The same for all statements of a database."""

    system: SystemCatalog = NO_SYSTEM_TABLES
    limits: Limits = DEFAULT_LIMITS

    @property
    def bounds(self) -> Bounds:
        """The part of the limits that the parser holds."""
        return Bounds(self.limits, COUNTED_NAMES)


DEFAULT_OPTIONS = Setting()

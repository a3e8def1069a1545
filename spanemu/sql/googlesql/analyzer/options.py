"""The context of an analysis besides the schema: system tables and limits."""

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

    `columns` are pairs (name, type) in the order in which the table's provider yields values.
    """

    name: str
    columns: tuple[tuple[str, Type], ...]

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The positions of the columns by lower-cased name."""
        return {name.lower(): number for number, (name, _) in enumerate(self.columns)}


class SystemCatalog(Protocol):
    """The system tables of a database, looked up by dotted name in any letter case."""

    def table(self, name: str) -> SystemTable | None:
        """Return the system table called `name`, or None if no such table exists."""
        ...


class NoSystemTables:
    """A catalog without tables, for stored expressions and tests."""

    def table(self, name: str) -> SystemTable | None:
        return None


NO_SYSTEM_TABLES = NoSystemTables()


@dataclass(frozen=True, slots=True)
class AnalyzerOptions:
    """The options shared by all statements of a database."""

    system: SystemCatalog = NO_SYSTEM_TABLES
    limits: Limits = DEFAULT_LIMITS

    @property
    def bounds(self) -> Bounds:
        """The limits that the parser enforces."""
        return Bounds(self.limits, COUNTED_NAMES)


DEFAULT_OPTIONS = AnalyzerOptions()

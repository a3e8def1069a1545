"""A change stream: what it watches, and what it records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Watched:
    """A table of a change stream: all its columns, or its key and those listed."""

    table: str
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ChangeStream:
    """A change stream as declared: FOR ALL, FOR tables, or for nothing yet."""

    name: str
    watches_all: bool = False
    tables: tuple[Watched, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def watched(self, table: str) -> Watched | None:
        """How it watches a table that it names, None for one that it does not name."""
        return next((one for one in self.tables if one.table == table), None)

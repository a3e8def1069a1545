"""Search indexes and vector indexes, as declared.

Neither keeps entries here: they are declared, checked and shown, and columns that they name cannot
go. Columns are held by name, since nothing can rename one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

NamedPart = tuple[str, bool]  # a column and whether it is descending


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """An inverted index over TOKENLIST columns."""

    name: str
    table: str
    key: tuple[str, ...]
    stored: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    order_by: tuple[NamedPart, ...] = ()
    where_not_null: tuple[str, ...] = ()
    parent: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it names, some of them twice."""
        ordered = tuple(name for name, _ in self.order_by)
        return self.key + self.partition_by + ordered + self.stored + self.where_not_null


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """An index for nearest neighbours; the first key column is the embedding."""

    name: str
    table: str
    key: tuple[str, ...]
    stored: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    where_not_null: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it names, some of them twice."""
        return self.key + self.partition_by + self.stored + self.where_not_null

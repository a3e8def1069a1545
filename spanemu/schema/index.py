"""Indexes: sorted copies of some columns of a table, and search and vector indexes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from spanemu.base.record import dataclass
from spanemu.schema.table import Column, KeyPart, Table


@dataclass(frozen=True, slots=True)
class Index:
    """An index as declared, with the layout of its entries.

    An entry's key is `key` (the declared parts) followed by `suffix`, the remaining parts of the
    base table's primary key; its row holds these columns, then `stored`. A NULL in one of the
    `filtered` columns leaves a row out: all key columns if NULL_FILTERED, otherwise the columns
    of a `WHERE c IS NOT NULL` clause. `parent` is the table that the index is interleaved in. An
    index that is not `ready` is being backfilled and cannot be read.
    """

    name: str
    id: int
    table: str
    key: tuple[KeyPart, ...]
    suffix: tuple[KeyPart, ...]
    stored: tuple[Column, ...] = ()
    unique: bool = False
    null_filtered: bool = False
    where_not_null: tuple[str, ...] = ()
    parent: str | None = None
    managed_by: tuple[str, ...] = ()  # names of the foreign keys that need it
    options: tuple[tuple[str, object], ...] = ()
    ready: bool = True

    @property
    def full_key(self) -> tuple[KeyPart, ...]:
        """Every part of an entry's key, hidden parts included."""
        return self.key + self.suffix

    @property
    def columns(self) -> tuple[Column, ...]:
        """The base table's columns in the order of an entry."""
        return tuple(part.column for part in self.full_key) + self.stored

    @property
    def filtered(self) -> tuple[Column, ...]:
        """Columns whose NULL keeps a row out of the index."""
        if self.null_filtered:
            return tuple(part.column for part in self.key)
        return tuple(column for column in self.columns if column.name in self.where_not_null)

    @property
    def is_managed(self) -> bool:
        """Return whether the index was created for a foreign key rather than by the user."""
        return bool(self.managed_by)


NamedPart = tuple[str, bool]  # (column, whether it is descending)


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
        """Every column that the index names, with duplicates."""
        ordered = tuple(name for name, _ in self.order_by)
        return self.key + self.partition_by + ordered + self.stored + self.where_not_null


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """An index for nearest-neighbour search; the first key column is the embedding."""

    name: str
    table: str
    key: tuple[str, ...]
    stored: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    where_not_null: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that the index names, with duplicates."""
        return self.key + self.partition_by + self.stored + self.where_not_null


TableOrIndex = Table | Index  # an object with rows of its own

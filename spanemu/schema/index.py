"""A secondary index: a second, sorted copy of some columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from spanemu.schema.column import Column, KeyPart
from spanemu.schema.table import Table


@dataclass(frozen=True, slots=True)
class Index:
    """An index as declared, plus the layout of its entries.

    An entry's key is `key` (declared parts) followed by the parts of the base table's primary
    key that are not among them (`suffix`); its row holds those columns, then `stored`.
    `filtered` are the columns whose NULL leaves a row out: all key columns when NULL_FILTERED,
    those of a `WHERE c IS NOT NULL` clause otherwise. `parent` is the table it is interleaved in.
    One that is not `ready` is being filled from the rows of its table: nobody may read it.
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
        """Every part of an entry's key, the hidden ones too."""
        return self.key + self.suffix

    @property
    def columns(self) -> tuple[Column, ...]:
        """The base table's columns in the order in which an entry stores them."""
        return tuple(part.column for part in self.full_key) + self.stored

    @property
    def filtered(self) -> tuple[Column, ...]:
        """Columns whose NULL keeps a row out of the index."""
        if self.null_filtered:
            return tuple(part.column for part in self.key)
        names = {name.lower() for name in self.where_not_null}
        return tuple(column for column in self.columns if column.name.lower() in names)

    @property
    def is_managed(self) -> bool:
        """Made for a foreign key rather than by the user."""
        return bool(self.managed_by)


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


TableOrIndex = Table | Index

"""Indexes as declared, in three kinds, with the layout of their entries.

Index
├── SortedIndex     entries in the order of a key, one or none for a row
├── SearchIndex     the tokens of TOKENLIST columns
└── VectorIndex     the nearest neighbours of an embedding
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from typing import Any, ClassVar, Self

from spanemu.base.record import dataclass
from spanemu.schema.table import Column, KeyPart, Table
from spanemu.values.order import SortOrder

ColumnsById = Mapping[int, Column]


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index of any kind, with what all of them have.

    `id` is unique within the database and never reused. The entries hold the `stored` columns
    besides those of their kind. A NULL in one of the columns `where_not_null` leaves a row out.
    `parent` is the table that the index is interleaved in. An index that is not `ready` is being
    backfilled and cannot be read. Queries and writes know only indexes that have entries.
    """

    words: ClassVar[str]  # the kind as DDL writes it
    schema_field: ClassVar[str]  # the schema's map of indexes of the kind
    has_entries: ClassVar[bool] = False

    name: str
    id: int
    table: str
    stored: tuple[Column, ...] = ()
    where_not_null: tuple[str, ...] = ()
    parent: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    ready: bool = True

    @property
    def full_key(self) -> tuple[KeyPart, ...]:
        """Every part of an entry's key, hidden parts included; only of indexes with entries."""
        raise NotImplementedError

    @property
    def declared_key(self) -> tuple[KeyPart, ...]:
        """The parts of an entry's key that DDL declares."""
        return self.full_key

    @property
    def columns(self) -> tuple[Column, ...]:
        """The base table's columns in an entry, in the order of an entry if there are entries."""
        raise NotImplementedError

    def with_columns(self, columns: ColumnsById) -> Self:
        """Return the index with its columns replaced by those of the same ids."""
        raise NotImplementedError

    @property
    def named_columns(self) -> frozenset[str]:
        """The names of all columns that the index needs."""
        return frozenset([column.name for column in self.columns]) | {*self.where_not_null}

    def renamed(self, old: str, new: str) -> Self:
        """Return the index after its table or the table it is interleaved in was renamed."""
        if old not in (self.table, self.parent):
            return self
        return replace(
            self,
            table=new if self.table == old else self.table,
            parent=new if self.parent == old else self.parent,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedIndex(Index):
    """An index with entries in the order of a key.

    An entry's key is `key` (the declared parts) followed by `suffix`, the remaining parts of the
    base table's primary key; its row holds these columns, then `stored`. A NULL in one of the
    `filtered` columns leaves a row out. `nulls_distinct` says that no two NULLs are equal in a
    unique index.
    """

    words: ClassVar[str] = "INDEX"
    schema_field: ClassVar[str] = "indexes"
    has_entries: ClassVar[bool] = True

    key: tuple[KeyPart, ...]
    suffix: tuple[KeyPart, ...]
    unique: bool = False
    nulls_distinct: bool = False
    null_filtered: bool = False
    managed_by: tuple[str, ...] = ()  # names of the foreign keys that need it

    @property
    def full_key(self) -> tuple[KeyPart, ...]:
        return self.key + self.suffix

    @property
    def declared_key(self) -> tuple[KeyPart, ...]:
        return self.key

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple([part.column for part in self.full_key]) + self.stored

    @property
    def declared_filter(self) -> tuple[Column, ...]:
        """The columns that NULL_FILTERED or `WHERE c IS NOT NULL` filters."""
        if self.null_filtered:
            return tuple(part.column for part in self.key)
        return tuple(column for column in self.columns if column.name in self.where_not_null)

    @property
    def distinct_key(self) -> tuple[Column, ...]:
        """The key columns whose NULLs nothing can equal, so that their rows need no entry."""
        is_filter = self.unique and self.nulls_distinct
        return tuple(part.column for part in self.key) if is_filter else ()

    @property
    def filtered(self) -> tuple[Column, ...]:
        """Columns whose NULL keeps a row out of the index."""
        key = self.distinct_key
        return key + tuple(column for column in self.declared_filter if column not in key)

    @property
    def is_managed(self) -> bool:
        """Return whether the index was created for a foreign key rather than by the user."""
        return bool(self.managed_by)

    def with_columns(self, columns: ColumnsById) -> Self:
        return replace(
            self,
            key=replaced_parts(self.key, columns),
            suffix=replaced_parts(self.suffix, columns),
            stored=replaced(self.stored, columns),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchIndex(Index):
    """An inverted index over the TOKENLIST columns `key`.

    A row has one entry, its document: the columns to partition and to order by, `suffix` (the
    remaining parts of the table's primary key), then its token lists and stored columns. So
    documents lie in the order of the index, partition by partition. What maps tokens to documents
    is derived from them (`storage.postings`).
    """

    words: ClassVar[str] = "SEARCH INDEX"
    schema_field: ClassVar[str] = "search_indexes"
    has_entries: ClassVar[bool] = True

    key: tuple[Column, ...]
    partition_by: tuple[Column, ...] = ()
    order_by: tuple[KeyPart, ...] = ()
    suffix: tuple[KeyPart, ...] = ()
    partition_orders: tuple[SortOrder, ...] = ()  # of the entries, one for each column

    @property
    def full_key(self) -> tuple[KeyPart, ...]:
        return self.declared_key + self.suffix

    @property
    def declared_key(self) -> tuple[KeyPart, ...]:
        return self.partition_key + self.order_by

    @property
    def partition_key(self) -> tuple[KeyPart, ...]:
        """The parts of an entry's key that determine its partition."""
        pairs = zip(self.partition_by, self.partition_orders, strict=True)
        return tuple([KeyPart(column, order) for column, order in pairs])

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple([part.column for part in self.full_key]) + self.key + self.stored

    @property
    def filtered(self) -> tuple[Column, ...]:
        """Columns whose NULL keeps a row out of the index."""
        return tuple([column for column in self.columns if column.name in self.where_not_null])

    @property
    def unique(self) -> bool:
        """Return whether no two rows may share partition and order."""
        return bool(self.options.get("disable_automatic_uid_column"))

    def with_columns(self, columns: ColumnsById) -> Self:
        return replace(
            self,
            key=replaced(self.key, columns),
            partition_by=replaced(self.partition_by, columns),
            order_by=replaced_parts(self.order_by, columns),
            suffix=replaced_parts(self.suffix, columns),
            stored=replaced(self.stored, columns),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorIndex(Index):
    """An index for nearest-neighbour search; the first key column is the embedding."""

    words: ClassVar[str] = "VECTOR INDEX"
    schema_field: ClassVar[str] = "vector_indexes"

    key: tuple[Column, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.key + self.stored

    def with_columns(self, columns: ColumnsById) -> Self:
        return replace(
            self,
            key=replaced(self.key, columns),
            stored=replaced(self.stored, columns),
        )


def replaced(columns: Iterable[Column], by_id: ColumnsById) -> tuple[Column, ...]:
    """Return columns with each replaced by the one of the same id."""
    return tuple([by_id[column.id] for column in columns])


def replaced_parts(parts: Iterable[KeyPart], by_id: ColumnsById) -> tuple[KeyPart, ...]:
    """Return key parts with the column of each replaced by the one of the same id."""
    return tuple([KeyPart(by_id[part.column.id], part.order) for part in parts])


TableOrIndex = Table | Index  # an object with rows of its own

KINDS: tuple[type[Index], ...] = (SortedIndex, SearchIndex, VectorIndex)

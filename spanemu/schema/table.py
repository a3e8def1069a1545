"""A table: its columns, its key, and its position in a hierarchy of interleaved tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from functools import cached_property
from typing import Any

from spanemu.base.record import dataclass
from spanemu.schema.column import Column, KeyPart
from spanemu.schema.constraints import Check, ForeignKey
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, Fold


class Interleave(StrEnum):
    """The dependency of child rows on parent rows."""

    IN = "IN"  # locality only
    IN_PARENT = "IN PARENT"  # the parent row must exist


@dataclass(frozen=True)
class Table:
    """A table as declared. `id` is unique within the database and never reused.

    `key` begins with the parent's key when `parent` is set. Rows are stored as tuples over
    `columns`, each at its `Column.position`. `row_deletion_policy` is (column, days).

    The positions of dropped columns stay unused, because rows stored earlier still have cells
    there. `positions_used` counts these positions where no later column follows them. `fold` is the
    schema's. A queue is a table whose last column, the delivery time, no statement declares.
    """

    name: str
    id: int
    columns: tuple[Column, ...]
    key: tuple[KeyPart, ...]
    parent: str | None = None
    interleave: Interleave | None = None
    cascade: bool = False  # INTERLEAVE IN PARENT ... ON DELETE CASCADE
    foreign_keys: tuple[ForeignKey, ...] = ()
    checks: tuple[Check, ...] = ()
    synonyms: tuple[str, ...] = ()
    row_deletion_policy: tuple[str, int] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    positions_used: int = 0
    is_queue: bool = False
    fold: Fold = field(default=GOOGLE_STANDARD_SQL.fold, compare=False, repr=False)

    @cached_property
    def by_name(self) -> Mapping[str, Column]:
        """Columns by folded name."""
        return {self.fold(column.name): column for column in self.columns}

    @property
    def words(self) -> str:
        """The kind of the table as DDL writes it."""
        return "QUEUE" if self.is_queue else "TABLE"

    @property
    def declared_columns(self) -> tuple[Column, ...]:
        """The columns that the statement of the table declares."""
        return self.columns[:-1] if self.is_queue else self.columns

    @property
    def deliver_time(self) -> Column:
        """The column of a queue with the time from which a message is delivered."""
        return self.columns[-1]

    @cached_property
    def key_columns(self) -> tuple[Column, ...]:
        return tuple(part.column for part in self.key)

    @cached_property
    def key_positions(self) -> tuple[int, ...]:
        """The positions of the key's columns in a stored row."""
        return tuple(column.position for column in self.key_columns)

    @cached_property
    def width(self) -> int:
        """The number of cells of a row stored under this generation, with dropped columns."""
        last = max((column.position for column in self.columns), default=-1)
        return max(last + 1, self.positions_used)

    def column(self, name: str) -> Column | None:
        """Return the column with that name."""
        return self.by_name.get(self.fold(name))

    def requested_column(self, name: str) -> Column | None:
        """Return the column with that name in any letter case, as requests look it up."""
        known, unique = self.column(name), GOOGLE_STANDARD_SQL.unique_key
        if known is not None or self.fold is unique:
            return known
        key = unique(name)
        return next((column for column in self.columns if unique(column.name) == key), None)

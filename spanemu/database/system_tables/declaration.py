"""A system table as data: its name, its columns in a small notation, and its row function.

*NAME          part of the primary key, so NOT NULL
!NAME          NOT NULL
NAME           nullable
NAME:TYPE      of a type of the notation's types; the default is a string of any length

`SystemTables` holds the declared tables of a dialect by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from spanemu.base.errors import Unsupported
from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.schema.dialect import Fold
from spanemu.schema.objects import View
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.dialect import SystemTable
from spanemu.values.types import (
    BOOL,
    BYTES,
    DATE,
    FLOAT64,
    INT64,
    JSON,
    STRING,
    TIMESTAMP,
    Type,
    array_of,
    struct_of,
)

R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Source:
    """A database as of `at` (nanoseconds). `only_table` is a TABLE_NAME, if no others matter."""

    core: DatabaseCore
    at: int
    only_table: str | None = None

    @cached_property
    def generation(self) -> Generation:
        """The schema generation as of the timestamp, with its compiled objects."""
        return self.core.history.at(self.at)

    @property
    def schema(self) -> Schema:
        """The schema as of the timestamp."""
        return self.generation.schema

    def tables(self) -> Iterator[Table]:
        """Yield the tables whose rows matter, for tables whose TABLE_NAME is the table's own."""
        return self._relations(self.schema.tables)

    def views(self) -> Iterator[View]:
        """Yield the views whose rows matter, likewise."""
        return self._relations(self.schema.views)

    def _relations(self, relations: Mapping[str, R]) -> Iterator[R]:
        if self.only_table is None:
            yield from relations.values()
            return
        for home in ("", *(f"{name}." for name in self.schema.named_schemas)):
            relation = relations.get(self.schema.fold(home + self.only_table))
            if relation is not None:
                yield relation

    @property
    def effective_at(self) -> int:
        """The time since which the schema has been current."""
        return max(0, self.core.history.start(self.at))


def last_part(name: str) -> str:
    """Return a name without its schema."""
    return name.rpartition(".")[2]


Rows = Iterable[tuple[Any, ...]]

_DISTRIBUTION = (
    ("COUNT", INT64),
    ("MEAN", FLOAT64),
    ("SUM_OF_SQUARED_DEVIATION", FLOAT64),
    ("NUM_FINITE_BUCKETS", INT64),
    ("GROWTH_FACTOR", FLOAT64),
    ("SCALE", FLOAT64),
    ("BUCKET_COUNTS", array_of(INT64)),
)
_PERCENTILE = (("PERCENTILE", INT64), ("VALUE_AT_PERCENTILE", FLOAT64))
_LOCK_REQUEST = (("COLUMN", STRING), ("LOCK_MODE", STRING), ("TRANSACTION_TAG", STRING))
_TABLE_OPERATIONS = (
    ("TABLE_NAME", STRING),
    ("INSERT_OR_UPDATE_COUNT", INT64),
    ("INSERT_OR_UPDATE_BYTES", INT64),
)


def written(type_: Type) -> str:
    """Return a type as DDL writes it, with strings and bytes of any length."""
    if type_.element is not None:
        return f"ARRAY<{written(type_.element)}>"
    if type_.is_struct:
        return f"STRUCT<{', '.join(f'{f.name} {written(f.type)}' for f in type_.fields)}>"
    return f"{type_}(MAX)" if type_ in (STRING, BYTES) else str(type_)


# word of the notation -> (type, the type as INFORMATION_SCHEMA.COLUMNS shows it)
NotationTypes = Mapping[str, tuple[Type, str]]

TYPES: NotationTypes = {
    "": (STRING, written(STRING)),
    **{str(type_): (type_, written(type_)) for type_ in (BOOL, DATE, FLOAT64, INT64, JSON)},
    **{str(type_): (type_, written(type_)) for type_ in (BYTES, TIMESTAMP)},
    "STRING(32)": (STRING, "STRING(32)"),
    "STRING(100)": (STRING, "STRING(100)"),
    **{
        word: (type_, written(type_))
        for word, type_ in (
            ("STRINGS", array_of(STRING)),
            ("DISTRIBUTION", array_of(struct_of(*_DISTRIBUTION))),
            ("LOCK_REQUESTS", array_of(struct_of(*_LOCK_REQUEST))),
            ("PERCENTILES", array_of(struct_of(*_PERCENTILE))),
            ("TABLE_OPERATIONS", array_of(struct_of(*_TABLE_OPERATIONS))),
        )
    },
}


@dataclass(frozen=True, slots=True)
class DeclaredColumn:
    """A column of a system table. `spanner_type` is its type with lengths."""

    name: str
    type: Type
    spanner_type: str
    not_null: bool
    in_key: bool


def no_rows(_: Source) -> Rows:
    """Return no rows, because no database here has such objects."""
    return ()


@dataclass(frozen=True, eq=False)
class Declared:
    """A system table. `key` names the primary key if its order differs from the columns' order.

    `types` are the types by the words of the notation, which differ between dialects.
    """

    schema: str
    name: str
    notation: str
    rows: Callable[[Source], Rows] = no_rows
    key: str = ""
    types: NotationTypes = field(default_factory=lambda: TYPES, repr=False)

    @property
    def full_name(self) -> str:
        """The schema and the name, for example INFORMATION_SCHEMA.TABLES."""
        return f"{self.schema}.{self.name}"

    @cached_property
    def columns(self) -> tuple[DeclaredColumn, ...]:
        """The columns that the notation declares."""
        return tuple(_column(word, self.types) for word in self.notation.split())

    def table_name(self, required: Mapping[int, Any]) -> str | None:
        """Return the required value of the column TABLE_NAME, if it is known."""
        for position, value in required.items():
            if self.columns[position].name.upper() == "TABLE_NAME" and isinstance(value, str):
                return value
        return None

    @cached_property
    def key_columns(self) -> tuple[DeclaredColumn, ...]:
        """The primary key; empty for tables without a key."""
        if not self.key:
            return tuple(column for column in self.columns if column.in_key)
        by_name = {column.name: column for column in self.columns}
        return tuple(by_name[name] for name in self.key.split())

    @cached_property
    def table(self) -> SystemTable:
        """The table as the analyzer sees it."""
        columns = tuple((column.name, column.type) for column in self.columns)
        return SystemTable(self.full_name, columns)


def column_name(word: str) -> str:
    """Return the column name that a word of the notation declares."""
    return word.lstrip("*!").partition(":")[0]


def _column(word: str, types: NotationTypes) -> DeclaredColumn:
    mark = word[0] if word[0] in "*!" else ""
    name, _, type_word = word.removeprefix(mark).partition(":")
    type_, text = types[type_word]
    return DeclaredColumn(name, type_, text, not_null=bool(mark), in_key=mark == "*")


Describe = Callable[[str, Source], Rows]  # the name of a table -> its rows about system tables


class SystemTables:
    """The system tables of a dialect by name: the same in every database.

    `left_out` names the tables that Spanner has and spanemu leaves out. `described` returns the
    rows of a table that describe the system tables.
    """

    def __init__(
        self, tables: Sequence[Declared], left_out: frozenset[str], fold: Fold, described: Describe
    ) -> None:
        self._by_name = {fold(table.full_name): table for table in tables}
        self._left_out = {fold(name) for name in left_out}
        self._fold = fold
        self.described = described

    def table(self, name: str) -> SystemTable | None:
        """Return the system table of a dotted name.

        Raises Unsupported for a table that spanemu leaves out.
        """
        key = self._fold(name)
        declared = self._by_name.get(key)
        if declared is None and key in self._left_out:
            raise Unsupported(f"System table {key.upper()}")
        return None if declared is None else declared.table

    def declared(self, name: str) -> Declared:
        """Return the declaration of a system table that exists."""
        return self._by_name[self._fold(name)]

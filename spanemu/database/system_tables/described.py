"""The rows of INFORMATION_SCHEMA that describe the system tables of GoogleSQL themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from spanemu.database.system_tables.constraints import (
    not_null_clause,
    not_null_name,
    primary_key_name,
)
from spanemu.database.system_tables.declaration import Declared, Source
from spanemu.database.system_tables.information_schema import INFORMATION_SCHEMA
from spanemu.database.system_tables.relations import (
    COMMITTED,
    PRIMARY_KEY,
    PRIMARY_KEY_FACTS,
    YES_NO,
)
from spanemu.database.system_tables.spanner_sys import SPANNER_SYS

Rows = Iterator[tuple[Any, ...]]

_NEVER_COMPUTED = ("NEVER", False, None, None, None, "NO", *[None] * 6)


def _tables(declared: Sequence[Declared]) -> Rows:
    for table in declared:
        yield "", table.schema, table.name, None, None, "VIEW", None, None, None


def _columns(declared: Sequence[Declared]) -> Rows:
    for table in declared:
        for position, column in enumerate(table.columns, 1):
            yield (
                "", table.schema, table.name, column.name, position, None, None,
                YES_NO[not column.not_null], column.spanner_type, *_NEVER_COMPUTED,
            )  # fmt: skip


def _indexes(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        yield "", table.schema, table.name, *PRIMARY_KEY_FACTS


def _index_columns(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        for position, column in enumerate(table.key_columns, 1):
            yield (
                "", table.schema, table.name, PRIMARY_KEY, PRIMARY_KEY, column.name, position,
                "ASC", YES_NO[not column.not_null], column.spanner_type,
            )  # fmt: skip


def _table_constraints(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        tail = "", table.schema, table.name
        yield (
            "",
            table.schema,
            primary_key_name(table.name),
            *tail,
            "PRIMARY KEY",
            "NO",
            "NO",
            "YES",
        )
        for name, _ in _not_nulls(table):
            yield "", table.schema, name, *tail, "CHECK", "NO", "NO", "YES"


def _check_constraints(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        for name, column in _not_nulls(table):
            yield "", table.schema, name, not_null_clause(column), COMMITTED


def _constraint_table_usage(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        for name in (primary_key_name(table.name), *(name for name, _ in _not_nulls(table))):
            yield "", table.schema, table.name, "", table.schema, name


def _constraint_column_usage(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        key_name = primary_key_name(table.name)
        keys = [(key_name, column.name) for column in table.key_columns]
        for name, column in (*keys, *_not_nulls(table)):
            yield "", table.schema, table.name, column, "", table.schema, name


def _key_column_usage(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        name = primary_key_name(table.name)
        for position, column in enumerate(table.key_columns, 1):
            yield "", table.schema, name, "", table.schema, table.name, column.name, position, None


def _keyed(declared: Sequence[Declared]) -> Iterator[Declared]:
    return (table for table in declared if table.key_columns)


def _not_nulls(table: Declared) -> list[tuple[str, str]]:
    """Return (constraint, column) for each NOT NULL."""
    return [
        (not_null_name(table.name, column.name), column.name)
        for column in table.columns
        if column.not_null
    ]


SYSTEM_TABLES: Sequence[Declared] = (*INFORMATION_SCHEMA, *SPANNER_SYS)

_DESCRIBED: Mapping[str, Callable[[Sequence[Declared]], Rows]] = {
    "INFORMATION_SCHEMA.CHECK_CONSTRAINTS": _check_constraints,
    "INFORMATION_SCHEMA.COLUMNS": _columns,
    "INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE": _constraint_column_usage,
    "INFORMATION_SCHEMA.CONSTRAINT_TABLE_USAGE": _constraint_table_usage,
    "INFORMATION_SCHEMA.INDEXES": _indexes,
    "INFORMATION_SCHEMA.INDEX_COLUMNS": _index_columns,
    "INFORMATION_SCHEMA.KEY_COLUMN_USAGE": _key_column_usage,
    "INFORMATION_SCHEMA.TABLES": _tables,
    "INFORMATION_SCHEMA.TABLE_CONSTRAINTS": _table_constraints,
}


def described(name: str, source: Source | None = None) -> Sequence[tuple[Any, ...]]:
    """Return the rows of a table that describe the system tables, or the table that matters."""
    only = None if source is None else source.only_table
    if only is None:
        return _described_all(name)
    describe = _DESCRIBED.get(name)
    tables = [table for table in SYSTEM_TABLES if table.name == only]
    return tuple(describe(tables)) if tables and describe is not None else ()


@cache
def _described_all(name: str) -> Sequence[tuple[Any, ...]]:
    describe = _DESCRIBED.get(name)
    return () if describe is None else tuple(describe(SYSTEM_TABLES))

"""What system tables say of themselves, as if somebody had created them too.

Spanner lists both among tables and columns; keys and constraints only those of INFORMATION_SCHEMA
have. The rows are the same in every database, so they are made once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.database.system_tables.constraints import (
    not_null_clause,
    not_null_name,
    primary_key_name,
)
from spanemu.database.system_tables.declaration import Declared
from spanemu.database.system_tables.indexes import DIRECTIONS, PRIMARY_KEY, PRIMARY_KEY_FACTS
from spanemu.database.system_tables.relations import COMMITTED, YES_NO

Rows = Iterator[tuple[Any, ...]]

_NEVER_COMPUTED = ("NEVER", False, None, None, None, "NO", *[None] * 6)


def _tables(declared: Sequence[Declared]) -> Rows:
    for one in declared:
        yield "", one.schema, one.name, None, None, "VIEW", None, None, None


def _columns(declared: Sequence[Declared]) -> Rows:
    for one in declared:
        for place, column in enumerate(one.columns, 1):
            yield (
                "", one.schema, one.name, column.name, place, None, None,
                YES_NO[not column.not_null], column.spanner_type, *_NEVER_COMPUTED,
            )  # fmt: skip


def _indexes(declared: Sequence[Declared]) -> Rows:
    for one in _keyed(declared):
        yield "", one.schema, one.name, *PRIMARY_KEY_FACTS


def _index_columns(declared: Sequence[Declared]) -> Rows:
    for one in _keyed(declared):
        for place, column in enumerate(one.key_columns, 1):
            yield (
                "", one.schema, one.name, PRIMARY_KEY, PRIMARY_KEY, column.name, place,
                DIRECTIONS[False], YES_NO[not column.not_null], column.spanner_type,
            )  # fmt: skip


def _table_constraints(declared: Sequence[Declared]) -> Rows:
    for one in _keyed(declared):
        tail = "", one.schema, one.name
        yield "", one.schema, primary_key_name(one.name), *tail, "PRIMARY KEY", "NO", "NO", "YES"
        for name, _ in _not_nulls(one):
            yield "", one.schema, name, *tail, "CHECK", "NO", "NO", "YES"


def _check_constraints(declared: Sequence[Declared]) -> Rows:
    for one in _keyed(declared):
        for name, column in _not_nulls(one):
            yield "", one.schema, name, not_null_clause(column), COMMITTED


def _constraint_table_usage(declared: Sequence[Declared]) -> Rows:
    for one in _keyed(declared):
        for name in (primary_key_name(one.name), *(name for name, _ in _not_nulls(one))):
            yield "", one.schema, one.name, "", one.schema, name


def _constraint_column_usage(declared: Sequence[Declared]) -> Rows:
    for one in _keyed(declared):
        key_name = primary_key_name(one.name)
        keys = [(key_name, column.name) for column in one.key_columns]
        for name, column in (*keys, *_not_nulls(one)):
            yield "", one.schema, one.name, column, "", one.schema, name


def _key_column_usage(declared: Sequence[Declared]) -> Rows:
    for one in _keyed(declared):
        name = primary_key_name(one.name)
        for place, column in enumerate(one.key_columns, 1):
            yield "", one.schema, name, "", one.schema, one.name, column.name, place, None


def _keyed(declared: Sequence[Declared]) -> Iterator[Declared]:
    return (one for one in declared if one.key_columns)


def _not_nulls(one: Declared) -> list[tuple[str, str]]:
    """(constraint, column) for each NOT NULL."""
    return [
        (not_null_name(one.name, column.name), column.name)
        for column in one.columns
        if column.not_null
    ]


DESCRIBED: Mapping[str, Callable[[Sequence[Declared]], Rows]] = {
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

"""Rules for secondary indexes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from spanemu.base.errors import SpannerError
from spanemu.base.limits import KEY_PARTS_MAX
from spanemu.ddl.errors.indexes import (
    IndexColumnMissing,
    IndexColumnTwice,
    IndexColumnType,
    IndexColumnUnsupported,
    IndexFilterColumn,
    IndexInOtherSchema,
    IndexManaged,
    IndexParentMissing,
    IndexWithoutKey,
    StoredColumnIsKey,
    StoredColumnIsTableKey,
    TooManyIndexes,
    TooManyTableIndexes,
)
from spanemu.ddl.errors.tables import TooManyKeyColumns
from spanemu.ddl.naming import find_column, schema_part
from spanemu.ddl.validators.tables import is_key_type, shared_part_problems
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.values.types import TypeCode

# Types with an error of their own, which names only the type code.
_NAMED_TYPES = frozenset(
    {
        TypeCode.ARRAY,
        TypeCode.JSON,
        TypeCode.PG_JSONB,
        TypeCode.PG_NUMERIC,
        TypeCode.TOKENLIST,
    }
)


def index_column_problems(index: str, table: Table, names: Sequence[str]) -> Iterator[SpannerError]:
    """Yield columns that the table does not have, or that are named twice."""
    seen: set[str] = set()
    for name in names:
        if find_column(table, name) is None:
            yield IndexColumnMissing(index, name)
        if name in seen:
            yield IndexColumnTwice(index, name)
        seen.add(name)


def index_problems(index: SortedIndex, table: Table, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with a new index whose columns exist."""
    if schema_part(index.name) != schema_part(table.name):
        yield IndexInOtherSchema(index.name, table.name)
    if not index.key:
        yield IndexWithoutKey(index.name)
    for part in index.key:
        yield from key_type_problems(index.name, part.column, schema)
    yield from stored_problems(index, table, index.stored)
    if len(index.full_key) > KEY_PARTS_MAX:
        yield TooManyKeyColumns("Index", index.name, len(index.full_key), KEY_PARTS_MAX)
    held = {column.name for column in index.columns}
    yield from filter_problems(index.name, index.where_not_null, held)
    yield from _parent_problems(index, schema)
    yield from count_problems(index, table, schema)


def key_type_problems(index: str, column: Column, schema: Schema) -> Iterator[SpannerError]:
    """Yield the error for a key column of a type that no key has."""
    if is_key_type(column.type, schema):
        return
    if column.type.code in _NAMED_TYPES | schema.dialect.unsorted_types:
        yield IndexColumnType(index, column.name, column.type.kind)
    else:
        yield IndexColumnUnsupported(index, column.name, str(column.type))


def stored_problems(
    index: SortedIndex, table: Table, stored: Sequence[Column]
) -> Iterator[SpannerError]:
    """Yield stored columns that are part of each entry's key."""
    key = {part.column.id for part in index.key}
    table_key = {column.id for column in table.key_columns}
    for column in stored:
        if column.id in key:
            yield StoredColumnIsKey(index.name, column.name)
        if column.id in table_key:
            yield StoredColumnIsTableKey(index.name, column.name, table.name)


def filter_problems(
    index: str, filtered: Sequence[str], held: Collection[str]
) -> Iterator[SpannerError]:
    """Yield columns of WHERE c IS NOT NULL that are not among those that an index holds."""
    for name in filtered:
        if name not in held:
            yield IndexFilterColumn(index, name)


def _parent_problems(index: SortedIndex, schema: Schema) -> Iterator[SpannerError]:
    """Yield where the key does not begin with the parent's key; names may differ."""
    if index.parent is None:
        return
    parent = schema.tables[schema.fold(index.parent)]
    for position, parent_part in enumerate(parent.key):
        if position >= len(index.key):
            yield IndexParentMissing(index.name, parent_part.column.name)
        else:
            part = index.key[position]
            yield from shared_part_problems("Index", index.name, part, parent_part, lengths=False)


def count_problems(index: SortedIndex, table: Table, schema: Schema) -> Iterator[SpannerError]:
    """Yield the limits on the number of indexes that a new index exceeds."""
    limits = schema.limits
    if len(schema.indexes_of(table)) >= limits.indexes_per_table:
        yield TooManyTableIndexes(index.name, table.name, limits.indexes_per_table)
    if len(schema.indexes) >= limits.indexes:
        yield TooManyIndexes(index.name, limits.indexes)


def managed_problems(index: SortedIndex) -> Iterator[SpannerError]:
    """Yield the error for an index that belongs to foreign keys."""
    if index.is_managed:
        yield IndexManaged(index.name, ", ".join(f"`{name}`" for name in index.managed_by))

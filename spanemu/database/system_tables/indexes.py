"""Rows about indexes, including the primary key of each table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.database.system_tables.declaration import Source, last_part
from spanemu.database.system_tables.relations import YES_NO, TypeTexts
from spanemu.schema.index import SearchIndex, VectorIndex
from spanemu.schema.names import split_name
from spanemu.schema.schema import Schema

Rows = Iterator[tuple[Any, ...]]

PRIMARY_KEY = "PRIMARY_KEY"  # the index name and the index type of a primary key
# The columns of INDEXES for each primary key, from INDEX_NAME on.
PRIMARY_KEY_FACTS = (PRIMARY_KEY, PRIMARY_KEY, "", True, False, None, False)


def indexes(source: Source) -> Rows:
    """Yield the rows of INDEXES: the indexes of a table, then its primary key."""
    schema = source.schema
    for table in schema.tables.values():
        home, name = split_name(table.name)
        for index in schema.indexes_of(table):
            parent = "" if index.parent is None else last_part(index.parent)
            yield (
                "", home, name, last_part(index.name), "INDEX", parent, index.unique,
                index.null_filtered, "READ_WRITE" if index.ready else "WRITE_ONLY",
                index.is_managed,
            )  # fmt: skip
        yield "", home, name, *PRIMARY_KEY_FACTS
    for kind, special in _special(schema):
        inside = special.parent if isinstance(special, SearchIndex) else None
        yield (
            "", *split_name(special.table), last_part(special.name), kind,
            "" if inside is None else last_part(inside), False, False, "READ_WRITE", False,
        )  # fmt: skip


def _special(schema: Schema) -> Iterator[tuple[str, SearchIndex | VectorIndex]]:
    yield from (("SEARCH", index) for index in schema.search_indexes.values())
    yield from (("VECTOR", index) for index in schema.vector_indexes.values())


def index_columns(source: Source) -> Rows:
    """Yield the rows of INDEX_COLUMNS: key parts, then stored columns without a position."""
    schema = source.schema
    type_text = TypeTexts()
    for table in schema.tables.values():
        home, name = split_name(table.name)
        for index in schema.indexes_of(table):
            head = "", home, name, last_part(index.name), "INDEX"
            filtered = {column.id for column in index.filtered}
            for position, part in enumerate(index.key, 1):
                column = part.column
                nullable = YES_NO[not column.not_null and column.id not in filtered]
                order = schema.orders.text(part.order)
                yield *head, column.name, position, order, nullable, type_text.of(column)
            for column in index.stored:
                nullable = YES_NO[not column.not_null]
                yield *head, column.name, None, None, nullable, type_text.of(column)
        head = "", home, name, PRIMARY_KEY, PRIMARY_KEY
        for position, part in enumerate(table.key, 1):
            column, order = part.column, schema.orders.text(part.order)
            yield (
                *head,
                column.name,
                position,
                order,
                YES_NO[not column.not_null],
                type_text.of(column),
            )
    for kind, special in _special(schema):
        table = schema.tables[special.table.lower()]
        head = "", *split_name(special.table), last_part(special.name), kind
        for position, column_name in enumerate((*special.key, *special.stored), 1):
            column = table.by_name[column_name.lower()]
            in_key = position <= len(special.key)
            yield (
                *head, column.name, position if in_key else None,
                "ASC" if in_key and kind == "VECTOR" else None,
                YES_NO[not column.not_null], type_text.of(column),
            )  # fmt: skip

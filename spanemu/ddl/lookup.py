"""Finds what a statement refers to. Unlike queries, DDL must spell names as they were created."""

from __future__ import annotations

from typing import Any

from spanemu.ddl.errors.names import (
    ColumnNotFound,
    IndexNotFound,
    TableNotFound,
)
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.syntax_tree import Identifier, Path


def find_table(schema: Schema, path: Path) -> Table | None:
    """The table of that very name."""
    name = str(path)
    table = schema.tables.get(schema.fold(name))
    return table if table is not None and table.name == name else None


def table_of(schema: Schema, path: Path) -> Table:
    """The table of that very name. Raises TableNotFound; synonyms do not count."""
    table = find_table(schema, path)
    if table is None:
        raise TableNotFound(str(path))
    return table


def find_column(table: Table, name: str) -> Column | None:
    """The column of that very name."""
    column = table.column(name)
    return column if column is not None and column.name == name else None


def column_of(table: Table, identifier: Identifier) -> Column:
    """The column of that very name. Raises ColumnNotFound."""
    column = find_column(table, identifier.name)
    if column is None:
        raise ColumnNotFound(table.name, identifier.name)
    return column


def find_index(schema: Schema, path: Path) -> Index | None:
    """The index of that very name."""
    index = schema.index(str(path))
    return index if index is not None and index.name == str(path) else None


def index_of(schema: Schema, path: Path) -> Index:
    """The index of that very name. Raises IndexNotFound."""
    index = find_index(schema, path)
    if index is None:
        raise IndexNotFound(str(path))
    return index


def schema_part(name: str) -> str:
    """The named schema that an object's name puts it in, "" for the default one."""
    return name.rpartition(".")[0]


def find_object(schema: Schema, field: str, name: str) -> Any:
    """Return the object of a field of the schema with exactly that name, or None.

    Internal objects, such as the sequences of identity columns, have no name for users.
    """
    source = getattr(schema, field).get(schema.fold(name))
    if source is None or source.name != name or getattr(source, "internal", False):
        return None
    return source

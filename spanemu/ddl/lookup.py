"""Finds what a statement refers to. Unlike queries, DDL must spell names as they were created."""

from __future__ import annotations

from typing import Any

from spanemu.ddl.errors.names import (
    ColumnNotFound,
    IndexNotFound,
    ObjectNotFound,
    TableNotFound,
)
from spanemu.schema.column import Column
from spanemu.schema.index import Index
from spanemu.schema.objects import Sequence, View
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.ddl_ast import Drop
from spanemu.sql.syntax_tree import Identifier, Path


def find_table(schema: Schema, path: Path) -> Table | None:
    """The table of that very name."""
    name = str(path)
    table = schema.tables.get(name.lower())
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


def find_sequence(schema: Schema, path: Path) -> Sequence | None:
    """The sequence of that very name; those of identity columns have no name of their own."""
    sequence = schema.sequence(str(path))
    if sequence is None or sequence.name != str(path) or sequence.internal:
        return None
    return sequence


def find_view(schema: Schema, path: Path) -> View | None:
    """The view of that very name."""
    view = schema.view(str(path))
    return view if view is not None and view.name == str(path) else None


def schema_part(name: str) -> str:
    """The named schema that an object's name puts it in, "" for the default one."""
    return name.rpartition(".")[0]


def find_object(schema: Schema, kind: str, name: str) -> Any:
    """The object of that very name in a field of the schema, None if there is none."""
    found = getattr(schema, kind).get(name.lower())
    return found if found is not None and found.name == name else None


def object_of(schema: Schema, kind: str, name: str, words: str) -> Any:
    """The object of that very name. Raises ObjectNotFound, which calls its kind by `words`."""
    found = find_object(schema, kind, name)
    if found is None:
        raise ObjectNotFound(words, name)
    return found


def dropped_object(schema: Schema, kind: str, statement: Drop, words: str) -> Any:
    """The object that a statement drops, None where IF EXISTS lets it be missing.

    Raises ObjectNotFound.
    """
    name = str(statement.name)
    if statement.if_exists:
        return find_object(schema, kind, name)
    return object_of(schema, kind, name, words)

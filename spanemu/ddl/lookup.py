"""Lookup of the objects that a statement names.

Unlike queries, DDL must spell names as they were created.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanemu.base.deferred import deferred
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.sql.syntax_tree import Identifier, Path

if TYPE_CHECKING:
    from spanemu.ddl.errors import names as name_errors
else:
    name_errors = deferred("spanemu.ddl.errors.names")


def find_table(schema: Schema, path: Path) -> Table | None:
    """Return the table with exactly that name, or None; synonyms do not count.

    Raises QueueIsNoTable for the name of a queue.
    """
    table: Table | None = find_object(schema, "tables", str(path))
    if table is not None and table.is_queue:
        raise name_errors.QueueIsNoTable(table.name)
    return table


def find_queue(schema: Schema, path: Path) -> Table | None:
    """Return the queue with exactly that name, or None."""
    queue: Table | None = find_object(schema, "tables", str(path))
    return queue if queue is not None and queue.is_queue else None


def table_of(schema: Schema, path: Path) -> Table:
    """Return the table with exactly that name. Raises TableNotFound or QueueIsNoTable."""
    table = find_table(schema, path)
    if table is None:
        raise name_errors.TableNotFound(str(path))
    return table


def find_column(table: Table, name: str) -> Column | None:
    """Return the column with exactly that name, or None."""
    column = table.column(name)
    return column if column is not None and column.name == name else None


def column_of(table: Table, identifier: Identifier) -> Column:
    """Return the column with exactly that name. Raises ColumnNotFound."""
    column = find_column(table, identifier.name)
    if column is None:
        raise name_errors.ColumnNotFound(table.name, identifier.name)
    return column


def find_index(schema: Schema, path: Path) -> Index | None:
    """Return the index with exactly that name, or None."""
    index: Index | None = find_object(schema, "indexes", str(path))
    return index


def index_of(schema: Schema, path: Path) -> Index:
    """Return the index with exactly that name. Raises IndexNotFound."""
    index = find_index(schema, path)
    if index is None:
        raise name_errors.IndexNotFound(str(path))
    return index


def schema_part(name: str) -> str:
    """Return the named schema of an object's name, "" for the default schema."""
    return name.rpartition(".")[0]


def find_object(schema: Schema, field: str, name: str) -> Any:
    """Return the object of a field of the schema with exactly that name, or None.

    Internal objects, such as the sequences of identity columns, have no name for users.
    """
    source = getattr(schema, field).get(schema.fold(name))
    if source is None or source.name != name or getattr(source, "internal", False):
        return None
    return source

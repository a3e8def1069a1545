"""CREATE INDEX."""

from __future__ import annotations

from spanemu.ddl.backfill import fill_index
from spanemu.ddl.change import Change
from spanemu.ddl.errors import DuplicateName, IndexColumnMissing, TableNotFound
from spanemu.schema.column import Column, KeyPart
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.syntax import ddl_ast


def create_index(statement: ddl_ast.CreateIndex, schema: Schema) -> Change:
    """A new secondary index, filled from the rows that exist."""
    name = str(statement.name)
    if schema.has_name(name):
        if statement.if_not_exists and schema.index(name) is not None:
            return Change(schema)
        raise DuplicateName(name)
    table = schema.tables.get(str(statement.table).lower())
    if table is None:
        raise TableNotFound(str(statement.table))
    key = tuple(
        KeyPart(_column(name, table, part.column.name), part.descending)
        for part in statement.key
    )
    declared = {part.column.name for part in key}
    index = Index(
        name=name,
        id=schema.next_id,
        table=table.name,
        key=key,
        suffix=tuple(part for part in table.key if part.column.name not in declared),
        stored=tuple(_column(name, table, column.name) for column in statement.storing),
        unique=statement.unique,
        null_filtered=statement.null_filtered,
        where_not_null=tuple(column.name for column in statement.where_not_null),
        parent=None if statement.interleave is None else str(statement.interleave.table),
    )
    indexes = {**schema.indexes, name.lower(): index}
    following = schema.next(indexes=indexes, next_id=schema.next_id + 1)
    return Change(following, (fill_index(index),))


def _column(index: str, table: Table, name: str) -> Column:
    column = table.column(name)
    if column is None:
        raise IndexColumnMissing(index, name)
    return column

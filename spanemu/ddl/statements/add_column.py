"""ALTER TABLE ... ADD COLUMN."""

from __future__ import annotations

from dataclasses import replace

from spanemu.ddl.backfill import fill_column
from spanemu.ddl.change import Change
from spanemu.ddl.edit import with_sequences
from spanemu.ddl.errors.alterations import NotNullColumnAdded, PrimaryKeyOnAddedColumn
from spanemu.ddl.errors.columns import DuplicateColumnName
from spanemu.ddl.errors.objects import PlacementKeyInvalid
from spanemu.ddl.errors.tables import TooManyColumns
from spanemu.ddl.references import with_checked_views
from spanemu.ddl.statements.columns import Place, identity_sequence, new_column
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.columns import column_problems
from spanemu.ddl.validators.expressions import default_problems, generated_problems
from spanemu.ddl.validators.options import locality_group_problems
from spanemu.schema.column import Column
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast


def add_column(table: Table, action: ddl_ast.AddColumn, schema: Schema) -> Change:
    """A new column; rows that exist get its default, or what it is computed from."""
    name = action.column.name.name
    if table.column(name) is not None:
        if action.if_not_exists:
            return Change(schema)
        raise DuplicateColumnName(table.name, name)
    if action.column.primary_key:
        raise PrimaryKeyOnAddedColumn(table.name, name)
    if len(table.columns) >= schema.limits.columns_per_table:
        raise TooManyColumns(table.name, schema.limits.columns_per_table)
    place = Place(table.name, schema.next_id, table.width)
    column = new_column(action.column, place, schema)
    wider = replace(table, columns=(*table.columns, column))
    _judge(wider, column, schema)
    following = schema.with_table(wider, next_id=schema.next_id + 1)
    if column.identity is not None:
        following = with_sequences(following, [identity_sequence(column, following.next_id)])
    # A view that selects everything would grow.
    following = with_checked_views(following, (table.name,), "TABLE", table.name)
    return Change(following, [fill_column(table.name, column)] if _has_cells(column) else ())


def _has_cells(column: Column) -> bool:
    """Whether rows that exist get a value other than NULL."""
    if column.generated is not None:
        return column.stored
    return column.default is not None or column.identity is not None


def _judge(table: Table, column: Column, schema: Schema) -> None:
    raise_first(column_problems(table.name, column))
    raise_first(locality_group_problems(column.options, schema))
    if column.placement_key:
        reason = "only CREATE TABLE says which column is one"
        raise PlacementKeyInvalid(table.name, column.name, reason)
    if column.not_null and not _has_cells(column):
        raise NotNullColumnAdded(table.name, column.name)
    raise_first(default_problems(table, column, schema))
    if column.generated is not None:
        raise_first(generated_problems(table, {column.id: column}, schema))

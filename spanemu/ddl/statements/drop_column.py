"""ALTER TABLE ... DROP COLUMN."""

from __future__ import annotations

from dataclasses import replace

from spanemu.ddl.change import Change
from spanemu.ddl.edit import changed_table, without_sequence
from spanemu.ddl.errors.alterations import (
    CannotDropKeyColumn,
    ColumnInCheck,
    ColumnInForeignKeys,
    ColumnInGeneratedColumn,
    ColumnInIndex,
    ColumnInRowDeletionPolicy,
)
from spanemu.ddl.errors.names import ColumnNotFound
from spanemu.ddl.errors.objects import PlacementKeyInvalid, ViewsDepend
from spanemu.ddl.expressions import columns_of_checks, columns_of_generated
from spanemu.ddl.kinds.table import column_dependents
from spanemu.ddl.references import with_checked_views
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.alterations import foreign_keys_over
from spanemu.schema.column import Column
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast


def drop_column(table: Table, action: ddl_ast.DropColumn, schema: Schema) -> Change:
    """Take a column away. Stored rows keep its cells, so its position is not given out again."""
    column = table.column(action.column.name)
    if column is None:
        raise ColumnNotFound(table.name, action.column.name)
    _refuse_used(table, column, schema)
    left = tuple(other for other in table.columns if other.id != column.id)
    narrower = replace(table, columns=left, positions_used=table.width)
    following = changed_table(schema, narrower)
    if column.identity is not None:
        following = without_sequence(following, column.identity.sequence)
    following = with_checked_views(
        following, (table.name,), "TABLE", table.name,
        lambda view, _: ViewsDepend("column", column.name, view.name),
    )  # fmt: skip
    return Change(following)


def _refuse_used(table: Table, column: Column, schema: Schema) -> None:
    """Raise for the first thing that needs the column."""
    place = table.name, column.name
    if column.id in {part.id for part in table.key_columns}:
        raise CannotDropKeyColumn(*place)
    if column.placement_key:
        raise PlacementKeyInvalid(*place, "a placement key cannot be dropped")
    if table.row_deletion_policy is not None and table.row_deletion_policy[0] == column.name:
        raise ColumnInRowDeletionPolicy(*place)
    raise_first(column_dependents(schema, table, column.name))
    keys = [f"`{key.name}`" for key in foreign_keys_over(schema, table, column)]
    if keys:
        raise ColumnInForeignKeys(*place, ", ".join(keys))
    for index in schema.indexes_of(table):
        if any(held.id == column.id for held in index.columns):
            raise ColumnInIndex(*place, index.name)
    for check, used in columns_of_checks(table, schema).items():
        if column.id in used:
            raise ColumnInCheck(*place, check)
    for id_, used in columns_of_generated(table, schema).items():
        if column.id in used:
            generated = next(other for other in table.columns if other.id == id_)
            raise ColumnInGeneratedColumn(*place, generated.name)

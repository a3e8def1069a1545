"""ALTER TABLE: the table of actions, one function for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from spanemu.ddl.change import Change
from spanemu.ddl.errors.names import TableNotFound
from spanemu.ddl.lookup import find_table
from spanemu.ddl.statements.alter_column import (
    add_column,
    alter_column_identity,
    change_column_type,
    drop_column,
    drop_column_default,
    drop_column_on_update,
    redefine_column,
    set_column_default,
    set_column_not_null,
    set_column_on_update,
    set_column_options,
)
from spanemu.ddl.statements.table_properties import (
    add_row_deletion_policy,
    add_synonym,
    add_table_constraint,
    drop_constraint,
    drop_row_deletion_policy,
    drop_synonym,
    rename_table,
    replace_row_deletion_policy,
    set_interleave,
    set_on_delete,
    set_table_options,
)
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast

Action = Callable[[Table, Any, Schema], Change]

ACTIONS: Mapping[type[ddl_ast.TableAction], Action] = {
    ddl_ast.AddColumn: add_column,
    ddl_ast.AddConstraint: add_table_constraint,
    ddl_ast.AddRowDeletionPolicy: add_row_deletion_policy,
    ddl_ast.AddSynonym: add_synonym,
    ddl_ast.AlterColumnIdentity: alter_column_identity,
    ddl_ast.ChangeColumnType: change_column_type,
    ddl_ast.DropColumn: drop_column,
    ddl_ast.DropColumnDefault: drop_column_default,
    ddl_ast.DropColumnOnUpdate: drop_column_on_update,
    ddl_ast.DropConstraint: drop_constraint,
    ddl_ast.DropRowDeletionPolicy: drop_row_deletion_policy,
    ddl_ast.DropSynonym: drop_synonym,
    ddl_ast.RedefineColumn: redefine_column,
    ddl_ast.RenameTo: rename_table,
    ddl_ast.ReplaceRowDeletionPolicy: replace_row_deletion_policy,
    ddl_ast.SetColumnDefault: set_column_default,
    ddl_ast.SetColumnNotNull: set_column_not_null,
    ddl_ast.SetColumnOnUpdate: set_column_on_update,
    ddl_ast.SetColumnOptions: set_column_options,
    ddl_ast.SetInterleave: set_interleave,
    ddl_ast.SetOnDelete: set_on_delete,
    ddl_ast.SetTableOptions: set_table_options,
}


def alter_table(statement: ddl_ast.AlterTable, schema: Schema) -> Change:
    """Apply the action of an ALTER TABLE."""
    table = find_table(schema, statement.name)
    if table is None:
        if statement.if_exists:
            return Change(schema)
        raise TableNotFound(str(statement.name))
    return ACTIONS[type(statement.action)](table, statement.action, schema)

"""ALTER TABLE: the table of actions, and those on constraints, policies, synonyms, options, names.

`alter_column` has the actions on columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.ddl.change import Change
from spanemu.ddl.errors.objects import ConstraintNotFound, TableNotFound
from spanemu.ddl.errors.tables import (
    DeletionPolicyExists,
    DeletionPolicyMissing,
    InterleavingDirectCascade,
    InterleavingParentChanged,
    NotInterleaved,
    OnDeleteOfInterleaveIn,
    RenamedToColumn,
    SynonymExists,
    SynonymNotFound,
)
from spanemu.ddl.expressions import with_checked_views
from spanemu.ddl.jobs import verify_parents
from spanemu.ddl.kinds.table import with_renamed_table
from spanemu.ddl.naming import (
    find_addressed_column,
    find_table,
    object_name_problems,
    schema_part,
    table_of,
)
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
from spanemu.ddl.statements.constraints import drop_foreign_key
from spanemu.ddl.statements.create_table import add_constraint, interleaved
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.options import TABLE_RULES, changed_options, locality_group_problems
from spanemu.ddl.validators.tables import ancestor_policy_problems, policy_problems
from spanemu.schema.schema import Schema
from spanemu.schema.table import ForeignKey, Interleave, Table
from spanemu.sql import ddl_ast

_CREATE_ONLY = "fulltext_dictionary_table"


def add_table_constraint(table: Table, action: ddl_ast.AddConstraint, schema: Schema) -> Change:
    """Add a foreign key or a check, which stored rows must satisfy."""
    return add_constraint(schema, table.name, action.constraint)


def drop_constraint(table: Table, action: ddl_ast.DropConstraint, schema: Schema) -> Change:
    """Drop a foreign key or a check."""
    unique_key = schema.dialect.unique_key
    name = unique_key(action.name.name)
    for key in table.foreign_keys:
        if unique_key(key.name) == name:
            return Change(drop_foreign_key(schema, table, key))
    checks = tuple(check for check in table.checks if unique_key(check.name) != name)
    if len(checks) == len(table.checks):
        raise ConstraintNotFound(action.name.name, table.name)
    return Change(schema.with_table(replace(table, checks=checks)))


# ---------------------------------------------------------------------------- row deletion


def add_row_deletion_policy(
    table: Table, action: ddl_ast.AddRowDeletionPolicy, schema: Schema
) -> Change:
    """Add a row deletion policy to a table without a policy."""
    if table.row_deletion_policy is not None:
        raise DeletionPolicyExists(table.name)
    return _with_policy(table, action.policy, schema)


def replace_row_deletion_policy(
    table: Table, action: ddl_ast.ReplaceRowDeletionPolicy, schema: Schema
) -> Change:
    """Replace the row deletion policy."""
    if table.row_deletion_policy is None:
        raise DeletionPolicyMissing(table.name)
    return _with_policy(table, action.policy, schema)


def drop_row_deletion_policy(
    table: Table,
    action: ddl_ast.DropRowDeletionPolicy,
    schema: Schema,
) -> Change:
    """Drop the row deletion policy."""
    if table.row_deletion_policy is None:
        raise DeletionPolicyMissing(table.name)
    return Change(schema.with_table(replace(table, row_deletion_policy=None)))


def _with_policy(table: Table, policy: ddl_ast.RowDeletionPolicy, schema: Schema) -> Change:
    column = find_addressed_column(table, policy.column.name)
    name = policy.column.name if column is None else column.name
    after = replace(table, row_deletion_policy=(name, policy.days))
    following = schema.with_table(after)
    raise_first(policy_problems(after, following))
    return Change(following)


# ---------------------------------------------------------------------------- synonyms


def add_synonym(table: Table, action: ddl_ast.AddSynonym, schema: Schema) -> Change:
    """Add a synonym for a table."""
    return Change(with_synonym(schema, table, str(action.synonym)))


def with_synonym(schema: Schema, table: Table, synonym: str) -> Schema:
    """Return the schema with a synonym for a table."""
    if table.synonyms:
        raise SynonymExists(table.name, table.synonyms[0])
    raise_first(object_name_problems("Synonym", synonym, schema))
    return schema.with_table(replace(table, synonyms=(synonym,)))


def drop_synonym(table: Table, action: ddl_ast.DropSynonym, schema: Schema) -> Change:
    """Drop the synonym of a table."""
    synonym = str(action.synonym)
    if synonym not in table.synonyms:
        raise SynonymNotFound(table.name, synonym)
    following = schema.with_table(replace(table, synonyms=()))
    return Change(with_checked_views(following, (table.name, synonym), "SYNONYM", synonym))


# ---------------------------------------------------------------------------- options


def set_table_options(table: Table, action: ddl_ast.SetTableOptions, schema: Schema) -> Change:
    """Set options of a table; only CREATE TABLE can make a table a dictionary."""
    rules = {name: rule for name, rule in TABLE_RULES.items() if name != _CREATE_ONLY}
    return with_options(
        table, changed_options(("table", table.name), action.options, rules, table.options), schema
    )


def with_options(table: Table, options: Mapping[str, Any], schema: Schema) -> Change:
    """Return the effect of giving a table these options."""
    if options == table.options:
        return Change(schema)
    raise_first(locality_group_problems(options, schema))
    return Change(schema.with_table(replace(table, options=options)))


def set_on_delete(table: Table, action: ddl_ast.SetOnDelete, schema: Schema) -> Change:
    """Set the effect of a parent row's deletion on its child rows."""
    if table.interleave is None:
        raise NotInterleaved(table.name, "SET ON DELETE")
    if table.interleave is Interleave.IN:
        raise OnDeleteOfInterleaveIn(table.name)
    cascade = action.on_delete is ddl_ast.OnDelete.CASCADE
    return _changed(table, replace(table, cascade=cascade), schema)


def set_interleave(table: Table, action: ddl_ast.SetInterleave, schema: Schema) -> Change:
    """Set whether child rows need a parent row; the parent stays the same."""
    clause = action.interleave
    if table.parent is None:
        raise NotInterleaved(table.name, "SET INTERLEAVE IN")
    parent = table_of(schema, clause.table)
    if parent.name != table.parent:
        raise InterleavingParentChanged(table.name, table.parent, parent.name)
    after = interleaved(table, parent.name, clause)
    becomes_parent = clause.in_parent and table.interleave is Interleave.IN
    if becomes_parent and after.cascade:
        raise InterleavingDirectCascade(table.name)
    change = _changed(table, after, schema)
    if not becomes_parent:
        return change
    return Change(change.schema, [verify_parents(table.name, parent.name)])


def _changed(before: Table, after: Table, schema: Schema) -> Change:
    if (after.interleave, after.cascade) == (before.interleave, before.cascade):
        return Change(schema)
    following = schema.with_table(after)
    raise_first(ancestor_policy_problems(after, following))
    return Change(following)


# ---------------------------------------------------------------------------- names


def rename_table(table: Table, action: ddl_ast.RenameTo, schema: Schema) -> Change:
    """Rename a table; the old name can become its synonym."""
    name = str(action.name)
    following = _renamed(schema, table, name)
    if action.synonym is not None:
        renamed = following.tables[schema.fold(name)]
        following = with_synonym(following, renamed, str(action.synonym))
    return Change(with_checked_views(following, (table.name, name), "TABLE", table.name))


def rename_tables(statement: ddl_ast.RenameTables, schema: Schema) -> Change:
    """Rename tables from left to right, then check the views over them."""
    names: set[str] = set()
    following = schema
    for old, new in statement.renames:
        following = _renamed(following, table_of(following, old), str(new))
        names |= {str(old), str(new)}
    first, _ = statement.renames[0]
    return Change(with_checked_views(following, names, "TABLE", str(first)))


def _renamed(schema: Schema, table: Table, name: str) -> Schema:
    raise_first(object_name_problems("Table", name, schema))
    if schema_part(name) != schema_part(table.name):
        raise Unsupported("Renaming a table into another schema")
    for other in (table, schema.parent(table)):
        if table.parent is not None and other is not None and other.column(name) is not None:
            raise RenamedToColumn(table.name, name, other.name)
    old = table.name
    changed = {
        schema.fold(old): table,
        **{schema.fold(child.name): child for child in schema.children(table)},
        **{schema.fold(other.name): other for other, _ in schema.referencing(table)},
    }
    tables = {}
    for key, source in schema.tables.items():
        after = _following(source, old, name) if key in changed else source
        tables[schema.fold(after.name)] = after
    indexes = {key: index.renamed(old, name) for key, index in schema.indexes.items()}
    others = with_renamed_table(schema, old, name)
    return schema.next(tables=tables, indexes=indexes, **others)


def _following(table: Table, old: str, new: str) -> Table:
    """Return a table with the old name replaced in all its parts."""
    return replace(
        table,
        name=new if table.name == old else table.name,
        parent=new if table.parent == old else table.parent,
        foreign_keys=tuple(_following_key(key, old, new) for key in table.foreign_keys),
    )


def _following_key(key: ForeignKey, old: str, new: str) -> ForeignKey:
    return replace(
        key,
        table=new if key.table == old else key.table,
        referenced_table=new if key.referenced_table == old else key.referenced_table,
    )


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

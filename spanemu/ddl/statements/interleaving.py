"""ALTER TABLE ... SET INTERLEAVE IN, SET ON DELETE."""

from __future__ import annotations

from dataclasses import replace

from spanemu.ddl.change import Change
from spanemu.ddl.errors.tables import (
    InterleavingDirectCascade,
    InterleavingParentChanged,
    NotInterleaved,
    OnDeleteOfInterleaveIn,
)
from spanemu.ddl.lookup import table_of
from spanemu.ddl.statements.create_table import interleaved
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.row_deletion import ancestor_policy_problems
from spanemu.ddl.verifiers import verify_parents
from spanemu.schema.schema import Schema
from spanemu.schema.table import Interleave, Table
from spanemu.sql.syntax import ddl_ast


def set_on_delete(table: Table, action: ddl_ast.SetOnDelete, schema: Schema) -> Change:
    """What happens to the rows of a child when their parent goes."""
    if table.interleave is None:
        raise NotInterleaved(table.name, "SET ON DELETE")
    if table.interleave is Interleave.IN:
        raise OnDeleteOfInterleaveIn(table.name)
    cascade = action.on_delete is ddl_ast.OnDelete.CASCADE
    return _changed(table, replace(table, cascade=cascade), schema)


def set_interleave(table: Table, action: ddl_ast.SetInterleave, schema: Schema) -> Change:
    """Whether the rows of a child need a parent row; the parent stays the same."""
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

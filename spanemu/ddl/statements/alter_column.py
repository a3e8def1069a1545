"""ALTER TABLE with ADD COLUMN, ALTER COLUMN or DROP COLUMN."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spanemu.ddl.change import (
    Change,
    Job,
    changed_column,
    changed_table,
    with_sequences,
    without_sequence,
)
from spanemu.ddl.errors.alterations import (
    CannotChangeIdentity,
    CannotDropKeyColumn,
    ColumnInCheck,
    ColumnInForeignKeys,
    ColumnInGeneratedColumn,
    ColumnInIndex,
    ColumnInRowDeletionPolicy,
    GeneratedColumnHasDefault,
    NotIdentityColumn,
    NotNullColumnAdded,
    PrimaryKeyOnAddedColumn,
)
from spanemu.ddl.errors.columns import DuplicateColumnName
from spanemu.ddl.errors.objects import ColumnNotFound, PlacementKeyInvalid, ViewsDepend
from spanemu.ddl.expressions import (
    canonical_column,
    columns_of_checks,
    columns_of_generated,
    with_checked_views,
)
from spanemu.ddl.jobs import (
    convert_column,
    fill_column,
    verify_length,
    verify_not_null,
    verify_past,
)
from spanemu.ddl.kinds.sequences import restart_counter
from spanemu.ddl.kinds.table import column_dependents
from spanemu.ddl.naming import addressed_column
from spanemu.ddl.statements.columns import (
    ColumnSlot,
    column_options,
    column_type,
    identity_sequence,
    new_column,
)
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.alterations import (
    Alteration,
    commit_timestamp_problems,
    foreign_keys_over,
    redefinition_problems,
    shared_key_problems,
)
from spanemu.ddl.validators.expressions import default_problems, generated_problems
from spanemu.ddl.validators.options import locality_group_problems, sequence_problems
from spanemu.ddl.validators.tables import column_problems, dictionary_problems, width_problems
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Identity, Table
from spanemu.sql import ddl_ast
from spanemu.sql.errors import TooManyColumns
from spanemu.sql.syntax_tree import Identifier
from spanemu.values.types import TypeCode


def redefine_column(table: Table, action: ddl_ast.RedefineColumn, schema: Schema) -> Change:
    """Replace a column's definition. Clauses that are not written are dropped, options stay."""
    written = action.column
    before = addressed_column(table, written.name)
    if written.primary_key:
        raise PrimaryKeyOnAddedColumn(table.name, before.name)
    declared = new_column(written, ColumnSlot(table.name, before.id, before.position), schema)
    options = column_options(table.name, before.name, written.options, before.options)
    return _redefined(Alteration(schema, table, before, replace(declared, options=options)))


def change_column_type(table: Table, action: ddl_ast.ChangeColumnType, schema: Schema) -> Change:
    """Change the type of a column, and its nullability if the statement says so.

    Options stay: a commit timestamp remains one whose type is said to be timestamptz.
    """
    before = addressed_column(table, action.column)
    type_, length = column_type(action.type, table.name, before.name, schema)
    not_null = before.not_null if action.not_null is None else action.not_null
    after = replace(before, type=type_, length=length, not_null=not_null)
    if action.options and type_ == before.type:
        options = column_options(table.name, before.name, action.options, before.options)
        after = replace(after, options=options)
    return _redefined(Alteration(schema, table, before, after))


def set_column_not_null(table: Table, action: ddl_ast.SetColumnNotNull, schema: Schema) -> Change:
    """Allow NULL in a column, or refuse it."""
    before = addressed_column(table, action.column)
    after = replace(before, not_null=action.not_null)
    return _redefined(Alteration(schema, table, before, after))


def _redefined(change: Alteration) -> Change:
    raise_first(redefinition_problems(change))
    return _altered(change)


def set_column_options(table: Table, action: ddl_ast.SetColumnOptions, schema: Schema) -> Change:
    """Set options of a column. Key columns that tables share may have different options."""
    before = addressed_column(table, action.column)
    options = column_options(table.name, before.name, action.options, before.options)
    return _altered(Alteration(schema, table, before, replace(before, options=options)))


def set_column_default(table: Table, action: ddl_ast.SetColumnDefault, schema: Schema) -> Change:
    """Set the default for future rows."""
    before = _alterable(table, action.column, schema)
    if before.generated is not None:
        raise GeneratedColumnHasDefault(table.name, before.name)
    if before.identity is not None:
        raise CannotChangeIdentity(table.name, before.name)
    after = replace(before, default=action.default.text)
    return _altered(Alteration(schema, table, before, after))


def drop_column_default(table: Table, action: ddl_ast.DropColumnDefault, schema: Schema) -> Change:
    """Drop the default for future rows."""
    before = _alterable(table, action.column, schema)
    return _altered(Alteration(schema, table, before, replace(before, default=None)))


def set_column_on_update(table: Table, action: ddl_ast.SetColumnOnUpdate, schema: Schema) -> Change:
    """Set the value that future updates write into a column."""
    before = _alterable(table, action.column, schema)
    after = replace(before, on_update=action.on_update.text)
    return _altered(Alteration(schema, table, before, after))


def drop_column_on_update(
    table: Table, action: ddl_ast.DropColumnOnUpdate, schema: Schema
) -> Change:
    """Drop the value that updates write into a column."""
    before = _alterable(table, action.column, schema)
    return _altered(Alteration(schema, table, before, replace(before, on_update=None)))


def alter_column_identity(
    table: Table, action: ddl_ast.AlterColumnIdentity, schema: Schema
) -> Change:
    """Change the skip range or restart the counter of an identity column."""
    before = _alterable(table, action.column, schema)
    identity = before.identity
    if identity is None:
        raise NotIdentityColumn(table.name, before.name)
    clauses = action.clauses
    raise_first(sequence_problems(clauses.skip_range, clauses.counter))
    changed = Identity(
        identity.sequence,
        identity.kind,
        None if clauses.no_skip_range else clauses.skip_range or identity.skip_range,
        identity.start_counter if clauses.counter is None else clauses.counter,
    )
    following = _with_identity(schema, table, replace(before, identity=changed))
    sequence = following.sequences[schema.fold(identity.sequence)]
    return Change(following, [] if clauses.counter is None else [restart_counter(sequence)])


# ---------------------------------------------------------------------------- what they share


def _alterable(table: Table, name: Identifier, schema: Schema) -> Column:
    column = addressed_column(table, name)
    raise_first(shared_key_problems(schema, table, column))
    return column


def _altered(change: Alteration) -> Change:
    table, after = change.table, change.after
    if after == change.before:
        return Change(change.schema)
    raise_first(column_problems(table.name, after, change.schema))
    raise_first(commit_timestamp_problems(change))
    raise_first(locality_group_problems(after.options, change.schema))
    following = _with_identity(change.schema, table, after)
    changed = following.tables[table.fold(table.name)]
    raise_first(width_problems(changed))
    raise_first(dictionary_problems(changed))
    raise_first(default_problems(changed, after, following))
    new_columns = {key.id: key for key in changed.key_columns if key.generated is not None}
    if after.generated is not None or new_columns:
        raise_first(generated_problems(changed, {**new_columns, after.id: after}, following))
    canonical = canonical_column(after, changed, following)
    if canonical is not after:
        following = _with_identity(change.schema, table, canonical)
    column = f"{table.name}.{after.name}"
    following = with_checked_views(following, (table.name,), "column", column)
    return Change(following, list(_jobs(change)))


def _with_identity(schema: Schema, table: Table, after: Column) -> Schema:
    following = changed_column(schema, table, after)
    if after.identity is None:
        return following
    known = schema.sequences[schema.fold(after.identity.sequence)]
    return with_sequences(following, [identity_sequence(after, known.id)])


def _jobs(change: Alteration) -> Iterator[Job]:
    """Yield the checks that stored rows must pass, and their conversion."""
    table, before, after = change.table.name, change.before, change.after
    if after.is_virtual:
        return
    if change.changes_type and TypeCode.STRING in change.type_codes:
        yield convert_column(table, after)
    elif after.length is not None and (before.length is None or after.length < before.length):
        yield verify_length(table, after)
    if after.not_null and not before.not_null:
        yield verify_not_null(table, after)
    if after.allow_commit_timestamp and not before.allow_commit_timestamp:
        yield verify_past(table, after)


def add_column(table: Table, action: ddl_ast.AddColumn, schema: Schema) -> Change:
    """Add a column; existing rows get its default or generated value."""
    name = action.column.name.name
    unique = schema.dialect.unique_key
    if any(unique(name) == unique(column.name) for column in table.columns):
        if action.if_not_exists:
            return Change(schema)
        raise DuplicateColumnName(table.name, name)
    if action.column.primary_key:
        raise PrimaryKeyOnAddedColumn(table.name, name)
    if len(table.columns) >= schema.limits.columns_per_table:
        raise TooManyColumns(table.name, schema.limits.columns_per_table)
    slot = ColumnSlot(table.name, schema.next_id, table.width)
    column = new_column(action.column, slot, schema)
    wider = replace(table, columns=(*table.columns, column))
    _validate(wider, column, schema)
    column = canonical_column(column, wider, schema)
    wider = replace(table, columns=(*table.columns, column))
    following = schema.with_table(wider, next_id=schema.next_id + 1)
    if column.identity is not None:
        following = with_sequences(following, [identity_sequence(column, following.next_id)])
    # A view with SELECT * would get another column.
    following = with_checked_views(following, (table.name,), "TABLE", table.name)
    return Change(following, [fill_column(table.name, column)] if _has_cells(column) else ())


def _has_cells(column: Column) -> bool:
    """Return whether existing rows get a value other than NULL."""
    if column.generated is not None:
        return column.stored
    return column.default is not None or column.identity is not None


def _validate(table: Table, column: Column, schema: Schema) -> None:
    raise_first(column_problems(table.name, column, schema))
    raise_first(locality_group_problems(column.options, schema))
    if column.placement_key:
        reason = "only CREATE TABLE says which column is one"
        raise PlacementKeyInvalid(table.name, column.name, reason)
    raise_first(width_problems(table))
    raise_first(dictionary_problems(table))
    if column.not_null and not _has_cells(column):
        raise NotNullColumnAdded(table.name, column.name)
    raise_first(default_problems(table, column, schema))
    if column.generated is not None:
        raise_first(generated_problems(table, {column.id: column}, schema))


def drop_column(table: Table, action: ddl_ast.DropColumn, schema: Schema) -> Change:
    """Drop a column. Stored rows keep its cells, so its position is not used again."""
    column = table.requested_column(action.column.name)
    if column is None:
        raise ColumnNotFound(table.name, action.column.name)
    _refuse_used(table, column, schema)
    left = tuple(other for other in table.columns if other.id != column.id)
    narrower = replace(table, columns=left, positions_used=table.width)
    raise_first(dictionary_problems(narrower))
    following = changed_table(schema, narrower)
    if column.identity is not None:
        following = without_sequence(following, column.identity.sequence)
    following = with_checked_views(
        following, (table.name,), "TABLE", table.name,
        lambda view, _: ViewsDepend("column", column.name, view.name),
    )  # fmt: skip
    return Change(following)


def _refuse_used(table: Table, column: Column, schema: Schema) -> None:
    """Raise for the first object that needs the column."""
    name = table.name, column.name
    if column.id in {part.id for part in table.key_columns}:
        raise CannotDropKeyColumn(*name)
    if column.placement_key:
        raise PlacementKeyInvalid(*name, "a placement key cannot be dropped")
    if table.row_deletion_policy is not None and table.row_deletion_policy[0] == column.name:
        raise ColumnInRowDeletionPolicy(*name)
    raise_first(column_dependents(schema, table, column.name))
    keys = [f"`{key.name}`" for key in foreign_keys_over(schema, table, column)]
    if keys:
        raise ColumnInForeignKeys(*name, ", ".join(keys))
    for index in schema.indexes_of(table):
        if any(held.id == column.id for held in index.columns):
            raise ColumnInIndex(*name, index.name)
    for check, used in columns_of_checks(table, schema).items():
        if column.id in used:
            raise ColumnInCheck(*name, check)
    for id_, used in columns_of_generated(table, schema).items():
        if column.id in used:
            generated = next(other for other in table.columns if other.id == id_)
            raise ColumnInGeneratedColumn(*name, generated.name)

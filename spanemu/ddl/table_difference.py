"""The ALTER TABLE statements between two definitions of a table, except for foreign keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spanemu.ddl.alterations import alteration_writer, bare
from spanemu.ddl.validators.columns import scalar_of
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Interleave, Table
from spanemu.schema.table_text import check_text, column_text, key_text
from spanemu.sql.dialect import AlterationWriter, Dialect
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import TypeCode

Action = tuple[str, bool]  # (text after ALTER TABLE name, whether cells are lost)

_TEXTS = frozenset({TypeCode.STRING, TypeCode.BYTES})


def must_be_recreated(before: Table, after: Table) -> bool:
    """Return whether no ALTER TABLE statements lead from `before` to `after`."""
    if before.is_queue or after.is_queue:
        columns = [tuple(map(column_text, each.declared_columns)) for each in (before, after)]
        if before.words != after.words or columns[0] != columns[1]:
            return True
    if before.name != after.name or key_text(before.key) != key_text(after.key):
        return True
    if (before.parent, before.parent is None) != (after.parent, after.parent is None):
        return True
    keys = {column.name for column in before.key_columns}
    for name in keys:
        old, new = before.by_name[before.fold(name)], after.by_name[after.fold(name)]
        if column_text(bare(old)) != column_text(bare(new)):
            return True
    placed = [column.name for column in before.columns if column.placement_key]
    return placed != [column.name for column in after.columns if column.placement_key]


def altered_table(before: Table, after: Table, schema: Schema) -> Iterator[Action]:
    """Yield the statements that alter a table of `schema`, in the schema's dialect.

    A row deletion policy comes later, because it needs interleaved tables that delete their rows.
    """
    change = _TableChange(before, after, alteration_writer(schema), dialect_of(schema.dialect))
    head = f"ALTER {after.words} {change.dialect.quoted_path(after.name)}"
    for action, destructive in (*change.dropped_constraints(), *change.columns()):
        yield f"{head} {action}", destructive
    for action in (*change.properties(), *change.added_constraints()):
        yield f"{head} {action}", False


def added_row_deletion(before: Table, after: Table, schema: Schema) -> Iterator[str]:
    """Yield the statement that gives a table of `schema` its row deletion policy."""
    policy = after.row_deletion_policy
    if policy is not None and policy != before.row_deletion_policy:
        action = alteration_writer(schema).row_deletion(before, after)
        yield f"ALTER {after.words} {dialect_of(schema.dialect).quoted_path(after.name)} {action}"


@dataclass(frozen=True, slots=True)
class _TableChange:
    """A table before and after, and the writers of actions and of names."""

    before: Table
    after: Table
    writer: AlterationWriter
    dialect: Dialect

    def columns(self) -> Iterator[Action]:
        """Yield the actions on columns."""
        old = {column.name: column for column in self.before.columns}
        new = {column.name: column for column in self.after.columns}
        recreated = {
            name for name in old.keys() & new.keys() if not self._is_alterable(old[name], new[name])
        }
        dropped = [old[name] for name in old if name in recreated or name not in new]
        # A generated column is dropped before, and added after, the columns it is computed from.
        for column in sorted(dropped, key=lambda column: column.generated is None):
            yield f"DROP COLUMN {self.dialect.quoted(column.name)}", True
        added = [new[name] for name in new if name in recreated or name not in old]
        for column in sorted(added, key=lambda column: column.generated is not None):
            yield self.writer.add_column(column), False
        for name, column in new.items():
            if name in old and name not in recreated:
                actions = self.writer.alter_column(old[name], column)
                yield from ((action, False) for action in actions)

    def _is_alterable(self, before: Column, after: Column) -> bool:
        return _is_alterable(before, after) and self.writer.can_alter_column(before, after)

    def dropped_constraints(self) -> Iterator[Action]:
        """Yield the actions that drop checks, synonyms and the row deletion policy."""
        before, after = self.before, self.after
        kept = {check_text(check) for check in after.checks}
        for check in before.checks:
            if check_text(check) not in kept:
                yield f"DROP CONSTRAINT {self.dialect.quoted(check.name)}", False
        if before.row_deletion_policy is not None and after.row_deletion_policy is None:
            yield self.writer.row_deletion(before, after), False
        for synonym in before.synonyms:
            if synonym not in after.synonyms:
                yield f"DROP SYNONYM {self.dialect.quoted_path(synonym)}", False

    def added_constraints(self) -> Iterator[str]:
        """Yield the actions that add checks."""
        known = {check_text(check) for check in self.before.checks}
        for check in self.after.checks:
            if check_text(check) not in known:
                yield self.writer.add_check(check)

    def properties(self) -> Iterator[str]:
        """Yield the other actions on the table itself."""
        before, after = self.before, self.after
        for synonym in after.synonyms:
            if synonym not in before.synonyms:
                yield f"ADD SYNONYM {self.dialect.quoted_path(synonym)}"
        if (before.interleave, before.cascade) != (after.interleave, after.cascade):
            yield from self._interleaving()
        if before.options != after.options:
            yield from self.writer.table_options(before.options, after.options)

    def _interleaving(self) -> Iterator[str]:
        before, after = self.before, self.after
        assert after.parent is not None
        parent = self.dialect.quoted_path(after.parent)
        if after.interleave is Interleave.IN:
            yield f"SET INTERLEAVE IN {parent}"
            return
        if before.interleave is Interleave.IN:
            yield f"SET INTERLEAVE IN PARENT {parent} ON DELETE NO ACTION"
        if after.cascade != (before.cascade and before.interleave is Interleave.IN_PARENT):
            yield f"SET ON DELETE {'CASCADE' if after.cascade else 'NO ACTION'}"


def _is_alterable(before: Column, after: Column) -> bool:
    if before.hidden != after.hidden:
        return False
    if (before.generated, before.stored) != (after.generated, after.stored):
        return False
    if (before.identity is None) != (after.identity is None):
        return False
    if before.type == after.type:
        return True
    codes = {scalar_of(before.type).code, scalar_of(after.type).code}
    return before.type.is_array == after.type.is_array and codes <= _TEXTS

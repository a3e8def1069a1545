"""The ALTER TABLE statements between two definitions of a table, except for foreign keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spanemu.base.identifiers import quoted, quoted_path
from spanemu.ddl.validators.columns import scalar_of
from spanemu.schema.column import Column
from spanemu.schema.table import Interleave, Table
from spanemu.schema.table_text import (
    check_text,
    column_text,
    key_text,
    option_value,
    row_deletion_text,
)
from spanemu.values.types import TypeCode

Action = tuple[str, bool]  # (text after ALTER TABLE name, whether cells are lost)

_TEXTS = frozenset({TypeCode.STRING, TypeCode.BYTES})


def must_be_recreated(before: Table, after: Table) -> bool:
    """Return whether no ALTER TABLE statements lead from `before` to `after`."""
    if before.name != after.name or key_text(before.key) != key_text(after.key):
        return True
    if (before.parent, before.parent is None) != (after.parent, after.parent is None):
        return True
    keys = {column.name for column in before.key_columns}
    for name in keys:
        old, new = before.by_name[before.fold(name)], after.by_name[after.fold(name)]
        if column_text(_bare(old)) != column_text(_bare(new)):
            return True
    placed = [column.name for column in before.columns if column.placement_key]
    return placed != [column.name for column in after.columns if column.placement_key]


def altered_table(before: Table, after: Table) -> Iterator[Action]:
    """Yield the statements that alter a table."""
    head = f"ALTER TABLE {quoted_path(after.name)}"
    for action, destructive in (*_dropped_constraints(before, after), *_columns(before, after)):
        yield f"{head} {action}", destructive
    for action in (*_properties(before, after), *_added_constraints(before, after)):
        yield f"{head} {action}", False


# ---------------------------------------------------------------------------- columns


def _bare(column: Column) -> Column:
    return replace(column, options={}, hidden=False)


def _columns(before: Table, after: Table) -> Iterator[Action]:
    old = {column.name: column for column in before.columns}
    new = {column.name: column for column in after.columns}
    recreated = {
        name for name in old.keys() & new.keys() if not _is_alterable(old[name], new[name])
    }
    dropped = [old[name] for name in old if name in recreated or name not in new]
    # A generated column is dropped before, and added after, the columns it is computed from.
    for column in sorted(dropped, key=lambda column: column.generated is None):
        yield f"DROP COLUMN {quoted(column.name)}", True
    added = [new[name] for name in new if name in recreated or name not in old]
    for column in sorted(added, key=lambda column: column.generated is not None):
        yield f"ADD COLUMN {column_text(column)}", False
    for name, column in new.items():
        if name in old and name not in recreated:
            yield from ((f"ALTER COLUMN {text}", False) for text in _alterations(old[name], column))


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


def _alterations(before: Column, after: Column) -> Iterator[str]:
    name = quoted(after.name)
    if before.options != after.options:
        values = dict.fromkeys(before.options) | dict(after.options)
        options = ", ".join(f"{option} = {option_value(value)}" for option, value in values.items())
        yield f"{name} SET OPTIONS ({options})"
    if before.identity is not None and after.identity is not None:
        # The sequence behind an identity column has a different name in each schema.
        before = replace(
            before, identity=replace(before.identity, sequence=after.identity.sequence)
        )
    if before.identity != after.identity and after.identity is not None:
        skipped = after.identity.skip_range
        clause = "NO SKIP RANGE" if skipped is None else f"SKIP RANGE {skipped[0]}, {skipped[1]}"
        yield f"{name} ALTER IDENTITY SET {clause}"
        if after.identity.start_counter is not None:
            yield f"{name} ALTER IDENTITY RESTART COUNTER WITH {after.identity.start_counter}"
        before = replace(before, identity=after.identity)
    if column_text(_bare(before)) == column_text(_bare(after)):
        return
    if column_text(_bare(replace(before, default=after.default))) == column_text(_bare(after)):
        new = "DROP DEFAULT" if after.default is None else f"SET DEFAULT ({after.default})"
        yield f"{name} {new}"
    else:
        yield column_text(_bare(after))


# ---------------------------------------------------------------------------- the rest


def _dropped_constraints(before: Table, after: Table) -> Iterator[Action]:
    kept = {check_text(check) for check in after.checks}
    for check in before.checks:
        if check_text(check) not in kept:
            yield f"DROP CONSTRAINT {quoted(check.name)}", False
    if before.row_deletion_policy is not None and after.row_deletion_policy is None:
        yield "DROP ROW DELETION POLICY", False
    for synonym in before.synonyms:
        if synonym not in after.synonyms:
            yield f"DROP SYNONYM {quoted_path(synonym)}", False


def _added_constraints(before: Table, after: Table) -> Iterator[str]:
    known = {check_text(check) for check in before.checks}
    yield from (f"ADD {check_text(c)}" for c in after.checks if check_text(c) not in known)


def _properties(before: Table, after: Table) -> Iterator[str]:
    for synonym in after.synonyms:
        if synonym not in before.synonyms:
            yield f"ADD SYNONYM {quoted_path(synonym)}"
    policy = row_deletion_text(after)
    if policy is not None and policy != row_deletion_text(before):
        verb = "ADD" if before.row_deletion_policy is None else "REPLACE"
        yield f"{verb} ROW DELETION POLICY ({policy})"
    if (before.interleave, before.cascade) != (after.interleave, after.cascade):
        yield from _interleaving(before, after)
    if before.options != after.options:
        values = dict.fromkeys(before.options) | dict(after.options)
        options = ", ".join(f"{name} = {option_value(value)}" for name, value in values.items())
        yield f"SET OPTIONS ({options})"


def _interleaving(before: Table, after: Table) -> Iterator[str]:
    assert after.parent is not None
    parent = quoted_path(after.parent)
    if after.interleave is Interleave.IN:
        yield f"SET INTERLEAVE IN {parent}"
        return
    if before.interleave is Interleave.IN:
        yield f"SET INTERLEAVE IN PARENT {parent} ON DELETE NO ACTION"
    if after.cascade != (before.cascade and before.interleave is Interleave.IN_PARENT):
        yield f"SET ON DELETE {'CASCADE' if after.cascade else 'NO ACTION'}"

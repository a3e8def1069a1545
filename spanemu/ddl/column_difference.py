"""The columns of a table that change more than a definition, and what has to make way for changes.

A column is dropped and added again if no ALTER COLUMN leads to its new definition. Nothing may
refer to a column that is dropped. Indexes, foreign keys, checks and generated columns do not let
the type of a column change, nor indexes whether it may be NULL. So they are dropped before, and
created again. Defaults, checks and generated columns that call a function do not let it change.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from spanemu.ddl.expressions import columns_of_checks, columns_of_generated, functions_of
from spanemu.ddl.schema_text import alteration_writer
from spanemu.ddl.validators.tables import scalar_of
from spanemu.schema.indexes import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Table
from spanemu.values.types import TypeCode

_TEXTS = frozenset({TypeCode.STRING, TypeCode.BYTES})


Ranks = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ColumnChanges:
    """The names of columns of a table, and of its checks.

    recreated    columns to drop, and to add again if both schemas have them: those that no ALTER
                 COLUMN changes, and generated columns that call functions that change, with the
                 generated columns computed from them
    reshaped     other columns of which the type, or whether they may be NULL, changes
    checks       checks that name recreated columns or columns whose type changes, or that call
                 functions that change
    defaults     columns whose default value calls functions that change
    calls        whether anything in the table calls functions that change
    ranks        how many columns each column is computed from, one after the other: before, after
    """

    recreated: frozenset[str] = frozenset()
    reshaped: frozenset[str] = frozenset()
    checks: frozenset[str] = frozenset()
    defaults: frozenset[str] = frozenset()
    calls: bool = False
    ranks: tuple[Ranks, Ranks] = ({}, {})

    @property
    def disturbed(self) -> frozenset[str]:
        """The columns that no index and no foreign key may have while they change."""
        return self.recreated | self.reshaped

    def disturbs(self, index: Index) -> bool:
        """Return whether an index of the table must be created again."""
        return bool(self.disturbed & index.named_columns)


NO_CHANGES = ColumnChanges()


def column_changes(
    before: Table, after: Table, schemas: tuple[Schema, Schema], functions: frozenset[str]
) -> ColumnChanges:
    """Return the changes of columns that lead from a table of one schema to that of another.

    `functions` are the folded names of the functions that change.
    """
    schema = schemas[0]
    pairs = [
        (column, after.by_name[name])
        for name, column in before.by_name.items()
        if name in after.by_name and after.by_name[name].name == column.name
    ]
    can_alter = alteration_writer(schema).can_alter_column
    recreated = {
        old.id for old, new in pairs if not (_is_alterable(old, new) and can_alter(old, new))
    }
    retyped = {old.id for old, new in pairs if old.type != new.type}
    reshaped = retyped | {old.id for old, new in pairs if old.not_null is not new.not_null}
    ranks = _ranks(before, schema), _ranks(after, schemas[1])
    calling = _callers(before, schema, functions)
    recreated |= calling.generated
    if not recreated and not reshaped:
        return ColumnChanges(
            checks=calling.checks, defaults=calling.defaults, calls=calling.is_any, ranks=ranks
        )
    computed_from = columns_of_generated(before, schema)
    for _ in computed_from:
        recreated |= {id_ for id_, used in computed_from.items() if used & (recreated | retyped)}
    names = {column.id: column.name for column in before.columns}
    changed_checks = [
        name
        for name, used in columns_of_checks(before, schema).items()
        if used & (recreated | retyped)
    ]
    return ColumnChanges(
        frozenset([names[id_] for id_ in recreated]),
        frozenset([names[id_] for id_ in reshaped - recreated]),
        calling.checks.union(changed_checks),
        calling.defaults,
        calling.is_any,
        ranks,
    )


def key_calls(table: Table, schema: Schema, functions: frozenset[str]) -> bool:
    """Return whether a key column of a table is computed by any of these functions."""
    keys = {column.id for column in table.key_columns}
    return bool(functions) and not keys.isdisjoint(_callers(table, schema, functions).generated)


def without_calls(table: Table, changes: ColumnChanges) -> Table:
    """Return the table before its functions change: without what calls them, or is created again.

    Returns the same table if nothing in it calls functions that change.
    """
    if not changes.calls:
        return table
    policy = table.row_deletion_policy
    is_deleting = policy is not None and policy[0] not in changes.recreated
    return replace(
        table,
        columns=tuple(
            [
                replace(column, default=None) if column.name in changes.defaults else column
                for column in table.columns
                if column.name not in changes.recreated
            ]
        ),
        checks=tuple([check for check in table.checks if check.name not in changes.checks]),
        row_deletion_policy=policy if is_deleting else None,
    )


@dataclass(frozen=True, slots=True)
class _Callers:
    """The callers of functions in a table: the ids of generated columns, and names."""

    generated: frozenset[int] = frozenset()
    defaults: frozenset[str] = frozenset()
    checks: frozenset[str] = frozenset()

    @property
    def is_any(self) -> bool:
        """Return whether anything calls the functions."""
        return bool(self.generated or self.defaults or self.checks)


def _callers(table: Table, schema: Schema, functions: frozenset[str]) -> _Callers:
    if not functions:
        return _Callers()

    def calls(text: str | None) -> bool:
        return text is not None and not functions.isdisjoint(functions_of(text, schema))

    return _Callers(
        frozenset([column.id for column in table.columns if calls(column.generated)]),
        frozenset([column.name for column in table.columns if calls(column.default)]),
        frozenset([check.name for check in table.checks if calls(check.expression)]),
    )


def _ranks(table: Table, schema: Schema) -> Ranks:
    """Return for each generated column a number larger than those of what it is computed from."""
    generated = {column.id: column.name for column in table.columns if column.generated}
    if len(generated) < 2:
        return dict.fromkeys(generated.values(), 1)
    used_by = columns_of_generated(table, schema)
    ranks = dict.fromkeys(generated, 1)
    for _ in generated:
        for id_, used in used_by.items():
            ranks[id_] = 1 + max([ranks.get(each, 0) for each in used], default=0)
    return {generated[id_]: rank for id_, rank in ranks.items()}


def _is_alterable(before: Column, after: Column) -> bool:
    if (before.hidden, before.vector_length) != (after.hidden, after.vector_length):
        return False
    if (before.generated, before.stored) != (after.generated, after.stored):
        return False
    if (before.identity is None) != (after.identity is None):
        return False
    if before.type == after.type:
        return True
    codes = {scalar_of(before.type).code, scalar_of(after.type).code}
    return before.type.is_array == after.type.is_array and codes <= _TEXTS

"""The columns of a table that change more than a definition, and what has to make way for them.

A column is dropped and added again if no ALTER COLUMN leads to its new definition. Nothing may
refer to a column that is dropped. Indexes, foreign keys, checks and generated columns do not let
the type of a column change, nor indexes whether it may be NULL. So they are dropped before, and
created again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from spanemu.ddl.expressions import columns_of_checks, columns_of_generated
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
    """The names of columns of a table that both schemas have, and of its checks.

    recreated    columns to drop and to add again, with generated columns computed from them
    reshaped     other columns of which the type, or whether they may be NULL, changes
    checks       checks that name recreated columns, or columns whose type changes
    ranks        how many columns each column is computed from, one after the other: before, after
    """

    recreated: frozenset[str] = frozenset()
    reshaped: frozenset[str] = frozenset()
    checks: frozenset[str] = frozenset()
    ranks: tuple[Ranks, Ranks] = ({}, {})

    @property
    def disturbed(self) -> frozenset[str]:
        """The columns that no index and no foreign key may have while they change."""
        return self.recreated | self.reshaped

    def disturbs(self, index: Index) -> bool:
        """Return whether an index of the table must be created again."""
        return bool(self.disturbed & index.named_columns)


NO_CHANGES = ColumnChanges()


def column_changes(before: Table, after: Table, schemas: tuple[Schema, Schema]) -> ColumnChanges:
    """Return the changes of columns that lead from a table of one schema to that of another."""
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
    if not recreated and not reshaped:
        return ColumnChanges(ranks=ranks)
    computed_from = columns_of_generated(before, schema)
    for _ in computed_from:
        recreated |= {id_ for id_, used in computed_from.items() if used & (recreated | retyped)}
    names = {old.id: old.name for old, _ in pairs}
    return ColumnChanges(
        frozenset([names[id_] for id_ in recreated if id_ in names]),
        frozenset([names[id_] for id_ in reshaped - recreated]),
        frozenset(
            [
                name
                for name, used in columns_of_checks(before, schema).items()
                if used & (recreated | retyped)
            ]
        ),
        ranks,
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

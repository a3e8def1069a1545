"""Foreign keys and checks, with the indexes that Spanner creates and drops for foreign keys.

Rows must be found by the values of the key on both sides. The referenced side uses the primary key
if the foreign key names all its columns, and a unique index of its own otherwise. The referencing
side uses the primary key if the foreign key's columns are NOT NULL and come first in it, and an
index otherwise. The columns of such an index are in the order of the referenced table's key, so
that foreign keys that pair the same columns in another order share the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from spanemu.ddl.change import Change, Job, with_index
from spanemu.ddl.expressions import canonical_check
from spanemu.ddl.jobs import fill_index, verify_check, verify_foreign_key
from spanemu.ddl.naming import (
    check_name,
    constraint_name_problems,
    foreign_key_name,
    managed_index_name,
    table_of,
)
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.expressions import check_problems
from spanemu.ddl.validators.indexes import count_problems
from spanemu.ddl.validators.tables import foreign_key_problems, referenced_policy_problems
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Check, Column, ForeignKey, KeyPart, Table
from spanemu.sql import ddl_ast
from spanemu.values.order import SortOrder


def add_foreign_key(
    schema: Schema, table_name: str, written: ddl_ast.ForeignKeyDefinition
) -> Change:
    """Add a foreign key to a table, with its indexes and the check of stored rows."""
    table = schema.tables[schema.fold(table_name)]
    referenced = table_of(schema, written.referenced_table)
    declared = _declared(schema, table, referenced, written)
    raise_first(foreign_key_problems(declared, table, referenced, schema))
    pairs = _pairs(declared, table, referenced)
    jobs: list[Job] = []
    ascending = schema.orders.order()
    there = _Need(referenced, tuple(theirs for _, theirs in pairs), ascending, unique=True)
    schema, referenced_index = _with_index_for(schema, there, declared.full_name, jobs)
    index = None
    if declared.enforced:
        here = _Need(table, tuple(mine for mine, _ in pairs), ascending, unique=False)
        schema, index = _with_index_for(schema, here, declared.full_name, jobs)
    foreign_key = replace(declared, referenced_index=referenced_index, index=index)
    if foreign_key.enforced:
        jobs.append(verify_foreign_key(foreign_key))
    schema = schema.with_table(replace(table, foreign_keys=(*table.foreign_keys, foreign_key)))
    raise_first(referenced_policy_problems(schema.tables[schema.fold(referenced.name)], schema))
    return Change(schema, jobs)


def drop_foreign_key(schema: Schema, table: Table, foreign_key: ForeignKey) -> Schema:
    """Return the schema without a foreign key and the indexes that only this key needed."""
    kept = tuple(key for key in table.foreign_keys if key.name != foreign_key.name)
    schema = schema.with_table(replace(table, foreign_keys=kept))
    return release_indexes(schema, (foreign_key,))


def release_indexes(schema: Schema, foreign_keys: Sequence[ForeignKey]) -> Schema:
    """Return the schema without the indexes that only dropped foreign keys needed."""
    for foreign_key in foreign_keys:
        for name in (foreign_key.index, foreign_key.referenced_index):
            index = None if name is None else schema.index(name)
            if index is None:
                continue
            others = tuple(n for n in index.managed_by if n != foreign_key.full_name)
            if others:
                schema = with_index(schema, replace(index, managed_by=others))
            else:
                schema = schema.without_index(index.name)
    return schema


def _declared(
    schema: Schema, table: Table, referenced: Table, written: ddl_ast.ForeignKeyDefinition
) -> ForeignKey:
    if written.name is None:
        name = foreign_key_name(schema, table.name, referenced.name)
    else:
        name = written.name.name
        raise_first(constraint_name_problems("Foreign Key", name, table.name, schema))
    return ForeignKey(
        name=name,
        table=table.name,
        columns=tuple(column.name for column in written.columns),
        referenced_table=referenced.name,
        referenced_columns=tuple(column.name for column in written.referenced_columns),
        cascade=written.on_delete is ddl_ast.OnDelete.CASCADE,
        on_delete_written=written.on_delete is not None,
        enforced=written.enforced,
        generated_name=written.name is None,
    )


def _pairs(foreign_key: ForeignKey, table: Table, referenced: Table) -> list[tuple[Column, Column]]:
    """Return (referencing, referenced) columns in the order of the referenced table's key."""
    order = {column.id: position for position, column in enumerate(referenced.key_columns)}
    for position, column in enumerate(referenced.columns, len(order)):
        order.setdefault(column.id, position)
    pairs = zip(foreign_key.columns, foreign_key.referenced_columns, strict=True)
    columns = [
        (table.by_name[table.fold(mine)], referenced.by_name[table.fold(theirs)])
        for mine, theirs in pairs
    ]
    return sorted(columns, key=lambda pair: order[pair[1].id])


# ---------------------------------------------------------------------------- managed indexes


@dataclass(frozen=True, slots=True)
class _Need:
    """The need to find rows of a table by columns; `unique` is set for the referenced side."""

    table: Table
    columns: tuple[Column, ...]
    ascending: SortOrder  # the order of columns outside the primary key
    unique: bool

    @property
    def served_by_key(self) -> bool:
        """True if the primary key finds the rows."""
        key = self.table.key_columns
        if self.unique:
            return {column.id for column in self.columns} == {column.id for column in key}
        first = tuple(column.id for column in key[: len(self.columns)])
        mine = tuple(column.id for column in self.columns)
        return mine == first and all(column.not_null for column in self.columns)

    @property
    def null_filtered(self) -> bool:
        return not all(column.not_null for column in self.columns)

    @property
    def parts(self) -> tuple[KeyPart, ...]:
        """The columns as key parts, sorted as the primary key sorts them."""
        orders = {part.column.id: part.order for part in self.table.key}
        return tuple(
            KeyPart(column, orders.get(column.id, self.ascending)) for column in self.columns
        )


def _with_index_for(
    schema: Schema, need: _Need, foreign_key: str, jobs: list[Job]
) -> tuple[Schema, str | None]:
    """Return the schema with an index for `need`, and its name; the job to fill it joins `jobs`."""
    if need.served_by_key:
        return schema, None
    table = schema.tables[schema.fold(need.table.name)]
    for index in schema.indexes_of(table):
        if _serves(index, need):
            shared = replace(index, managed_by=(*index.managed_by, foreign_key))
            return with_index(schema, shared), index.name
    index = _managed(schema, need, foreign_key)
    raise_first(count_problems(index, table, schema))
    jobs.append(fill_index(index))
    return with_index(schema, index), index.name


def _serves(index: SortedIndex, need: _Need) -> bool:
    return (
        index.is_managed
        and index.unique == need.unique
        and index.null_filtered == need.null_filtered
        and index.key == need.parts
    )


def _managed(schema: Schema, need: _Need, foreign_key: str) -> SortedIndex:
    kind = "U" if need.unique else "N" if need.null_filtered else ""
    columns = [column.name for column in need.columns]
    name = managed_index_name(schema, need.table.name, columns, kind)
    own = {column.id for column in need.columns}
    key = tuple(column.id for column in need.table.key_columns)
    inside = bool(key) and key == tuple(column.id for column in need.columns[: len(key)])
    return SortedIndex(
        name=name,
        id=schema.next_id,
        table=need.table.name,
        key=need.parts,
        suffix=tuple(part for part in need.table.key if part.column.id not in own),
        unique=need.unique,
        null_filtered=need.null_filtered,
        parent=need.table.name if inside else None,
        managed_by=(foreign_key,),
    )


def add_check(schema: Schema, table_name: str, written: ddl_ast.CheckDefinition) -> Change:
    """Add a check to a table, with the check of stored rows."""
    table = schema.tables[schema.fold(table_name)]
    if written.name is None:
        name = check_name(schema, table.name)
    else:
        name = written.name.name
        raise_first(constraint_name_problems("Check Constraint", name, table.name, schema))
    check = Check(name, written.expression.text, generated_name=written.name is None)
    raise_first(check_problems(table, check, schema))
    check = replace(check, expression=canonical_check(check.expression, table, schema))
    schema = schema.with_table(replace(table, checks=(*table.checks, check)))
    return Change(schema, [verify_check(table.name, check.name)])

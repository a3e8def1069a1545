"""Rows about constraints: primary keys, NOT NULL, checks, foreign keys and their referenced keys.

A foreign key refers to a primary key, or to the unique index that Spanner created for it, which
then counts as a UNIQUE constraint of the referenced table. In the tables of used tables and
columns, a foreign key uses the referenced ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanemu.base.identifiers import split_name
from spanemu.database.system_tables.declaration import Source, last_part
from spanemu.database.system_tables.relations import COMMITTED, YES_NO
from spanemu.ddl.expressions import columns_of_checks
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import ForeignKey, Table

Rows = Iterator[tuple[Any, ...]]
CheckedColumns = Mapping[tuple[int, str], Sequence[str]]  # by id of the table and name of the check


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint; `columns` of `used_table` are the used ones, for a foreign key the referenced
    ones.

    `home` is the schema of the constraint and of its table.
    """

    kind: str
    home: str
    table: str
    name: str
    used_table: str  # with its schema
    columns: Sequence[str]
    enforced: bool = True


def primary_key_name(table: str) -> str:
    """Return the constraint name of a table's primary key."""
    return f"PK_{last_part(table)}"


def not_null_name(table: str, column: str) -> str:
    """Return the constraint name of a NOT NULL."""
    return f"CK_IS_NOT_NULL_{last_part(table)}_{column}"


def not_null_clause(column: str) -> str:
    """Return NOT NULL as a check expression."""
    return f"{column} IS NOT NULL"


# ---------------------------------------------------------------------------- constraints of tables


def _constraints(
    source: Source, tables: Iterable[Table], *, with_checked_columns: bool = False
) -> Iterator[Constraint]:
    """Yield the constraints of tables; columns of checks require analyzing the checks."""
    schema = source.schema
    checked = checked_columns(source) if with_checked_columns else {}
    for table in tables:
        home, name = split_name(table.name)
        keys = [column.name for column in table.key_columns]
        yield Constraint("PRIMARY KEY", home, name, primary_key_name(name), table.name, keys)
        for column in table.columns:
            if column.not_null:
                check = not_null_name(name, column.name)
                yield Constraint("CHECK", home, name, check, table.name, [column.name])
        placed = [column.name for column in table.columns if column.placement_key]
        if placed:
            key = f"PLACEMENT_KEY_{name}"
            yield Constraint("PLACEMENT KEY", home, name, key, table.name, placed)
        for declared in table.checks:
            check = last_part(declared.name)
            used = checked.get((table.id, declared.name), ())
            yield Constraint("CHECK", home, name, check, table.name, used)
        for foreign in table.foreign_keys:
            yield Constraint(
                "FOREIGN KEY", home, name, last_part(foreign.name), foreign.referenced_table,
                foreign.referenced_columns, foreign.enforced,
            )  # fmt: skip
        for index in _referenced_indexes(schema, table):
            columns = [part.column.name for part in index.key]
            yield Constraint("UNIQUE", home, name, last_part(index.name), table.name, columns)


def _referenced_indexes(schema: Schema, table: Table) -> list[SortedIndex]:
    """Return the unique indexes of a table that foreign keys refer to."""
    names = {key.referenced_index for _, key in schema.referencing(table)}
    return [index for index in schema.indexes_of(table) if index.name in names]


def checked_columns(source: Source) -> CheckedColumns:
    """Return the columns that each check names, computed once per generation."""
    columns_by_check: CheckedColumns = source.generation.compiled(
        columns_of_checks, lambda: _analyzed_checks(source.schema)
    )
    return columns_by_check


def _analyzed_checks(schema: Schema) -> CheckedColumns:
    columns_by_check = {}
    for table in schema.tables.values():
        if table.checks:
            by_id = {column.id: column.name for column in table.columns}
            for name, ids in columns_of_checks(table, schema).items():
                columns_by_check[table.id, name] = [by_id[id_] for id_ in sorted(ids)]
    return columns_by_check


def table_constraints(source: Source) -> Rows:
    """Yield the rows of TABLE_CONSTRAINTS."""
    for constraint in _constraints(source, source.tables()):
        yield (
            "", constraint.home, constraint.name, "", constraint.home, constraint.table,
            constraint.kind, "NO", "NO", YES_NO[constraint.enforced],
        )  # fmt: skip


def constraint_table_usage(source: Source, *, with_checks: bool = True) -> Rows:
    """Yield the rows of CONSTRAINT_TABLE_USAGE."""
    for constraint in _constraints(source, source.schema.tables.values()):
        if with_checks or constraint.kind != "CHECK":
            yield "", *split_name(constraint.used_table), "", constraint.home, constraint.name


def constraint_column_usage(source: Source) -> Rows:
    """Yield the rows of CONSTRAINT_COLUMN_USAGE."""
    for constraint in _constraints(
        source, source.schema.tables.values(), with_checked_columns=True
    ):
        home, table = split_name(constraint.used_table)
        for column in constraint.columns:
            yield "", home, table, column, "", constraint.home, constraint.name


def check_constraints(source: Source) -> Rows:
    """Yield the rows of CHECK_CONSTRAINTS: the NOT NULL columns of a table, then its checks."""
    for table in source.schema.tables.values():
        home, name = split_name(table.name)
        for column in table.columns:
            if column.not_null:
                clause = not_null_clause(column.name)
                yield "", home, not_null_name(name, column.name), clause, COMMITTED
        for check in table.checks:
            yield "", home, last_part(check.name), check.expression, COMMITTED


# ---------------------------------------------------------------------------- keys


def key_column_usage(source: Source) -> Rows:
    """Yield the rows of KEY_COLUMN_USAGE: columns of primary, foreign and unique keys."""
    schema = source.schema
    for table in source.tables():
        home, name = split_name(table.name)
        key_name = primary_key_name(name)
        for position, column in enumerate(table.key_columns, 1):
            yield "", home, key_name, "", home, name, column.name, position, None
        for key in table.foreign_keys:
            positions = _referenced_positions(schema, key)
            for position, (column_name, referenced_position) in enumerate(
                zip(key.columns, positions, strict=True), 1
            ):
                yield (
                    "",
                    home,
                    last_part(key.name),
                    "",
                    home,
                    name,
                    column_name,
                    position,
                    referenced_position,
                )
        for index in _referenced_indexes(schema, table):
            for position, part in enumerate(index.key, 1):
                yield (
                    "",
                    home,
                    last_part(index.name),
                    "",
                    home,
                    name,
                    part.column.name,
                    position,
                    None,
                )


def _referenced_positions(schema: Schema, key: ForeignKey) -> list[int]:
    """Return the position of each referenced column in the referenced key."""
    index = None if key.referenced_index is None else schema.index(key.referenced_index)
    parts = schema.tables[schema.fold(key.referenced_table)].key if index is None else index.key
    positions = {part.column.name: position for position, part in enumerate(parts, 1)}
    return [positions[name] for name in key.referenced_columns]


def referential_constraints(source: Source) -> Rows:
    """Yield the rows of REFERENTIAL_CONSTRAINTS: foreign keys with their referenced key or
    index.
    """
    for table in source.schema.tables.values():
        home, _ = split_name(table.name)
        for key in table.foreign_keys:
            referenced_home, _ = split_name(key.referenced_table)
            unique = key.referenced_index
            yield (
                "", home, last_part(key.name), "", referenced_home,
                primary_key_name(key.referenced_table) if unique is None else last_part(unique),
                "SIMPLE", "NO ACTION", "CASCADE" if key.cascade else "NO ACTION", COMMITTED,
            )  # fmt: skip

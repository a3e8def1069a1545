"""Rows about constraints: primary keys, NOT NULL, checks, foreign keys, and what those rest on.

A foreign key refers to a primary key, or to the unique index that Spanner made for it, which then
counts as a UNIQUE constraint of the referenced table. Where a table says which tables or columns a
constraint uses, a foreign key uses the referenced ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spanemu.database.system_tables.declaration import Source, last_part, split_name
from spanemu.database.system_tables.relations import COMMITTED, YES_NO
from spanemu.ddl.expressions import columns_of_checks
from spanemu.schema.constraints import ForeignKey
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table

Rows = Iterator[tuple[Any, ...]]
CheckedColumns = Mapping[tuple[int, str], Sequence[str]]  # by id of the table and name of the check


@dataclass(frozen=True, slots=True)
class Constraint:
    """`columns` are those it uses, in `used_table`: the referenced ones of a foreign key.

    `home` is the schema of the constraint and of the table that has it.
    """

    kind: str
    home: str
    table: str
    name: str
    used_table: str  # with its schema
    columns: Sequence[str]
    enforced: bool = True


def primary_key_name(table: str) -> str:
    """The name of a table's primary key as a constraint, from the name of the table."""
    return f"PK_{last_part(table)}"


def not_null_name(table: str, column: str) -> str:
    """The name of a NOT NULL as a constraint."""
    return f"CK_IS_NOT_NULL_{last_part(table)}_{column}"


def not_null_clause(column: str) -> str:
    """NOT NULL as a check."""
    return f"{column} IS NOT NULL"


# ---------------------------------------------------------------------------- constraints of tables


def _constraints(source: Source, *, with_checked_columns: bool = False) -> Iterator[Constraint]:
    """All constraints, table by table. Columns of checks cost an analysis of the check."""
    schema = source.schema
    checked = _checked_columns(source) if with_checked_columns else {}
    for table in schema.tables.values():
        home, name = split_name(table.name)
        keys = [column.name for column in table.key_columns]
        yield Constraint("PRIMARY KEY", home, name, primary_key_name(name), table.name, keys)
        for column in table.columns:
            if column.not_null:
                check = not_null_name(name, column.name)
                yield Constraint("CHECK", home, name, check, table.name, [column.name])
        for declared in table.checks:
            check = last_part(declared.name)
            used = checked.get((table.id, declared.name), ())
            yield Constraint("CHECK", home, name, check, table.name, used)
        for key in table.foreign_keys:
            yield Constraint(
                "FOREIGN KEY", home, name, last_part(key.name), key.referenced_table,
                key.referenced_columns, key.enforced,
            )  # fmt: skip
        for index in _referenced_indexes(schema, table):
            columns = [part.column.name for part in index.key]
            yield Constraint("UNIQUE", home, name, last_part(index.name), table.name, columns)


def _referenced_indexes(schema: Schema, table: Table) -> list[Index]:
    """Unique indexes of a table that foreign keys refer to."""
    names = {key.referenced_index for _, key in schema.referencing(table)}
    return [index for index in schema.indexes_of(table) if index.name in names]


def _checked_columns(source: Source) -> CheckedColumns:
    """The columns that each check names, worked out once per generation."""
    found: CheckedColumns = source.generation.compiled(
        columns_of_checks, lambda: _analyzed_checks(source.schema)
    )
    return found


def _analyzed_checks(schema: Schema) -> CheckedColumns:
    found = {}
    for table in schema.tables.values():
        if table.checks:
            by_id = {column.id: column.name for column in table.columns}
            for name, ids in columns_of_checks(table, schema).items():
                found[table.id, name] = [by_id[id_] for id_ in sorted(ids)]
    return found


def table_constraints(source: Source) -> Rows:
    """TABLE_CONSTRAINTS."""
    for found in _constraints(source):
        yield (
            "", found.home, found.name, "", found.home, found.table, found.kind, "NO", "NO",
            YES_NO[found.enforced],
        )  # fmt: skip


def constraint_table_usage(source: Source) -> Rows:
    """CONSTRAINT_TABLE_USAGE."""
    for found in _constraints(source):
        yield "", *split_name(found.used_table), "", found.home, found.name


def constraint_column_usage(source: Source) -> Rows:
    """CONSTRAINT_COLUMN_USAGE."""
    for found in _constraints(source, with_checked_columns=True):
        home, table = split_name(found.used_table)
        for column in found.columns:
            yield "", home, table, column, "", found.home, found.name


def check_constraints(source: Source) -> Rows:
    """CHECK_CONSTRAINTS: NOT NULL columns of a table, then its checks."""
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
    """KEY_COLUMN_USAGE: columns of primary keys, foreign keys and UNIQUE constraints."""
    schema = source.schema
    for table in schema.tables.values():
        home, name = split_name(table.name)
        key_name = primary_key_name(name)
        for place, column in enumerate(table.key_columns, 1):
            yield "", home, key_name, "", home, name, column.name, place, None
        for key in table.foreign_keys:
            places = _places_referred_to(schema, key)
            for place, (mine, there) in enumerate(zip(key.columns, places, strict=True), 1):
                yield "", home, last_part(key.name), "", home, name, mine, place, there
        for index in _referenced_indexes(schema, table):
            for place, part in enumerate(index.key, 1):
                yield "", home, last_part(index.name), "", home, name, part.column.name, place, None


def _places_referred_to(schema: Schema, key: ForeignKey) -> list[int]:
    """The place of each referenced column in the primary key or index that is referred to."""
    index = None if key.referenced_index is None else schema.index(key.referenced_index)
    parts = schema.tables[key.referenced_table.lower()].key if index is None else index.key
    places = {part.column.name: place for place, part in enumerate(parts, 1)}
    return [places[name] for name in key.referenced_columns]


def referential_constraints(source: Source) -> Rows:
    """REFERENTIAL_CONSTRAINTS: foreign keys with the primary key or index they refer to."""
    for table in source.schema.tables.values():
        home, _ = split_name(table.name)
        for key in table.foreign_keys:
            there, _ = split_name(key.referenced_table)
            unique = key.referenced_index
            yield (
                "", home, last_part(key.name), "", there,
                primary_key_name(key.referenced_table) if unique is None else last_part(unique),
                "SIMPLE", "NO ACTION", "CASCADE" if key.cascade else "NO ACTION", COMMITTED,
            )  # fmt: skip

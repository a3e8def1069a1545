"""The declaration of the tables of a PostgreSQL database: NAME or NAME:TYPE, all nullable.

A table can hold the rows of a GoogleSQL table in other columns (`projected`). A column then takes
the value of GoogleSQL's column of the same name in upper case, a truth value as 'YES' or 'NO'.
Catalogs are the id of the database, the default schema is public, and types of options have
PostgreSQL's names. A column that GoogleSQL lacks has a fixed value, or NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from spanemu.database.system_tables.declaration import (
    Declared,
    NotationTypes,
    Rows,
    Source,
    column_name,
    no_rows,
)
from spanemu.database.system_tables.information_schema import (
    INFORMATION_SCHEMA as GOOGLESQL_TABLES,
)
from spanemu.values.types import (
    BOOL,
    BYTES,
    DATE,
    FLOAT64,
    INT64,
    PG_OID,
    STRING,
    TIMESTAMP,
    Type,
    array_of,
)

_SCALARS = {
    "": (STRING, "character varying"),
    "bigint": (INT64, "bigint"),
    "boolean": (BOOL, "boolean"),
    "bytea": (BYTES, "bytea"),
    "date": (DATE, "date"),
    "float8": (FLOAT64, "double precision"),
    "oid": (PG_OID, "oid"),
    "timestamptz": (TIMESTAMP, "timestamp with time zone"),
}
TYPES: NotationTypes = {
    **_SCALARS,
    **{f"{word}[]": (array_of(type_), f"{text}[]") for word, (type_, text) in _SCALARS.items()},
}
WORDS: dict[Type, str] = {type_: word for word, (type_, _) in TYPES.items()}

NamedRows = Iterable[Mapping[str, Any]]  # values by column; a missing column is NULL

PUBLIC = "public"  # the default schema
YES_NO = ("NO", "YES")  # by truth value


def declared(
    schema: str, name: str, notation: str, rows: Callable[[Source], Rows] = no_rows
) -> Declared:
    """Return the declaration of a table whose columns the notation lists."""
    return Declared(schema, name, notation, rows, types=TYPES)


def with_named_rows(
    schema: str, name: str, notation: str, rows: Callable[[Source], NamedRows]
) -> Declared:
    """Return the declaration of a table whose rows name the columns that have values."""
    return declared(schema, name, notation, lambda source: tuples(notation, rows(source)))


def tuples(notation: str, rows: NamedRows) -> Rows:
    """Yield rows as tuples over the columns of a notation."""
    names = [column_name(word) for word in notation.split()]
    return (tuple(map(row.get, names)) for row in rows)


def home_and_name(full_name: str) -> tuple[str, str]:
    """Return (schema, name) of "[schema.]name"; the default schema is public."""
    home, _, name = full_name.rpartition(".")
    return home or PUBLIC, name


# ------------------------------------------------------------------------------ projections

Cell = Callable[[tuple[Any, ...], str], Any]  # of a row of GoogleSQL and the id of the database

_GOOGLESQL: Mapping[str, Declared] = {table.name: table for table in GOOGLESQL_TABLES}
_OPTION_TYPES = {"BOOL": "boolean", "INT64": "bigint"}  # others are character varying


def projected(
    name: str,
    notation: str,
    original: str = "",
    rows: Callable[[Source], Rows] | None = None,
    **fixed: Any,
) -> Declared:
    """Return a table with the rows of a GoogleSQL table.

    `original` is the GoogleSQL table if its name differs, and `rows` replaces its rows. `fixed` are
    values of columns; a column that is fixed to a name in upper case takes GoogleSQL's column of
    that name.
    """
    source_table = _GOOGLESQL[original or name.upper()]
    if rows is not None:
        source_table = replace(source_table, rows=rows)
    cells = [_cell(column_name(word), source_table, fixed) for word in notation.split()]
    return declared("information_schema", name, notation, partial(_rows, source_table, cells))


def _rows(original: Declared, cells: list[Cell], source: Source) -> Rows:
    database = source.core.database_id
    for row in original.rows(source):
        yield tuple(cell(row, database) for cell in cells)


def _cell(column: str, original: Declared, fixed: Mapping[str, Any]) -> Cell:
    positions = original.table.positions
    value = fixed.get(column, column.upper())
    position = positions.get(value.lower()) if isinstance(value, str) else None
    if position is None:
        constant = fixed.get(column)
        return lambda _row, _database: constant
    if column.endswith("catalog") or column == "catalog_name":
        return lambda _row, database: database
    if original.columns[position].type is BOOL:
        return lambda row, _database: YES_NO[row[position]]
    if column.endswith("schema") or column == "schema_name":
        return lambda row, _database: row[position] or PUBLIC
    if column == "filter":  # as DDL writes it here, in parentheses
        return lambda row, _database: row[position] and f"({row[position]})"
    if column == "option_type":
        return lambda row, _database: _OPTION_TYPES.get(row[position], "character varying")
    return lambda row, _database: row[position]

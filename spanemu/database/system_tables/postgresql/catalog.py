"""The system tables of PostgreSQL databases by name, with the rows that describe themselves.

The tables of spanner_sys are GoogleSQL's with names in lower case, without columns of structs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from spanemu.database.system_tables.declaration import Declared, Rows, Source, SystemTables
from spanemu.database.system_tables.postgresql.declaration import (
    WORDS,
    NamedRows,
    declared,
    tuples,
)
from spanemu.database.system_tables.postgresql.information_schema import (
    INFORMATION_SCHEMA,
    system_columns,
)
from spanemu.database.system_tables.postgresql.pg_catalog import PG_CATALOG_TABLES
from spanemu.database.system_tables.postgresql.pg_class import system_relations, system_views
from spanemu.database.system_tables.spanner_sys import LEFT_OUT, SPANNER_SYS
from spanemu.schema.dialect import POSTGRESQL

_SPANNER_SYS = "spanner_sys"


def _without_structs(original: Declared) -> Declared:
    kept = [
        (position, column)
        for position, column in enumerate(original.columns)
        if column.type in WORDS
    ]
    notation = " ".join(f"{column.name.lower()}:{WORDS[column.type]}" for _, column in kept)
    rows = partial(_rows, original, [position for position, _ in kept])
    return declared(_SPANNER_SYS, original.name.lower(), notation, rows)


def _rows(original: Declared, positions: list[int], source: Source) -> Rows:
    for row in original.rows(source):
        yield tuple([row[position] for position in positions])


SYSTEM_TABLES: tuple[Declared, ...] = (
    *INFORMATION_SCHEMA,
    *PG_CATALOG_TABLES,
    *map(_without_structs, SPANNER_SYS),
)
_LEFT_OUT = frozenset(f"{_SPANNER_SYS}.{name.lower()}" for name in LEFT_OUT)


def _tables(source: Source) -> NamedRows:
    for table in SYSTEM_TABLES:
        yield {
            "table_catalog": source.core.database_id,
            "table_schema": table.schema,
            "table_name": table.name,
            "table_type": "VIEW",
        }


_DESCRIBED: Mapping[str, Callable[[Source], NamedRows]] = {
    "information_schema.tables": _tables,
    "pg_catalog.pg_class": lambda _: system_relations(SYSTEM_TABLES),
    "pg_catalog.pg_views": lambda _: system_views(SYSTEM_TABLES),
}


def _described(name: str, source: Source) -> Rows:
    """Return the rows of the catalog table `name` that describe the system tables themselves."""
    if name == "information_schema.columns":
        only = source.only_table
        named = [table for table in SYSTEM_TABLES if only is None or table.name == only]
        return system_columns(named, source)
    describe = _DESCRIBED.get(name)
    if describe is None:
        return ()
    return tuples(_CATALOG.declared(name).notation, describe(source))


_CATALOG = SystemTables(SYSTEM_TABLES, _LEFT_OUT, POSTGRESQL.fold, _described)


def catalog() -> SystemTables:
    """Return the system tables of PostgreSQL databases."""
    return _CATALOG

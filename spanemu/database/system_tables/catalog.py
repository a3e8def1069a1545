"""The system tables of each dialect, their rows for running statements, and procedures of CALL.

The rows in which the system tables of GoogleSQL describe themselves are made here as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from spanemu.base.deferred import deferred
from spanemu.base.errors import Code, SpannerError
from spanemu.database.core import DatabaseCore
from spanemu.database.system_tables.constraints import (
    not_null_clause,
    not_null_name,
    primary_key_name,
)
from spanemu.database.system_tables.declaration import Declared, Source, SystemTables
from spanemu.database.system_tables.information_schema import INFORMATION_SCHEMA
from spanemu.database.system_tables.postgresql import catalog as postgresql
from spanemu.database.system_tables.relations import (
    COMMITTED,
    PRIMARY_KEY,
    PRIMARY_KEY_FACTS,
    YES_NO,
)
from spanemu.database.system_tables.spanner_sys import LEFT_OUT, SCHEMA, SPANNER_SYS
from spanemu.database.system_tables.visibility import visible
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect

Rows = Iterator[tuple[Any, ...]]

_NEVER_COMPUTED = ("NEVER", False, None, None, None, "NO", *[None] * 6)


def _tables(declared: Sequence[Declared]) -> Rows:
    for table in declared:
        yield "", table.schema, table.name, None, None, "VIEW", None, None, None


def _columns(declared: Sequence[Declared]) -> Rows:
    for table in declared:
        for position, column in enumerate(table.columns, 1):
            yield (
                "", table.schema, table.name, column.name, position, None, None,
                YES_NO[not column.not_null], column.spanner_type, *_NEVER_COMPUTED,
            )  # fmt: skip


def _indexes(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        yield "", table.schema, table.name, *PRIMARY_KEY_FACTS


def _index_columns(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        for position, column in enumerate(table.key_columns, 1):
            yield (
                "", table.schema, table.name, PRIMARY_KEY, PRIMARY_KEY, column.name, position,
                "ASC", YES_NO[not column.not_null], column.spanner_type,
            )  # fmt: skip


def _table_constraints(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        tail = "", table.schema, table.name
        yield (
            "",
            table.schema,
            primary_key_name(table.name),
            *tail,
            "PRIMARY KEY",
            "NO",
            "NO",
            "YES",
        )
        for name, _ in _not_nulls(table):
            yield "", table.schema, name, *tail, "CHECK", "NO", "NO", "YES"


def _check_constraints(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        for name, column in _not_nulls(table):
            yield "", table.schema, name, not_null_clause(column), COMMITTED


def _constraint_table_usage(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        for name in (primary_key_name(table.name), *(name for name, _ in _not_nulls(table))):
            yield "", table.schema, table.name, "", table.schema, name


def _constraint_column_usage(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        key_name = primary_key_name(table.name)
        keys = [(key_name, column.name) for column in table.key_columns]
        for name, column in (*keys, *_not_nulls(table)):
            yield "", table.schema, table.name, column, "", table.schema, name


def _key_column_usage(declared: Sequence[Declared]) -> Rows:
    for table in _keyed(declared):
        name = primary_key_name(table.name)
        for position, column in enumerate(table.key_columns, 1):
            yield "", table.schema, name, "", table.schema, table.name, column.name, position, None


def _keyed(declared: Sequence[Declared]) -> Iterator[Declared]:
    return (table for table in declared if table.key_columns)


def _not_nulls(table: Declared) -> list[tuple[str, str]]:
    """Return (constraint, column) for each NOT NULL."""
    return [
        (not_null_name(table.name, column.name), column.name)
        for column in table.columns
        if column.not_null
    ]


SYSTEM_TABLES: Sequence[Declared] = (*INFORMATION_SCHEMA, *SPANNER_SYS)

_DESCRIBED: Mapping[str, Callable[[Sequence[Declared]], Rows]] = {
    "INFORMATION_SCHEMA.CHECK_CONSTRAINTS": _check_constraints,
    "INFORMATION_SCHEMA.COLUMNS": _columns,
    "INFORMATION_SCHEMA.CONSTRAINT_COLUMN_USAGE": _constraint_column_usage,
    "INFORMATION_SCHEMA.CONSTRAINT_TABLE_USAGE": _constraint_table_usage,
    "INFORMATION_SCHEMA.INDEXES": _indexes,
    "INFORMATION_SCHEMA.INDEX_COLUMNS": _index_columns,
    "INFORMATION_SCHEMA.KEY_COLUMN_USAGE": _key_column_usage,
    "INFORMATION_SCHEMA.TABLES": _tables,
    "INFORMATION_SCHEMA.TABLE_CONSTRAINTS": _table_constraints,
}


def described(name: str, source: Source | None = None) -> Sequence[tuple[Any, ...]]:
    """Return the rows of a table that describe the system tables, or the table that matters."""
    only = None if source is None else source.only_table
    if only is None:
        return _described_all(name)
    describe = _DESCRIBED.get(name)
    tables = [table for table in SYSTEM_TABLES if table.name == only]
    return tuple(describe(tables)) if tables and describe is not None else ()


@cache
def _described_all(name: str) -> Sequence[tuple[Any, ...]]:
    describe = _DESCRIBED.get(name)
    return () if describe is None else tuple(describe(SYSTEM_TABLES))


class NoSuchQuery(SpannerError, code=Code.NOT_FOUND):
    prose = "Query not found: {query_id}. It may have ended."
    query_id: str


def cancel_query(core: DatabaseCore, query_id: str | None) -> None:
    """Cancel the statement with a QUERY_ID of OLDEST_ACTIVE_QUERIES; its client gets CANCELLED."""
    known = query_id is not None and query_id.isascii() and query_id.isdecimal()
    if query_id is None or not known or not core.activity.cancel(int(query_id)):
        raise NoSuchQuery(str(query_id))


PROCEDURES: Mapping[str, Callable[..., None]] = {"cancel_query": cancel_query}

CATALOG = SystemTables(
    SYSTEM_TABLES,
    frozenset(f"{SCHEMA}.{name}" for name in LEFT_OUT),
    GOOGLE_STANDARD_SQL.fold,
    described,
)


_CATALOGS: Mapping[DatabaseDialect, Callable[[], SystemTables]] = {
    GOOGLE_STANDARD_SQL: lambda: CATALOG,
    POSTGRESQL: deferred(lambda: postgresql.catalog),
}


def system_tables(dialect: DatabaseDialect) -> SystemTables:
    """Return the system tables of the databases of a dialect; without a row, GoogleSQL's."""
    return _CATALOGS.get(dialect, lambda: CATALOG)()


class SystemRows:
    """The rows of system tables for a statement, of a database as of `at` (nanoseconds).

    Rows are computed on first use, and kept while the statement runs. `role` is the database role
    of the session, whose privileges decide which rows are visible; "" sees everything.
    """

    def __init__(self, core: DatabaseCore, at: int, role: str = "") -> None:
        self._source = Source(core, at)
        self._role = role
        self._visible_rows: dict[tuple[str, str | None], list[tuple[Any, ...]]] = {}

    def rows(self, name: str, required: Mapping[int, Any] | None = None) -> Iterable[Any]:
        """Return the visible rows of the system table of a canonical name.

        Rows of other tables than that of a required TABLE_NAME may be missing.
        """
        tables = system_tables(self._source.schema.dialect)
        declared = tables.declared(name)
        table = declared.table_name(required or {})
        visible_rows = self._visible_rows.get((name, table))
        if visible_rows is None:
            source = replace(self._source, only_table=table) if table else self._source
            rows = [*declared.rows(source), *tables.described(name, source)]
            visible_rows = [*visible(declared, rows, source.schema, self._role)]
            self._visible_rows[name, table] = visible_rows
        return visible_rows

    def call(self, procedure: str, arguments: tuple[Any, ...]) -> None:
        """Execute a system procedure."""
        PROCEDURES[procedure](self._source.core, *arguments)

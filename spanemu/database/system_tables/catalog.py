"""The system tables of each dialect, their rows for running statements, and procedures of CALL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from spanemu.base.deferred import deferred
from spanemu.base.errors import Code, SpannerError
from spanemu.database.core import DatabaseCore
from spanemu.database.system_tables.declaration import Source
from spanemu.database.system_tables.described import SYSTEM_TABLES, described
from spanemu.database.system_tables.directory import SystemTables
from spanemu.database.system_tables.spanner_sys import LEFT_OUT, SCHEMA
from spanemu.database.system_tables.visibility import visible
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect

if TYPE_CHECKING:
    from spanemu.database.system_tables.postgresql import catalog as postgresql
else:
    postgresql = deferred("spanemu.database.system_tables.postgresql.catalog")


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
    POSTGRESQL: postgresql.catalog,
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

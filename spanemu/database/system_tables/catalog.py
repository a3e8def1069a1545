"""The catalog of system tables: lookup by name for the analyzer, rows for running statements."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from spanemu.base.errors import Code, SpannerError, Unsupported
from spanemu.database.core import DatabaseCore
from spanemu.database.system_tables.declaration import Declared, Source
from spanemu.database.system_tables.described import DESCRIBED
from spanemu.database.system_tables.information_schema import INFORMATION_SCHEMA
from spanemu.database.system_tables.spanner_sys import LEFT_OUT, SCHEMA, SPANNER_SYS
from spanemu.database.system_tables.visibility import visible
from spanemu.sql.dialect import SystemTable


class NoSuchQuery(SpannerError, code=Code.NOT_FOUND):
    prose = "Query not found: {query_id}. It may have ended."
    query_id: str


def cancel_query(core: DatabaseCore, query_id: str | None) -> None:
    """Cancel the statement with a QUERY_ID of OLDEST_ACTIVE_QUERIES; its client gets CANCELLED."""
    known = query_id is not None and query_id.isascii() and query_id.isdecimal()
    if query_id is None or not known or not core.activity.cancel(int(query_id)):
        raise NoSuchQuery(str(query_id))


PROCEDURES: Mapping[str, Callable[..., None]] = {"cancel_query": cancel_query}


SYSTEM_TABLES: Sequence[Declared] = (*INFORMATION_SCHEMA, *SPANNER_SYS)
_BY_NAME: Mapping[str, Declared] = {table.full_name.lower(): table for table in SYSTEM_TABLES}
_LEFT_OUT = frozenset(f"{SCHEMA}.{name}" for name in LEFT_OUT)


class SystemTables:
    """A `SystemCatalog`: the same tables in every database, case-insensitive."""

    def table(self, name: str) -> SystemTable | None:
        """Return the system table of a dotted name.

        Raises Unsupported for a table that spanemu leaves out.
        """
        declared = _BY_NAME.get(name.lower())
        if declared is None and name.upper() in _LEFT_OUT:
            raise Unsupported(f"System table {name.upper()}")
        return None if declared is None else declared.table


CATALOG = SystemTables()


class SystemRows:
    """The rows of system tables for a statement, of a database as of `at` (nanoseconds).

    Rows are computed on first use, and kept while the statement runs. `role` is the database role
    of the session, whose privileges decide which rows are visible; "" sees everything.
    """

    def __init__(self, core: DatabaseCore, at: int, role: str = "") -> None:
        self._source = Source(core, at)
        self._role = role
        self._visible_rows: dict[str, list[tuple[Any, ...]]] = {}

    def rows(self, name: str) -> Iterable[tuple[Any, ...]]:
        """Return all visible rows of the system table of a canonical name."""
        visible_rows = self._visible_rows.get(name)
        if visible_rows is None:
            declared = _BY_NAME[name.lower()]
            rows = [*declared.rows(self._source), *_described(name)]
            visible_rows = [*visible(declared, rows, self._source.schema, self._role)]
            self._visible_rows[name] = visible_rows
        return visible_rows

    def call(self, procedure: str, arguments: tuple[Any, ...]) -> None:
        """Execute a system procedure."""
        PROCEDURES[procedure](self._source.core, *arguments)


@cache
def _described(name: str) -> Sequence[tuple[Any, ...]]:
    """Return the rows of a table that describe the system tables."""
    describe = DESCRIBED.get(name)
    return () if describe is None else tuple(describe(SYSTEM_TABLES))

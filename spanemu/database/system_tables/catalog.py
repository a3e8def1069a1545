"""All system tables: found by name for the analyzer, turned into rows for a running statement."""

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
from spanemu.sql.googlesql.analyzer.options import SystemTable


class NoSuchQuery(SpannerError):
    """A query was to be cancelled that does not run, or does so no more."""

    code = Code.NOT_FOUND
    prose = "Query not found: {query_id}. It may have ended."
    query_id: str


def cancel_query(core: DatabaseCore, query_id: str | None) -> None:
    """End the statement with that QUERY_ID of OLDEST_ACTIVE_QUERIES; its client gets CANCELLED."""
    known = query_id is not None and query_id.isascii() and query_id.isdecimal()
    if query_id is None or not known or not core.activity.cancel(int(query_id)):
        raise NoSuchQuery(str(query_id))


PROCEDURES: Mapping[str, Callable[..., None]] = {"cancel_query": cancel_query}


SYSTEM_TABLES: Sequence[Declared] = (*INFORMATION_SCHEMA, *SPANNER_SYS)
_BY_NAME: Mapping[str, Declared] = {one.full_name.lower(): one for one in SYSTEM_TABLES}
_LEFT_OUT = frozenset(f"{SCHEMA}.{name}" for name in LEFT_OUT)


class SystemTables:
    """A `SystemCatalog`: the same tables in every database, whatever the case of their names."""

    def table(self, name: str) -> SystemTable | None:
        """The system table of that dotted name. Raises Unsupported for one that is left out."""
        found = _BY_NAME.get(name.lower())
        if found is None and name.upper() in _LEFT_OUT:
            raise Unsupported(f"System table {name.upper()}")
        return None if found is None else found.table


CATALOG = SystemTables()


class SystemRows:
    """Rows of system tables for one statement, of a database as of `at` (nanoseconds).

    They are made when first asked for, and kept as long as the statement runs. `role` is the
    database role of the session, whose privileges decide what it sees; "" sees everything.
    """

    def __init__(self, core: DatabaseCore, at: int, role: str = "") -> None:
        self._source = Source(core, at)
        self._role = role
        self._found: dict[str, list[tuple[Any, ...]]] = {}

    def rows(self, name: str) -> Iterable[tuple[Any, ...]]:
        """Rows of the system table of that canonical name, whole."""
        found = self._found.get(name)
        if found is None:
            declared = _BY_NAME[name.lower()]
            rows = [*declared.rows(self._source), *_described(name)]
            found = [*visible(declared, rows, self._source.schema, self._role)]
            self._found[name] = found
        return found

    def call(self, procedure: str, arguments: tuple[Any, ...]) -> None:
        """Do what a system procedure does."""
        PROCEDURES[procedure](self._source.core, *arguments)


@cache
def _described(name: str) -> Sequence[tuple[Any, ...]]:
    """What a table says about the system tables."""
    describe = DESCRIBED.get(name)
    return () if describe is None else tuple(describe(SYSTEM_TABLES))

"""The system tables of a dialect by name, with the rows in which they describe themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spanemu.base.errors import Unsupported
from spanemu.database.system_tables.declaration import Declared, Rows, Source
from spanemu.schema.dialect import Fold
from spanemu.sql.dialect import SystemTable

Describe = Callable[[str, Source], Rows]  # the name of a table -> its rows about system tables


class SystemTables:
    """The system tables of a dialect by name: the same in every database.

    `left_out` names the tables that Spanner has and spanemu leaves out. `described` returns the
    rows of a table that describe the system tables.
    """

    def __init__(
        self, tables: Sequence[Declared], left_out: frozenset[str], fold: Fold, described: Describe
    ) -> None:
        self._by_name = {fold(table.full_name): table for table in tables}
        self._left_out = {fold(name) for name in left_out}
        self._fold = fold
        self.described = described

    def table(self, name: str) -> SystemTable | None:
        """Return the system table of a dotted name.

        Raises Unsupported for a table that spanemu leaves out.
        """
        key = self._fold(name)
        declared = self._by_name.get(key)
        if declared is None and key in self._left_out:
            raise Unsupported(f"System table {key.upper()}")
        return None if declared is None else declared.table

    def declared(self, name: str) -> Declared:
        """Return the declaration of a system table that exists."""
        return self._by_name[self._fold(name)]

"""The lookup of system tables by name, for the analyzer.

The declarations of the system tables are imported with the first name that is not a table or a view
of the schema.
"""

from __future__ import annotations

from spanemu.base.record import dataclass
from spanemu.database.system_tables import catalog
from spanemu.schema.dialect import DatabaseDialect
from spanemu.sql.dialect import SystemTable


@dataclass(frozen=True, slots=True)
class SystemTableLookup:
    """A `SystemCatalog`: the system tables of the databases of a dialect."""

    dialect: DatabaseDialect

    def table(self, name: str) -> SystemTable | None:
        """Return the system table of a dotted name, in any letter case.

        Raises Unsupported for a table that spanemu leaves out.
        """
        return catalog.system_tables(self.dialect).table(name)

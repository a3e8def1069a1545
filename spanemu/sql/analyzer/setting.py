"""What a statement is analyzed in besides its schema: system tables, and limits."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.base.limits import DEFAULT_LIMITS, Limits
from spanemu.sql.analyzer.system import NoSystemTables, SystemCatalog
from spanemu.sql.functions.catalog import COUNTED_NAMES
from spanemu.sql.syntax.bounds import Bounds

NO_SYSTEM_TABLES = NoSystemTables()


@dataclass(frozen=True, slots=True)
class Setting:
    """The same for all statements of a database."""

    system: SystemCatalog = NO_SYSTEM_TABLES
    limits: Limits = DEFAULT_LIMITS

    @property
    def bounds(self) -> Bounds:
        """The part of the limits that the parser holds."""
        return Bounds(self.limits, COUNTED_NAMES)


BARE = Setting()

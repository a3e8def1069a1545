"""The dialects that spanemu has, by the dialect that a schema names. To add one, add its row."""

from __future__ import annotations

from spanemu.base.errors import Unsupported
from spanemu.schema.dialect import DatabaseDialect
from spanemu.sql.dialect import Dialect
from spanemu.sql.googlesql.dialect import GOOGLESQL

DIALECTS: dict[DatabaseDialect, Dialect] = {each.database: each for each in (GOOGLESQL,)}


def dialect_of(database: DatabaseDialect) -> Dialect:
    """Return the dialect of a database. Raise Unsupported for a dialect that spanemu lacks."""
    dialect = DIALECTS.get(database)
    if dialect is None:
        raise Unsupported(f"The {database.title or database.name} dialect")
    return dialect

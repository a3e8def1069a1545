"""The dialects that spanemu has, by the dialect that a schema names. To add one, add its row."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from spanemu.base.deferred import deferred
from spanemu.base.errors import Unsupported
from spanemu.schema.dialect import POSTGRESQL, DatabaseDialect
from spanemu.sql.dialect import Dialect
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.sql.postgresql import dialect as postgresql

DIALECTS: dict[DatabaseDialect, Dialect] = {each.database: each for each in (GOOGLESQL,)}

# The dialects whose modules are imported for the first database that uses the dialect.
_DEFERRED: Mapping[DatabaseDialect, Callable[[], Dialect]] = {
    POSTGRESQL: deferred(lambda: postgresql.PostgreSqlDialect)
}


def dialect_of(database: DatabaseDialect) -> Dialect:
    """Return the dialect of a database. Raise Unsupported for a dialect that spanemu lacks."""
    dialect = DIALECTS.get(database)
    if dialect is None:
        new = _DEFERRED.get(database)
        if new is None:
            raise Unsupported(f"The {database.title or database.name} dialect")
        dialect = DIALECTS.setdefault(database, new())
    return dialect

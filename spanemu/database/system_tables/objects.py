"""Rows about options of databases and columns, and about statistics packages.

The rows about named objects are in the descriptions of their kinds (`ddl.kinds`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.database.system_tables.declaration import Source
from spanemu.ddl.kinds.rows import typed
from spanemu.ddl.schema_text import shown_options
from spanemu.schema.names import split_name

Rows = Iterator[tuple[Any, ...]]


def database_options(source: Source) -> Rows:
    """Yield the rows of DATABASE_OPTIONS: the dialect, which clients check, then options."""
    yield "", "", "database_dialect", "STRING", source.schema.dialect.name
    for name, value in shown_options(source.schema):
        yield "", "", name, *typed(value)


def column_options(source: Source) -> Rows:
    """Yield the rows of COLUMN_OPTIONS: the options set; FALSE counts as unset."""
    for table in source.schema.tables.values():
        home, name = split_name(table.name)
        for column in table.columns:
            for option, value in column.options.items():
                if value is not None and value is not False:
                    yield "", home, name, column.name, option, *typed(value)


def spanner_statistics(source: Source) -> Rows:
    """Yield the rows of SPANNER_STATISTICS: the packages that ALTER STATISTICS named."""
    for name, allow_gc in source.schema.statistics.items():
        yield "", "", name, allow_gc

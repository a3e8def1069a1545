"""What names a table, a view or a column from outside: it stands in the way of dropping one.

Here are objects that hold no rows: change streams, search and vector indexes, property graphs, and
privileges of roles. Everything else is told by the statement that drops.
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.access import PrivilegesDepend
from spanemu.ddl.errors.alterations import ColumnInIndex
from spanemu.ddl.errors.routines import ColumnIsWatched, TableIsWatched
from spanemu.ddl.errors.tables import TableHasIndexes
from spanemu.ddl.validators.property_graphs import (
    graphs_over_column_problems,
    graphs_over_problems,
)
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table


def table_user_problems(schema: Schema, table: Table) -> Iterator[SpannerError]:
    """What needs a table that is to go."""
    indexes = [
        index.name
        for kind in (schema.search_indexes, schema.vector_indexes)
        for index in kind.values()
        if index.table == table.name
    ]
    if indexes:
        yield TableHasIndexes(table.name, ",".join(indexes))
    streams = [
        stream.name
        for stream in schema.change_streams.values()
        if stream.watched(table.name) is not None
    ]
    if streams:
        yield TableIsWatched(table.name, ", ".join(streams))
    yield from graphs_over_problems(schema, "TABLE", table.name)
    yield from grant_user_problems(schema, "TABLE", table.name)


def grant_user_problems(schema: Schema, kind: str, name: str) -> Iterator[SpannerError]:
    """Roles with privileges on something that is to go."""
    roles = [
        role.name
        for role in schema.roles.values()
        if any(grant.kind == kind and grant.name == name for grant in role.grants)
    ]
    if roles:
        yield PrivilegesDepend(kind, name, ", ".join(roles))


def column_user_problems(schema: Schema, table: Table, column: str) -> Iterator[SpannerError]:
    """What needs a column that is to go, or to be of another type."""
    for kind in (schema.search_indexes, schema.vector_indexes):
        for index in kind.values():
            if index.table == table.name and column in index.columns:
                yield ColumnInIndex(table.name, column, index.name)
    streams = []
    for stream in schema.change_streams.values():
        watched = stream.watched(table.name)
        if watched is not None and column in (watched.columns or ()):
            streams.append(stream.name)
    if streams:
        yield ColumnIsWatched(table.name, column, ", ".join(streams))
    yield from graphs_over_column_problems(schema, table, column)
    roles = [
        role.name
        for role in schema.roles.values()
        if any(g.kind == "TABLE" and g.name == table.name and column in g.columns
               for g in role.grants)
    ]  # fmt: skip
    if roles:
        yield PrivilegesDepend("column", f"{table.name}.{column}", ", ".join(roles))

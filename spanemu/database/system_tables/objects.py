"""Rows about options of databases and columns, statistics packages, roles and privileges.

The rows about named objects are in the descriptions of their kinds (`ddl.kinds`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.base.identifiers import split_name
from spanemu.database.system_tables.declaration import Source
from spanemu.ddl.kinds.rows import NOT_GRANTABLE, grants_on, typed
from spanemu.ddl.schema_text import shown_options
from spanemu.schema.objects import SYSTEM_ROLES

Rows = Iterator[tuple[Any, ...]]


def database_options(source: Source) -> Rows:
    """Yield the rows of DATABASE_OPTIONS: the dialect, which clients check, then options."""
    yield "", "", "database_dialect", "STRING", source.schema.dialect.name
    for name, value in shown_options(source.schema):
        yield "", "", name, *typed(value)


def column_options(source: Source) -> Rows:
    """Yield the rows of COLUMN_OPTIONS: the options set; FALSE counts as unset."""
    for table in source.tables():
        home, name = split_name(table.name)
        for column in table.columns:
            for option, value in column.options.items():
                if value is not None and value is not False:
                    yield "", home, name, column.name, option, *typed(value)


def spanner_statistics(source: Source) -> Rows:
    """Yield the rows of SPANNER_STATISTICS: the packages that ALTER STATISTICS named."""
    for name, allow_gc in source.schema.statistics.items():
        yield "", "", name, allow_gc


_BY_COLUMN = frozenset({"SELECT", "INSERT", "UPDATE"})


def roles(source: Source) -> Rows:
    """Yield the rows of ROLES: the roles of every database, then users' roles."""
    for name in SYSTEM_ROLES:
        yield name, True
    for user_role in source.schema.roles.values():
        if user_role.name not in SYSTEM_ROLES:
            yield user_role.name, False


def role_grantees(source: Source) -> Rows:
    """Yield the rows of ROLE_GRANTEES: memberships, except in public, which every role has."""
    for role in source.schema.roles.values():
        for name in role.member_of:
            yield name, role.name


def column_privileges(source: Source) -> Rows:
    """Yield the rows of COLUMN_PRIVILEGES; a privilege on a table is one on each column."""
    seen: set[tuple[Any, ...]] = set()
    for role, grant in grants_on(source.schema, "TABLE", "VIEW", "QUEUE"):
        if grant.privilege not in _BY_COLUMN:
            continue
        for column in sorted(grant.columns) or _columns(source, grant.name):
            row = "", *split_name(grant.name), column, grant.privilege, role
            if row not in seen:
                seen.add(row)
                yield row


def _columns(source: Source, name: str) -> list[str]:
    table = source.schema.table(name)
    if table is not None:
        return [column.name for column in table.columns]
    view = source.schema.view(name)
    return [] if view is None else [column for column, _ in view.columns]


def role_column_grants(source: Source) -> Rows:
    """Yield the rows of ROLE_COLUMN_GRANTS."""
    return ((*row, *NOT_GRANTABLE) for row in column_privileges(source))

"""Rows about roles, memberships and privileges.

A privilege on a table is also a privilege on each of its columns. The privilege tables and the
grant tables of INFORMATION_SCHEMA show the same facts in a different order of columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from spanemu.database.system_tables.declaration import Source, split_name
from spanemu.schema.access import SYSTEM_ROLES, Grant

Rows = Iterator[tuple[Any, ...]]

_NOT_GRANTABLE = (None, "NO")  # GRANTOR, IS_GRANTABLE
_BY_COLUMN = frozenset({"SELECT", "INSERT", "UPDATE"})
_RELATIONS = ("TABLE", "VIEW")


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


def _granted(source: Source, *kinds: str) -> Iterator[tuple[str, Grant]]:
    """Yield (role, grant) for each grant on objects of the kinds."""
    for role in source.schema.roles.values():
        for grant in role.grants:
            if grant.kind in kinds:
                yield role.name, grant


def _of_kind(*kinds: str) -> Callable[[Source], Rows]:
    def rows(source: Source) -> Rows:
        for role, grant in _granted(source, *kinds):
            if not grant.columns:
                yield "", *split_name(grant.name), grant.privilege, role

    return rows


def _of_columns(source: Source) -> Rows:
    seen: set[tuple[Any, ...]] = set()
    for role, grant in _granted(source, *_RELATIONS):
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


def _as_grants(rows: Callable[[Source], Rows]) -> Callable[[Source], Rows]:
    return lambda source: ((*row, *_NOT_GRANTABLE) for row in rows(source))


table_privileges = _of_kind(*_RELATIONS)
column_privileges = _of_columns
change_stream_privileges = _of_kind("CHANGE STREAM")
model_privileges = _of_kind("MODEL")
routine_privileges = _of_kind("TABLE FUNCTION", "FUNCTION")
role_table_grants = _as_grants(table_privileges)
role_column_grants = _as_grants(column_privileges)
role_change_stream_grants = change_stream_privileges
role_model_grants = _as_grants(model_privileges)
role_routine_grants = _as_grants(routine_privileges)

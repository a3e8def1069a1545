"""Roles and the roles that they are members of; `statements.grants` grants and revokes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from spanemu.base.errors import SpannerError
from spanemu.ddl.change import Change, with_object
from spanemu.ddl.errors.objects import (
    InvalidObjectName,
    PrivilegesDepend,
    RoleExists,
    RoleInUse,
    RoleNameReserved,
    SystemRoleFixed,
)
from spanemu.ddl.kinds.kind import ObjectKind, drop_object, privilege_problems
from spanemu.ddl.naming import is_plain_name
from spanemu.schema.objects import SYSTEM_ROLES, Grant, Role
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast


def _role(statement: ddl_ast.CreateRole, _before: Role | None, _schema: Schema) -> Role:
    return Role(statement.name.name)


def _name_problems(name: str) -> Iterator[SpannerError]:
    if not is_plain_name(name):
        yield InvalidObjectName("Role", name)
    if name.lower() in SYSTEM_ROLES or name.lower().startswith("spanner_"):
        yield RoleNameReserved(name)


def _drop_role(statement: ddl_ast.DropRole, schema: Schema) -> Change:
    """Drop a role without privileges, with the memberships in it and its own."""
    name = str(statement.name)
    if name.lower() in SYSTEM_ROLES:
        raise SystemRoleFixed(name, "it cannot be dropped")
    following = drop_object(ROLE, statement, schema).schema
    for role in following.roles.values():
        if name in role.member_of:
            left = tuple(other for other in role.member_of if other != name)
            following = with_object(following, "roles", replace(role, member_of=left))
    return Change(following)


def _privileges_of(dropped: Role, _schema: Schema) -> Iterator[SpannerError]:
    if dropped.grants:
        objects = dict.fromkeys(f"{grant.kind} {grant.name}" for grant in dropped.grants)
        yield RoleInUse(dropped.name, ", ".join(objects))


def containing_roles(schema: Schema, name: str) -> set[str]:
    """Return a role and every role that it is a member of, directly or not."""
    names: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in names:
            names.add(current)
            role = schema.roles.get(schema.fold(current))
            waiting.extend(() if role is None else role.member_of)
    return names


# ---------------------------------------------------------------------------- dependencies


def _privileges_on_table(schema: Schema, table: Table) -> Iterator[SpannerError]:
    yield from privilege_problems(schema, table.words, table.name)
    if table.is_queue:
        for prefix in schema.dialect.queues.functions:
            yield from privilege_problems(schema, "TABLE FUNCTION", f"{prefix}{table.name}")


def _privileges_on_column(schema: Schema, table: Table, column: str) -> Iterator[SpannerError]:
    roles = [
        role.name
        for role in schema.roles.values()
        if any(_is_on_table(grant, table.name) and column in grant.columns for grant in role.grants)
    ]
    if roles:
        yield PrivilegesDepend("column", f"{table.name}.{column}", ", ".join(roles))


def _renamed(role: Role, old: str, new: str) -> Role:
    if not any(_is_on_table(grant, old) for grant in role.grants):
        return role
    grants = tuple(
        replace(grant, name=new) if _is_on_table(grant, old) else grant for grant in role.grants
    )
    return replace(role, grants=grants)


def _is_on_table(grant: Grant, table: str) -> bool:
    return grant.kind == "TABLE" and grant.name == table


def _depends_on(role: Role, _schema: Schema) -> Iterator[tuple[str, str]]:
    for grant in role.grants:
        if grant.name:
            yield grant.name, grant.privilege.lower()
    yield from ((container, "member of") for container in role.member_of)


# ---------------------------------------------------------------------------- text


def _is_user_role(role: Role) -> bool:
    return role.name not in SYSTEM_ROLES


ROLE = ObjectKind(
    words="ROLE",
    label="Role",
    field="roles",
    create=ddl_ast.CreateRole,
    define=_role,
    drop=ddl_ast.DropRole,
    statements=((ddl_ast.DropRole, _drop_role),),
    limit="roles",
    name_problems=_name_problems,
    duplicate=RoleExists,
    dependents=(_privileges_of,),
    table_dependents=_privileges_on_table,
    column_dependents=_privileges_on_column,
    renamed=_renamed,
    depends_on=_depends_on,
    is_printed=_is_user_role,
)

"""CREATE ROLE, DROP ROLE, GRANT and REVOKE."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from spanemu.ddl.change import Change
from spanemu.ddl.edit import with_object, without_object
from spanemu.ddl.errors.access import (
    RoleCycle,
    RoleExists,
    RoleInUse,
    RoleNameReserved,
    SystemRoleFixed,
)
from spanemu.ddl.errors.names import InvalidObjectName, ObjectNotFound
from spanemu.ddl.errors.objects import TooManyObjects
from spanemu.ddl.lookup import dropped_object, find_object, object_of
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.access import grant_problems, objects_of
from spanemu.ddl.validators.names import is_name
from spanemu.schema.access import INFO_READER, PUBLIC, SYS_READER, SYSTEM_ROLES, Grant, Role
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast

_KIND = "Role"
_READERS = (INFO_READER, SYS_READER)


def create_role(statement: ddl_ast.CreateRole, schema: Schema) -> Change:
    """A new role without privileges."""
    name = statement.name.name
    exists = name.lower() in schema.roles
    if exists and statement.if_not_exists:
        return Change(schema)
    if not is_name(name):
        raise InvalidObjectName(_KIND, name)
    if name.lower() in SYSTEM_ROLES or name.lower().startswith("spanner_"):
        raise RoleNameReserved(name)
    if exists:
        raise RoleExists(name)
    if len(schema.roles) >= schema.limits.roles:
        raise TooManyObjects(_KIND, name, schema.limits.roles)
    return Change(with_object(schema, "roles", Role(name)))


def drop_role(statement: ddl_ast.DropRole, schema: Schema) -> Change:
    """Take a role away that has no privileges; memberships in it, and its own, go with it."""
    name = str(statement.name)
    if name.lower() in SYSTEM_ROLES:
        raise SystemRoleFixed(name, "it cannot be dropped")
    role: Role | None = dropped_object(schema, "roles", statement, _KIND)
    if role is None:
        return Change(schema)
    if role.grants:
        objects = dict.fromkeys(f"{one.kind} {one.name}" for one in role.grants)
        raise RoleInUse(name, ", ".join(objects))
    return Change(_without_member_of(without_object(schema, "roles", name), name))


def _without_member_of(schema: Schema, name: str) -> Schema:
    """No role is a member of one that is gone."""
    for role in schema.roles.values():
        if name in role.member_of:
            left = tuple(other for other in role.member_of if other != name)
            schema = with_object(schema, "roles", replace(role, member_of=left))
    return schema


# ---------------------------------------------------------------------------- grants


def grant(statement: ddl_ast.Grant, schema: Schema) -> Change:
    """Privileges, or memberships, for some roles."""
    return _changed(statement, schema, added=True)


def revoke(statement: ddl_ast.Revoke, schema: Schema) -> Change:
    """Privileges, or memberships, taken back; what a role does not have is no error."""
    return _changed(statement, schema, added=False)


def _changed(statement: ddl_ast.Grant | ddl_ast.Revoke, schema: Schema, *, added: bool) -> Change:
    following = schema
    grants = _grants(statement, schema)
    for name in dict.fromkeys(role.name for role in statement.roles):
        before = _role(schema, name)
        if statement.target is None:
            names = [granted.name for granted in statement.granted_roles]
            after = _with_memberships(before, names, following, added=added)
        else:
            if before.name in _READERS:
                raise SystemRoleFixed(before.name, "privileges cannot be granted to it")
            held = _granted(before.grants, grants) if added else _revoked(before.grants, grants)
            after = replace(before, grants=tuple(held))
        if after != before:
            following = _put(following, after)
    return Change(following)


def _role(schema: Schema, name: str) -> Role:
    if name.lower() in SYSTEM_ROLES and name.lower() not in schema.roles:
        return Role(name.lower())
    role: Role = object_of(schema, "roles", name, _KIND)
    return role


def _put(schema: Schema, role: Role) -> Schema:
    """System roles are in the schema while they have privileges."""
    if role.name in SYSTEM_ROLES and not role.grants:
        return without_object(schema, "roles", role.name)
    return with_object(schema, "roles", role)


def _grants(statement: ddl_ast.Grant | ddl_ast.Revoke, schema: Schema) -> list[Grant]:
    """Each privilege on each object that the statement names, or that its schemas hold now."""
    target = statement.target
    if target is None:
        return []
    names: Iterable[str] = map(str, target.names)
    if target.all_in_schema:
        names = [found for home in names for found in objects_of(schema, target.kind, home)]
    elif target.kind == "SCHEMA":
        names = ["" if name.upper() == "DEFAULT" else name for name in names]
    found = [
        Grant(privilege.name, target.kind, name, frozenset(one.name for one in privilege.columns))
        for name in names
        for privilege in statement.privileges
    ]
    for one in found:
        raise_first(grant_problems(one, schema))
    return found


def _granted(held: Iterable[Grant], given: Iterable[Grant]) -> Iterator[Grant]:
    """What a role has with more: one grant for each privilege and object, and one by columns."""
    found = {_key(one): one for one in held}
    for one in given:
        known = found.get(_key(one))
        columns = one.columns if known is None else one.columns | known.columns
        found[_key(one)] = replace(one, columns=columns)
    yield from found.values()


def _revoked(held: Iterable[Grant], taken: Iterable[Grant]) -> Iterator[Grant]:
    gone: dict[tuple[str, str, str, bool], frozenset[str]] = {}
    for one in taken:
        gone[_key(one)] = gone.get(_key(one), frozenset()) | one.columns
    for one in held:
        if _key(one) not in gone:
            yield one
        elif left := one.columns - gone[_key(one)]:
            yield replace(one, columns=left)


def _key(one: Grant) -> tuple[str, str, str, bool]:
    return one.privilege, one.kind, one.name, bool(one.columns)


# ---------------------------------------------------------------------------- memberships


def _with_memberships(role: Role, names: Iterable[str], schema: Schema, *, added: bool) -> Role:
    held = list(role.member_of)
    for name in names:
        if not added:
            held = [other for other in held if other != name]
            continue
        if role.name in SYSTEM_ROLES:
            raise SystemRoleFixed(role.name, "it cannot be a member of other roles")
        if name.lower() == PUBLIC:
            raise SystemRoleFixed(PUBLIC, "every role is a member of it already")
        if name.lower() not in _READERS and find_object(schema, "roles", name) is None:
            raise ObjectNotFound(_KIND, name)
        if role.name in above(schema, name):
            raise RoleCycle(name, role.name)
        if name not in held:
            held.append(name)
    return replace(role, member_of=tuple(held))


def above(schema: Schema, name: str) -> set[str]:
    """The role, and every role that it is a member of, directly or not."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            role = schema.roles.get(current.lower())
            waiting.extend(() if role is None else role.member_of)
    return found

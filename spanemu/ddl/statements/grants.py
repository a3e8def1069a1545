"""GRANT and REVOKE: privileges on objects, and memberships in roles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.ddl.change import Change, with_object, without_object
from spanemu.ddl.errors.objects import (
    ColumnNotFound,
    ObjectNotFound,
    PrivilegeNotForKind,
    RoleCycle,
    SchemaNotFound,
    SystemRoleFixed,
)
from spanemu.ddl.kinds.functions import queue_functions, table_functions
from spanemu.ddl.kinds.roles import ROLE, containing_roles
from spanemu.ddl.kinds.table import KINDS
from spanemu.ddl.naming import find_column, find_object, schema_part
from spanemu.ddl.validators import raise_first
from spanemu.schema.objects import INFO_READER, PUBLIC, SYS_READER, SYSTEM_ROLES, Grant, Role
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast

_READERS = (INFO_READER, SYS_READER)


def grant(statement: ddl_ast.Grant, schema: Schema) -> Change:
    """Grant privileges, or memberships, to roles."""
    return _changed(statement, schema, added=True)


def revoke(statement: ddl_ast.Revoke, schema: Schema) -> Change:
    """Revoke privileges, or memberships; those that a role does not have are no error."""
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
            following = _with_role(following, after)
    return Change(following)


def _role(schema: Schema, name: str) -> Role:
    if name.lower() in SYSTEM_ROLES and schema.fold(name) not in schema.roles:
        return Role(name.lower())
    role: Role | None = find_object(schema, "roles", name)
    if role is None:
        raise ROLE.missing(name)
    return role


def _with_role(schema: Schema, role: Role) -> Schema:
    """Return the schema with a role; it holds system roles only while they have privileges."""
    if role.name in SYSTEM_ROLES and not role.grants:
        return without_object(schema, "roles", role.name)
    return with_object(schema, "roles", role)


def _grants(statement: ddl_ast.Grant | ddl_ast.Revoke, schema: Schema) -> list[Grant]:
    """Return each privilege on each object that the statement names or its schemas hold now."""
    target = statement.target
    if target is None:
        return []
    names: Iterable[str] = map(str, target.names)
    if target.all_in_schema:
        names = [name for home in names for name in _objects_in(schema, target.kind, home)]
    elif target.kind == "SCHEMA":
        names = ["" if name.upper() == "DEFAULT" else name for name in names]
    grants = [
        Grant(
            privilege.name,
            _kind(target.kind, name, schema),
            name,
            frozenset(column.name for column in privilege.columns),
        )
        for name in names
        for privilege in statement.privileges
    ]
    for new in grants:
        raise_first(_grant_problems(new, schema))
    return grants


def _kind(written: str, name: str, schema: Schema) -> str:
    """Return the kind of the object called `name`; RELATION stands for a table or a view."""
    if written != "RELATION":
        return written
    return "TABLE" if find_object(schema, "views", name) is None else "VIEW"


def _granted(held: Iterable[Grant], given: Iterable[Grant]) -> Iterable[Grant]:
    """Return all grants: at most one without and one with columns for a privilege on an object."""
    grants = {_key(each): each for each in held}
    for new in given:
        known = grants.get(_key(new))
        columns = new.columns if known is None else new.columns | known.columns
        grants[_key(new)] = replace(new, columns=columns)
    return grants.values()


def _revoked(held: Iterable[Grant], taken: Iterable[Grant]) -> Iterator[Grant]:
    revoked: dict[tuple[str, str, str, bool], frozenset[str]] = {}
    for old in taken:
        revoked[_key(old)] = revoked.get(_key(old), frozenset()) | old.columns
    for before in held:
        if _key(before) not in revoked:
            yield before
        elif left := before.columns - revoked[_key(before)]:
            yield replace(before, columns=left)


def _key(held: Grant) -> tuple[str, str, str, bool]:
    return held.privilege, held.kind, held.name, bool(held.columns)


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
            raise ROLE.missing(name)
        if role.name in containing_roles(schema, name):
            raise RoleCycle(name, role.name)
        if name not in held:
            held.append(name)
    return replace(role, member_of=tuple(held))


# ---------------------------------------------------------------------------- rules


@dataclass(frozen=True, slots=True)
class _Grantable:
    """The privileges on objects of a field, and which privileges can be limited to columns."""

    field: str
    privileges: frozenset[str]
    by_column: frozenset[str] = frozenset()


_GRANTABLE: Mapping[str, _Grantable] = {
    "TABLE": _Grantable(
        "tables",
        frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"}),
        frozenset({"SELECT", "INSERT", "UPDATE"}),
    ),
    "QUEUE": _Grantable("tables", frozenset({"SELECT", "INSERT", "DELETE"})),
    "TABLE FUNCTION": _Grantable("change_streams", frozenset({"EXECUTE"})),
    "SCHEMA": _Grantable("named_schemas", frozenset({"USAGE"})),
    **{kind.words: _Grantable(kind.field, kind.privileges) for kind in KINDS if kind.privileges},
}


_TABLE_KINDS = frozenset({"TABLE", "QUEUE"})


def _grantable(kind: str) -> _Grantable:
    grantable = _GRANTABLE.get(kind)
    if grantable is None:
        raise Unsupported(f"GRANT and REVOKE on {kind}")
    return grantable


def _objects_in(schema: Schema, kind: str, home: str) -> Iterator[str]:
    """Yield the names of all objects of a kind in a schema; DEFAULT is the unnamed schema."""
    home = "" if home.upper() == "DEFAULT" else home
    if home and schema.named_schemas.get(schema.fold(home)) != home:
        raise SchemaNotFound(home)
    sources = getattr(schema, _grantable(kind).field).values()
    if kind == "TABLE FUNCTION":
        yield from (name for name, _ in table_functions(schema) if not home)
    else:
        if kind in _TABLE_KINDS:
            sources = (table for table in sources if table.words == kind)
        names = (source.name for source in sources if not getattr(source, "internal", False))
        yield from (name for name in names if schema_part(name) == home)


def _grant_problems(given: Grant, schema: Schema) -> Iterator[SpannerError]:
    grantable = _grantable(given.kind)
    subject = given.privilege, given.kind, given.name
    if given.privilege not in grantable.privileges:
        allowed = ", ".join(sorted(grantable.privileges))
        yield PrivilegeNotForKind(*subject, f"the kind has only {allowed}")
    if not _exists(given, schema):
        yield ObjectNotFound(given.kind.capitalize(), given.name)
        return
    if not given.columns:
        return
    if given.privilege not in grantable.by_column:
        yield PrivilegeNotForKind(*subject, "it cannot be limited to columns")
        return
    table = schema.tables[schema.fold(given.name)]
    for name in sorted(given.columns):
        column = find_column(table, name)
        if column is None:
            yield ColumnNotFound(given.name, name)
        elif column.generated is not None and given.privilege != "SELECT":
            yield PrivilegeNotForKind(*subject, f"column {name} is generated")


def _exists(given: Grant, schema: Schema) -> bool:
    name = given.name
    if given.kind == "SCHEMA":
        return not name or schema.named_schemas.get(schema.fold(name)) == name
    names = [name]
    if given.kind == "TABLE FUNCTION":
        if any(name == function for function, _ in queue_functions(schema)):
            return True
        heads = schema.dialect.read_functions
        names = [name.removeprefix(head) for head in heads if name.startswith(head)]
    field = _grantable(given.kind).field
    known = [each for each in (find_object(schema, field, each) for each in names) if each]
    if given.kind in _TABLE_KINDS:
        known = [table for table in known if table.words == given.kind]
    return bool(known)

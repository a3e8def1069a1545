"""What may be granted on what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.access import PrivilegeNotForKind
from spanemu.ddl.errors.names import ColumnNotFound, ObjectNotFound, SchemaNotFound
from spanemu.ddl.lookup import schema_part
from spanemu.schema.access import Grant
from spanemu.schema.schema import Schema

# kind -> privileges, those that can be limited to columns, the schema's field with the objects.
_KINDS: Mapping[str, tuple[frozenset[str], frozenset[str], str]] = {
    "TABLE": (
        frozenset({"SELECT", "INSERT", "UPDATE", "DELETE"}),
        frozenset({"SELECT", "INSERT", "UPDATE"}),
        "tables",
    ),
    "VIEW": (frozenset({"SELECT"}), frozenset(), "views"),
    "CHANGE STREAM": (frozenset({"SELECT"}), frozenset(), "change_streams"),
    "SEQUENCE": (frozenset({"SELECT", "UPDATE"}), frozenset(), "sequences"),
    "TABLE FUNCTION": (frozenset({"EXECUTE"}), frozenset(), "change_streams"),
    "FUNCTION": (frozenset({"EXECUTE"}), frozenset(), "functions"),
    "MODEL": (frozenset({"EXECUTE"}), frozenset(), "models"),
    "SCHEMA": (frozenset({"USAGE"}), frozenset(), "named_schemas"),
}
_READ_FUNCTION = ("READ_", "READ_JSON_")


def objects_of(schema: Schema, kind: str, home: str) -> Iterator[str]:
    """Names of all objects of a kind in one schema; DEFAULT is the one without a name."""
    home = "" if home.upper() == "DEFAULT" else home
    if home and schema.named_schemas.get(home.lower()) != home:
        raise SchemaNotFound(home)
    objects = getattr(schema, _KINDS[kind][2])
    if kind == "TABLE FUNCTION":
        yield from (f"READ_{found.name}" for found in objects.values() if not home)
    else:
        names = (found.name for found in objects.values() if not getattr(found, "internal", False))
        yield from (name for name in names if schema_part(name) == home)


def grant_problems(grant: Grant, schema: Schema) -> Iterator[SpannerError]:
    """What is wrong with a privilege on an object."""
    place = grant.privilege, grant.kind, grant.name
    privileges, by_column, _ = _KINDS[grant.kind]
    if grant.privilege not in privileges:
        allowed = ", ".join(sorted(privileges))
        yield PrivilegeNotForKind(*place, f"the kind has only {allowed}")
    if not _exists(grant, schema):
        yield ObjectNotFound(grant.kind.capitalize(), grant.name)
        return
    if not grant.columns:
        return
    if grant.privilege not in by_column:
        yield PrivilegeNotForKind(*place, "it cannot be limited to columns")
        return
    table = schema.tables[grant.name.lower()]
    for name in sorted(grant.columns):
        column = table.column(name)
        if column is None or column.name != name:
            yield ColumnNotFound(grant.name, name)
        elif column.generated is not None and grant.privilege != "SELECT":
            yield PrivilegeNotForKind(*place, f"column {name} is generated")


def _exists(grant: Grant, schema: Schema) -> bool:
    if grant.kind == "SCHEMA":
        return not grant.name or schema.named_schemas.get(grant.name.lower()) == grant.name
    objects = getattr(schema, _KINDS[grant.kind][2])
    names = [grant.name]
    if grant.kind == "TABLE FUNCTION":
        names = [grant.name.removeprefix(p) for p in _READ_FUNCTION if grant.name.startswith(p)]
    return any(
        (found := objects.get(name.lower())) is not None and found.name == name for name in names
    )

"""Tables of INFORMATION_SCHEMA about named objects, and the rows that several kinds share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from spanemu.base.identifiers import split_name
from spanemu.schema.objects import Grant
from spanemu.schema.schema import Schema

Rows = Iterable[tuple[Any, ...]]

# Columns, in the notation of `database.system_tables.declaration`.
OPTION = "*OPTION_NAME !OPTION_TYPE !OPTION_VALUE"
GRANT = "*PRIVILEGE_TYPE *GRANTEE"
UNUSED = "GRANTOR IS_GRANTABLE"  # columns that are always NULL and 'NO'
NOT_GRANTABLE = (None, "NO")  # the values of these columns


@dataclass(frozen=True, slots=True)
class ObjectTable:
    """A table of INFORMATION_SCHEMA about objects of a kind.

    `notation` declares the columns as `database.system_tables.declaration` says. If
    `by_privilege`, a session with a database role sees only the rows of objects on which the role
    has a privilege; the first three columns are then the catalog, schema and name of the object.
    """

    name: str
    notation: str
    rows: Callable[[Schema], Rows]
    by_privilege: bool = False


def typed(value: object) -> tuple[str, str]:
    """Return (OPTION_TYPE, OPTION_VALUE) of an option's value."""
    if isinstance(value, bool):
        return "BOOL", str(value).upper()
    if isinstance(value, int):
        return "INT64", str(value)
    return "STRING", str(value)


def option_rows(name: str, options: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield catalog, schema, name and an option's name, type and value for each option."""
    for option, value in options.items():
        yield "", *split_name(name), option, *typed(value)


def grants_on(schema: Schema, *words: str) -> Iterator[tuple[str, Grant]]:
    """Yield (role, grant) for each grant on objects of these kinds."""
    for role in schema.roles.values():
        for grant in role.grants:
            if grant.kind in words:
                yield role.name, grant


def privilege_rows(*words: str) -> Callable[[Schema], Rows]:
    """Return the row function for the privileges on objects of these kinds, not on columns."""

    def rows(schema: Schema) -> Rows:
        for role, grant in grants_on(schema, *words):
            if not grant.columns:
                yield "", *split_name(grant.name), grant.privilege, role

    return rows


def grant_rows(*words: str) -> Callable[[Schema], Rows]:
    """Return the row function for the same privileges, with GRANTOR and IS_GRANTABLE."""
    privileges = privilege_rows(*words)
    return lambda schema: ((*row, *NOT_GRANTABLE) for row in privileges(schema))

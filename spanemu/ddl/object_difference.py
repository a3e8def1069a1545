"""The statements that turn objects other than tables into those of another schema.

Statements that drop are separate from statements that create and alter, because tables change in
between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from spanemu.base.identifiers import quoted, quoted_path
from spanemu.ddl.kinds.change_streams import change_stream_text
from spanemu.ddl.kinds.kind import ObjectKind
from spanemu.ddl.kinds.roles import ROLE, grant_texts
from spanemu.ddl.schema_text import (
    ddl_statements,
    proto_bundle_text,
    shown_options,
    statistics_text,
)
from spanemu.ddl.table_difference import altered_table
from spanemu.schema.access import SYSTEM_ROLES
from spanemu.schema.objects import DEFAULT
from spanemu.schema.schema import Schema
from spanemu.schema.table_text import option_value, options_text


def creations(schema: Schema, head: str) -> list[str]:
    """Return the canonical statements that begin with `head`."""
    return [text for text in ddl_statements(schema) if text.startswith(head)]


def name_of(creation: str) -> str:
    """Return the lower-cased name of the object that a statement creates."""
    return creation.split()[2].replace("`", "").lower()


def changed_names(
    before: Mapping[str, Any], after: Mapping[str, Any], text: Callable[[Any], str]
) -> set[str]:
    """Return the names of objects that both schemas have with different text."""
    both = before.keys() & after.keys()
    return {name for name in both if text(before[name]) != text(after[name])}


def dropped(kind: ObjectKind, before: Schema, after: Schema) -> Iterator[str]:
    """Yield DROP for each object of a kind that only `before` has."""
    names = kind.objects(after)
    for source in kind.printed(before):
        if after.fold(source.name) not in names and source.name != DEFAULT:
            yield f"DROP {kind.words} {quoted_path(source.name)}"


def created_or_altered(kind: ObjectKind, before: Schema, after: Schema) -> Iterator[str]:
    """Yield the statements for objects of a kind that are new or have changed.

    A kind without `alteration` holds no data: a changed object is dropped and created again.
    """
    known = kind.objects(before)
    for source in kind.printed(after):
        old = known.get(before.fold(source.name))
        if old is None:
            yield kind.text(source)
        elif kind.text(old) != kind.text(source):
            if kind.alteration is not None:
                yield from kind.alteration(old, source)
            else:
                yield f"DROP {kind.words} {quoted_path(source.name)}"
                yield kind.text(source)


def _must_pause(name: str, before: Schema, after: Schema, recreated: set[str]) -> bool:
    """Return whether a stream that both schemas have must watch nothing while tables change."""
    old, new = before.change_streams[name], after.change_streams[name]
    if (old.watches_all, old.tables) != (new.watches_all, new.tables):
        return True
    tables = [before.fold(watched.table) for watched in old.tables]
    return any(
        table in recreated or any(altered_table(before.tables[table], after.tables[table]))
        for table in tables
    )


def stream_drops(before: Schema, after: Schema, recreated: set[str]) -> Iterator[str]:
    """Yield the statements that drop streams, or stop them while tables change."""
    for name, stream in before.change_streams.items():
        new = after.change_streams.get(name)
        if new is None:
            yield f"DROP CHANGE STREAM {quoted(stream.name)}"
        elif stream.tables and _must_pause(name, before, after, recreated):
            yield f"ALTER CHANGE STREAM {quoted(stream.name)} DROP FOR ALL"


def streams(before: Schema, after: Schema, recreated: set[str]) -> Iterator[str]:
    """Yield the statements for streams that are new or changed, or watch changed tables again."""
    for name, stream in after.change_streams.items():
        known = before.change_streams.get(name)
        if known is None:
            yield change_stream_text(stream)
            continue
        head = f"ALTER CHANGE STREAM {quoted(stream.name)}"
        watched = change_stream_text(replace(stream, options={})).partition(" FOR ")[2]
        if _must_pause(name, before, after, recreated):
            if watched:
                yield f"{head} SET FOR {watched}"
            elif known.watches_all:
                yield f"{head} DROP FOR ALL"
        if stream.options != known.options:
            values = dict.fromkeys(known.options) | dict(stream.options)
            yield f"{head} SET{options_text(values)}"


def grants(before: Schema, after: Schema, disturbed: set[str]) -> Iterator[str]:
    """Yield the statements that create roles, grant privileges and drop roles."""
    known = set(_role_texts(before, disturbed))
    yield from (text for text in ROLE.texts(after) if text not in known)
    for name, role in before.roles.items():
        if name not in after.roles and role.name not in SYSTEM_ROLES:
            yield f"DROP ROLE {quoted(role.name)}"


def revokes(before: Schema, after: Schema, disturbed: set[str]) -> Iterator[str]:
    """Yield REVOKE for privileges that are dropped, or are on objects that are created again."""
    kept = set(_role_texts(after, disturbed))
    for text in grant_texts(before.roles.values()):
        if text not in kept:
            yield text.replace("GRANT ", "REVOKE ", 1).replace(" TO ROLE ", " FROM ROLE ")


def _role_texts(schema: Schema, disturbed: set[str]) -> list[str]:
    """Return CREATE ROLE and GRANT, without the grants on objects that are created again."""
    roles = {
        name: replace(
            role,
            grants=tuple(
                grant for grant in role.grants if schema.fold(grant.name) not in disturbed
            ),
        )
        for name, role in schema.roles.items()
    }
    return list(ROLE.texts(schema.next(roles=roles)))


_STAYS = "default_sequence_kind"  # can be changed, but not unset


def database_option_changes(before: Schema, after: Schema, database: str) -> Iterator[str]:
    """Yield ALTER DATABASE for each changed option; a dropped option becomes NULL."""
    old, new = dict(shown_options(before)), dict(shown_options(after))
    for name in sorted(old.keys() | new.keys()):
        value = new.get(name)
        if old.get(name) != value and not (value is None and name == _STAYS):
            yield f"ALTER DATABASE {quoted(database)} SET OPTIONS ({name} = {option_value(value)})"


def statistics_changes(before: Schema, after: Schema) -> Iterator[str]:
    """Yield ALTER STATISTICS; by default, a package may be collected."""
    old, new = before.statistics, after.statistics
    for package in sorted(old.keys() | new.keys()):
        if old.get(package, True) is not new.get(package, True):
            yield statistics_text(package, new.get(package, True))


def bundle_additions(before: Schema, after: Schema) -> Iterator[str]:
    """Yield the statement that adds or updates types of the proto bundle."""
    old, new = before.proto_bundle, after.proto_bundle
    if new is None or old == new:
        return
    if old is None:
        yield proto_bundle_text(new)
        return
    clauses = [_clause("INSERT", new.names - old.names)]
    if old.descriptors != new.descriptors:
        clauses.append(_clause("UPDATE", new.names & old.names))
    if any(clauses):
        yield f"ALTER PROTO BUNDLE{''.join(clauses)}"


def bundle_deletions(before: Schema, after: Schema) -> Iterator[str]:
    """Yield the statement that deletes types from the proto bundle."""
    old, new = before.proto_bundle, after.proto_bundle
    if old is None:
        return
    if new is None:
        yield "DROP PROTO BUNDLE"
    elif removed := old.names - new.names:
        yield f"ALTER PROTO BUNDLE{_clause('DELETE', removed)}"


def _clause(verb: str, names: Iterable[str]) -> str:
    listed = ", ".join(quoted_path(name) for name in sorted(names))
    return f" {verb} ({listed})" if listed else ""

"""The statements that lead from one schema to another.

Objects are compared by the text that makes them. What can be altered in place is; other tables and
columns are dropped and made anew, which loses their rows: such statements are `destructive`.
Things go in the order in which nothing depends on them any more, and come in that of canonical
text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from spanemu.base.identifiers import quoted, quoted_path
from spanemu.ddl.kinds.property_graphs import graph_text
from spanemu.ddl.kinds.table import AFTER_TABLES, BEFORE_TABLES
from spanemu.ddl.object_difference import (
    bundle_grown,
    bundle_shrunk,
    changed_names,
    created_or_altered,
    creations,
    dropped,
    grants,
    name_of,
    options_changed,
    revokes,
    statistics_changed,
    stream_drops,
    streams,
)
from spanemu.ddl.schema_text import (
    AnyIndex,
    any_index_text,
    user_indexes,
)
from spanemu.ddl.table_difference import altered_table, must_be_made_anew
from spanemu.schema.index import SearchIndex, VectorIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table_text import foreign_key_text


@dataclass(frozen=True, slots=True)
class Migration:
    """One statement of a way from schema to schema; a destructive one loses rows."""

    statement: str
    destructive: bool = False


def diff(before: Schema, after: Schema, database: str = "db") -> list[Migration]:
    """Statements in order; none if both schemas are alike, names of foreign keys aside.

    `database` is the id of the database, which statements about its options name.
    """
    settings = [*options_changed(before, after, database), *statistics_changed(before, after)]
    return [*_plain(settings), *_objects(before, after)]


def _objects(before: Schema, after: Schema) -> list[Migration]:
    anew = _made_anew(before, after)
    moved = _moved(before, after)
    way = _way(before, after, anew, moved)
    above = (*_ABOVE, *_ACCESS)
    if all(step.statement.startswith(above) for step in way):
        return way
    moved = {name for one in (before, after) for name in (*one.views, *one.graphs)}
    return _way(before, after, anew, moved)


# Kinds whose statements depend on how tables change.
_COMPARED_WITH_TABLES = frozenset({"change_streams", "views", "graphs", "roles"})

_ABOVE = ("CREATE VIEW ", "DROP VIEW ", "CREATE PROPERTY GRAPH ", "DROP PROPERTY GRAPH ")
_ACCESS = ("CREATE ROLE ", "DROP ROLE ", "GRANT ", "REVOKE ")


def _way(before: Schema, after: Schema, anew: set[str], moved: set[str]) -> list[Migration]:
    going, coming = _Going(before, after, anew, moved), _Coming(before, after, anew, moved)
    return [*going.statements(), *coming.statements()]


def _moved(before: Schema, after: Schema) -> set[str]:
    """Views and graphs, lower-cased, that are new, gone, changed, or over such a view."""
    mine, theirs = _texts_above(before), _texts_above(after)
    moved = {name for name in mine if theirs.get(name) != mine[name]} | (
        theirs.keys() - mine.keys()
    )
    for _ in before.views:
        moved |= {
            name
            for name, view in before.views.items()
            if any(before.fold(used) in moved for used in view.depends_on)
        }
    for name, graph in before.graphs.items():
        if any(before.fold(element.table) in moved for element in graph.elements):
            moved.add(name)
    return moved


def _texts_above(schema: Schema) -> dict[str, str]:
    views = {name_of(text): text for text in creations(schema, "CREATE VIEW ")}
    return views | {name: graph_text(graph) for name, graph in schema.graphs.items()}


def _made_anew(before: Schema, after: Schema) -> set[str]:
    """Tables, by lower-cased name, that cannot be altered into what they become."""
    anew = {
        name
        for name, table in before.tables.items()
        if name in after.tables and must_be_made_anew(table, after.tables[name])
    }
    waiting = list(anew)
    while waiting:
        for child in before.children(before.tables[waiting.pop()]):
            if before.fold(child.name) not in anew:
                anew.add(before.fold(child.name))
                waiting.append(before.fold(child.name))
    return anew


def _indexes(schema: Schema) -> dict[str, AnyIndex]:
    found = (index for indexes in user_indexes(schema).values() for index in indexes)
    return {schema.fold(index.name): index for index in found}


def _foreign_keys(schema: Schema) -> dict[tuple[str, str], Any]:
    """Foreign keys by table and text, which tells apart those without a name too."""
    return {
        (schema.fold(table.name), foreign_key_text(key)): key
        for table in schema.tables.values()
        for key in table.foreign_keys
    }


class _Going:
    """What has to go before anything new can come."""

    def __init__(self, before: Schema, after: Schema, anew: set[str], moved: set[str]) -> None:
        self._before, self._after, self._anew, self._moved = before, after, anew, moved

    def statements(self) -> Iterator[Migration]:
        """Drops, the last made first."""
        before, after = self._before, self._after
        yield from _plain(revokes(before, after, self._anew | self._moved))
        for name, graph in before.graphs.items():
            if name in self._moved:
                yield Migration(f"DROP PROPERTY GRAPH {quoted_path(graph.name)}")
        for text in reversed(creations(before, "CREATE VIEW ")):
            if name_of(text) in self._moved:
                yield Migration(f"DROP VIEW {text.split()[2]}")
        yield from _plain(stream_drops(before, after, self._anew))
        for kind in reversed(AFTER_TABLES):
            if kind.field not in _COMPARED_WITH_TABLES:
                yield from _plain(dropped(kind, before, after))
        yield from _plain(self._indexes())
        yield from _plain(self._foreign_keys())
        for name in self._tables():
            yield Migration(f"DROP TABLE {quoted_path(name)}", destructive=True)

    def _indexes(self) -> Iterator[str]:
        mine, theirs = _indexes(self._before), _indexes(self._after)
        changed = changed_names(mine, theirs, any_index_text)
        for name, index in mine.items():
            is_kept = name in theirs and name not in changed
            if not is_kept or self._before.fold(index.table) in self._anew:
                yield f"DROP {_index_kind(index)} {quoted_path(index.name)}"

    def _foreign_keys(self) -> Iterator[str]:
        kept = _foreign_keys(self._after)
        for (table, text), key in _foreign_keys(self._before).items():
            ends = {table, self._before.fold(key.referenced_table)}
            if (table, text) not in kept or ends & self._anew:
                yield f"ALTER TABLE {quoted_path(key.table)} DROP CONSTRAINT {quoted(key.name)}"

    def _tables(self) -> list[str]:
        gone = [
            text.split()[2]
            for text in creations(self._before, "CREATE TABLE ")
            if name_of(text) in self._anew or name_of(text) not in self._after.tables
        ]
        return [name.replace("`", "") for name in reversed(gone)]


class _Coming:
    """What is new or altered, in the order of canonical text."""

    def __init__(self, before: Schema, after: Schema, anew: set[str], moved: set[str]) -> None:
        self._before, self._after, self._anew, self._moved = before, after, anew, moved

    def statements(self) -> Iterator[Migration]:
        """Creations and alterations, then drops of what only now is not needed any more."""
        before, after = self._before, self._after
        yield from _plain(bundle_grown(before, after))
        for name in after.named_schemas.keys() - before.named_schemas.keys():
            yield Migration(f"CREATE SCHEMA {quoted(after.named_schemas[name])}")
        for kind in BEFORE_TABLES:
            yield from _plain(created_or_altered(kind, before, after))
        yield from self._tables()
        yield from _plain(self._foreign_keys())
        yield from _plain(self._indexes())
        yield from _plain(streams(before, after, self._anew))
        for kind in AFTER_TABLES:
            if kind.field not in _COMPARED_WITH_TABLES:
                yield from _plain(created_or_altered(kind, before, after))
        views = creations(after, "CREATE VIEW ")
        yield from _plain(text for text in views if name_of(text) in self._moved)
        graphs = after.graphs.items()
        yield from _plain(graph_text(graph) for name, graph in graphs if name in self._moved)
        yield from _plain(grants(before, after, self._anew | self._moved))
        for kind in reversed(BEFORE_TABLES):
            yield from _plain(dropped(kind, before, after))
        yield from _plain(bundle_shrunk(before, after))
        for name in before.named_schemas.keys() - after.named_schemas.keys():
            yield Migration(f"DROP SCHEMA {quoted(before.named_schemas[name])}")

    def _tables(self) -> Iterator[Migration]:
        bare = self._after.next(
            tables={
                name: replace(table, foreign_keys=()) for name, table in self._after.tables.items()
            },
        )
        for text in creations(bare, "CREATE TABLE "):
            name = name_of(text)
            if name in self._before.tables and name not in self._anew:
                mine, theirs = self._before.tables[name], self._after.tables[name]
                for statement, destructive in altered_table(mine, theirs):
                    yield Migration(statement, destructive)
            else:
                yield Migration(text)

    def _foreign_keys(self) -> Iterator[str]:
        known = _foreign_keys(self._before)
        for (table, text), key in _foreign_keys(self._after).items():
            ends = {table, self._before.fold(key.referenced_table)}
            if (table, text) not in known or ends & self._anew:
                yield f"ALTER TABLE {quoted_path(key.table)} ADD {text}"

    def _indexes(self) -> Iterator[str]:
        mine, theirs = _indexes(self._before), _indexes(self._after)
        changed = changed_names(mine, theirs, any_index_text)
        for name, index in theirs.items():
            if name in changed or name not in mine or self._before.fold(index.table) in self._anew:
                yield any_index_text(index)


def _plain(statements: Iterable[str]) -> Iterator[Migration]:
    return map(Migration, statements)


def _index_kind(index: AnyIndex) -> str:
    if isinstance(index, SearchIndex):
        return "SEARCH INDEX"
    return "VECTOR INDEX" if isinstance(index, VectorIndex) else "INDEX"

"""The statements that lead from one schema to another.

Objects are compared by the text that creates them, and altered in place if possible. Other tables
and columns are dropped and created again, which loses their rows: such statements are
`destructive`. Objects are dropped before what they depend on, and created in the order of canonical
text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from spanemu.ddl.column_difference import (
    NO_CHANGES,
    ColumnChanges,
    column_changes,
    key_calls,
    without_calls,
)
from spanemu.ddl.function_difference import outgrown_functions, replaced_functions
from spanemu.ddl.kinds.functions import FUNCTION, FUNCTION_OVER_TABLES, FUNCTION_OVER_VIEWS
from spanemu.ddl.kinds.property_graphs import PROPERTY_GRAPH
from spanemu.ddl.kinds.table import AFTER_TABLES, BEFORE_TABLES
from spanemu.ddl.kinds.views import VIEW
from spanemu.ddl.naming import with_written_names
from spanemu.ddl.object_difference import (
    added_row_deletion,
    altered_table,
    bundle_additions,
    bundle_deletions,
    changed_names,
    created_or_altered,
    database_option_changes,
    dropped,
    grants,
    must_be_recreated,
    queue_function_names,
    quoted_path,
    read_function_names,
    recreated_streams,
    revokes,
    statistics_changes,
    stream_drops,
    streams,
    texts_of,
)
from spanemu.ddl.schema_text import ordered_tables, schema_writer, user_indexes
from spanemu.schema.indexes import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.dialects import dialect_of


@dataclass(frozen=True, slots=True)
class Migration:
    """A statement of a migration from schema to schema; a destructive statement loses rows."""

    statement: str
    destructive: bool = False


def diff(before: Schema, after: Schema, database: str = "db") -> list[Migration]:
    """Return the statements that lead from one schema to another, in order.

    Schemas that differ only in the names of foreign keys need no statements. `database` is the id
    of the database, which statements about its options name.
    """
    settings = [
        *database_option_changes(before, after, database),
        *statistics_changes(before, after),
    ]
    return [*_plain(settings), *_objects(before, after)]


def _objects(before: Schema, after: Schema) -> list[Migration]:
    outgrown = outgrown_functions(before, after)
    moved = _moved(before, after, outgrown)
    functions = replaced_functions(before, after, moved) | outgrown
    recreated = _recreated(before, after, functions)
    columns = _column_changes(before, after, recreated, functions)
    migration = _Comparison(before, after, recreated, columns, moved).statements()
    above = (*_ABOVE, *_ACCESS)
    if all(step.statement.startswith(above) for step in migration):
        return migration
    moved = {name for one in (before, after) for name in (*one.views, *one.graphs)}
    moved |= _functions_over_tables(before) | outgrown
    return _Comparison(before, after, recreated, columns, moved).statements()


# Kinds whose statements depend on how tables change.
_COMPARED_WITH_TABLES = frozenset({"change_streams", "roles"})
# Kinds that stand on tables or views, in the order of canonical text.
_OVER_TABLES = (FUNCTION_OVER_TABLES, VIEW, FUNCTION_OVER_VIEWS, PROPERTY_GRAPH)

_ABOVE = ("CREATE VIEW ", "DROP VIEW ", "CREATE PROPERTY GRAPH ", "DROP PROPERTY GRAPH ")
_ACCESS = ("CREATE ROLE ", "DROP ROLE ", "GRANT ", "REVOKE ")


def _moved(before: Schema, after: Schema, outgrown: set[str]) -> set[str]:
    """Return the folded names of views and graphs that must be dropped or created, and of functions
    that must be dropped: those that are `outgrown`, and functions over tables.
    """
    mine, theirs = _texts_above(before), _texts_above(after)
    moved = {name for name in mine if theirs.get(name) != mine[name]} | (
        theirs.keys() - mine.keys()
    )
    moved |= outgrown
    for _ in before.views:
        moved |= {
            name
            for name, view in before.views.items()
            if any(before.fold(used) in moved for used in view.depends_on)
        }
    moved |= {
        name
        for name in _functions_over_tables(before)
        if name not in after.functions
        or any(before.fold(used) in moved for used in before.functions[name].depends_on)
    }
    for name, graph in before.graphs.items():
        if any(before.fold(element.table) in moved for element in graph.elements):
            moved.add(name)
    return moved


def _functions_over_tables(schema: Schema) -> set[str]:
    return {name for name, function in schema.functions.items() if function.reads_tables}


def _texts_above(schema: Schema) -> dict[str, str]:
    return texts_of(VIEW, schema) | texts_of(PROPERTY_GRAPH, schema)


def _recreated(before: Schema, after: Schema, functions: frozenset[str]) -> set[str]:
    """Return the folded names of tables that must be dropped and created again.

    `functions` are the folded names of functions that are replaced.
    """
    recreated = {
        name
        for name, table in before.tables.items()
        if name in after.tables
        and (
            must_be_recreated(table, after.tables[name], after)
            or key_calls(table, before, functions)
        )
    }
    waiting = list(recreated)
    while waiting:
        for child in before.children(before.tables[waiting.pop()]):
            if before.fold(child.name) not in recreated:
                recreated.add(before.fold(child.name))
                waiting.append(before.fold(child.name))
    return recreated


def _column_changes(
    before: Schema, after: Schema, recreated: set[str], functions: frozenset[str]
) -> Mapping[str, ColumnChanges]:
    """Return the changes of the columns of the tables that are altered, by folded name."""
    return {
        name: column_changes(table, after.tables[name], (before, after), functions)
        for name, table in before.tables.items()
        if name in after.tables and name not in recreated
    }


def _indexes(schema: Schema) -> dict[str, Index]:
    found = (index for indexes in user_indexes(schema).values() for index in indexes)
    return {schema.fold(index.name): index for index in found}


def _foreign_keys(schema: Schema) -> dict[tuple[str, str], Any]:
    """Return foreign keys by table and text, which identify keys without a name too."""
    writer = schema_writer(schema)
    return {
        (schema.fold(table.name), writer.foreign_key(key)): key
        for table in schema.tables.values()
        for key in table.foreign_keys
    }


@dataclass(frozen=True, slots=True)
class _Comparison:
    """Two schemas, the tables to create again, the changes of the columns of the others, the views
    and graphs to drop or create, and the functions to drop.
    """

    before: Schema
    after: Schema
    recreated: set[str]
    columns: Mapping[str, ColumnChanges]
    moved: set[str]

    @property
    def disturbed(self) -> set[str]:
        """The folded names of objects that lose their grants, because they are created again."""
        streams = recreated_streams(self.before, self.after)
        functions = read_function_names(self.before, streams)
        queues = queue_function_names(self.before, self.recreated)
        tables = {name for name, changes in self.columns.items() if changes.disturbed}
        return self.recreated | tables | self.moved | streams | functions | queues

    def _changes(self, table: str) -> ColumnChanges:
        return self.columns.get(self.before.fold(table), NO_CHANGES)

    def statements(self) -> list[Migration]:
        """Return the statements; conflicting objects are dropped before others are added."""
        return [*self.removals(), *self.additions()]

    def removals(self) -> Iterator[Migration]:
        """Yield DROP statements, dependents first."""
        before, after = self.before, self.after
        yield from _plain(revokes(before, after, self.disturbed))
        for kind in reversed(_OVER_TABLES):
            for source in reversed(list(kind.printed(before))):
                if before.fold(source.name) in self.moved:
                    yield Migration(f"DROP {kind.words} {quoted_path(before, source.name)}")
        yield from _plain(stream_drops(before, after, self.recreated, self.columns))
        for kind in reversed(AFTER_TABLES):
            if kind not in _OVER_TABLES and kind.field not in _COMPARED_WITH_TABLES:
                yield from _plain(dropped(kind, before, after))
        yield from _plain(self._dropped_indexes())
        yield from _plain(self._dropped_foreign_keys())
        for table in reversed(ordered_tables(before)):
            name = before.fold(table.name)
            if name in self.recreated or name not in after.tables:
                statement = f"DROP {table.words} {quoted_path(before, table.name)}"
                yield Migration(statement, destructive=True)
        yield from self._removed_calls()
        for function in reversed(list(FUNCTION.printed(before))):
            if before.fold(function.name) in self.moved:
                yield Migration(f"DROP {FUNCTION.words} {quoted_path(before, function.name)}")

    def _removed_calls(self) -> Iterator[Migration]:
        """Yield the statements that drop what calls functions that change."""
        for name, changes in self.columns.items():
            if changes.calls:
                mine, theirs = self.before.tables[name], self._between(name)
                for statement, destructive in altered_table(mine, theirs, self.before, changes):
                    yield Migration(statement, destructive)

    def _between(self, name: str) -> Table:
        """Return an altered table after the removals: nothing in it calls a replaced function."""
        return without_calls(self.before.tables[name], self.columns[name])

    def _dropped_indexes(self) -> Iterator[str]:
        mine, theirs = _indexes(self.before), _indexes(self.after)
        changed = changed_names(mine, theirs, schema_writer(self.after).index)
        for name, index in mine.items():
            is_kept = name in theirs and name not in changed
            if not is_kept or self._is_recreated(index):
                yield f"DROP {index.words} {quoted_path(self.before, index.name)}"

    def _dropped_foreign_keys(self) -> Iterator[str]:
        kept = _foreign_keys(self.after)
        for (table, text), key in _foreign_keys(self.before).items():
            if (table, text) not in kept or self._is_disturbed(key):
                name = dialect_of(self.before.dialect).quoted(key.name)
                yield f"ALTER TABLE {quoted_path(self.before, key.table)} DROP CONSTRAINT {name}"

    def additions(self) -> Iterator[Migration]:
        """Yield CREATE and ALTER statements, then DROP for objects that tables no longer need."""
        before, after = self.before, self.after
        yield from _plain(bundle_additions(before, after))
        for name in after.named_schemas.keys() - before.named_schemas.keys():
            yield Migration(schema_writer(after).named_schema(after.named_schemas[name]))
        for kind in BEFORE_TABLES:
            yield from _plain(created_or_altered(kind, before, after, self.moved))
        yield from self._tables()
        yield from _plain(self._added_foreign_keys())
        yield from _plain(self._added_indexes())
        yield from _plain(streams(before, after, self.recreated, self.columns))
        for kind in AFTER_TABLES:
            if kind.field == FUNCTION.field:
                yield from _plain(created_or_altered(kind, before, after, self.moved))
            elif kind in _OVER_TABLES:
                texts = texts_of(kind, after).items()
                yield from _plain(text for name, text in texts if name in self.moved)
            elif kind.field not in _COMPARED_WITH_TABLES:
                yield from _plain(created_or_altered(kind, before, after))
        yield from _plain(grants(before, after, self.disturbed))
        for kind in reversed(BEFORE_TABLES):
            gone = self.moved if kind is FUNCTION else ()
            yield from _plain(dropped(kind, before, after, gone))
        yield from _plain(bundle_deletions(before, after))
        for name in before.named_schemas.keys() - after.named_schemas.keys():
            yield Migration(f"DROP SCHEMA {quoted_path(before, before.named_schemas[name])}")

    def _tables(self) -> Iterator[Migration]:
        bare = self.after.next(
            tables={
                name: replace(table, foreign_keys=()) for name, table in self.after.tables.items()
            },
        )
        for table in ordered_tables(bare):
            name = bare.fold(table.name)
            if self._is_altered(name):
                mine, theirs = self._between(name), self.after.tables[name]
                changes = self._changes(name)
                for statement, destructive in altered_table(mine, theirs, self.after, changes):
                    yield Migration(statement, destructive)
            else:
                yield Migration(schema_writer(bare).table(table, ()))
        for name, table in self.after.tables.items():
            if self._is_altered(name):
                mine = self._between(name)
                yield from _plain(added_row_deletion(mine, table, self.after, self._changes(name)))

    def _is_altered(self, table: str) -> bool:
        return table in self.before.tables and table not in self.recreated

    def _added_foreign_keys(self) -> Iterator[str]:
        known = _foreign_keys(self.before)
        named = {
            key.full_name: key
            for table in map(with_written_names, self.after.tables.values())
            for key in table.foreign_keys
        }
        for (table, text), key in _foreign_keys(self.after).items():
            if (table, text) not in known or self._is_disturbed(key):
                yield schema_writer(self.after).foreign_key(named[key.full_name])

    def _added_indexes(self) -> Iterator[str]:
        mine, theirs = _indexes(self.before), _indexes(self.after)
        text = schema_writer(self.after).index
        changed = changed_names(mine, theirs, text)
        for name, index in theirs.items():
            is_kept = name in mine and name not in changed
            if not is_kept or self._is_recreated(index):
                yield text(index)

    def _is_recreated(self, index: Index) -> bool:
        """Return whether an index makes way for its table, its parent table or its columns."""
        tables = {index.table} if index.parent is None else {index.table, index.parent}
        if any(self.before.fold(table) in self.recreated for table in tables):
            return True
        return self._changes(index.table).disturbs(index)

    def _is_disturbed(self, key: Any) -> bool:
        """Return whether a foreign key makes way for its tables or for their columns."""
        ends = ((key.table, key.columns), (key.referenced_table, key.referenced_columns))
        return any(
            self.before.fold(table) in self.recreated
            or self._changes(table).disturbed.intersection(columns)
            for table, columns in ends
        )


def _plain(statements: Iterable[str]) -> Iterator[Migration]:
    return map(Migration, statements)

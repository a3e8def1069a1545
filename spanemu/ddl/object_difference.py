"""The statements that turn the objects of a schema into those of another schema.

First the ALTER TABLE statements between two definitions of a table, except for foreign keys; then
the other objects, whose statements that drop are separate from statements that create and alter,
because tables change in between.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from spanemu.base import identifiers as base_identifiers
from spanemu.ddl.column_difference import ColumnChanges
from spanemu.ddl.kinds.change_streams import CHANGE_STREAM, PARTITION_MODE
from spanemu.ddl.kinds.kind import ObjectKind
from spanemu.ddl.kinds.roles import ROLE
from spanemu.ddl.schema_text import alteration_writer, schema_writer, shown_options
from spanemu.schema.objects import DEFAULT, SYSTEM_ROLES
from spanemu.schema.schema import Schema
from spanemu.schema.table import Column, Interleave, Table
from spanemu.sql.dialect import AlterationWriter, Dialect
from spanemu.sql.dialects import dialect_of
from spanemu.values.order import SortOrder

Action = tuple[str, bool]  # (text after ALTER TABLE name, whether cells are lost)

_CREATE_ONLY = "fulltext_dictionary_table"  # an option that no ALTER TABLE sets


def must_be_recreated(before: Table, after: Table, schema: Schema) -> bool:
    """Return whether no ALTER TABLE statements of `schema` lead from `before` to `after`."""
    column_text = alteration_writer(schema).add_column
    if before.is_queue or after.is_queue:
        columns = [tuple(map(column_text, each.declared_columns)) for each in (before, after)]
        if before.words != after.words or columns[0] != columns[1]:
            return True
    if before.name != after.name or _order_of(before) != _order_of(after):
        return True
    if before.options.get(_CREATE_ONLY) != after.options.get(_CREATE_ONLY):
        return True
    if (before.parent, before.parent is None) != (after.parent, after.parent is None):
        return True
    keys = {column.name for column in before.key_columns}
    for name in keys:
        old, new = before.by_name[before.fold(name)], after.by_name[after.fold(name)]
        if column_text(old.bare()) != column_text(new.bare()):
            return True
    placed = [column.name for column in before.columns if column.placement_key]
    return placed != [column.name for column in after.columns if column.placement_key]


def _order_of(table: Table) -> list[tuple[str, SortOrder]]:
    """Return the columns of a table's key with their order."""
    return [(part.column.name, part.order) for part in table.key]


def altered_table(
    before: Table, after: Table, schema: Schema, changes: ColumnChanges
) -> Iterator[Action]:
    """Yield the statements that alter a table of `schema`, in the schema's dialect.

    A row deletion policy comes later, because it needs interleaved tables that delete their rows.
    """
    change = _TableChange(
        before, after, changes, alteration_writer(schema), dialect_of(schema.dialect)
    )
    head = f"ALTER {after.words} {change.dialect.quoted_path(after.name)}"
    for action, destructive in (*change.dropped_constraints(), *change.columns()):
        yield f"{head} {action}", destructive
    for action in (*change.properties(), *change.added_constraints()):
        yield f"{head} {action}", False


def added_row_deletion(
    before: Table, after: Table, schema: Schema, changes: ColumnChanges
) -> Iterator[str]:
    """Yield the statement that gives a table of `schema` its row deletion policy."""
    policy = after.row_deletion_policy
    if _loses_row_deletion(before, after, changes):
        before = replace(before, row_deletion_policy=None)
    if policy is not None and policy != before.row_deletion_policy:
        action = alteration_writer(schema).row_deletion(before, after)
        yield f"ALTER {after.words} {dialect_of(schema.dialect).quoted_path(after.name)} {action}"


def _loses_row_deletion(before: Table, after: Table, changes: ColumnChanges) -> bool:
    """Return whether the policy of a table is dropped, though another may be added."""
    policy = before.row_deletion_policy
    if policy is None:
        return False
    is_dropped = before.fold(policy[0]) not in after.by_name or policy[0] in changes.recreated
    return after.row_deletion_policy is None or is_dropped


@dataclass(frozen=True, slots=True)
class _TableChange:
    """A table before and after, its columns' changes, and the writers of actions and of names."""

    before: Table
    after: Table
    changes: ColumnChanges
    writer: AlterationWriter
    dialect: Dialect

    def columns(self) -> Iterator[Action]:
        """Yield the actions on columns."""
        old = {column.name: column for column in self.before.columns}
        new = {column.name: column for column in self.after.columns}
        recreated = self.changes.recreated
        dropped = [old[name] for name in old if name in recreated or name not in new]
        # A generated column is dropped before, and added after, the columns it is computed from.
        last, first = self.changes.ranks
        for column in sorted(dropped, key=lambda column: -last.get(column.name, 0)):
            yield f"DROP COLUMN {self.dialect.quoted(column.name)}", True
        for name, column in new.items():
            if name in old and name not in recreated:
                actions = self.writer.alter_column(old[name], column)
                yield from ((action, False) for action in actions)
        added = [new[name] for name in new if name in recreated or name not in old]
        for column in sorted(added, key=lambda column: first.get(column.name, 0)):
            yield from ((action, False) for action in self._added(column))

    def _added(self, column: Column) -> Iterator[str]:
        """Yield the actions that add a column, which cannot be NOT NULL at once without a value."""
        has_value = column.generated or column.default or column.identity
        first = column if has_value else replace(column, not_null=False)
        yield self.writer.add_column(first)
        if first.not_null is not column.not_null:
            yield from self.writer.alter_column(first, column)

    def dropped_constraints(self) -> Iterator[Action]:
        """Yield the actions that drop checks, synonyms and the row deletion policy."""
        before, after = self.before, self.after
        kept = set(map(self.writer.add_check, after.checks))
        for check in before.checks:
            if self.writer.add_check(check) not in kept or check.name in self.changes.checks:
                yield f"DROP CONSTRAINT {self.dialect.quoted(check.name)}", False
        if _loses_row_deletion(before, after, self.changes):
            without = replace(after, row_deletion_policy=None)
            yield self.writer.row_deletion(before, without), False
        for synonym in before.synonyms:
            if synonym not in after.synonyms:
                yield f"DROP SYNONYM {self.dialect.quoted_path(synonym)}", False

    def added_constraints(self) -> Iterator[str]:
        """Yield the actions that add checks."""
        kept = [check for check in self.before.checks if check.name not in self.changes.checks]
        known = set(map(self.writer.add_check, kept))
        added = map(self.writer.add_check, self.after.checks)
        yield from (text for text in added if text not in known)

    def properties(self) -> Iterator[str]:
        """Yield the other actions on the table itself."""
        before, after = self.before, self.after
        for synonym in after.synonyms:
            if synonym not in before.synonyms:
                yield f"ADD SYNONYM {self.dialect.quoted_path(synonym)}"
        if (before.interleave, before.cascade) != (after.interleave, after.cascade):
            yield from self._interleaving()
        if before.options != after.options:
            yield from self.writer.table_options(before.options, after.options)

    def _interleaving(self) -> Iterator[str]:
        before, after = self.before, self.after
        assert after.parent is not None
        parent = self.dialect.quoted_path(after.parent)
        if after.interleave is Interleave.IN:
            yield f"SET INTERLEAVE IN {parent}"
            return
        if before.interleave is Interleave.IN:
            yield f"SET INTERLEAVE IN PARENT {parent} ON DELETE NO ACTION"
        if after.cascade != (before.cascade and before.interleave is Interleave.IN_PARENT):
            yield f"SET ON DELETE {'CASCADE' if after.cascade else 'NO ACTION'}"


def texts_of(kind: ObjectKind, schema: Schema) -> dict[str, str]:
    """Return the statements that create the objects of a kind, in order, by folded name."""
    return {schema.fold(each.name): text_of(kind, each, schema) for each in kind.printed(schema)}


def text_of(kind: ObjectKind, source: Any, schema: Schema) -> str:
    """Return the statement that creates an object, in the schema's dialect."""
    return next(iter(schema_writer(schema).objects(kind.words, [source], schema)))


def quoted_path(schema: Schema, name: str) -> str:
    """Return the name of an object as the schema's dialect writes it."""
    return dialect_of(schema.dialect).quoted_path(name)


def changed_names(
    before: Mapping[str, Any], after: Mapping[str, Any], text: Callable[[Any], str]
) -> set[str]:
    """Return the names of objects that both schemas have with different text."""
    both = before.keys() & after.keys()
    return {name for name in both if text(before[name]) != text(after[name])}


def dropped(
    kind: ObjectKind, before: Schema, after: Schema, gone: Collection[str] = ()
) -> Iterator[str]:
    """Yield DROP for each object of a kind that only `before` has, dependents first.

    Objects whose folded names are in `gone` have been dropped already.
    """
    names = kind.objects(after).keys() | set(gone)
    for source in reversed(list(kind.printed(before))):
        if after.fold(source.name) not in names and source.name != DEFAULT:
            yield f"DROP {kind.words} {quoted_path(before, source.name)}"


def created_or_altered(
    kind: ObjectKind, before: Schema, after: Schema, gone: Collection[str] = ()
) -> Iterator[str]:
    """Yield the statements that create or alter the objects of a kind in `after`.

    Objects whose folded names are in `gone` have been dropped meanwhile, and are created again. A
    changed object that no statement alters holds no data: it is dropped and created again.
    """
    known, writer = kind.objects(before), alteration_writer(after)
    for source in kind.printed(after):
        name = before.fold(source.name)
        old = None if name in gone else known.get(name)
        if old is None:
            yield text_of(kind, source, after)
        elif text_of(kind, old, before) != text_of(kind, source, after):
            altered = writer.altered(kind.words, old, source)
            if altered is not None:
                yield from altered
            else:
                yield f"DROP {kind.words} {quoted_path(after, source.name)}"
                yield text_of(kind, source, after)


def _must_pause(
    name: str,
    before: Schema,
    after: Schema,
    recreated: set[str],
    columns: Mapping[str, ColumnChanges],
) -> bool:
    """Return whether a stream that both schemas have must watch nothing while tables change."""
    old, new = before.change_streams[name], after.change_streams[name]
    if (old.watches_all, old.tables) != (new.watches_all, new.tables):
        return True
    tables = [before.fold(watched.table) for watched in old.tables]
    return any(
        table in recreated
        or any(altered_table(before.tables[table], after.tables[table], after, columns[table]))
        for table in tables
    )


def recreated_streams(before: Schema, after: Schema) -> set[str]:
    """Return the folded names of streams whose partition mode changes, which no ALTER can do."""
    new = after.change_streams
    return {
        name
        for name, stream in before.change_streams.items()
        if name in new and stream.is_mutable is not new[name].is_mutable
    }


def read_function_names(schema: Schema, streams: Iterable[str]) -> set[str]:
    """Return the folded names of the functions that read these streams."""
    prefixes = schema.dialect.read_functions
    return {schema.fold(f"{prefix}{stream}") for prefix in prefixes for stream in streams}


def queue_function_names(schema: Schema, queues: Iterable[str]) -> set[str]:
    """Return the folded names of the functions that receive from these queues."""
    prefixes = schema.dialect.queues.functions
    return {schema.fold(f"{prefix}{queue}") for prefix in prefixes for queue in queues}


def stream_drops(
    before: Schema, after: Schema, recreated: set[str], columns: Mapping[str, ColumnChanges]
) -> Iterator[str]:
    """Yield the statements that drop streams, or stop them while tables change."""
    gone = recreated_streams(before, after)
    for name, stream in before.change_streams.items():
        if name in gone or name not in after.change_streams:
            yield f"DROP CHANGE STREAM {quoted_path(before, stream.name)}"
        elif stream.tables and _must_pause(name, before, after, recreated, columns):
            yield f"ALTER CHANGE STREAM {quoted_path(before, stream.name)} DROP FOR ALL"


def streams(
    before: Schema, after: Schema, recreated: set[str], columns: Mapping[str, ColumnChanges]
) -> Iterator[str]:
    """Yield the statements for streams that are new or changed, or watch changed tables again."""
    writer, gone = alteration_writer(after), recreated_streams(before, after)
    for name, stream in after.change_streams.items():
        known = before.change_streams.get(name)
        if known is None or name in gone:
            yield text_of(CHANGE_STREAM, stream, after)
            continue
        watches = stream.watches_all or stream.tables or known.watches_all
        if watches and _must_pause(name, before, after, recreated, columns):
            yield writer.stream_watches(stream)
        if stream.options != known.options:
            changes = dict.fromkeys(known.options) | dict(stream.options)
            changes.pop(PARTITION_MODE, None)  # The modes are equal, though one may be unwritten.
            if changes:
                yield writer.stream_options(stream.name, changes)


def grants(before: Schema, after: Schema, disturbed: set[str]) -> Iterator[str]:
    """Yield the statements that create roles, grant privileges and drop roles."""
    known = set(_role_texts(before, disturbed))
    yield from (text for text in _texts_of_roles(after) if text not in known)
    for name, role in before.roles.items():
        if name not in after.roles and role.name not in SYSTEM_ROLES:
            yield f"DROP ROLE {quoted_path(before, role.name)}"


def revokes(before: Schema, after: Schema, disturbed: set[str]) -> Iterator[str]:
    """Yield REVOKE for privileges that are dropped, or are on objects that are created again."""
    kept = set(_role_texts(after, disturbed))
    for text in _texts_of_roles(before):
        if text.startswith("GRANT ") and text not in kept:
            yield alteration_writer(before).revoked(text)


def _texts_of_roles(schema: Schema) -> list[str]:
    """Return CREATE ROLE and GRANT of all roles."""
    return list(schema_writer(schema).objects(ROLE.words, ROLE.printed(schema), schema))


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
    return _texts_of_roles(schema.next(roles=roles))


_STAYS = "default_sequence_kind"  # can be changed, but not unset


def database_option_changes(before: Schema, after: Schema, database: str) -> Iterator[str]:
    """Yield ALTER DATABASE for each changed option; a dropped option becomes NULL."""
    writer = alteration_writer(after)
    old, new = dict(shown_options(before)), dict(shown_options(after))
    for name in sorted(old.keys() | new.keys()):
        value = new.get(name)
        if old.get(name) != value and not (value is None and name == _STAYS):
            yield writer.database_option(database, name, value)


def statistics_changes(before: Schema, after: Schema) -> Iterator[str]:
    """Yield ALTER STATISTICS; by default, a package may be collected."""
    old, new = before.statistics, after.statistics
    for package in sorted(old.keys() | new.keys()):
        if old.get(package, True) is not new.get(package, True):
            yield schema_writer(after).statistics(package, new.get(package, True))


def bundle_additions(before: Schema, after: Schema) -> Iterator[str]:
    """Yield the statement that adds or updates types of the proto bundle."""
    old, new = before.proto_bundle, after.proto_bundle
    if new is None or old == new:
        return
    if old is None:
        yield schema_writer(after).proto_bundle(new)
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
    listed = ", ".join(base_identifiers.quoted_path(name) for name in sorted(names))
    return f" {verb} ({listed})" if listed else ""

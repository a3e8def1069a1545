"""The effect of a statement: the next schema, and the jobs on stored data.

The work is a list of jobs. Each job reads the stored rows, raises an error if they do not permit
the change, and returns the writes that adapt them to the next schema. Nothing is written before all
jobs have finished; then all writes become visible at once.

The functions return the next schema with one object added, changed or removed. A column is part of
its table, and of the key parts and stored columns of indexes; `changed_table` replaces all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from itertools import groupby
from typing import Any

from spanemu.base.call import current
from spanemu.base.record import dataclass
from spanemu.schema import objects
from spanemu.schema.indexes import Index, replaced_parts
from spanemu.schema.schema import Schema
from spanemu.schema.shared_maps import with_name, with_names, without_name
from spanemu.schema.table import Column, Table
from spanemu.sql.functions.registry import Context
from spanemu.storage.change_log import RowChange
from spanemu.storage.layout import TreeId, tree_of
from spanemu.storage.observer import TreeWrite
from spanemu.storage.store import Store
from spanemu.storage.versions import row_cells
from spanemu.txn.change_capture import backfilled
from spanemu.txn.rules import CompiledSchema, CompiledTable, Row

CHECKED_EVERY = 512  # rows between two checks for cancellation


@dataclass(frozen=True, eq=False, slots=True)
class Data:
    """The stored rows during a change, the rules of the next schema, and the change's timestamp.

    `backfilled` holds the masks, by tree, of the cells that a job fills with default values: the
    only writes of a schema change that change streams record.
    """

    store: Store
    rules: CompiledSchema
    at: int
    context: Context
    backfilled: dict[TreeId, int] = field(default_factory=dict)

    def rules_of(self, table: str) -> CompiledTable:
        """Return the rules of a table of the next schema, by its exact name."""
        schema = self.rules.schema
        return self.rules.of(schema.tables[schema.fold(table)])

    def rows(self, table: Table) -> Iterator[tuple[bytes, Row]]:
        """Yield (encoded key, row) for each row, with NULL for the cells of added columns.

        Raises Cancelled when the request that started the change was cancelled.
        """
        width, call = table.width, current()
        for number, (key, row) in enumerate(self.store.scan_items(tree_of(table))):
            if number % CHECKED_EVERY == 0:
                call.check()
            yield key, row_cells(row, width)


Job = Callable[[Data], Sequence[TreeWrite]]


@dataclass(frozen=True, slots=True)
class Change:
    """A statement's effect. `schema` is the same object if the statement changes nothing.

    `database` is the id of the database that the statement names, "" if it names none. `dated`
    returns the next schema by the time of the change (nanoseconds), where it depends on that;
    `schema` is the one before then.
    """

    schema: Schema
    jobs: Sequence[Job] = field(default=())
    database: str = ""
    dated: Callable[[int], Schema] | None = None

    def work(
        self, store: Store, rules: CompiledSchema, at: int, context: Context
    ) -> Sequence[RowChange]:
        """Run the jobs under the store's mutex, and return the watched rows that they filled.

        Raises before anything is written.
        """
        if not self.jobs:
            return ()
        data = Data(store, rules, at, context)
        writes = [write for job in self.jobs for write in job(data)]
        changes = backfilled(store, data.backfilled, writes)
        if writes:
            store.apply(writes, at)
        return changes


def without_table(schema: Schema, table: Table) -> Schema:
    """Return the schema without a table and the sequences of its identity columns."""
    names = {schema.fold(c.identity.sequence) for c in table.columns if c.identity is not None}
    if not names:
        return schema.without_table(table.name)
    sequences = schema.sequences
    for name in names:
        sequences = without_name(sequences, name)
    return schema.without_table(table.name, sequences=sequences)


def with_index(schema: Schema, index: Index) -> Schema:
    """Return the schema with an index added, or replaced by name. A new index takes its id."""
    return schema.with_index(index, next_id=max(schema.next_id, index.id + 1))


def with_sequences(schema: Schema, sequences: Iterable[objects.Sequence]) -> Schema:
    """Return the schema with sequences added, or replaced by name."""
    by_name = {schema.fold(sequence.name): sequence for sequence in sequences}
    if not by_name:
        return schema
    next_id = max(schema.next_id, 1 + max(sequence.id for sequence in by_name.values()))
    return schema.next(sequences=with_names(schema.sequences, by_name), next_id=next_id)


def without_sequence(schema: Schema, name: str) -> Schema:
    """Return the schema without a sequence."""
    return schema.next(sequences=without_name(schema.sequences, schema.fold(name)))


def changed_table(schema: Schema, table: Table) -> Schema:
    """Return the schema with a table's columns changed, also in its key and its indexes.

    Columns keep their ids. A column may only be missing if nothing refers to it.
    """
    columns = {column.id: column for column in table.columns}
    following = schema.with_table(replace(table, key=replaced_parts(table.key, columns)))
    changes: dict[str, Any] = {}
    for kind, indexes in groupby(schema.all_indexes_of(table), lambda index: index.schema_field):
        changed = {schema.fold(index.name): index.with_columns(columns) for index in indexes}
        changes[kind] = with_names(getattr(schema, kind), changed)
    return following.next(**changes) if changes else following


def changed_column(schema: Schema, table: Table, column: Column) -> Schema:
    """Return the schema with one column of a table replaced by id."""
    columns = tuple(column if old.id == column.id else old for old in table.columns)
    return changed_table(schema, replace(table, columns=columns))


def with_object(schema: Schema, field: str, source: Any) -> Schema:
    """Return the schema with a named object added to a field, or replaced by name."""
    changes: dict[str, Any] = {
        field: with_name(getattr(schema, field), schema.fold(source.name), source)
    }
    id_ = getattr(source, "id", None)
    if id_ is not None:
        changes["next_id"] = max(schema.next_id, id_ + 1)
    return schema.next(**changes)


def without_object(schema: Schema, field: str, name: str) -> Schema:
    """Return the schema without a named object of a field."""
    return schema.next(**{field: without_name(getattr(schema, field), schema.fold(name))})

"""Inserts of many new rows at once, column by column.

`BulkInsert.write` does what `WriteBatch.write` does for one row after the other: it checks values,
completes and locks rows, looks for their parents, buffers rows and index entries, and defers what
is verified at the end. It refuses, and has written nothing, if a row exists or is invalid, or if a
parent is missing. Then the rows are written one by one, so that errors and their order are the
same. `tests/property/test_bulk_insert.py` compares the two ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, repeat
from typing import Any

from spanemu.base.deadline_checks import interruptible, parts_of
from spanemu.base.errors import SpannerError
from spanemu.sql.functions.registry import Context
from spanemu.txn.bulk_columns import (
    REPETITIVE,
    Cells,
    IndexColumns,
    KeyParts,
    NewRows,
    Sharing,
    column_check,
    completed,
    computed,
    has_known_keys,
    hold,
)
from spanemu.txn.write import WriteBatch
from spanemu.txn.write_plan import ROWS_AT_ONCE, WritePlan
from spanemu.values.columns import joined_parts
from spanemu.values.mutation import Mutation, Write, WriteKind


def joined_writes(mutations: Sequence[Mutation]) -> Sequence[Mutation]:
    """Return the mutations with neighbouring writes of the same columns as one write.

    Most client libraries send a mutation for each row.
    """
    joined: list[Mutation] = []
    for shape, group in groupby(mutations, _shape):
        if shape is None:
            joined += group
        else:
            rows = [row for write in group for row in write.rows]  # type: ignore[union-attr]
            joined.append(Write(*shape, rows))
    return joined


def _shape(mutation: Mutation) -> tuple[WriteKind, str, tuple[str, ...]] | None:
    """Return what writes that can be joined have in common; an empty write is an error."""
    if isinstance(mutation, Write) and mutation.rows:
        return mutation.kind, mutation.table, mutation.columns
    return None


def write_rows(batch: WriteBatch, plan: WritePlan, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows, in order: at once where that is possible, otherwise one by one."""
    bulk = _bulk_insert(plan)
    for part in parts_of(rows, ROWS_AT_ONCE):
        if bulk is None or not bulk.write(batch, part):
            for cells in interruptible(part):
                batch.write(plan, cells)


def _bulk_insert(plan: WritePlan) -> BulkInsert | None:
    """Return the bulk insert of a plan, which caches it, or None if rows need more than that."""
    if plan.bulk is None:
        plan.bulk = BulkInsert(plan) if _may_insert_many(plan) else False
    return plan.bulk or None


def _may_insert_many(plan: WritePlan) -> bool:
    """Return whether many rows may be inserted at once, as far as their plan says."""
    rules = plan.rules
    is_insert = plan.kind is WriteKind.INSERT or plan.kind is WriteKind.INSERT_OR_UPDATE
    are_single = all(index.is_single for index in rules.indexes)
    if plan.missing is not None or rules.table.is_queue:
        return False
    return is_insert and are_single and has_known_keys(plan)


class BulkInsert:
    """The inserts of one write plan."""

    def __init__(self, plan: WritePlan) -> None:
        self._plan = plan
        self._parts = KeyParts()
        rules = plan.rules
        pairs = zip(rules.table.key, rules.table.key_positions, strict=True)
        self._key = [self._parts.number(part, position) for part, position in pairs]
        self._parent: list[int] = []  # the parts of the parent's key
        if rules.parent is not None:
            pairs = zip(rules.parent.table.key, rules.table.key_positions, strict=False)
            self._parent = [self._parts.number(part, position) for part, position in pairs]
        self._indexes = [IndexColumns(index, self._parts) for index in rules.indexes]
        self._sharing = [
            Sharing(number)
            for number, column in enumerate(plan.columns)
            if column.type.code in REPETITIVE
        ]
        self._checks = [column_check(rules, column) for column in plan.columns]
        self._virtual = rules.virtual if rules.indexes_virtual else ()

    def write(self, batch: WriteBatch, rows: Sequence[Sequence[Any]]) -> bool:
        """Insert rows; return False, with nothing written, unless all of them can be."""
        try:
            new = self._new_rows(rows, batch.view.context)
        except SpannerError:
            return False
        if new is None or not self._insert(batch, new):
            return False
        self._note(batch, new)
        return True

    def _new_rows(self, rows: Sequence[Sequence[Any]], context: Context) -> NewRows | None:
        """Return rows as they are stored, with their entries; None for rows with invalid values.

        Also raises SpannerError for them.
        """
        plan, rules = self._plan, self._plan.rules
        if plan.vectors:
            rows = [plan.packed(cells) for cells in rows]
        listed: list[Cells] = list(zip(*rows, strict=True))
        for sharing in self._sharing:
            listed[sharing.column] = sharing.shared(listed[sharing.column])
        checked = zip(self._checks, listed, strict=True)
        if not all(check(cells, context.now) for check, cells in checked):
            return None
        columns = completed(plan, listed, len(rows), context)
        stored = list(zip(*columns, strict=True))
        full = columns if not self._virtual else computed(self._virtual, columns, context)
        parts = self._parts.encoded(full)
        keys = joined_parts([parts[number] for number in self._key])
        if max(map(len, keys)) > rules.key_bytes or len(set(keys)) < len(keys):
            return None
        entries = [index.entries(full, parts) for index in self._indexes]
        if any(max(map(len, each.keys), default=0) > each.of.key_bytes for each in entries):
            return None
        parents: Sequence[bytes] = ()
        if self._parent:
            parents = tuple(dict.fromkeys(joined_parts([parts[each] for each in self._parent])))
        return NewRows(keys, stored, columns, entries, parents)

    def _insert(self, batch: WriteBatch, new: NewRows) -> bool:
        """Lock and buffer rows and their entries; return False, with locks only, if that fails."""
        view, rules = batch.view, self._plan.rules
        if not view.may_insert(rules.tree, new.keys):
            return False
        if rules.parent is not None and not view.have(rules.parent.tree, new.parents):
            return False
        if not view.insert(rules.tree, new.keys, new.rows):
            return False
        batch.count += len(new.rows) * self._plan.mutations
        for index, keys, cells, prefixes in new.entries:
            if not keys:
                continue
            view.buffer.put_all(index.tree, keys, cells)
            batch.count += len(cells) * index.mutations
            for prefix, entry in zip(prefixes, cells, strict=False):
                batch.deferred.unique[index.tree, prefix] = (index, entry)
        return True

    def _note(self, batch: WriteBatch, new: NewRows) -> None:
        """Note what the end of the batch has to verify, and which rows wait for its timestamp."""
        rules, deferred = self._plan.rules, batch.deferred
        if rules.watched and not rules.watched.isdisjoint(self._plan.listed):
            for key, row in zip(new.keys, new.rows, strict=True):
                deferred.rewrites.write(rules, key, rules.key_of(row))
        for reference in rules.references:
            columns = [new.columns[position] for position in reference.positions]
            for values in dict.fromkeys(zip(*columns, strict=True)):
                deferred.refers(reference, values)
        if rules.references:
            deferred.inserted.update(zip(repeat(rules.tree), new.keys))
        if rules.has_row_checks and not hold(rules, new.columns, new.rows, batch.view.context):
            deferred.rows.update(zip(zip(repeat(rules.tree), new.keys), repeat(rules)))
        if rules.timestamps:
            batch.mark_pending(rules, new.keys, new.rows)
            for index, keys, cells, _ in new.entries:
                batch.mark_entries_pending(index, keys, cells)

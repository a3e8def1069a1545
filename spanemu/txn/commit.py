"""From mutations to rows in the store: resolve, lock, expand, verify, apply.

Only the last phase changes the store, and it cannot fail; whatever goes wrong before leaves
nothing behind but locks, which the caller releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from spanemu.base.deadline_checks import paced
from spanemu.base.errors import SpannerError
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId, encoder_of, parts_of, tree_of
from spanemu.storage.observer import TreeWrite
from spanemu.txn.constraint_checks import verify
from spanemu.txn.errors.rows import (
    ParentInsertedLater,
    ParentRowMissing,
    RowAlreadyExists,
    RowInsertedTwice,
    RowNotFound,
)
from spanemu.txn.locks.modes import WRITE_ROW
from spanemu.txn.mutation_count import DELETION
from spanemu.txn.read_write import TransactionWorkspace
from spanemu.txn.resolve import RangesToDelete, RowsToWrite, resolve
from spanemu.txn.rules import CompiledSchema, CompiledTable
from spanemu.txn.write import WriteBatch
from spanemu.txn.write_plan import plan_at
from spanemu.values.mutation import (
    COMMIT_TIMESTAMP,
    Mutation,
    RowDelete,
    RowWrite,
    WriteKind,
)


def buffer_mutations(
    transaction: TransactionWorkspace, compiled: CompiledSchema, mutations: Sequence[Mutation]
) -> int:
    """Run a commit's mutations, in order, into the transaction's buffer and verify them.

    Returns how many mutations they count for. Raises what the first offending one deserves.
    """
    unit = WriteBatch(transaction)
    try:
        steps = list(map(partial(resolve, compiled, transaction.context), mutations))
        for place, step in enumerate(steps):
            try:
                if isinstance(step, RowsToWrite):
                    for cells in paced(step.rows):
                        unit.write(step.plan, cells)
                else:
                    _delete(transaction, unit, step)
            except ParentRowMissing as missing:
                if _inserts_parent(missing, steps[place + 1 :]):
                    raise ParentInsertedLater(
                        missing.parent, missing.parent_key, missing.child, missing.key
                    ) from None
                raise
            except (RowAlreadyExists, RowNotFound):
                _note_deletes(unit, steps[place + 1 :])
                raise
            except RowInsertedTwice as twice:  # An insert finds a row, whoever wrote that.
                _note_deletes(unit, steps[place + 1 :])
                raise RowAlreadyExists(twice.table, twice.key) from None
        verify(unit.notes, transaction)
    except SpannerError:
        transaction.validate()  # What only an old snapshot refuses is to be tried again.
        raise
    return unit.count


def buffer_rows(
    transaction: TransactionWorkspace,
    compiled: CompiledSchema,
    rows: Sequence[RowWrite | RowDelete],
    *,
    returns: bool = False,
) -> tuple[list[tuple[str, Any]], int]:
    """Run one DML statement's rows into the buffer and verify them.

    Returns the (action, stored row) of each if it `returns` them, and the mutation count. A
    failure takes the whole statement back.
    """
    unit = WriteBatch(transaction, transaction.pending, returns=returns)
    mark = transaction.buffer.mark()
    done: list[tuple[str, TreeId, bytes, Any]] = []
    try:
        for row in paced(rows):
            rules = compiled.of(compiled.schema.tables[row.table.lower()])
            done.append(_buffer_row(transaction, rules, unit, row))
        verify(unit.notes, transaction)
    except BaseException:
        transaction.buffer.rollback_to(mark)
        raise
    for table, positions in unit.pending.items():
        transaction.pending.setdefault(table, set()).update(positions)
    if not returns:
        return [], unit.count
    return [
        (action, deleted if action == "DELETE" else transaction.buffer.get(tree, key))
        for action, tree, key, deleted in paced(done)
    ], unit.count


def apply(transaction: TransactionWorkspace, schema: Schema) -> int:
    """Make everything in the buffer visible; the timestamp of the commit, in nanoseconds."""
    store = transaction.store
    with store.mutex:
        if transaction.snapshot_at is not None:
            transaction.validate()
        if transaction.buffer.parts:
            transaction.rebase()
        at = store.clock.now()
        marked = transaction.marked
        writes = _stamped(transaction, schema, at) if marked else transaction.buffer.entries()
        store.apply(writes, at)
        return at


def _delete(transaction: TransactionWorkspace, unit: WriteBatch, step: RangesToDelete) -> None:
    rules = step.rules
    unit.count += step.mutations
    for low, high in step.ranges:
        unit.notes.range_deleted(rules, low, high)
        for key, row in list(transaction.items(rules.tree, [(low, high)], WRITE_ROW)):
            # A cascade of an earlier row may have taken this one.
            if transaction.get(rules.tree, key, WRITE_ROW) is not None:
                unit.delete(rules, key, row)


def _buffer_row(
    transaction: TransactionWorkspace,
    rules: CompiledTable,
    unit: WriteBatch,
    row: RowWrite | RowDelete,
) -> tuple[str, TreeId, bytes, Any]:
    if isinstance(row, RowWrite):
        key = unit.write(plan_at(rules, row.kind, row.positions), row.cells)
        inserted = (rules.tree, key) in unit.notes.inserted
        return ("INSERT" if inserted else "UPDATE"), rules.tree, key, None
    key = rules.encode(row.key)
    stored = transaction.get(rules.tree, key, WRITE_ROW)
    if stored is not None:
        unit.count += DELETION
        unit.delete(rules, key, stored)
        transaction.deleted.add((rules.tree, key))
    return "DELETE", rules.tree, key, stored


def _inserts_parent(
    missing: ParentRowMissing, later: Sequence[RowsToWrite | RangesToDelete]
) -> bool:
    """Whether a later mutation would have inserted the parent row that was missing."""
    for step in later:
        if not isinstance(step, RowsToWrite) or step.plan.kind is WriteKind.UPDATE:
            continue
        parent = step.plan.rules
        if parent.table.name != missing.parent:
            continue
        for cells in step.rows:
            row = step.plan.new_row(cells)
            if parent.key_text(parent.key_of(row)) == missing.parent_key:
                return True
    return False


def _note_deletes(unit: WriteBatch, later: Sequence[RowsToWrite | RangesToDelete]) -> None:
    """Refuse, before what a row that was written says, that a later mutation deletes it."""
    for step in later:
        if isinstance(step, RangesToDelete):
            for low, high in step.ranges:
                unit.notes.range_deleted(step.rules, low, high)


def _stamped(transaction: TransactionWorkspace, schema: Schema, at: int) -> list[TreeWrite]:
    marked, stamped = transaction.marked, _Stamp(schema, at)
    return [
        (tree, key, row)
        if row is None or (tree, key) not in marked
        else stamped.entry(tree, key, row)
        for tree, key, row in transaction.buffer.entries()
    ]


class _Stamp:
    """Puts the commit timestamp in the place of its mark, in cells and in keys."""

    def __init__(self, schema: Schema, at: int) -> None:
        self._at = at
        self._things = {tree_of(source): source for source in schema.tables_and_indexes()}

    def entry(self, tree: TreeId, key: bytes, row: tuple[Any, ...]) -> TreeWrite:
        """A pending row or index entry as it is stored."""
        cells = tuple(self._at if cell is COMMIT_TIMESTAMP else cell for cell in row)
        source = self._things[tree]
        parts = parts_of(source)
        columns = getattr(source, "key_positions", range(len(parts)))
        values = [row[position] for position in columns]
        if COMMIT_TIMESTAMP in values:
            key = encoder_of(parts)([cells[position] for position in columns])
        return tree, key, cells

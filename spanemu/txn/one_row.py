"""The commit of one row in one step, where the row concerns little besides itself.

    in general   lock the row, buffer it, verify, lock the writes, apply            (`commit`)
    in one step  take the mutexes of store and locks, look at locks and rows, apply

Such a row needs nothing computed or verified but its own cells, its parent row and its index
entries (`WritePlan.stands_alone`). What no other transaction has locked needs no lock while both
mutexes are held, because nobody can lock or write it meanwhile. So nothing has to be buffered,
deferred or released.

Nothing is changed before it is certain that the commit succeeds. In every other case, those of
errors included, the functions here return None, and the caller commits in general, as if nothing
had happened. `tests/property/test_one_row.py` compares the two ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.sql.functions.registry import Context
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import ALL_CELLS, TreeWrite
from spanemu.storage.store import Store
from spanemu.storage.versions import row_cells
from spanemu.txn.locks.holder import ACTIVE, LockHolder
from spanemu.txn.locks.table import LockTable
from spanemu.txn.rules import CompiledSchema, CompiledTable, Row
from spanemu.txn.write_plan import WritePlan, plan_of
from spanemu.values.mutation import COMMIT_TIMESTAMP, Mutation, Shape, Write, WriteKind
from spanemu.values.types import BadValue

# The rows that a commit wrote as `Buffer.sample` returns them, for statistics.
Sample = list[tuple[TreeId, list[Row], int]]

# A row to write, resolved and checked: its plan, its cells, its key.
OneRow = tuple[WritePlan, Row, bytes]
# A row that was committed: its commit timestamp, its mutation count, the row with its entries as
# they were before they had the timestamp, and the shape of the write.
CommittedRow = tuple[int, int, Sample, tuple[Shape]]

PLANS_MAX = 1_000  # kept for one schema


def prepared(compiled_schema: CompiledSchema, mutation: Mutation) -> OneRow | None:
    """Return the row that a mutation writes, if it may be committed in one step.

    Whether its timestamps are valid is left to `has_valid_timestamps`.
    """
    if not isinstance(mutation, Write) or len(mutation.rows) != 1:
        return None
    try:
        plan: WritePlan | None = compiled_schema.plans_alone[
            mutation.table, mutation.kind, mutation.columns
        ]
    except KeyError:
        plan = _plan(compiled_schema, mutation)
    if plan is None:
        return None
    try:
        cells = plan.decode(mutation.rows[0])
        if plan.vectors:
            cells = plan.packed(cells)
        plan.check_cells(cells)
    except (SpannerError, BadValue):
        return None
    rules = plan.rules
    if rules.timestamps and COMMIT_TIMESTAMP in plan.key_of(cells):
        return None
    key = plan.encode_key(cells)
    return None if len(key) > rules.key_bytes else (plan, cells, key)


def _plan(compiled_schema: CompiledSchema, write: Write) -> WritePlan | None:
    """Return the plan of a write that one step can commit, else None; keep it for a known table."""
    rules = compiled_schema.named(write.table)
    if rules is None:
        return None
    try:
        plan = plan_of(rules, write.kind, write.columns)
    except SpannerError:
        return None
    known = compiled_schema.plans_alone
    if len(known) >= PLANS_MAX:
        known.clear()
    alone = plan if plan.stands_alone else None
    known[write.table, write.kind, write.columns] = alone
    return alone


def has_valid_timestamps(prepared_row: OneRow, context: Context) -> bool:
    """Return whether the columns of a row take its timestamps at the time of `context`."""
    plan, cells, _ = prepared_row
    try:
        plan.check_timestamps(cells, context)
    except SpannerError:
        return False
    return True


def commit(
    store: Store,
    locks: LockTable,
    holder: LockHolder | None,
    prepared_row: OneRow,
    counted: int,
) -> CommittedRow | None:
    """Commit a row at once, and end the transaction `holder` if it has locks of its own.

    `counted` is what the transaction counts for without the row. The caller holds the store's
    mutex.
    """
    plan, cells, key = prepared_row
    rules, mutations, masks = plan.rules, plan.mutations, ALL_CELLS
    tree = rules.tree
    with locks.mutex:
        if holder is not None and holder.state is not ACTIVE:
            return None
        if not locks.is_free_for(holder, tree, key):
            return None
        before = store.get(tree, key)
        if plan.is_update if before is None else not plan.changes_alone:
            return None
        if before is None or plan.kind is WriteKind.REPLACE:
            row = cells if plan.in_order else tuple(plan.new_row(cells))
            if rules.parent is not None and not _has_parent(store, locks, holder, rules, row):
                return None
        else:
            row = tuple(plan.changed_row(row_cells(before, rules.width), cells))
            masks = {(tree, key): plan.lock[1]}
        writes: list[TreeWrite] = [(tree, key, row)]
        sample: Sample = [(tree, [row], 1)]
        if rules.indexes and before is None:
            added = _add_entries(locks, holder, rules, writes, sample)
            if added is None:
                return None
            mutations += added
        if mutations + counted > rules.mutations_max:
            return None
        is_pending = rules.timestamps and _awaits_timestamp(writes)
        if is_pending and len(writes) > 1:  # The timestamp may be in the key of an entry.
            return None
        at = store.clock.now()
        store.apply(_stamped(writes, at) if is_pending else writes, at, masks)
        if holder is not None:
            locks.end_commit(holder)
    return at, mutations, sample, plan.shapes


def _add_entries(
    locks: LockTable,
    holder: LockHolder | None,
    rules: CompiledTable,
    writes: list[TreeWrite],
    sample: Sample,
) -> int | None:
    """Add the index entries of a new row; return their mutation count, None if one is not free."""
    row, mutations = sample[0][1][0], 0
    for index in rules.indexes:
        for key, entry in index.entries(row):
            if len(key) > index.key_bytes or not locks.is_free_for(holder, index.tree, key):
                return None
            writes.append((index.tree, key, entry))
            sample.append((index.tree, [entry], 1))
            mutations += index.mutations
    return mutations


def _has_parent(
    store: Store,
    locks: LockTable,
    holder: LockHolder | None,
    rules: CompiledTable,
    row: Sequence[Any],
) -> bool:
    """Return whether a row of an interleaved table certainly has its parent row."""
    parent = rules.parent
    assert parent is not None
    key = parent.encode(rules.key_of(row)[: rules.parent_parts])
    return locks.is_free_for(holder, parent.tree, key) and store.get(parent.tree, key) is not None


def _awaits_timestamp(writes: list[TreeWrite]) -> bool:
    """Return whether the row that a commit writes first has the placeholder of a timestamp."""
    row = writes[0][2]
    return row is not None and COMMIT_TIMESTAMP in row


def _stamped(writes: list[TreeWrite], at: int) -> list[TreeWrite]:
    """Return rows with the commit timestamp in place of its placeholder."""
    return [
        (tree, key, row and tuple([at if cell is COMMIT_TIMESTAMP else cell for cell in row]))
        for tree, key, row in writes
    ]

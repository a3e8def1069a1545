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
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.registry import Context
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import ALL_CELLS, CellMasks, TreeWrite
from spanemu.storage.store import Store
from spanemu.storage.versions import row_cells
from spanemu.txn.locks.holder import ACTIVE, LockHolder
from spanemu.txn.locks.table import LockTable
from spanemu.txn.rules import CompiledSchema, CompiledTable, Row
from spanemu.txn.write_plan import WritePlan, plan_of
from spanemu.values.mutation import COMMIT_TIMESTAMP, Mutation, Write, WriteKind
from spanemu.values.types import BadValue

# The rows that a commit wrote as `Buffer.sample` returns them, for statistics.
Sample = list[tuple[TreeId, list[Row], int]]
# What a commit is to write, twice, the masks of cells for `Store.apply`, and the mutation count.
_Effects = tuple[list[TreeWrite], Sample, CellMasks, int]

# A row to write, resolved and checked: its plan, its cells, its key.
OneRow = tuple[WritePlan, Sequence[Any], bytes]

PLANS_MAX = 1_000  # kept for one schema


class CommittedRow(NamedTuple):
    """A row that was committed, with its mutation count.

    `sample` holds the row and its entries as they were before they had the commit timestamp.
    """

    at: int
    mutations: int
    sample: Sample


def prepared(compiled_schema: CompiledSchema, mutation: Mutation) -> OneRow | None:
    """Return the row that a mutation writes, if it may be committed in one step.

    Whether its timestamps are valid is left to `has_valid_timestamps`.
    """
    if not isinstance(mutation, Write) or len(mutation.rows) != 1:
        return None
    shape = mutation.table, mutation.kind, mutation.columns
    try:
        plan: WritePlan | None = compiled_schema.plans_alone[shape]
    except KeyError:
        plan = _plan(compiled_schema, *shape)
    if plan is None:
        return None
    rules = plan.rules
    try:
        cells: Sequence[Any] = plan.decode(mutation.rows[0])
        if plan.vectors:
            cells = plan.packed(cells)
        plan.check_cells(cells)
    except (SpannerError, BadValue):
        return None
    key = plan.key_of(cells)
    if rules.timestamps and COMMIT_TIMESTAMP in key:
        return None
    encoded = rules.encode(key)
    return None if len(encoded) > rules.key_bytes else (plan, cells, encoded)


def _plan(
    compiled_schema: CompiledSchema, table: str, kind: WriteKind, columns: tuple[str, ...]
) -> WritePlan | None:
    """Return the plan of a write that stands alone, or None; keep the answer for a known table."""
    rules = compiled_schema.named(table)
    if rules is None:
        return None
    try:
        plan = plan_of(rules, kind, columns)
    except SpannerError:
        return None
    known = compiled_schema.plans_alone
    if len(known) >= PLANS_MAX:
        known.clear()
    alone = known[table, kind, columns] = plan if plan.stands_alone else None
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
    mutations_max: int,
) -> CommittedRow | None:
    """Commit a row at once, and end the transaction `holder` if it has locks of its own.

    The caller holds the store's mutex.
    """
    plan, _, key = prepared_row
    rules = plan.rules
    with locks.mutex:
        if holder is not None and holder.state is not ACTIVE:
            return None
        if not locks.is_free_for(holder, rules.tree, key):
            return None
        before = store.get(rules.tree, key)
        if before is None:
            effects = _insert(store, locks, holder, prepared_row)
        else:
            effects = _change(store, locks, holder, prepared_row, before)
        if effects is None:
            return None
        writes, sample, masks, mutations = effects
        if mutations > mutations_max:
            return None
        is_pending = rules.timestamps and _awaits_timestamp(writes)
        if is_pending and len(writes) > 1:  # The timestamp may be in the key of an entry.
            return None
        at = store.clock.now()
        store.apply(_stamped(writes, at) if is_pending else writes, at, masks)
        if holder is not None:
            locks.end_commit(holder)
    return CommittedRow(at, mutations, sample)


def _insert(
    store: Store, locks: LockTable, holder: LockHolder | None, prepared_row: OneRow
) -> _Effects | None:
    """Return a new row with its index entries, unless the row cannot be inserted for certain."""
    plan, cells, key = prepared_row
    if plan.is_update:
        return None
    rules, mutations, row = plan.rules, plan.mutations, tuple(plan.new_row(cells))
    if rules.parent is not None and not _has_parent(store, locks, holder, rules, row):
        return None
    tree = rules.tree
    writes: list[TreeWrite] = [(tree, key, row)]
    sample: Sample = [(tree, [row], 1)]
    for index in rules.indexes:
        for entry_key, entry in index.entries(row):
            is_fit = len(entry_key) <= index.key_bytes
            if not is_fit or not locks.is_free_for(holder, index.tree, entry_key):
                return None
            writes.append((index.tree, entry_key, entry))
            sample.append((index.tree, [entry], 1))
            mutations += index.mutations
    return writes, sample, ALL_CELLS, mutations


def _change(
    store: Store,
    locks: LockTable,
    holder: LockHolder | None,
    prepared_row: OneRow,
    before: Row,
) -> _Effects | None:
    """Return the new state of an existing row, unless more than the row has to change."""
    plan, cells, key = prepared_row
    if not plan.changes_alone:
        return None
    rules = plan.rules
    tree, masks = rules.tree, ALL_CELLS
    if plan.kind is WriteKind.REPLACE:
        row = tuple(plan.new_row(cells))
        if rules.parent is not None and not _has_parent(store, locks, holder, rules, row):
            return None
    else:
        row = tuple(plan.changed_row(row_cells(before, rules.width), cells))
        masks = {(tree, key): plan.lock[1]}
    return [(tree, key, row)], [(tree, [row], 1)], masks, plan.mutations


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

"""The changes that a commit makes to watched rows, for the change log of the store.

The buffer of a transaction holds the final state of each row, so comparing it with the committed
row gives the net effect: an insert that was deleted again leaves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from spanemu.schema.schema import Schema
from spanemu.storage.change_log import ChangeOrigin, NewRows, RowChange, new_record
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import TreeWrite
from spanemu.storage.store import MANY_WRITES, Store
from spanemu.txn.buffer import Buffer
from spanemu.values.cell_mask import WHOLE_ROW


def net_changes(store: Store, buffer: Buffer, writes: Sequence[TreeWrite]) -> Sequence[RowChange]:
    """Return the changes of watched rows by `writes`, the final form of the buffer's rows.

    An update counts if it writes a watched cell, even with the same value.
    """
    log = store.change_log
    if log is None:
        return []
    watched, parts = log.watching.cells, buffer.parts
    if len(writes) >= MANY_WRITES and (new := _new_rows(store, watched, writes)) is not None:
        return new
    changes: list[RowChange] = []
    for tree, key, after in writes:
        cells = watched.get(tree)
        if cells is None:
            continue
        before = store.get(tree, key)
        if before is None or after is None:
            if before is not after:
                changes.append(new_record(RowChange, (tree, key, before, after, WHOLE_ROW)))
            continue
        part = parts.get((tree, key))
        if part is None:  # The row was deleted and inserted again.
            changes.append(new_record(RowChange, (tree, key, before, after, WHOLE_ROW)))
        elif part[0] & cells:
            changes.append(new_record(RowChange, (tree, key, before, after, part[0])))
    return changes


def _new_rows(
    store: Store, watched: Mapping[TreeId, int], writes: Sequence[TreeWrite]
) -> NewRows | None:
    """Return the changes by writes that do no more to watched trees than insert many rows in one.

    None for all other writes.
    """
    groups = (list(group) for tree, group in groupby(writes, itemgetter(0)) if tree in watched)
    group: list[TreeWrite] = next(groups, [])
    if len(group) < MANY_WRITES or next(groups, None) is not None:
        return None
    tree = group[0][0]
    keys, rows = [key for _, key, _ in group], [row for _, _, row in group]
    if None in rows or not store.lacks(tree, keys):
        return None
    return NewRows(tree, keys, rows)  # type: ignore[arg-type]


def backfilled(
    store: Store, written: Mapping[TreeId, int], writes: Iterable[TreeWrite]
) -> list[RowChange]:
    """Return the changes of watched rows by a schema change that fills in default values.

    `written` holds the masks of the filled cells by tree. Other writes are no changes of data. The
    store still has the rows from before the schema change.
    """
    log = store.change_log
    if log is None:
        return []
    watched = log.watching.cells
    return [
        RowChange(tree, key, store.get(tree, key), after, written[tree])
        for tree, key, after in writes
        if tree in written and tree in watched
    ]


def record_backfill(store: Store, changes: Iterable[RowChange], schema: Schema, at: int) -> None:
    """Record the filled cells that a stream of the new schema watches, as a system transaction."""
    log = store.change_log
    cells = {} if log is None else log.watching.cells
    watched = [each for each in changes if each.written & cells.get(each.tree, 0)]
    if watched:
        store.record(at, watched, schema, ChangeOrigin(is_system=True))

"""The changes that a commit makes to watched rows, for the change log of the store.

The buffer of a transaction holds the final state of each row, so comparing it with the committed
row gives the net effect: an insert that was deleted again leaves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from spanemu.schema.schema import Schema
from spanemu.storage.change_log import ChangeOrigin, RowChange, new_record
from spanemu.storage.layout import TreeId
from spanemu.storage.observer import TreeWrite
from spanemu.storage.store import Store
from spanemu.txn.buffer import Buffer
from spanemu.values.cell_mask import WHOLE_ROW


def net_changes(store: Store, buffer: Buffer, writes: Iterable[TreeWrite]) -> list[RowChange]:
    """Return the changes of watched rows by `writes`, the final form of the buffer's rows.

    An update counts if it writes a watched cell, even with the same value.
    """
    log = store.change_log
    if log is None:
        return []
    watched, parts = log.watching.cells, buffer.parts
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

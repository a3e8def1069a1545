"""What a restore takes back: one entry for each change since the oldest live snapshot.

The log is kept only while a snapshot exists, so an emulator that nobody snapshots pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spanemu.storage.aging import Aging, Mark
from spanemu.storage.dropped import Dropped
from spanemu.storage.layout import TreeId
from spanemu.storage.structure import Structure
from spanemu.storage.versions import Version

RowUndo = tuple[TreeId, bytes, Version | None]  # put this head back; None: the row was not there
Undo = RowUndo | Callable[[], object]


@dataclass(frozen=True, eq=False)
class StoreSnapshot:
    """A point to come back to: a place in the undo log, and what is not logged row by row."""

    place: int
    aging: Mark
    sequences: Mapping[int, int]
    kept_since: int
    dropped: Dropped


def undo(log: list[Undo], place: int, structure: Structure, aging: Aging) -> None:
    """Undo the changes of a log from the last one back to a place in it."""
    while len(log) > place:
        change = log.pop()
        if callable(change):
            change()
            continue
        tree_id, key, version = change
        tree = structure.trees[tree_id].split_of(tree_id, key).writable(tree_id)
        if version is None:
            tree.pop(key, None)
        else:
            tree[key] = version
            if version[3] > 1 or version[1] is None:
                aging.rows.append((version[0], tree_id, key))

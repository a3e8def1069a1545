"""What a restore takes back: one entry for each change since the oldest live snapshot.

The log is kept only while a snapshot exists, so an emulator that nobody snapshots pays nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spanemu.storage.aging import Mark
from spanemu.storage.layout import TreeId
from spanemu.storage.versions import Version

RowUndo = tuple[TreeId, bytes, Version | None]  # put this head back; None: the row was not there
Undo = RowUndo | Callable[[], object]


@dataclass(frozen=True, eq=False)
class StoreSnapshot:
    """A point to come back to: a place in the undo log, and what is not logged row by row."""

    place: int
    aging: Mark
    sequences: Mapping[int, int]

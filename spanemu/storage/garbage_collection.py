"""Rows of which something can be forgotten one day: those with old versions, or deleted."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from spanemu.storage.layout import TreeId
from spanemu.storage.split_map import Dropped, SplitMap
from spanemu.storage.versions import Version, expired, prune


@dataclass(slots=True)
class QueueMark:
    """How many rows were in line when nothing later than `at` had been written.

    It holds as long as nobody has left the line: `changes` is how often somebody had.
    """

    at: int
    length: int
    changes: int


class GarbageQueue:
    """Such rows as (since when, tree, key), about in the order in which their turn comes."""

    def __init__(self) -> None:
        self.rows: deque[tuple[int, TreeId, bytes]] = deque()
        self._changes = 0

    def mark(self, at: int) -> QueueMark:
        """A state to come back to; the last commit was `at`."""
        return QueueMark(at, len(self.rows), self._changes)

    def restore(self, mark: QueueMark) -> None:
        """Forget the rows that got in line since; those written before have been put back."""
        rows = self.rows
        if mark.changes == self._changes:
            while len(rows) > mark.length:
                rows.pop()
            return
        kept = dict.fromkeys(row for row in rows if row[0] <= mark.at)
        self.rows = deque(kept)
        self._changes += 1  # Other marks no longer say where they were.
        mark.length, mark.changes = len(kept), self._changes

    def copy(self) -> GarbageQueue:
        """The same rows, for another store."""
        twin = GarbageQueue()
        twin.rows = self.rows.copy()
        return twin

    def forget(
        self, split_map: SplitMap, horizon: int, rows_max: int, log: list[Any] | None
    ) -> int:
        """Forget versions of which nobody reads after `horizon`; how many those were.

        Looks at no more than `rows_max` rows; those that go on aging get in line again. What is
        forgotten is noted in the undo log, if there is one.
        """
        gone, rows = 0, self.rows
        for _ in range(rows_max):
            if not rows or rows[0][0] > horizon:
                break
            _, tree_id, key = rows.popleft()
            self._changes += 1
            hierarchy = split_map.trees.get(tree_id)
            if hierarchy is None:
                continue
            split = hierarchy.split_of(tree_id, key)
            tree = split.trees.get(tree_id)
            version = None if tree is None else tree.get(key)
            if version is None:
                continue
            if version[1] is None and version[0] <= horizon:
                gone += version[3]
                if log is not None:
                    log.append((tree_id, key, version))
                del split.writable(tree_id)[key]
                continue
            if count := expired(version, horizon):
                gone += count
                if log is not None:
                    log.append((tree_id, key, version))
                split.writable(tree_id)[key] = version = prune(version, horizon)
            if version[3] > 1 or version[1] is None:
                rows.append((version[0], tree_id, key))
        return gone


RowUndo = tuple[TreeId, bytes, Version | None]  # put this head back; None: the row was not there
Undo = RowUndo | Callable[[], object]


@dataclass(frozen=True, eq=False)
class StoreSnapshot:
    """A point to come back to: a place in the undo log, and what is not logged row by row."""

    place: int
    aging: QueueMark
    sequences: Mapping[int, int]
    oldest_readable: int
    dropped: Dropped


def undo(log: list[Undo], place: int, split_map: SplitMap, aging: GarbageQueue) -> None:
    """Undo the changes of a log from the last one back to a place in it."""
    while len(log) > place:
        change = log.pop()
        if callable(change):
            change()
            continue
        tree_id, key, version = change
        tree = split_map.trees[tree_id].split_of(tree_id, key).writable(tree_id)
        if version is None:
            tree.pop(key, None)
        else:
            tree[key] = version
            if version[3] > 1 or version[1] is None:
                aging.rows.append((version[0], tree_id, key))


class Pins:
    """How often each is `held`. Guarded by the store's mutex, but for `release`."""

    def __init__(self) -> None:
        self.held: Counter[int] = Counter()
        self._released: deque[int] = deque()

    def hold(self, at: int) -> None:
        """Keep what can be read at a timestamp, until `release`."""
        self.held[at] += 1

    def release(self, at: int) -> None:
        """Give up one `hold`. Takes no lock, so that a finalizer may call it anywhere."""
        self._released.append(at)

    def earliest(self, horizon: int) -> int:
        """The horizon, or what is pinned before it."""
        while self._released:
            at = self._released.popleft()
            self.held[at] -= 1
            if not self.held[at]:
                del self.held[at]
        return min(horizon, min(self.held)) if self.held else horizon

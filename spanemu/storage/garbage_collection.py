"""Garbage collection of old versions and deleted rows; snapshots and their undo log."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.record import dataclass
from spanemu.storage.change_log import LogMark
from spanemu.storage.layout import TreeId
from spanemu.storage.split_map import Dropped, SplitMap
from spanemu.storage.splits import Hierarchy
from spanemu.storage.tree import Tree
from spanemu.storage.versions import Version, expired, prune


@dataclass(slots=True)
class QueueMark:
    """A state of the garbage queue, after the commit at `at`.

    `length` is valid while no row has left the queue: while `changes` is the queue's count.
    """

    at: int
    length: int
    changes: int


class GarbageQueue:
    """Rows with old versions, and deleted rows, queued for garbage collection.

    `rows` holds (timestamp of the last write, tree, key), roughly in the order of collection.
    """

    def __init__(self) -> None:
        self.rows: deque[tuple[int, TreeId, bytes]] = deque()
        self._changes = 0

    def mark(self, at: int) -> QueueMark:
        """Return the current state, to restore later; the last commit was at `at`."""
        return QueueMark(at, len(self.rows), self._changes)

    def restore(self, mark: QueueMark) -> None:
        """Remove the rows queued since `mark`; the undo log has restored the rows queued before."""
        rows = self.rows
        if mark.changes == self._changes:
            while len(rows) > mark.length:
                rows.pop()
            return
        kept = dict.fromkeys(row for row in rows if row[0] <= mark.at)
        self.rows = deque(kept)
        self._changes += 1  # The lengths in other marks are no longer valid.
        mark.length, mark.changes = len(kept), self._changes

    def copy(self) -> GarbageQueue:
        """Return a copy for another store."""
        twin = GarbageQueue()
        twin.rows = self.rows.copy()
        return twin

    def collect(
        self, split_map: SplitMap, horizon: int, rows_max: int, log: list[Any] | None
    ) -> int:
        """Discard versions that no reader after `horizon` can see; return how many.

        At most `rows_max` rows are visited, and rows that keep old versions are queued again.
        Discarded versions are recorded in the undo log, if there is one.
        """
        discarded, rows = 0, self.rows
        for _ in range(rows_max):
            if not rows or rows[0][0] > horizon:
                break
            _, tree_id, key = rows.popleft()
            self._changes += 1
            hierarchy = split_map.trees.get(tree_id)
            if hierarchy is None:
                continue
            tree = hierarchy.split_of(tree_id, key).trees.get(tree_id)
            version = None if tree is None else tree.get(key)
            if version is None:
                continue
            if version[1] is None and version[0] <= horizon:
                discarded += version[3]
                if log is not None:
                    log.append((tree_id, key, version))
                split_map.writable(tree_id, key).remove(key, version)
                continue
            if count := expired(version, horizon):
                discarded += count
                if log is not None:
                    log.append((tree_id, key, version))
                version = prune(version, horizon)
                split_map.writable(tree_id, key)[key] = version
            if version[3] > 1 or version[1] is None:
                rows.append((version[0], tree_id, key))
        return discarded


RowUndo = tuple[TreeId, bytes, Version | None]  # the head to restore; None removes the row
Undo = RowUndo | Callable[[], object]


@dataclass(frozen=True, eq=False)
class StoreSnapshot:
    """A state to restore: a position in the undo log, and the state that is not logged by row."""

    log_length: int
    garbage: QueueMark
    sequences: Mapping[int, int]
    oldest_readable: int
    dropped: Dropped
    changes: LogMark | None


def undo(
    log: list[Undo],
    log_length: int,
    split_map: SplitMap,
    garbage: GarbageQueue,
    touched: Mapping[TreeId, dict[bytes, None]],
) -> None:
    """Undo the changes in a log, newest first, down to a position.

    The keys of the rows are added to `touched`, for the trees in it.
    """
    hierarchy: Hierarchy | None = None  # that of the row before, unless it has changed
    whole: Tree | None = None  # its tree, if that is not divided over splits
    latest_id: TreeId | None = None
    keys: dict[bytes, None] | None = None  # touched in this tree
    for _ in range(len(log) - log_length):
        change = log.pop()
        if not isinstance(change, tuple):
            change()
            hierarchy = None
            continue
        tree_id, key, version = change
        if hierarchy is None or tree_id != latest_id:
            hierarchy, latest_id = split_map.own(split_map.trees[tree_id]), tree_id
            whole = None if hierarchy.only is None else hierarchy.only.writable(tree_id)
            keys = touched.get(tree_id)
        if keys is not None:
            keys[key] = None
        tree = hierarchy.split_of(tree_id, key).writable(tree_id) if whole is None else whole
        if version is None:
            tree.discard(key)
        else:
            maps = tree.maps
            tree.put(key, version, maps[0].get(key) if len(maps) == 1 else tree.get(key))
            if version[3] > 1 or version[1] is None:
                garbage.rows.append((version[0], tree_id, key))


class Pins:
    """Timestamps whose versions must be kept, with a count for each.

    The store's mutex guards every method but `release`.
    """

    def __init__(self) -> None:
        self.held: Counter[int] = Counter()
        self._released: deque[int] = deque()

    def hold(self, at: int) -> None:
        """Keep the versions readable at a timestamp, until `release`."""
        self.held[at] += 1

    def release(self, at: int) -> None:
        """Undo one `hold`. Takes no lock, so a finalizer may call it anywhere."""
        self._released.append(at)

    def earliest(self, horizon: int) -> int:
        """Return the earlier of the horizon and the earliest pinned timestamp."""
        while self._released:
            at = self._released.popleft()
            self.held[at] -= 1
            if not self.held[at]:
                del self.held[at]
        return min(horizon, min(self.held)) if self.held else horizon

"""Rows of which something can be forgotten one day: those with old versions, or deleted."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from spanemu.storage.layout import TreeId
from spanemu.storage.structure import Structure
from spanemu.storage.versions import expired, prune


@dataclass(slots=True)
class Mark:
    """How many rows were in line when nothing later than `at` had been written.

    It holds as long as nobody has left the line: `changes` is how often somebody had.
    """

    at: int
    length: int
    changes: int


class Aging:
    """Such rows as (since when, tree, key), about in the order in which their turn comes."""

    def __init__(self) -> None:
        self.rows: deque[tuple[int, TreeId, bytes]] = deque()
        self._changes = 0

    def mark(self, at: int) -> Mark:
        """A state to come back to; the last commit was `at`."""
        return Mark(at, len(self.rows), self._changes)

    def restore(self, mark: Mark) -> None:
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

    def copy(self) -> Aging:
        """The same rows, for another store."""
        twin = Aging()
        twin.rows = self.rows.copy()
        return twin

    def forget(
        self, structure: Structure, horizon: int, rows_max: int, log: list[Any] | None
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
            hierarchy = structure.trees.get(tree_id)
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

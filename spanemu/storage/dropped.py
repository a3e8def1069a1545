"""Dropped tables and indexes, for who reads at a time before, until that is too old."""

from __future__ import annotations

from collections import deque

from spanemu.storage.layout import TreeId
from spanemu.storage.splits import Hierarchy, Tree


class Dropped:
    """The dropped trees of one store, each in a hierarchy of its own that nobody writes into.

    `order` are those that were dropped, by since when.
    """

    def __init__(self) -> None:
        self._hierarchies: dict[TreeId, Hierarchy] = {}
        self.order: deque[tuple[int, TreeId]] = deque()

    def get(self, tree: TreeId) -> Hierarchy | None:
        """Where the rows of a dropped tree are, if they are kept."""
        return self._hierarchies.get(tree)

    def add(self, tree: TreeId, home: Hierarchy, at: int) -> None:
        """Keep the rows of a tree that is about to be dropped from a hierarchy."""
        parts = [rows for split in home.splits if (rows := split.trees.get(tree))]
        for split in home.splits:
            split.owned.discard(tree)  # Should the drop be undone, others write into a copy.
        kept = Hierarchy(tree)
        kept.add(tree, (tree,))
        if parts:
            kept.splits[0].trees[tree] = parts[0] if len(parts) == 1 else _joined(parts)
        self._hierarchies[tree] = kept
        self.order.append((at, tree))

    def remove(self, tree: TreeId) -> None:
        """The drop was undone, and before it every later one."""
        if self._hierarchies.pop(tree, None) is not None:
            self.order.pop()

    def forget(self, horizon: int) -> None:
        """Let go of those that nobody can read any more."""
        while self.order and self.order[0][0] <= horizon:
            self._hierarchies.pop(self.order.popleft()[1], None)

    def copy(self) -> Dropped:
        """The same trees, for another store."""
        twin = Dropped()
        twin._hierarchies, twin.order = dict(self._hierarchies), self.order.copy()
        return twin


def _joined(parts: list[Tree]) -> Tree:
    joined = Tree()
    for part in parts:
        joined.update(part)
    return joined

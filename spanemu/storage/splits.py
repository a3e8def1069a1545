"""Splits: the containers that tile a hierarchy's key space, the unit of load and of sharing.

    hierarchy Singers   starts   b""            key(4)
                        splits   [---- A ------)[---- B ----)
    A.trees             Singers  1 2 3          B.trees   Singers  4 5
                        Albums   1/1 1/2 2/1              Albums   4/1

A boundary is always the key of a root row, so an interleaved family is never cut. A tree inside
a split maps encoded keys to versions; a clone shares trees and copies one when it first writes
into it.

Invariants, walked by `Hierarchy.check`: starts are sorted and begin with b""; every key lies in
its split's range.
Not here: when to cut (`stats`), what a key means (`layout`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sortedcontainers import SortedDict

from spanemu.storage.layout import TreeId
from spanemu.storage.versions import Version

# A tree maps encoded keys to versions.
if TYPE_CHECKING:
    Tree = SortedDict[bytes, Version]
else:
    Tree = SortedDict


class Split:
    """Rows of one key range of a hierarchy. `owned` are the trees that no clone shares."""

    __slots__ = ("owned", "trees")

    def __init__(self, trees: dict[TreeId, Tree] | None = None) -> None:
        self.trees: dict[TreeId, Tree] = {} if trees is None else trees
        self.owned: set[TreeId] = set(self.trees)

    def writable(self, tree_id: TreeId) -> Tree:
        """The tree to write into: made when missing, copied when shared."""
        if tree_id in self.owned:
            return self.trees[tree_id]
        shared = self.trees.get(tree_id)
        tree = Tree() if shared is None else Tree(shared)
        self.trees[tree_id] = tree
        self.owned.add(tree_id)
        return tree

    def share(self) -> Split:
        """A split with the same trees; from now on neither side writes into them in place."""
        self.owned = set()
        twin = Split(dict(self.trees))
        twin.owned = set()
        return twin

    def cut(self, at: bytes) -> Split:
        """Move everything from `at` on into a new split and return it."""
        upper = Split()
        for tree_id in list(self.trees):
            tree = self.writable(tree_id)
            moved = [(key, tree[key]) for key in tree.irange(minimum=at)]
            upper.trees[tree_id] = Tree(moved)
            upper.owned.add(tree_id)
            for key, _ in moved:
                del tree[key]
        return upper


class Hierarchy:
    """The splits of one root table with all that is interleaved in it, or of one index."""

    __slots__ = ("root", "splits", "starts")

    def __init__(self, root: TreeId) -> None:
        self.root = root
        self.starts: list[bytes] = [b""]
        self.splits: list[Split] = [Split()]

    def split_of(self, key: bytes) -> Split:
        """The split that a key belongs to."""
        if len(self.splits) == 1:
            return self.splits[0]
        return self.splits[bisect_right(self.starts, key) - 1]

    def splits_over(self, low: bytes, high: bytes, descending: bool) -> Iterator[Split]:
        """Splits that meet the range [low, high), in the order asked for."""
        if len(self.splits) == 1:
            return iter(self.splits)
        first = bisect_right(self.starts, low) - 1
        last = max(first + 1, bisect_left(self.starts, high))
        found = self.splits[first:last]
        return reversed(found) if descending else iter(found)

    def cut(self, at: bytes) -> bool:
        """Put a boundary before the root key `at`; False when there is one already."""
        place = bisect_left(self.starts, at)
        if not at or (place < len(self.starts) and self.starts[place] == at):
            return False
        self.splits.insert(place, self.splits[place - 1].cut(at))
        self.starts.insert(place, at)
        return True

    def merge(self, at: bytes) -> bool:
        """Take away the boundary `at`; False when there is none."""
        place = bisect_left(self.starts, at)
        if place == 0 or place == len(self.starts) or self.starts[place] != at:
            return False
        lower, upper = self.splits[place - 1], self.splits.pop(place)
        self.starts.pop(place)
        for tree_id, tree in upper.trees.items():
            lower.writable(tree_id).update(tree)
        return True

    def share(self) -> Hierarchy:
        """A hierarchy for a clone, sharing every tree."""
        twin = Hierarchy(self.root)
        twin.starts = list(self.starts)
        twin.splits = [split.share() for split in self.splits]
        return twin

    def check(self) -> None:
        """Assert every invariant."""
        assert self.starts[0] == b""
        assert self.starts == sorted(set(self.starts))
        assert len(self.starts) == len(self.splits)
        for place, split in enumerate(self.splits):
            low = self.starts[place]
            high = self.starts[place + 1] if place + 1 < len(self.starts) else None
            for tree in split.trees.values():
                assert all(low <= key and (high is None or key < high) for key in tree)
            assert split.owned <= set(split.trees)

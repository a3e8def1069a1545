"""Splits: the containers that tile a hierarchy's key space, the unit of load and of sharing.

    hierarchy Singers   boundary     before key(4)
                        splits   [---- A ------)[---- B ----)
    A.trees             Singers  1 2 3          B.trees   Singers  4 5
                        Albums   1/1 1/2 2/1              Albums   4/1

A tree inside a split maps encoded keys to versions; a clone shares trees and copies one when it
first writes into it. A boundary cuts all trees of a hierarchy (`boundary`), so an interleaved
family stays together where the boundary is a root row's.

How a hierarchy is tiled is published as one object that is never changed: who looks up a single row
without the store's mutex sees the splits from before a cut or after it, and both have the row.

Invariants, walked by `Hierarchy.check`: boundaries are sorted; every key lies in its split's range.
Not here: when to cut (`hotspots.simulation.model`), what a key means (`layout`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from sortedcontainers import SortedDict

from spanemu.storage.boundary import Boundary, Path
from spanemu.storage.layout import TreeId
from spanemu.storage.versions import Version, first_version, version_at

# A tree maps encoded keys to versions.
if TYPE_CHECKING:
    Tree = SortedDict[bytes, Version]
else:
    Tree = SortedDict

Starts = Mapping[TreeId, Sequence[bytes]]  # for each split the first key it may have of a tree


_WHOLE: Sequence[bytes] = (b"",)


class Split:
    """Rows of one range of a hierarchy, on one of the simulated servers.

    `owned` are the trees that no clone shares.
    """

    __slots__ = ("owned", "server", "trees")

    def __init__(self, trees: dict[TreeId, Tree] | None = None, server: int = 0) -> None:
        self.trees: dict[TreeId, Tree] = {} if trees is None else trees
        self.owned: set[TreeId] = set(self.trees)
        self.server = server

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
        twin = Split(dict(self.trees), self.server)
        twin.owned = set()
        return twin

    def rewind(self, at: int) -> None:
        """Take every row of a share back to what it was at a time."""
        for tree_id, tree in self.trees.items():
            if any(version[0] > at for version in tree.values()):
                then = ((key, version_at(version, at)) for key, version in tree.items())
                self.trees[tree_id] = Tree((key, found) for key, found in then if found is not None)
                self.owned.add(tree_id)

    def forget_history(self) -> None:
        """Keep the newest version of every row, as written at the beginning of time."""
        for tree_id, tree in self.trees.items():
            rows = ((key, version[1]) for key, version in tree.items())
            self.trees[tree_id] = Tree(
                (key, first_version(row)) for key, row in rows if row is not None
            )
            self.owned.add(tree_id)

    def divided(self, starts: Starts) -> list[Split]:
        """The same rows in several splits; the first of `starts` is this one's. It stays whole."""
        count = max(map(len, starts.values()), default=1)
        found = [Split(server=self.server) for _ in range(count)]
        for tree_id, tree in self.trees.items():
            cuts = [0, *(tree.bisect_left(key) for key in starts[tree_id][1:]), len(tree)]
            items = tree.items()
            for part, (first, last) in zip(found, pairwise(cuts), strict=True):
                if first == last:
                    continue
                if last - first == len(tree):
                    part.trees[tree_id] = tree  # Nothing is parted: no need to copy.
                    if tree_id in self.owned:
                        part.owned.add(tree_id)
                else:
                    part.trees[tree_id] = Tree(items[first:last])
                    part.owned.add(tree_id)
        return found

    @staticmethod
    def joined(splits: Sequence[Split]) -> Split:
        """The rows of neighbouring splits in one, on the server of the first."""
        whole = Split(server=splits[0].server)
        for tree_id in {tree_id for split in splits for tree_id in split.trees}:
            having = [split for split in splits if split.trees.get(tree_id)]
            if len(having) == 1:
                whole.trees[tree_id] = having[0].trees[tree_id]
                if tree_id in having[0].owned:
                    whole.owned.add(tree_id)
            else:
                rows = (item for split in having for item in split.trees[tree_id].items())
                whole.trees[tree_id] = Tree(rows)
                whole.owned.add(tree_id)
        return whole


class Tiling:
    """How a hierarchy is cut. Never changed once it is made, but for the rows in its splits."""

    __slots__ = ("boundaries", "positions", "splits", "starts")

    def __init__(
        self,
        boundaries: Sequence[Boundary],
        splits: Sequence[Split],
        paths: Mapping[TreeId, Path],
    ) -> None:
        self.boundaries = tuple(boundaries)  # of all splits but the first
        self.positions = [each.position for each in boundaries]
        self.splits = tuple(splits)
        self.starts: Starts = starts_of(boundaries, paths)

    def beginning(self, place: bytes) -> Split:
        """The split that begins at the boundary of that place, b"" for the first one."""
        if not place:
            return self.splits[0]
        return self.splits[bisect_right(self.positions, place)]


def starts_of(boundaries: Sequence[Boundary], paths: Mapping[TreeId, Path]) -> Starts:
    """Where boundaries cut each tree, after the beginning. One list for all if that is alike."""
    if all(len(each.path) == 1 for each in boundaries):
        keys = [b"", *(each.key for each in boundaries)]
        return dict.fromkeys(paths, keys)
    return {tree: [b"", *(each.cut(path) for each in boundaries)] for tree, path in paths.items()}


class Hierarchy:
    """The splits of one root table with all that is interleaved in it, or of one index."""

    __slots__ = ("only", "paths", "root", "tiling")

    def __init__(self, root: TreeId, server: int = 0) -> None:
        self.root = root
        self.paths: dict[TreeId, Path] = {}
        self._publish((), (Split(server=server),))

    @property
    def splits(self) -> tuple[Split, ...]:
        """In key order."""
        return self.tiling.splits

    def _publish(self, boundaries: Sequence[Boundary], splits: Sequence[Split]) -> None:
        self.tiling = Tiling(boundaries, splits, self.paths)
        # Most hierarchies have one split, and every row is looked up through here.
        self.only = splits[0] if len(splits) == 1 else None

    def split_of(self, tree: TreeId, key: bytes) -> Split:
        """The split that a key of a tree belongs to."""
        only = self.only
        if only is not None:
            return only
        tiling = self.tiling
        starts = tiling.starts.get(tree, _WHOLE)  # It may be dropped meanwhile.
        return tiling.splits[bisect_right(starts, key) - 1]

    def splits_over(
        self, tree: TreeId, low: bytes, high: bytes, descending: bool
    ) -> Iterator[Split]:
        """Splits that meet the range [low, high) of a tree, in the order asked for."""
        splits = self.tiling.splits
        if len(splits) == 1:
            return iter(splits)
        numbers = self.numbers_over(tree, low, high)
        found = splits[numbers.start : numbers.stop]
        return reversed(found) if descending else iter(found)

    def numbers_over(self, tree: TreeId, low: bytes, high: bytes) -> range:
        """Numbers of the splits that meet the range [low, high), or have `low` if that is all."""
        starts = self.tiling.starts[tree]
        first = bisect_right(starts, low) - 1
        return range(first, max(first + 1, bisect_left(starts, high)))

    # ------------------------------------------------------------------ trees

    def add(self, tree: TreeId, path: Path) -> None:
        """Make room for a tree; its rows lie between those of the others."""
        self.paths[tree] = path
        self._publish(self.tiling.boundaries, self.tiling.splits)

    def fill(self, tree: TreeId, source: Hierarchy) -> None:
        """Put the rows of a tree elsewhere into the empty one here, shared if that will do."""
        for split in source.splits:
            rows = split.trees.get(tree)
            if rows and len(self.splits) == 1 == len(source.splits):
                self.splits[0].trees[tree] = rows
                self.splits[0].owned.discard(tree)
            elif rows:
                for key, version in rows.items():
                    self.split_of(tree, key).writable(tree)[key] = version

    def remove(self, tree: TreeId) -> None:
        """Let go of a tree and its rows. No boundary may be that of a row of it."""
        for split in self.splits:
            split.trees.pop(tree, None)
            split.owned.discard(tree)
        self.paths.pop(tree, None)
        self._publish(self.tiling.boundaries, self.tiling.splits)

    def inside(self, tree: TreeId) -> list[Boundary]:
        """The boundaries before rows of a tree that is interleaved, or of what is below it."""
        return [each for each in self.tiling.boundaries if tree in each.path[1:]]

    # ------------------------------------------------------------------ boundaries

    def cut(self, boundaries: Iterable[Boundary]) -> list[Boundary]:
        """Put boundaries; those that were not there yet, in order.

        Every split that is cut is copied once, however many they are.
        """
        tiling = self.tiling
        fresh = {each.position: each for each in boundaries if each.position}
        added = [fresh[place] for place in sorted(fresh.keys() - set(tiling.positions))]
        if not added:
            return []
        splits: list[Split] = []
        ends = [*tiling.positions, None]
        at = 0
        for split, end in zip(tiling.splits, ends, strict=True):
            mine = []
            while at < len(added) and (end is None or added[at].position < end):
                mine.append(added[at])
                at += 1
            splits += split.divided(starts_of(mine, self.paths)) if mine else [split]
        together = sorted([*tiling.boundaries, *added], key=lambda each: each.position)
        self._publish(together, splits)
        return added

    def merge(self, boundaries: Iterable[Boundary]) -> list[tuple[Boundary, int]]:
        """Take boundaries away; those that were there, with the servers of the splits they began.

        Splits that become one are copied once, however many they are.
        """
        tiling = self.tiling
        gone = {each.position for each in boundaries}
        kept: list[Boundary] = []
        removed: list[tuple[Boundary, int]] = []
        groups = [[tiling.splits[0]]]
        for boundary, split in zip(tiling.boundaries, tiling.splits[1:], strict=True):
            if boundary.position in gone:
                removed.append((boundary, split.server))
                groups[-1].append(split)
            else:
                kept.append(boundary)
                groups.append([split])
        if removed:
            self._publish(
                kept, [group[0] if len(group) == 1 else Split.joined(group) for group in groups]
            )
        return removed

    def beginning_at(self, boundaries: Iterable[Boundary]) -> list[Split]:
        """The splits that begin at those boundaries."""
        return [self.tiling.beginning(each.position) for each in boundaries]

    def share(self) -> Hierarchy:
        """A hierarchy for a clone, sharing every tree."""
        twin = Hierarchy(self.root)
        twin.paths = dict(self.paths)
        twin._publish(self.tiling.boundaries, [split.share() for split in self.splits])
        return twin

    def check(self) -> None:
        """Assert every invariant."""
        tiling = self.tiling
        assert tiling.positions == sorted(set(tiling.positions))
        assert all(tiling.positions)
        assert len(tiling.boundaries) + 1 == len(tiling.splits)
        assert tiling.starts.keys() == self.paths.keys()
        for starts in tiling.starts.values():
            assert list(starts) == sorted(starts)
        for place, split in enumerate(tiling.splits):
            assert split.owned <= set(split.trees) <= set(self.paths)
            for tree_id, tree in split.trees.items():
                starts = tiling.starts[tree_id]
                high = starts[place + 1] if place + 1 < len(starts) else None
                assert all(starts[place] <= key and (high is None or key < high) for key in tree)

"""Splits: the ranges that tile a hierarchy's key space, as units of load and of sharing.

    hierarchy Singers   boundary     before key(4)
                        splits   [---- A ------)[---- B ----)
    A.trees             Singers  1 2 3          B.trees   Singers  4 5
                        Albums   1/1 1/2 2/1              Albums   4/1

A tree in a split maps encoded keys to versions (`tree`); a clone shares trees, and copies a tree
on the first write. A boundary cuts all trees of a hierarchy (`layout`), so an interleaved family
of rows stays together if the boundary is that of a root row.

The tiling of a hierarchy is published as one immutable object: a reader of a single row without
the store's mutex sees the splits before or after a cut, and both contain the row.

Invariants, walked by `Hierarchy.check`: boundaries are sorted; every key lies in its split's range.
Not here: when to cut (`hotspots.split_model`), what a key means (`layout`).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise

from spanemu.storage.layout import Boundary, Path, TreeId
from spanemu.storage.tree import Tree
from spanemu.storage.versions import first_version, version_at

Starts = Mapping[TreeId, Sequence[bytes]]  # by tree: for each split its first possible key


_WHOLE: Sequence[bytes] = (b"",)


class Split:
    """Rows of one key range of a hierarchy, on one of the simulated servers.

    `owned` holds the trees that no clone shares.
    """

    __slots__ = ("owned", "server", "trees")

    def __init__(self, trees: dict[TreeId, Tree] | None = None, server: int = 0) -> None:
        self.trees: dict[TreeId, Tree] = {} if trees is None else trees
        self.owned: set[TreeId] = set(self.trees)
        self.server = server

    def writable(self, tree_id: TreeId) -> Tree:
        """Return the tree for writing: created if missing, copied if shared."""
        if tree_id in self.owned:
            return self.trees[tree_id]
        shared = self.trees.get(tree_id)
        tree = Tree() if shared is None else shared.copy()
        self.trees[tree_id] = tree
        self.owned.add(tree_id)
        return tree

    def copy(self) -> Split:
        """Return a split that shares all trees, which it copies before it modifies them."""
        twin = Split(dict(self.trees), self.server)
        twin.owned = set()
        return twin

    def rewind(self, at: int) -> None:
        """Return every row of a shared split to its state at a timestamp."""
        for tree_id, tree in self.trees.items():
            if tree.is_written_after(at):
                then = ((key, version_at(version, at)) for key, version in tree.items())
                self.trees[tree_id] = Tree((key, kept) for key, kept in then if kept is not None)
                self.owned.add(tree_id)

    def forget_history(self) -> None:
        """Keep only the newest version of every row, as written at the beginning of time."""
        for tree_id, tree in self.trees.items():
            rows = ((key, version[1]) for key, version in tree.items())
            self.trees[tree_id] = Tree(
                (key, first_version(row)) for key, row in rows if row is not None
            )
            self.owned.add(tree_id)

    def divided(self, starts: Starts) -> list[Split]:
        """Return the rows distributed over several splits, and leave this split unchanged.

        `starts` gives the first key of each part by tree.
        """
        count = max(map(len, starts.values()), default=1)
        parts = [Split(server=self.server) for _ in range(count)]
        for tree_id, tree in self.trees.items():
            cuts = [0, *(tree.bisect_left(key) for key in starts[tree_id][1:]), len(tree)]
            items = tree.items()
            for part, (first, last) in zip(parts, pairwise(cuts), strict=True):
                if first == last:
                    continue
                if last - first == len(tree):
                    part.trees[tree_id] = tree  # The tree lies in one part: no need to copy.
                    if tree_id in self.owned:
                        part.owned.add(tree_id)
                else:
                    part.trees[tree_id] = Tree(islice(items, last - first))
                    part.owned.add(tree_id)
        return parts

    @staticmethod
    def joined(splits: Sequence[Split]) -> Split:
        """Return one split with the rows of neighbouring splits, on the server of the first."""
        whole = Split(server=splits[0].server)
        for tree_id in {tree_id for split in splits for tree_id in split.trees}:
            having = [split for split in splits if split.trees.get(tree_id)]
            whole.trees[tree_id] = joined([split.trees[tree_id] for split in having])
            if len(having) > 1 or all(tree_id in split.owned for split in having):
                whole.owned.add(tree_id)
        return whole


class Tiling:
    """The splits of a hierarchy and their boundaries. Immutable but for the rows in the splits."""

    __slots__ = ("boundaries", "positions", "splits", "starts")

    def __init__(
        self,
        boundaries: Sequence[Boundary],
        splits: Sequence[Split],
        paths: Mapping[TreeId, Path],
    ) -> None:
        self.boundaries = tuple(boundaries)  # of every split after the first
        self.positions = [each.position for each in boundaries]
        self.splits = tuple(splits)
        self.starts: Starts = starts_of(boundaries, paths)

    def beginning(self, position: bytes) -> Split:
        """Return the split that begins at a boundary's position, b"" for the first split."""
        if not position:
            return self.splits[0]
        return self.splits[bisect_right(self.positions, position)]


def starts_of(boundaries: Sequence[Boundary], paths: Mapping[TreeId, Path]) -> Starts:
    """Return the first keys of the splits in each tree.

    All trees share one list if every boundary is that of a root row.
    """
    if all(len(each.path) == 1 for each in boundaries):
        keys = [b"", *(each.key for each in boundaries)]
        return dict.fromkeys(paths, keys)
    return {tree: [b"", *(each.cut(path) for each in boundaries)] for tree, path in paths.items()}


class Hierarchy:
    """The splits of one root table with all interleaved tables, or of one index.

    `owner` is that of the split map that may modify it (`SplitMap.own`).
    """

    __slots__ = ("only", "owner", "paths", "root", "tiling")

    def __init__(self, root: TreeId, server: int = 0, owner: object = None) -> None:
        self.root = root
        self.owner = owner
        self.paths: dict[TreeId, Path] = {}
        self._publish((), (Split(server=server),))

    @property
    def splits(self) -> tuple[Split, ...]:
        """The splits in key order."""
        return self.tiling.splits

    def _publish(self, boundaries: Sequence[Boundary], splits: Sequence[Split]) -> None:
        self.tiling = Tiling(boundaries, splits, self.paths)
        # Most hierarchies have one split, and every lookup of a row uses `only`.
        self.only = splits[0] if len(splits) == 1 else None

    def split_of(self, tree: TreeId, key: bytes) -> Split:
        """Return the split that contains a key of a tree."""
        only = self.only
        if only is not None:
            return only
        tiling = self.tiling
        starts = tiling.starts.get(tree, _WHOLE)  # It may be dropped meanwhile.
        return tiling.splits[bisect_right(starts, key) - 1]

    def splits_over(
        self, tree: TreeId, low: bytes, high: bytes, descending: bool
    ) -> Iterator[Split]:
        """Yield the splits that overlap [low, high) in a tree, in scan order."""
        splits = self.tiling.splits
        if len(splits) == 1:
            return iter(splits)
        numbers = self.numbers_over(tree, low, high)
        overlapping = splits[numbers.start : numbers.stop]
        return reversed(overlapping) if descending else iter(overlapping)

    def numbers_over(self, tree: TreeId, low: bytes, high: bytes) -> range:
        """Return the numbers of the splits that overlap [low, high), or contain `low`."""
        starts = self.tiling.starts[tree]
        first = bisect_right(starts, low) - 1
        return range(first, max(first + 1, bisect_left(starts, high)))

    # ------------------------------------------------------------------ trees

    def add(self, tree: TreeId, path: Path) -> None:
        """Add a tree, whose rows interleave with those of the other trees."""
        self.paths[tree] = path
        self._publish(self.tiling.boundaries, self.tiling.splits)

    def fill(self, tree: TreeId, source: Hierarchy) -> None:
        """Copy the rows of a tree in another hierarchy into the empty tree here.

        The rows are shared if both hierarchies have one split.
        """
        for split in source.splits:
            rows = split.trees.get(tree)
            if rows and len(self.splits) == 1 == len(source.splits):
                self.splits[0].trees[tree] = rows
                self.splits[0].owned.discard(tree)
            elif rows:
                for key, version in rows.items():
                    self.split_of(tree, key).writable(tree)[key] = version

    def remove(self, tree: TreeId) -> None:
        """Remove a tree and its rows. No boundary may lie at a row of the tree."""
        for split in self.splits:
            split.trees.pop(tree, None)
            split.owned.discard(tree)
        self.paths.pop(tree, None)
        self._publish(self.tiling.boundaries, self.tiling.splits)

    def inside(self, tree: TreeId) -> list[Boundary]:
        """Return the boundaries before rows of an interleaved tree, or of trees below it."""
        return [each for each in self.tiling.boundaries if tree in each.path[1:]]

    # ------------------------------------------------------------------ boundaries

    def cut(self, boundaries: Iterable[Boundary]) -> list[Boundary]:
        """Add boundaries; return the new ones, in order.

        Every split that is cut is copied once, however many boundaries cut it.
        """
        tiling = self.tiling
        fresh = {each.position: each for each in boundaries if each.position}
        added = [fresh[position] for position in sorted(fresh.keys() - set(tiling.positions))]
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
        """Remove boundaries; return those removed, with the servers of the splits they began.

        Splits that become one are copied once, however many there are.
        """
        tiling = self.tiling
        dropped = {each.position for each in boundaries}
        kept: list[Boundary] = []
        removed: list[tuple[Boundary, int]] = []
        groups = [[tiling.splits[0]]]
        for boundary, split in zip(tiling.boundaries, tiling.splits[1:], strict=True):
            if boundary.position in dropped:
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
        """Return the splits that begin at the boundaries."""
        return [self.tiling.beginning(each.position) for each in boundaries]

    def copy(self, owner: object) -> Hierarchy:
        """Return a hierarchy of another owner that shares every tree."""
        twin = Hierarchy(self.root, owner=owner)
        twin.paths = dict(self.paths)
        twin._publish(self.tiling.boundaries, [split.copy() for split in self.splits])
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
        for number, split in enumerate(tiling.splits):
            assert split.owned <= set(split.trees) <= set(self.paths)
            for tree_id, tree in split.trees.items():
                starts = tiling.starts[tree_id]
                high = starts[number + 1] if number + 1 < len(starts) else None
                tree.check()
                assert all(starts[number] <= key and (high is None or key < high) for key in tree)


def joined(trees: Sequence[Tree]) -> Tree:
    """Return one tree with the rows of several neighbouring trees, which stay unchanged."""
    if len(trees) == 1:
        return trees[0]
    return Tree(chain.from_iterable(tree.items() for tree in trees))

"""The trees of a store, and the splits and servers of their hierarchies.

Every change returns a function that undoes it, or None without a change. Changes are undone in
reverse order, so an undo function finds the boundaries as its change left them.

A new split is put on a server and stays there until it is moved: the first split of a hierarchy by
the hierarchy's number, a split that is cut off on the server with the fewest splits.

Sizes are estimated as Spanner's page on storage counts: 8 bytes for a cell, and its value. Writes
count nothing. The size of a tree is its number of keys times the mean size of a few evenly spaced
rows; it is exact for a tree of at most `ROWS_SAMPLED` rows.

Not thread-safe: the store's mutex guards everything but lookups in `trees`.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from spanemu.base.record import NamedTuple
from spanemu.storage.layout import Boundary, Path, TreeId
from spanemu.storage.splits import Hierarchy, Split, joined
from spanemu.storage.tree import Tree

SERVERS_DEFAULT = 8  # the default number of nodes of a simulation
ROWS_SAMPLED = 32
CELL_BYTES = 8
_FIXED = {bool: 1, int: 8, float: 8, Decimal: 12}
_OTHER_BYTES = 16

Undo = Callable[[], object]


class SplitLocation(NamedTuple):
    """A split's hierarchy, start position (b"" for the first split) and server."""

    hierarchy: TreeId
    start: bytes
    server: int


class SplitMap:
    """The hierarchies of one store. `trees` maps each tree to its hierarchy.

    A clone shares all hierarchies until either store modifies them: a map may modify only
    hierarchies with its `owner`, which changes when the map is cloned. It shares both dictionaries
    too, until either store modifies its first hierarchy.

    `whole` holds the trees that writes found in one split, ready to be written, so that most rows
    are found with one lookup. It is emptied before anything but rows changes.
    """

    def __init__(self) -> None:
        self.owner = object()
        self._is_shared = False  # whether another map has the same dictionaries
        self.servers = SERVERS_DEFAULT
        self.hierarchies: dict[TreeId, Hierarchy] = {}
        self.trees: dict[TreeId, Hierarchy] = {}
        self.whole: dict[TreeId, Tree] = {}

    # ------------------------------------------------------------------ ownership

    def own(self, hierarchy: Hierarchy) -> Hierarchy:
        """Return a hierarchy of this map to modify: itself, or a copy that takes its place."""
        if hierarchy.owner is self.owner:
            return hierarchy
        self._own_dictionaries()
        own = self.hierarchies[hierarchy.root] = hierarchy.copy(self.owner)
        for tree in own.paths:
            self.trees[tree] = own
        return own

    def _own_dictionaries(self) -> None:
        if self._is_shared:
            self.hierarchies, self.trees = dict(self.hierarchies), dict(self.trees)
            self._is_shared = False

    def writable(self, tree: TreeId, key: bytes) -> Tree:
        """Return the rows of a tree in the split that contains a key, for writing."""
        hierarchy = self.trees[tree]
        if hierarchy.owner is not self.owner:
            hierarchy = self.own(hierarchy)
        split = hierarchy.only or hierarchy.split_of(tree, key)
        rows = split.trees[tree] if tree in split.owned else split.writable(tree)
        if hierarchy.only is not None:
            self.whole[tree] = rows
        return rows

    # ------------------------------------------------------------------ trees

    def create(self, tree: TreeId, path: Path) -> Undo:
        """Add an empty tree; `path` lists the trees that it is interleaved in, then itself."""
        self.whole.clear()
        home = self.hierarchies.get(path[0])
        if home is None:
            self._own_dictionaries()
            server = path[0] % self.servers
            home = self.hierarchies[path[0]] = Hierarchy(path[0], server, self.owner)
        home = self.own(home)
        home.add(tree, path)
        self.trees[tree] = home
        return lambda: self.forget(tree)

    def drop(self, tree: TreeId) -> Undo:
        """Remove a tree, its rows, and the boundaries between its rows."""
        self.whole.clear()
        hierarchy = self.own(self.trees[tree])
        merged = self.merge(hierarchy.inside(tree))
        path = hierarchy.paths[tree]
        kept = [(split.trees.get(tree), tree in split.owned) for split in hierarchy.splits]
        self.forget(tree)

        def undo() -> None:
            self.whole.clear()
            # The map may have been cloned meanwhile: then no clone has an empty hierarchy.
            home = self.hierarchies.get(hierarchy.root)
            if home is None:
                self._own_dictionaries()
                home, hierarchy.owner = hierarchy, self.owner
            home = self.own(home)
            for split, (rows, owned) in zip(home.splits, kept, strict=True):
                _put(split, tree, rows, owned)
            home.add(tree, path)
            # Last, because a reader without a lock that finds the tree expects its rows.
            self.trees[tree] = self.hierarchies[home.root] = home
            if merged is not None:
                merged()

        return undo

    def forget(self, tree: TreeId) -> None:
        """Remove a tree that no boundary depends on."""
        self.whole.clear()
        hierarchy = self.own(self.trees[tree])
        del self.trees[tree]
        hierarchy.remove(tree)
        if not hierarchy.paths:
            del self.hierarchies[hierarchy.root]

    # ------------------------------------------------------------------ boundaries

    def cut(self, boundaries: Iterable[Boundary]) -> tuple[list[Boundary], Undo | None]:
        """Add boundaries; return the new ones."""
        added: list[Boundary] = []
        for hierarchy, new in self._by_hierarchy(boundaries):
            fresh = hierarchy.cut(new)
            splits = hierarchy.beginning_at(fresh)
            for split, server in zip(splits, self._emptiest(len(fresh)), strict=True):
                split.server = server
            added += fresh
        return added, (lambda: self.merge(added)) if added else None

    def merge(self, boundaries: Iterable[Boundary]) -> Undo | None:
        """Remove boundaries."""
        removed: list[tuple[Boundary, int]] = []
        for hierarchy, gone in self._by_hierarchy(boundaries):
            removed += hierarchy.merge(gone)

        def undo() -> None:
            servers = dict(removed)
            for hierarchy, back in self._by_hierarchy(servers):
                fresh = hierarchy.cut(back)
                for boundary, split in zip(fresh, hierarchy.beginning_at(fresh), strict=True):
                    split.server = servers[boundary]

        return undo if removed else None

    def move(self, hierarchy: TreeId, start: bytes, server: int) -> Undo | None:
        """Move the split that begins at the position `start`, b"" for the first, to a server."""
        before = self.hierarchies[hierarchy].tiling.beginning(start).server
        if before == server:
            return None
        self._set_server(hierarchy, start, server)
        # The tiling is the same when this is undone, but the split objects may differ.
        return lambda: self._set_server(hierarchy, start, before)

    def _set_server(self, hierarchy: TreeId, start: bytes, server: int) -> None:
        self.own(self.hierarchies[hierarchy]).tiling.beginning(start).server = server

    def _emptiest(self, count: int) -> Iterator[int]:
        """Yield servers for `count` new splits, each with the fewest splits so far."""
        if not count:
            return
        splits = [0] * self.servers
        for hierarchy in self.hierarchies.values():
            for split in hierarchy.splits:
                splits[split.server % self.servers] += 1
        for _ in range(count):
            server = min(range(self.servers), key=splits.__getitem__)
            splits[server] += 1
            yield server

    def _by_hierarchy(
        self, boundaries: Iterable[Boundary]
    ) -> Iterator[tuple[Hierarchy, list[Boundary]]]:
        self.whole.clear()
        grouped: dict[TreeId, list[Boundary]] = {}
        for boundary in boundaries:
            grouped.setdefault(boundary.hierarchy, []).append(boundary)
        for root, mine in grouped.items():
            if root in self.hierarchies:
                yield self.own(self.hierarchies[root]), mine

    # ------------------------------------------------------------------ all of it

    def share(self) -> SplitMap:
        """Return a split map for a clone that shares every hierarchy."""
        self.owner = object()
        self.whole.clear()
        twin = SplitMap()
        twin.servers = self.servers
        twin.hierarchies, twin.trees = self.hierarchies, self.trees
        self._is_shared = twin._is_shared = True
        return twin

    def boundaries(self, hierarchy: TreeId) -> tuple[Boundary, ...]:
        """Return the boundaries of a hierarchy, in order."""
        known = self.hierarchies.get(hierarchy)
        return () if known is None else known.tiling.boundaries

    def starts(self, tree: TreeId) -> Sequence[bytes]:
        """Return, for each split, its first possible key in a tree; b"" for the first split."""
        hierarchy = self.trees.get(tree)
        return (b"",) if hierarchy is None else hierarchy.tiling.starts[tree]

    def all_boundaries(self) -> list[Boundary]:
        """Return the boundaries of all hierarchies."""
        tilings = [each.tiling for each in self.hierarchies.values()]
        return [boundary for tiling in tilings for boundary in tiling.boundaries]

    def rewind(self, at: int) -> None:
        """Discard all versions written after `at`."""
        self.whole.clear()
        for hierarchy in self.hierarchies.values():
            for split in self.own(hierarchy).splits:
                split.rewind(at)

    def forget_history(self) -> None:
        """Keep only the newest version of every row, as written at the beginning of time."""
        self.whole.clear()
        for hierarchy in self.hierarchies.values():
            for split in self.own(hierarchy).splits:
                split.forget_history()

    def check(self, last_commit: int) -> None:
        """Assert every invariant."""
        for tree_id, tree in self.whole.items():
            home = self.trees[tree_id]
            assert home.owner is self.owner
            assert home.only is not None
            assert tree_id in home.only.owned
            assert home.only.trees[tree_id] is tree
        for hierarchy in self.hierarchies.values():
            hierarchy.check()
            for split in hierarchy.splits:
                for tree in split.trees.values():
                    assert all(version[0] <= last_commit for version in tree.values())

    def splits_with_keys(self, keys: Iterable[tuple[TreeId, bytes]]) -> set[SplitLocation]:
        """Return the locations of the splits that contain the rows with these keys."""
        return self.splits_overlapping((tree, key, key) for tree, key in keys)

    def splits_overlapping(
        self, ranges: Iterable[tuple[TreeId, bytes, bytes]]
    ) -> set[SplitLocation]:
        """Return the locations of the splits that overlap ranges of trees."""
        locations: set[SplitLocation] = set()
        for tree, low, high in ranges:
            hierarchy = self.trees.get(tree)
            if hierarchy is None:
                continue
            tiling = hierarchy.tiling
            for number in hierarchy.numbers_over(tree, low, high):
                start = tiling.positions[number - 1] if number else b""
                locations.add(SplitLocation(hierarchy.root, start, tiling.splits[number].server))
        return locations


def _put(split: Split, tree: TreeId, rows: Tree | None, owned: bool) -> None:
    if rows is not None:
        split.trees[tree] = rows
        if owned:
            split.owned.add(tree)


class Dropped:
    """The dropped trees of one store, each in its own hierarchy, which is never written.

    `order` holds (time of the drop, tree), oldest first.
    """

    def __init__(self) -> None:
        self._hierarchies: dict[TreeId, Hierarchy] = {}
        self.order: deque[tuple[int, TreeId]] = deque()

    def get(self, tree: TreeId) -> Hierarchy | None:
        """Return the hierarchy with the rows of a dropped tree, if they are kept."""
        return self._hierarchies.get(tree)

    def add(self, tree: TreeId, home: Hierarchy, at: int) -> None:
        """Keep the rows of a tree that is about to be dropped from a hierarchy."""
        parts = [rows for split in home.splits if (rows := split.trees.get(tree))]
        for split in home.splits:
            split.owned.discard(tree)  # If the drop is undone, writers copy the tree first.
        kept = Hierarchy(tree)
        kept.add(tree, (tree,))
        if parts:
            kept.splits[0].trees[tree] = joined(parts)
        self._hierarchies[tree] = kept
        self.order.append((at, tree))

    def remove(self, tree: TreeId) -> None:
        """Undo the last drop."""
        if self._hierarchies.pop(tree, None) is not None:
            self.order.pop()

    def forget(self, horizon: int) -> None:
        """Discard the trees that no reader can see any more."""
        while self.order and self.order[0][0] <= horizon:
            self._hierarchies.pop(self.order.popleft()[1], None)

    def copy(self) -> Dropped:
        """Return a copy for another store."""
        twin = Dropped()
        twin._hierarchies, twin.order = dict(self._hierarchies), self.order.copy()
        return twin


def cell_bytes(value: Any) -> int:
    """Return the size of one cell; NULL has none."""
    if value is None:
        return 0
    fixed = _FIXED.get(type(value))
    if fixed is not None:
        return CELL_BYTES + fixed
    if isinstance(value, str):
        return CELL_BYTES + (len(value) if value.isascii() else len(value.encode()))
    if isinstance(value, bytes):
        return CELL_BYTES + len(value)
    if isinstance(value, tuple | list):
        return CELL_BYTES + sum(map(cell_bytes, value))
    if isinstance(value, array):  # a packed vector
        return CELL_BYTES + len(value) * (CELL_BYTES + _FIXED[float])
    return CELL_BYTES + _OTHER_BYTES


def sampled(
    tree: Tree, begin: int = 0, end: int | None = None, samples_max: int = ROWS_SAMPLED
) -> list[tuple[bytes, int]]:
    """Return evenly spaced keys of a part of a tree, with the estimated bytes up to the next."""
    count = (len(tree) if end is None else end) - begin
    if count <= 0:
        return []
    samples = min(count, samples_max)
    weights = []
    for sample in range(samples):
        first, last = sample * count // samples, (sample + 1) * count // samples
        key = tree.key_at(begin + first)
        row = tree[key][1]
        size = 0 if row is None else sum(map(cell_bytes, row))
        weights.append((key, size * (last - first)))
    return weights


def tree_bytes(tree: Tree) -> int:
    """Return the estimated size of a tree's rows."""
    return sum(size for _, size in sampled(tree))


def split_bytes(split: Split) -> int:
    """Return the estimated size of a split's rows."""
    return sum(map(tree_bytes, split.trees.values()))


def split_rows(split: Split) -> int:
    """Return the number of keys in a split, recently deleted ones included."""
    return sum(map(len, split.trees.values()))


def map_bytes(split_map: SplitMap) -> int:
    """Return the estimated size of all rows of a store."""
    hierarchies = split_map.hierarchies.values()
    return sum(split_bytes(split) for hierarchy in hierarchies for split in hierarchy.splits)


def own_bytes(split_map: SplitMap) -> int:
    """Return a rough size of the rows that no clone shares, by one row of each tree.

    It takes little time for a clone, however many tables it has.
    """
    owner, total = split_map.owner, 0
    for hierarchy in split_map.hierarchies.values():
        if hierarchy.owner is owner:
            for split in hierarchy.splits:
                for tree in split.trees.values():
                    total += sum(size for _, size in sampled(tree, samples_max=1))
    return total

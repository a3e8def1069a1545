"""Which trees a store has, and how their hierarchies are cut into splits, on which servers.

Every change gives back how to undo it, None if there was none. Undone are changes from the last to
the first, so whatever undoes one finds boundaries as that change left them.

A new split goes to a server and stays there until somebody moves it: the first of a hierarchy by
the hierarchy's number, one that is cut off to the server that has the fewest.

Not thread-safe: the store's mutex guards it, but for `trees`, which is read without.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from spanemu.storage.boundary import Boundary, Path
from spanemu.storage.layout import TreeId
from spanemu.storage.splits import Hierarchy, Split, Tree

SERVERS_DEFAULT = 8  # as many as a simulation has nodes unless told otherwise

Undo = Callable[[], object]


class SplitLocation(NamedTuple):
    """A split by where it begins: a hierarchy, a place in it, b"" for the first; and its server."""

    hierarchy: TreeId
    start: bytes
    server: int


class SplitMap:
    """The hierarchies of one store. `trees` leads from each tree to the one that holds it."""

    def __init__(self) -> None:
        self.servers = SERVERS_DEFAULT
        self.hierarchies: dict[TreeId, Hierarchy] = {}
        self.trees: dict[TreeId, Hierarchy] = {}

    # ------------------------------------------------------------------ trees

    def create(self, tree: TreeId, path: Path) -> Undo:
        """Make room for the rows of a tree, after those of `path` that it is interleaved in."""
        home = self.hierarchies.get(path[0])
        if home is None:
            home = self.hierarchies[path[0]] = Hierarchy(path[0], path[0] % self.servers)
        home.add(tree, path)
        self.trees[tree] = home
        return lambda: self.forget(tree)

    def drop(self, tree: TreeId) -> Undo:
        """Let go of a tree, its rows, and the boundaries between those."""
        hierarchy = self.trees[tree]
        merged = self.merge(hierarchy.inside(tree))
        path = hierarchy.paths[tree]
        kept = [(split.trees.get(tree), tree in split.owned) for split in hierarchy.splits]
        self.forget(tree)

        def undo() -> None:
            self.trees[tree] = self.hierarchies[hierarchy.root] = hierarchy
            for split, (rows, owned) in zip(hierarchy.splits, kept, strict=True):
                _put(split, tree, rows, owned)
            hierarchy.add(tree, path)
            if merged is not None:
                merged()

        return undo

    def forget(self, tree: TreeId) -> None:
        """Let go of a tree that no boundary depends on."""
        hierarchy = self.trees.pop(tree)
        hierarchy.remove(tree)
        if not hierarchy.paths:
            del self.hierarchies[hierarchy.root]

    # ------------------------------------------------------------------ boundaries

    def cut(self, boundaries: Iterable[Boundary]) -> tuple[list[Boundary], Undo | None]:
        """Put boundaries; those that were not there."""
        added: list[Boundary] = []
        for hierarchy, wanted in self._by_hierarchy(boundaries):
            fresh = hierarchy.cut(wanted)
            splits = hierarchy.beginning_at(fresh)
            for split, server in zip(splits, self._emptiest(len(fresh)), strict=True):
                split.server = server
            added += fresh
        return added, (lambda: self.merge(added)) if added else None

    def merge(self, boundaries: Iterable[Boundary]) -> Undo | None:
        """Take boundaries away."""
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
        """Put the split that begins at the place `start`, b"" for the first, on another server."""
        tiling = self.hierarchies[hierarchy].tiling
        split = tiling.beginning(start)
        before = split.server
        if before == server:
            return None
        split.server = server
        # Undone when the tiling is as it is now, though perhaps of other splits.
        return lambda: self._set_server(hierarchy, start, before)

    def _set_server(self, hierarchy: TreeId, start: bytes, server: int) -> None:
        self.hierarchies[hierarchy].tiling.beginning(start).server = server

    def _emptiest(self, count: int) -> Iterator[int]:
        """Servers for so many new splits, which count on them already."""
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
        grouped: dict[TreeId, list[Boundary]] = {}
        for boundary in boundaries:
            grouped.setdefault(boundary.hierarchy, []).append(boundary)
        for root, mine in grouped.items():
            if root in self.hierarchies:
                yield self.hierarchies[root], mine

    # ------------------------------------------------------------------ all of it

    def share(self) -> SplitMap:
        """The same for a clone, sharing every tree of rows."""
        twin = SplitMap()
        twin.servers = self.servers
        twin.hierarchies = {root: each.share() for root, each in self.hierarchies.items()}
        twin.trees = {tree: twin.hierarchies[each.root] for tree, each in self.trees.items()}
        return twin

    def boundaries(self, hierarchy: TreeId) -> tuple[Boundary, ...]:
        """Where a hierarchy is cut, in order."""
        found = self.hierarchies.get(hierarchy)
        return () if found is None else found.tiling.boundaries

    def starts(self, tree: TreeId) -> Sequence[bytes]:
        """For each split of its hierarchy the first key it may have of a tree; b"" to begin."""
        found = self.trees.get(tree)
        return (b"",) if found is None else found.tiling.starts[tree]

    def all_boundaries(self) -> list[Boundary]:
        """Where all hierarchies are cut."""
        tilings = [each.tiling for each in self.hierarchies.values()]
        return [boundary for tiling in tilings for boundary in tiling.boundaries]

    def rewind(self, at: int) -> None:
        """Forget what was written after `at`."""
        for hierarchy in self.hierarchies.values():
            for split in hierarchy.splits:
                split.rewind(at)

    def forget_history(self) -> None:
        """Keep the newest version of every row, as written at the beginning of time."""
        for hierarchy in self.hierarchies.values():
            for split in hierarchy.splits:
                split.forget_history()

    def check(self, last_commit: int) -> None:
        """Assert every invariant."""
        for hierarchy in self.hierarchies.values():
            hierarchy.check()
            for split in hierarchy.splits:
                for tree in split.trees.values():
                    assert all(version[0] <= last_commit for version in tree.values())

    def splits_with_keys(self, keys: Iterable[tuple[TreeId, bytes]]) -> set[SplitLocation]:
        """Where the splits begin that rows with those keys are in."""
        return self.splits_meeting((tree, key, key) for tree, key in keys)

    def splits_meeting(self, ranges: Iterable[tuple[TreeId, bytes, bytes]]) -> set[SplitLocation]:
        """Where the splits begin that ranges of trees reach into."""
        found: set[SplitLocation] = set()
        for tree, low, high in ranges:
            hierarchy = self.trees.get(tree)
            if hierarchy is None:
                continue
            tiling = hierarchy.tiling
            for number in hierarchy.numbers_over(tree, low, high):
                start = tiling.positions[number - 1] if number else b""
                found.add(SplitLocation(hierarchy.root, start, tiling.splits[number].server))
        return found


def _put(split: Split, tree: TreeId, rows: Tree | None, owned: bool) -> None:
    if rows is not None:
        split.trees[tree] = rows
        if owned:
            split.owned.add(tree)


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

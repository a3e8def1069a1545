"""The writes of a watched database in order, as places in one key space.

    place     hierarchy, 8 bytes | encoded key

Hierarchies lie one behind the other in order of creation, and in each of them rows and what is
interleaved with them as they are stored. Not published, and so the model's own: the order of
hierarchies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from spanemu.schema.schema import Schema
from spanemu.stats.keys import KeyShape
from spanemu.storage.layout import TreeId, hierarchy_of, tree_of
from spanemu.storage.observer import TreeWrite

Commit = tuple[int, tuple[TreeWrite, ...]]  # its timestamp, and what it wrote

HIERARCHY_BYTES = 8


@dataclass(frozen=True, slots=True)
class KeySpace:
    """Where the trees of a schema lie."""

    hierarchies: Mapping[TreeId, TreeId]
    roots: Mapping[TreeId, KeyShape]

    @classmethod
    def of(cls, schema: Schema) -> KeySpace:
        """The key space of a schema."""
        things = list(schema.sorted_things())
        hierarchies = {tree_of(thing): hierarchy_of(schema, thing) for thing in things}
        by_tree = {tree_of(thing): thing for thing in things}
        roots = {root: KeyShape(by_tree[root]) for root in set(hierarchies.values())}
        return cls(hierarchies, roots)

    def place(self, hierarchy: TreeId, key: bytes) -> bytes:
        """A key's place."""
        return hierarchy.to_bytes(HIERARCHY_BYTES, "big") + key

    def places(self, commits: Iterable[Commit]) -> list[bytes]:
        """Where every row of the commits lies, in the order in which they were written."""
        known = self.hierarchies
        return [
            self.place(known[tree], key)
            for _, writes in commits
            for tree, key, _ in writes
            if tree in known
        ]

    def root_of(self, place: bytes) -> bytes:
        """The place of the root row that a place lies under."""
        hierarchy = TreeId(int.from_bytes(place[:HIERARCHY_BYTES], "big"))
        pieces = self.roots[hierarchy].pieces(place[HIERARCHY_BYTES:])
        return place[: HIERARCHY_BYTES + sum(map(len, pieces))]


def boundaries_of(space: KeySpace, boundaries: Callable[[TreeId], Iterable[bytes]]) -> list[bytes]:
    """The places of the boundaries that a store has; `boundaries` gives those of a hierarchy."""
    return sorted(
        space.place(hierarchy, start)
        for hierarchy in space.roots
        for start in boundaries(hierarchy)
        if start
    )

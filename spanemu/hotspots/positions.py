"""Rows of a whole database as positions in one order, and the boundaries that may lie there.

    position     hierarchy, 8 bytes | position in the hierarchy (`storage.layout`)

Hierarchies follow one another in order of creation. Spanner does not publish that order; it is the
model's own. Under the policy `root_only` the position of a row is that of its root row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spanemu.base.rand import Randomness
from spanemu.hotspots.trace import Commit
from spanemu.schema.schema import Schema
from spanemu.storage.layout import (
    TREE_ID_BYTES,
    Boundary,
    BoundaryFinder,
    Origin,
    TreeId,
    root_boundary,
    tree_of,
)
from spanemu.storage.split_settings import SplitPolicy

SAMPLE_ROWS = 20_000  # enough rows to show the shape of a load


def hierarchy_position(hierarchy: TreeId) -> bytes:
    """Return the position at which a hierarchy begins."""
    return hierarchy.to_bytes(TREE_ID_BYTES, "big")


def position_of(boundary: Boundary) -> bytes:
    """Return the position of a boundary."""
    return hierarchy_position(boundary.hierarchy) + boundary.position


class Positions:
    """The positions of the rows of a schema."""

    def __init__(self, schema: Schema, policy: SplitPolicy) -> None:
        self._modern = policy is SplitPolicy.MODERN
        self.boundary_finders = {
            tree_of(relation): BoundaryFinder(schema, relation)
            for relation in schema.tables_and_indexes()
        }
        # Under `modern`: for each position returned, the boundaries of the rows above and its own.
        self._levels: dict[bytes, tuple[bytes, ...]] = {}
        self._boundaries: dict[bytes, Boundary] = {}

    def candidate(self, tree: TreeId, key: bytes, origin: Origin = Origin.LOAD) -> Boundary:
        """Return the boundary nearest to a row at which the policy allows a split to begin."""
        finder = self.boundary_finders[tree]
        return (finder.before if self._modern else finder.root)(key, origin)

    def position(self, tree: TreeId, key: bytes) -> bytes:
        """Return the position of a row in a tree of the schema."""
        return self.register(self.candidate(tree, key))

    def register(self, boundary: Boundary) -> bytes:
        """Return the position of a boundary, and remember the boundaries above it."""
        position = position_of(boundary)
        if self._modern and position not in self._levels:
            ancestors = boundary.above()
            levels = [position_of(ancestor) for ancestor in ancestors]
            self._levels[position] = tuple(levels)
            self._boundaries.update(zip(levels, ancestors, strict=True))
        return position

    def levels(self, position: bytes) -> Sequence[bytes]:
        """Return the positions, root first, of a row's ancestors and of the row.

        Boundaries may lie at these positions.
        """
        return self._levels[position] if self._modern else (position,)

    def boundary(self, position: bytes) -> Boundary:
        """Return the boundary at a position that this object has returned."""
        if self._modern:
            return self._boundaries[position]
        hierarchy = TreeId(int.from_bytes(position[:TREE_ID_BYTES], "big"))
        return root_boundary(hierarchy, position[TREE_ID_BYTES:], Origin.LOAD)

    def trace(self, commits: Iterable[Commit]) -> list[bytes]:
        """Return the position of every row of the commits, in the order of writing."""
        return [self.position(tree, key) for tree, key in self._rows(commits)]

    def sample(self, commits: Iterable[Commit]) -> list[bytes]:
        """Return the positions of at most `SAMPLE_ROWS` rows, the same rows every time.

        The rows are drawn at random: every n-th row of interleaved streams could be of one stream
        only.
        """
        rows = self._rows(commits)
        if len(rows) > SAMPLE_ROWS:
            chosen = sorted(Randomness(0).generator.sample(range(len(rows)), SAMPLE_ROWS))
            rows = [rows[number] for number in chosen]
        return [self.position(tree, key) for tree, key in rows]

    def _rows(self, commits: Iterable[Commit]) -> list[tuple[TreeId, bytes]]:
        register = self.boundary_finders
        return [(tree, key) for _, writes in commits for tree, key, _ in writes if tree in register]

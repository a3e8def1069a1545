"""Rows of a whole database as places in one order, and the boundaries that may fall there.

    place     hierarchy, 8 bytes | place in the hierarchy (`storage.boundary`)

Hierarchies lie one behind the other in order of creation. Not published, and so the model's own:
that order. Under the policy `root_only` a row's place is that of its root row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spanemu.base.rand import Randomness
from spanemu.hotspots.simulation.settings import SplitPolicy
from spanemu.hotspots.trace import Commit
from spanemu.schema.schema import Schema
from spanemu.storage.boundary import TREE_ID_BYTES, Boundary, BoundaryFinder, Origin, root_boundary
from spanemu.storage.layout import TreeId, tree_of

SAMPLE_ROWS = 20_000  # which show a load's shape as well as any more


def hierarchy_place(hierarchy: TreeId) -> bytes:
    """Where a hierarchy begins."""
    return hierarchy.to_bytes(TREE_ID_BYTES, "big")


def place_of(boundary: Boundary) -> bytes:
    """Where a boundary is."""
    return hierarchy_place(boundary.hierarchy) + boundary.position


class Positions:
    """The places of the rows of a schema."""

    def __init__(self, schema: Schema, policy: SplitPolicy) -> None:
        self._modern = policy is SplitPolicy.MODERN
        self.boundary_finders = {
            tree_of(thing): BoundaryFinder(schema, thing) for thing in schema.tables_and_indexes()
        }
        # Under `modern`: for each place that was given out the boundaries above it and its own.
        self._levels: dict[bytes, tuple[bytes, ...]] = {}
        self._boundaries: dict[bytes, Boundary] = {}

    def candidate(self, tree: TreeId, key: bytes, origin: Origin = Origin.LOAD) -> Boundary:
        """The boundary nearest to a row, where the policy lets one be."""
        placing = self.boundary_finders[tree]
        return (placing.before if self._modern else placing.root)(key, origin)

    def place(self, tree: TreeId, key: bytes) -> bytes:
        """Where a row of a tree of the schema lies."""
        return self.known(self.candidate(tree, key))

    def known(self, boundary: Boundary) -> bytes:
        """The place of a boundary."""
        place = place_of(boundary)
        if self._modern and place not in self._levels:
            above = boundary.above()
            levels = [place_of(each) for each in above]
            self._levels[place] = tuple(levels)
            self._boundaries.update(zip(levels, above, strict=True))
        return place

    def levels(self, place: bytes) -> Sequence[bytes]:
        """The places of the rows above a row and its own, root first, where boundaries may be."""
        return self._levels[place] if self._modern else (place,)

    def boundary(self, place: bytes) -> Boundary:
        """The boundary at a place that was given out."""
        if self._modern:
            return self._boundaries[place]
        hierarchy = TreeId(int.from_bytes(place[:TREE_ID_BYTES], "big"))
        return root_boundary(hierarchy, place[TREE_ID_BYTES:], Origin.LOAD)

    def trace(self, commits: Iterable[Commit]) -> list[bytes]:
        """Where every row of the commits lies, in the order in which they were written."""
        return [self.place(tree, key) for tree, key in self._rows(commits)]

    def sample(self, commits: Iterable[Commit]) -> list[bytes]:
        """The same of `SAMPLE_ROWS` of them where there are more: the same ones every time.

        Drawn, and not every n-th, which of rows that come in turns would be all of one kind.
        """
        rows = self._rows(commits)
        if len(rows) > SAMPLE_ROWS:
            chosen = sorted(Randomness(0).generator.sample(range(len(rows)), SAMPLE_ROWS))
            rows = [rows[number] for number in chosen]
        return [self.place(tree, key) for tree, key in rows]

    def _rows(self, commits: Iterable[Commit]) -> list[tuple[TreeId, bytes]]:
        known = self.boundary_finders
        return [(tree, key) for _, writes in commits for tree, key, _ in writes if tree in known]

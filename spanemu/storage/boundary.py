"""Boundaries of splits: each lies before one row of a hierarchy, which may or may not exist.

The rows of a hierarchy have one order: a row, then the rows interleaved in it, table by table in
the order of creation, then the next row. A boundary between them cuts every tree:

    before Songs(1, 2, 1)     Singers   after 1        Albums  after 1/2
                              Songs     before 1/2/1   Fans    (created after Albums) before 1/...

Under the policy `root_only` (`hotspots.split_model`) every boundary is that of a root row,
and the cut is the same in all trees: every child's key begins with its root row's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from enum import StrEnum

from spanemu.base.record import dataclass
from spanemu.schema.index import TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId, lineage, parts_of, tree_of
from spanemu.values.key import after_prefix, decode_part, successor

TREE_ID_BYTES = 8

Path = tuple[TreeId, ...]  # the trees that a tree is interleaved in, root first, then itself


class Origin(StrEnum):
    """The creator of a boundary. The model removes only boundaries that the model created."""

    SIZE = "size"
    LOAD = "load"
    USER = "user"  # AddSplitPoints
    TEST = "test"

    @property
    def is_pinned(self) -> bool:
        """Return whether the boundary stays without load."""
        return self in (Origin.USER, Origin.TEST)


@dataclass(frozen=True, slots=True)
class Boundary:
    """A boundary before one row of a hierarchy.

    `path` is the path of the row's tree. `keys` are the encoded keys of the rows above, and of the
    row itself; each begins with the key before.
    """

    path: Path
    keys: tuple[bytes, ...]
    origin: Origin = field(default=Origin.TEST, compare=False)

    @property
    def hierarchy(self) -> TreeId:
        """The hierarchy that the boundary divides."""
        return self.path[0]

    @property
    def key(self) -> bytes:
        """The row's encoded key."""
        return self.keys[-1]

    @property
    def position(self) -> bytes:
        """Bytes that sort like the boundaries and rows of one hierarchy."""
        parts = [self.keys[0]]
        for depth in range(1, len(self.keys)):
            parts.append(self.path[depth].to_bytes(TREE_ID_BYTES, "big"))
            parts.append(self.keys[depth][len(self.keys[depth - 1]) :])
        return b"".join(parts)

    def above(self) -> Sequence[Boundary]:
        """Return the boundaries before the rows above, root first, and this boundary."""
        depths = range(1, len(self.path) + 1)
        return [Boundary(self.path[:d], self.keys[:d], self.origin) for d in depths]

    def cut(self, path: Path) -> bytes:
        """Return the first key, in the tree of `path`, that does not lie below the boundary."""
        depth = 0
        while depth < min(len(path), len(self.path)) and path[depth] == self.path[depth]:
            depth += 1
        if depth == len(self.path):
            return self.key  # The same tree, or one below it: keys compare directly.
        if depth == len(path):
            return successor(self.keys[depth - 1])  # A row lies before the rows interleaved in it.
        shared = self.keys[depth - 1]  # The paths diverge below this row, table by table.
        return after_prefix(shared) if path[depth] < self.path[depth] else shared


def root_boundary(hierarchy: TreeId, key: bytes, origin: Origin = Origin.TEST) -> Boundary:
    """Return the boundary before a root row."""
    return Boundary((hierarchy,), (key,), origin)


def path_of(schema: Schema, source: TableOrIndex) -> Path:
    """Return the path of a table's or an index's tree."""
    return tuple(tree_of(each) for each in lineage(schema, source))


class BoundaryFinder:
    """A function from encoded keys of one table or index to boundaries before the rows."""

    def __init__(self, schema: Schema, source: TableOrIndex) -> None:
        self.path = path_of(schema, source)
        self._codes = [part.column.type.code for part in parts_of(source)]
        self._widths = [len(parts_of(each)) for each in lineage(schema, source)][:-1]

    def before(self, key: bytes, origin: Origin = Origin.TEST) -> Boundary:
        """Return the boundary before the row.

        `key` may be a prefix that contains the complete keys of all rows above.
        """
        return Boundary(self.path, (*self._above(key), key), origin)

    def root(self, key: bytes, origin: Origin = Origin.TEST) -> Boundary:
        """Return the boundary before the root row above the row."""
        return Boundary(self.path[:1], (*self._above(key), key)[:1], origin)

    def _above(self, key: bytes) -> list[bytes]:
        if not self._widths:
            return []
        ends, at = [0], 0
        for code in self._codes[: self._widths[-1]]:
            _, at = decode_part(code, key, at)
            ends.append(at)
        return [key[: ends[width]] for width in self._widths]

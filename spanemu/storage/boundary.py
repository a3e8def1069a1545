"""Where a split begins: before one row of a hierarchy, there or not.

Rows of a hierarchy lie in one order: a row, then what is interleaved in it, table by table in order
of creation, then the next row. A boundary between them is a cut through every tree:

    before Songs(1, 2, 1)     Singers   after 1        Albums  after 1/2
                              Songs     before 1/2/1   Fans    (created after Albums) before 1/...

Under the policy `root_only` (`hotspots.simulation.settings`) a boundary is always a root row's, and
the cut is the same in all trees: every child's key begins with its root row's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.layout import TreeId, lineage, parts_of, tree_of
from spanemu.values.key import after_prefix, decode_part, successor

TREE_ID_BYTES = 8

Path = tuple[TreeId, ...]  # a tree with all that it is interleaved in, root first


class Origin(StrEnum):
    """Who put a boundary where it is. Only what the model put there may be taken away by it."""

    SIZE = "size"
    LOAD = "load"
    USER = "user"  # AddSplitPoints
    TEST = "test"

    @property
    def is_pinned(self) -> bool:
        """Whether it stays, however quiet it is around it."""
        return self in (Origin.USER, Origin.TEST)


@dataclass(frozen=True, slots=True)
class Boundary:
    """`path` is that of the row's tree; `keys` are the encoded keys of the rows above it and its
    own, each of which begins with the one before.
    """

    path: Path
    keys: tuple[bytes, ...]
    origin: Origin = field(default=Origin.TEST, compare=False)

    @property
    def hierarchy(self) -> TreeId:
        """The hierarchy that it divides."""
        return self.path[0]

    @property
    def key(self) -> bytes:
        """The row's encoded key."""
        return self.keys[-1]

    @property
    def position(self) -> bytes:
        """Bytes in whose order boundaries and rows of one hierarchy lie."""
        found = [self.keys[0]]
        for depth in range(1, len(self.keys)):
            found.append(self.path[depth].to_bytes(TREE_ID_BYTES, "big"))
            found.append(self.keys[depth][len(self.keys[depth - 1]) :])
        return b"".join(found)

    def above(self) -> Sequence[Boundary]:
        """Those before the rows that it lies under, root first, and itself."""
        depths = range(1, len(self.path) + 1)
        return [Boundary(self.path[:d], self.keys[:d], self.origin) for d in depths]

    def cut(self, path: Path) -> bytes:
        """The first key of the tree of that path which is not below the boundary."""
        depth = 0
        while depth < min(len(path), len(self.path)) and path[depth] == self.path[depth]:
            depth += 1
        if depth == len(self.path):
            return self.key  # A row of the same tree or of one below it: keys compare as they are.
        if depth == len(path):
            return successor(self.keys[depth - 1])  # A row above lies before what is below it.
        shared = self.keys[depth - 1]  # They part below this row, where tables follow each other.
        return after_prefix(shared) if path[depth] < self.path[depth] else shared


def root_boundary(hierarchy: TreeId, key: bytes, origin: Origin = Origin.TEST) -> Boundary:
    """The boundary before a root row."""
    return Boundary((hierarchy,), (key,), origin)


def path_of(schema: Schema, source: Table | Index) -> Path:
    """The path of a table's or an index's tree."""
    return tuple(tree_of(each) for each in lineage(schema, source))


class BoundaryFinder:
    """Finds the boundary before a row of one table or index, given its encoded key."""

    def __init__(self, schema: Schema, source: Table | Index) -> None:
        self.path = path_of(schema, source)
        self._shapes = [(part.column.type.code, part.descending) for part in parts_of(source)]
        self._widths = [len(parts_of(each)) for each in lineage(schema, source)][:-1]

    def before(self, key: bytes, origin: Origin = Origin.TEST) -> Boundary:
        """The boundary before the row; `key` may stop early where all of the above are whole."""
        return Boundary(self.path, (*self._above(key), key), origin)

    def root(self, key: bytes, origin: Origin = Origin.TEST) -> Boundary:
        """The boundary before the root row that it lies under."""
        return Boundary(self.path[:1], (*self._above(key), key)[:1], origin)

    def _above(self, key: bytes) -> list[bytes]:
        if not self._widths:
            return []
        ends, at = [0], 0
        for code, descending in self._shapes[: self._widths[-1]]:
            _, at = decode_part(code, descending, key, at)
            ends.append(at)
        return [key[: ends[width]] for width in self._widths]

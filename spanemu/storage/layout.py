"""The layout of rows: each table and index is a tree of keys in a hierarchy, cut by boundaries.

A hierarchy is a root table with all tables interleaved in it, or a top-level index. A child's
encoded key begins with its parent's (`values.key`). So one boundary, the encoded key of a root
row, cuts all trees of a hierarchy between the same two families of rows:

    boundary           1                2                3
    Singers      ......1................2................3.........
    Albums       ......1/1..1/2.........2/1..2/2.........
    Songs        ...........1/2/1.......

`TreeId` is the id of the table or index in the schema; ids are never reused.

A boundary of splits may lie before any row of a hierarchy, whether that row exists or not. The rows
have one order: a row, then the rows interleaved in it, table by table in the order of creation,
then the next row. A boundary between them cuts every tree:

    before Songs(1, 2, 1)     Singers   after 1        Albums  after 1/2
                              Songs     before 1/2/1   Fans    (created after Albums) before 1/...

Under the policy `root_only` (`hotspots.split_model`) every boundary is that of a root row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from enum import StrEnum
from typing import Any, NewType

from spanemu.base.deadline_checks import interruptible
from spanemu.base.record import dataclass
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import KeyPart, Table
from spanemu.values.key import ByteRange, after_prefix, decode_part, key_encoder, successor

TreeId = NewType("TreeId", int)
TREE_ID_BYTES = 8

Path = tuple[TreeId, ...]  # the trees that a tree is interleaved in, root first, then itself


def tree_of(source: TableOrIndex) -> TreeId:
    """Return the tree of a table's rows, or of an index's entries."""
    return TreeId(source.id)


def hierarchy_of(schema: Schema, source: TableOrIndex) -> TreeId:
    """Return the hierarchy of a table or an index, named by its root's tree."""
    if isinstance(source, Table):
        return tree_of(schema.root(source))
    parent = schema.index_within(source)
    return tree_of(source) if parent is None else tree_of(schema.root(parent))


def parts_of(source: TableOrIndex) -> tuple[KeyPart, ...]:
    """Return the parts of the key that sorts a table's rows, or an index's entries."""
    return source.key if isinstance(source, Table) else source.full_key


def encoder_of(parts: Sequence[KeyPart]) -> Callable[[Sequence[Any]], bytes]:
    """Return a function from values of key parts, or of a prefix, to order-preserving bytes."""
    return key_encoder(tuple((part.column.type, part.order) for part in parts))


def key_reader(source: TableOrIndex) -> Callable[[Sequence[Any]], bytes]:
    """Return a function from a stored row or an index entry to its encoded key."""
    parts = parts_of(source)
    encode = encoder_of(parts)
    positions = source.key_positions if isinstance(source, Table) else range(len(parts))
    return lambda row: encode([row[position] for position in positions])


def lineage(schema: Schema, source: TableOrIndex) -> Iterator[TableOrIndex]:
    """Yield the tables that `source` is interleaved in, root first, then `source`."""
    above = schema.parent(source) if isinstance(source, Table) else schema.index_within(source)
    if above is not None:
        yield from lineage(schema, above)
    yield source


EVERYTHING: tuple[ByteRange, ...] = ((b"", b"\xff" * 64),)  # greater than every encoded key


def in_order(ranges: Sequence[ByteRange] | None, *, descending: bool) -> Iterable[ByteRange]:
    """Return the ranges in scan order; None stands for all keys.

    There may be many ranges without any rows, so the deadline is checked between them.
    """
    if ranges is None:
        return EVERYTHING
    return interruptible(ranges[::-1] if descending else ranges)


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
        """The position as bytes, which sort as the boundaries and rows of one hierarchy do."""
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

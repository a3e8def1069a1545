"""About how many bytes rows take, as Spanner's page on storage counts: 8 for a cell, and its value.

Nothing is counted when rows are written. A tree's size is its number of keys times the mean of a
few rows that lie evenly in it; for a tree of no more rows than that it is exact.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from spanemu.storage.splits import Split, Tree

ROWS_SAMPLED = 32
CELL_BYTES = 8
_FIXED = {bool: 1, int: 8, float: 8, Decimal: 12}
_OTHER_BYTES = 16


def cell_bytes(value: Any) -> int:
    """What one cell takes; NULL takes nothing."""
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
    return CELL_BYTES + _OTHER_BYTES


def sampled(tree: Tree, begin: int = 0, end: int | None = None) -> list[tuple[bytes, int]]:
    """Keys that lie evenly in a part of a tree, with the bytes that each stands for."""
    count = (len(tree) if end is None else end) - begin
    if count <= 0:
        return []
    looks = min(count, ROWS_SAMPLED)
    keys = tree.keys()
    found = []
    for look in range(looks):
        first, last = look * count // looks, (look + 1) * count // looks
        key = keys[begin + first]
        row = tree[key][1]
        size = 0 if row is None else sum(map(cell_bytes, row))
        found.append((key, size * (last - first)))
    return found


def tree_bytes(tree: Tree) -> int:
    """About what a tree of rows takes."""
    return sum(size for _, size in sampled(tree))


def split_bytes(split: Split) -> int:
    """About what the rows of a split take."""
    return sum(map(tree_bytes, split.trees.values()))


def split_rows(split: Split) -> int:
    """How many keys a split has, recently deleted ones included."""
    return sum(map(len, split.trees.values()))

"""Estimated sizes of rows, as Spanner's page on storage counts: 8 bytes for a cell, and its value.

Writes count nothing. The size of a tree is its number of keys times the mean size of a few evenly
spaced rows; it is exact for a tree of at most `ROWS_SAMPLED` rows.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from spanemu.storage.split_map import SplitMap
from spanemu.storage.splits import Split
from spanemu.storage.tree import Tree

ROWS_SAMPLED = 32
CELL_BYTES = 8
_FIXED = {bool: 1, int: 8, float: 8, Decimal: 12}
_OTHER_BYTES = 16


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
    return CELL_BYTES + _OTHER_BYTES


def sampled(
    tree: Tree, begin: int = 0, end: int | None = None, samples_max: int = ROWS_SAMPLED
) -> list[tuple[bytes, int]]:
    """Return evenly spaced keys of a part of a tree, with the bytes that each stands for."""
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

"""Rows by the vectors of a column, as a store gathers them and a search reads them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import compress
from operator import not_
from typing import Any

from spanemu.base.record import NamedTuple

Row = tuple[Any, ...]


class VectorColumn(NamedTuple):
    """A column of vectors: its tree, its position in a row, and the number of its elements."""

    tree: int
    position: int
    length: int


class Gathered:
    """The rows of a tree as of one timestamp, in key order, which never change.

    `keys` and `rows` are those of the rows with a vector, `null_keys` and `null_rows` those of the
    rows without. `kept` is for what a search derives from the vectors, such as a matrix.
    """

    __slots__ = (
        "__weakref__",
        "column",
        "kept",
        "keys",
        "null_keys",
        "null_rows",
        "rows",
    )

    def __init__(self, column: VectorColumn, items: Sequence[tuple[bytes, Row]]) -> None:
        position = column.position
        self.column = column
        held = [len(row) > position and row[position] is not None for _, row in items]
        self.keys: list[bytes] = [key for key, _ in compress(items, held)]
        self.rows: list[Row] = [row for _, row in compress(items, held)]
        nulls = [] if all(held) else list(compress(items, map(not_, held)))
        self.null_keys: list[bytes] = [key for key, _ in nulls]
        self.null_rows: list[Row] = [row for _, row in nulls]
        self.kept: Any = None

    def places(self, keys: Collection[bytes]) -> list[int]:
        """Return the numbers of the rows with vectors that have one of the keys."""
        places = []
        for key in keys:
            number = bisect_left(self.keys, key)
            if number < len(self.keys) and self.keys[number] == key:
                places.append(number)
        return places


class VectorView(NamedTuple):
    """The rows that a search sees: the gathered ones, but for those with the `hidden` keys, and the
    `fresh` ones, with their keys.
    """

    gathered: Gathered
    hidden: frozenset[bytes]
    fresh: Sequence[tuple[bytes, Row]]

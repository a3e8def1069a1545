"""Cuts of a split that has grown too large, in halves, until each part fits or cannot be cut.

Sizes are estimated from a few rows of each part (`storage.split_map`), so the cost grows with the
number of parts, not of rows. Nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from spanemu.hotspots.positions import Positions
from spanemu.storage.layout import Boundary, Origin, Path, TreeId
from spanemu.storage.split_map import sampled
from spanemu.storage.splits import Split
from spanemu.values.key import after_prefix

Part = dict[TreeId, tuple[int, int]]  # for each tree, a range of row numbers
Sized = tuple[bytes, int]  # a row's position, and the bytes it represents


class SizeCuts:
    """The size limit of a hierarchy's splits, applied to a split by `of`."""

    def __init__(self, positions: Positions, paths: Mapping[TreeId, Path], bytes_max: int) -> None:
        self._positions = positions
        self._paths = paths
        self._bytes_max = bytes_max

    def of(self, split: Split) -> Iterator[Boundary]:
        """Yield the boundaries to add to a split, in no order."""
        todo: list[Part] = [{tree: (0, len(rows)) for tree, rows in split.trees.items()}]
        while todo:
            part = todo.pop()
            rows = self._rows(split, part)
            if sum(size for _, size in rows) > self._bytes_max:
                for at in self._halves(split, part, rows):
                    below, above = self._parted(split, part, at)
                    if _has_rows(below) and _has_rows(above):
                        yield replace(at, origin=Origin.SIZE)
                        todo += (below, above)
                        break

    def _rows(self, split: Split, part: Part) -> list[Sized]:
        return sorted(
            (self._positions.position(tree, key), size)
            for tree, (first, last) in part.items()
            for key, size in sampled(split.trees[tree], first, last)
        )

    def _halves(self, split: Split, part: Part, rows: Sequence[Sized]) -> Iterator[Boundary]:
        """Yield boundaries that divide the bytes about in half, nearest to the root first."""
        positions = self._positions
        for level in range(max(len(positions.levels(row)) for row, _ in rows)):
            starts = [(_at_level(positions, row, level), size) for row, size in rows]
            first = starts[0][0]
            at = _half_way([start for start in starts if start[0] > first])
            boundary = self._next_row(split, part, first) if at is None else positions.boundary(at)
            if boundary is not None:
                yield boundary

    def _next_row(self, split: Split, part: Part, row: bytes) -> Boundary | None:
        """Return the boundary nearest to the root behind a row and the rows interleaved in it."""
        boundary, positions = self._positions.boundary(row), self._positions
        behind = replace(boundary, keys=(*boundary.keys[:-1], after_prefix(boundary.key)))
        candidates = []
        for tree, (_, last) in part.items():
            rows = split.trees[tree]
            first = rows.bisect_left(behind.cut(self._paths[tree]))
            if first < last:
                levels = positions.levels(positions.position(tree, rows.key_at(first)))
                candidates += [level for level in levels if level > row]
        return positions.boundary(min(candidates)) if candidates else None

    def _parted(self, split: Split, part: Part, at: Boundary) -> tuple[Part, Part]:
        below: Part = {}
        above: Part = {}
        for tree, (first, last) in part.items():
            cut = split.trees[tree].bisect_left(at.cut(self._paths[tree]))
            cut = min(max(cut, first), last)
            below[tree], above[tree] = (first, cut), (cut, last)
        return below, above


def _has_rows(part: Part) -> bool:
    return any(first < last for first, last in part.values())


def _at_level(positions: Positions, row: bytes, level: int) -> bytes:
    levels = positions.levels(row)
    return levels[min(level, len(levels) - 1)]


def _half_way(rows: Sequence[Sized]) -> bytes | None:
    """Return the first row of the sorted `rows` with at least half of the bytes before it."""
    total, passed = sum(size for _, size in rows), 0
    for row, size in rows:
        if 2 * passed >= total:
            return row
        passed += size
    return rows[-1][0] if rows else None

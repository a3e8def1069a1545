"""Where to cut a split that has grown too large: in halves, until every part has its size or cannot
be cut any more.

Sizes are estimated from a few rows of each part (`storage.sizes`), so what this costs grows with
the number of parts, not of rows. Nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from spanemu.hotspots.positions import Positions
from spanemu.storage.boundary import Boundary, Origin, Path
from spanemu.storage.layout import TreeId
from spanemu.storage.sizes import sampled
from spanemu.storage.splits import Split
from spanemu.values.key import after_prefix

Part = dict[TreeId, tuple[int, int]]  # of each tree the rows from one number up to another
Sized = tuple[bytes, int]  # a row's place, and the bytes that it stands for


class SizeCuts:
    """Cuts splits of a hierarchy with trees of those paths, into parts of so many bytes."""

    def __init__(self, places: Positions, paths: Mapping[TreeId, Path], bytes_max: int) -> None:
        self._places = places
        self._paths = paths
        self._bytes_max = bytes_max

    def of(self, split: Split) -> Iterator[Boundary]:
        """The boundaries that a split should get, in no order."""
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
            (self._places.place(tree, key), size)
            for tree, (first, last) in part.items()
            for key, size in sampled(split.trees[tree], first, last)
        )

    def _halves(self, split: Split, part: Part, rows: Sequence[Sized]) -> Iterator[Boundary]:
        """Boundaries by which about half of the bytes are reached, near to the root first."""
        places = self._places
        for level in range(max(len(places.levels(row)) for row, _ in rows)):
            seen = [(_at_level(places, row, level), size) for row, size in rows]
            at = _half_way([each for each in seen if each[0] > seen[0][0]])
            found = self._next_row(split, part, seen[0][0]) if at is None else places.boundary(at)
            if found is not None:
                yield found

    def _next_row(self, split: Split, part: Part, row: bytes) -> Boundary | None:
        """The boundary nearest to the root after a row with all that is interleaved in it."""
        boundary, places = self._places.boundary(row), self._places
        behind = replace(boundary, keys=(*boundary.keys[:-1], after_prefix(boundary.key)))
        found = []
        for tree, (_, last) in part.items():
            rows = split.trees[tree]
            first = rows.bisect_left(behind.cut(self._paths[tree]))
            if first < last:
                place = places.place(tree, rows.keys()[first])
                found += [each for each in places.levels(place) if each > row]
        return places.boundary(min(found)) if found else None

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


def _at_level(places: Positions, row: bytes, level: int) -> bytes:
    levels = places.levels(row)
    return levels[min(level, len(levels) - 1)]


def _half_way(rows: Sequence[Sized]) -> bytes | None:
    """Of rows in order the one before which half of the bytes lie, or nearly."""
    total, passed = sum(size for _, size in rows), 0
    for row, size in rows:
        if 2 * passed >= total:
            return row
        passed += size
    return rows[-1][0] if rows else None

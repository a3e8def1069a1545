"""A picture of where writes fell: ranges of keys from top to bottom, commits from left to right.

    Orders      ###.........      a monotonic table: one bright diagonal, falling
                ...###......
                ......###...
    Users       .#..#.#..#.#      random keys: an even mix
                #.#.#..#.#..

Ranges are quantiles of the keys that were there at the end, so that a range is no wider because it
was written late. Tables and indexes come by name, keys by their order, the smallest at the top.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log

from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.stats.keys import KeyShape
from spanemu.stats.samples import rank_correlation
from spanemu.stats.trace import Commit
from spanemu.storage.layout import TreeId, tree_of

RANGES_MAX = 500  # of all tables and indexes together
COLUMNS_MAX = 120
FEW_KEYS = 8  # below it a table's ranges are single rows
SHADES = " .:-=+*#%@"

# Patterns (Key Visualizer's names) are told from the matrix alone.
DIAGONAL_CORRELATION_MIN = 0.9
EVEN_ENTROPY_MIN = 0.85
PERSISTENT_PART_MIN = 0.8
SUDDEN_START_MIN = 0.2
PATTERN_CELLS_MIN = 12


class Metric(StrEnum):
    """What a cell counts."""

    WRITTEN = "rows written"
    DELETED = "rows deleted"
    BYTES = "bytes written"


class Pattern(StrEnum):
    """What a picture looks like, in the words of Key Visualizer's page."""

    EVEN = "Evenly distributed writes"
    MONOTONIC = "Monotonically increasing keys"
    PERSISTENT = "Persistently hot key ranges"
    SUDDEN = "Sudden traffic increase"
    NONE = "No pattern"


Cells = list[list[int]]  # by range, then by column


@dataclass(frozen=True, slots=True)
class Band:
    """One table or index. `starts` are its ranges' first keys as text, in order."""

    name: str
    is_index: bool
    starts: tuple[str, ...]
    cells: Mapping[Metric, Cells]
    pattern: Pattern
    keys: int  # distinct ones

    @property
    def banners(self) -> tuple[str, ...]:
        """What a reader should know before he believes the picture."""
        found = []
        if self.pattern is Pattern.MONOTONIC:
            found.append("Monotonic keys")
        if self.keys < FEW_KEYS:
            found.append("Key space not to scale")
        rows = [sum(row) for row in self.cells[Metric.WRITTEN]]
        if self.keys > 1 and rows and max(rows) >= 0.5 * sum(rows) > 0 and len(rows) > 2:
            found.append("Hot range")
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Heatmap:
    """Bands by name over the same columns; a column is `commits_per_column` commits long."""

    bands: tuple[Band, ...]
    commits: int
    columns: int

    def text(self, width: int = 100) -> str:
        """For a terminal: one line a range, darker for more rows."""
        lines = []
        for band in self.bands:
            cells = band.cells[Metric.WRITTEN]
            most = max((max(row, default=0) for row in cells), default=0)
            lines.append(f"{band.name}: {band.pattern}")
            for start, row in zip(band.starts, cells, strict=True):
                lines.append(f"  {''.join(_shade(n, most) for n in row)}  {start}"[:width])
        return "\n".join(lines)


def _shade(count: int, most: int) -> str:
    if not count:
        return SHADES[0]
    return SHADES[1 + (len(SHADES) - 2) * count // most] if most else SHADES[0]


def build_heatmap(schema: Schema, commits: Sequence[Commit]) -> Heatmap:
    """The heatmap of commits, oldest first."""
    columns = max(1, min(COLUMNS_MAX, len(commits)))
    events: dict[TreeId, list[tuple[int, bytes, int]]] = {}
    for place, (_, writes) in enumerate(commits):
        column = place * columns // len(commits)
        for tree, key, row in writes:
            size = -1 if row is None else len(key) + _size(row)
            events.setdefault(tree, []).append((column, key, size))
    things = sorted(
        (thing for thing in schema.sorted_things() if tree_of(thing) in events),
        key=lambda thing: thing.name.lower(),
    )
    total = sum(len(events[tree_of(thing)]) for thing in things)
    bands = tuple(
        _band(thing, events[tree_of(thing)], columns, _room(len(events[tree_of(thing)]), total))
        for thing in things
    )
    return Heatmap(bands, len(commits), columns)


def _room(events: int, total: int) -> int:
    """How many ranges a table gets: by its part of the writes."""
    return max(1, round(RANGES_MAX * events / total))


def _size(row: Iterable[object]) -> int:
    """About how many bytes the cells of a row take."""
    return sum(len(cell) if isinstance(cell, str | bytes) else 8 for cell in row)


def _band(
    thing: Table | Index, events: Sequence[tuple[int, bytes, int]], columns: int, room: int
) -> Band:
    keys = sorted({key for _, key, _ in events})
    count = min(room, len(keys), columns)
    starts = [keys[n * len(keys) // count] for n in range(count)]
    cells = {metric: [[0] * columns for _ in starts] for metric in Metric}
    written, deleted, size = (cells[metric] for metric in Metric)
    for column, key, taken in events:
        place = max(0, bisect_right(starts, key) - 1)
        if taken < 0:
            deleted[place][column] += 1
        else:
            written[place][column] += 1
            size[place][column] += taken
    shape = KeyShape(thing)
    return Band(
        name=thing.name,
        is_index=isinstance(thing, Index),
        starts=tuple(map(shape.text, starts)),
        cells=cells,
        pattern=pattern_of(written),
        keys=len(keys),
    )


def pattern_of(cells: Cells) -> Pattern:
    """What the picture looks like."""
    if len(cells) < 2 or not cells[0] or len(cells[0]) < PATTERN_CELLS_MIN:
        return Pattern.NONE
    columns = list(zip(*cells, strict=True))
    centres = [
        sum(place * n for place, n in enumerate(column)) / sum(column)
        for column in columns
        if sum(column)
    ]
    if not centres:
        return Pattern.NONE
    follows = rank_correlation([round(centre * 1000).to_bytes(8, "big") for centre in centres])
    if abs(follows) >= DIAGONAL_CORRELATION_MIN:
        return Pattern.MONOTONIC
    return _standing(cells)


def _standing(cells: Cells) -> Pattern:
    rows = [sum(row) for row in cells]
    total = sum(rows)
    entropy = -sum(n / total * log(n / total) for n in rows if n) / log(len(rows))
    if entropy >= EVEN_ENTROPY_MIN:
        return Pattern.EVEN
    row = max(cells, key=sum)
    present = sum(n > 0 for n in row) / len(row)
    if present >= PERSISTENT_PART_MIN:
        return Pattern.PERSISTENT
    first = next(place for place, n in enumerate(row) if n) / len(row)
    return Pattern.SUDDEN if first >= SUDDEN_START_MIN else Pattern.NONE

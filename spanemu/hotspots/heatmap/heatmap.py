"""A picture of where load fell: ranges of keys from top to bottom, commits from left to right.

    Orders      ###.........      a monotonic table: one bright diagonal, falling
                ...###......
                ......###...
    Users       .#..#.#..#.#      random keys: an even mix
                #.#.#..#.#..

Ranges are quantiles of the keys that were there at the end, so that a range is no wider because it
was written late. Tables and indexes come by name, keys by their order, the smallest at the top.
Over it lie the boundaries of splits, and what a simulation makes of the same load.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from spanemu.hotspots.heatmap.overlay import Overlay
from spanemu.hotspots.heatmap.patterns import Cells, Pattern, is_single, pattern_of
from spanemu.hotspots.keys import KeyShape
from spanemu.hotspots.trace import Trace
from spanemu.schema.index import Index
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.layout import TreeId, tree_of

RANGES_MAX = 500  # of all tables and indexes together
COLUMNS_MAX = 120
FEW_KEYS = 8  # below it a table's ranges are single rows
SHADES = " .:-=+*#%@"
TEXT_LINES, TEXT_KEYS = 24, 34  # of text: lines a table, and characters for the key behind each


class Metric(StrEnum):
    """What a cell counts; what is simulated is in percent of what a server can do."""

    WRITTEN = "rows written"
    DELETED = "rows deleted"
    BYTES = "bytes written"
    READ = "rows read by key"
    CONFLICTS = "conflicts between transactions"
    SCORE = "load of the split, % of a server (simulated)"
    SERVER = "load of the server, % (simulated)"


COUNTED = (Metric.WRITTEN, Metric.DELETED, Metric.BYTES, Metric.READ, Metric.CONFLICTS)


@dataclass(frozen=True, slots=True)
class Band:
    """One table or index. `starts` are its ranges' first keys as text, in order.

    A metric without cells was nowhere seen; one that is simulated has a column a minute, and so
    have `splits` and `servers`: numbers of the split that a range begins in, and of its server.
    `boundaries` are ranges that a split of the database begins in.
    """

    name: str
    is_index: bool
    starts: tuple[str, ...]
    cells: Mapping[Metric, Cells]
    pattern: Pattern
    keys: int  # distinct ones
    boundaries: tuple[int, ...] = ()
    splits: Cells = field(default_factory=list)
    servers: Cells = field(default_factory=list)
    sources: tuple[str, ...] = ()

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
    """Bands by name over the same columns. Each column stands for `commits_per_column`, the last
    for what is left.
    """

    bands: tuple[Band, ...]
    commits: int
    columns: int
    commits_per_column: int = 1
    dropped: int = 0  # commits that came before the first one that was kept
    nodes: int = 0  # that were simulated

    def text(self, width: int = 100, metric: Metric = Metric.WRITTEN) -> str:
        """For a terminal `width` characters wide: darker for more. Ranges that do not fit are
        put together, as are columns.
        """
        lines = []
        across = max(1, min(self.columns, width - TEXT_KEYS))
        for band in self.bands:
            down = min(len(band.starts), TEXT_LINES)
            cells = _squeezed(band.cells.get(metric) or [[0]] * len(band.starts), down, across)
            most = max(max(row) for row in cells)
            lines.append(f"{band.name}: {band.pattern}")
            for place, row in enumerate(cells):
                start = band.starts[-(-place * len(band.starts) // down)]
                lines.append(f"  {''.join(_shade(n, most) for n in row)}  {start}"[:width])
        return "\n".join(lines)


def _squeezed(cells: Cells, down: int, across: int) -> Cells:
    """The same in fewer ranges and columns; sums, for what counts."""
    found = [[0] * across for _ in range(down)]
    for place, row in enumerate(cells):
        into = found[place * down // len(cells)]
        for column, count in enumerate(row):
            into[column * across // len(row)] += count
    return found


def _shade(count: int, most: int) -> str:
    if not count:
        return SHADES[0]
    return SHADES[1 + (len(SHADES) - 2) * count // most] if most else SHADES[0]


def build_heatmap(schema: Schema, trace: Trace, overlay: Overlay | None = None) -> Heatmap:
    """The heatmap of what was seen, oldest first."""
    commits = trace.commits
    per_column = max(1, -(-len(commits) // COLUMNS_MAX))
    columns = max(1, -(-len(commits) // per_column))
    events = _events(trace, per_column)
    things = sorted(
        (thing for thing in schema.tables_and_indexes() if tree_of(thing) in events),
        key=lambda thing: thing.name.lower(),
    )
    total = sum(len(events[tree_of(thing)]) for thing in things)
    bands = []
    for thing in things:
        found = events[tree_of(thing)]
        keys = sorted({key for _, key, _, _ in found})
        most = min(_room(len(found), total), columns)
        together = _keys_per_range(len(keys), most, per_column / max(1, len(commits)))
        made = _Band(thing, found, columns, keys[::together], len(keys))
        band = made.drawn(overlay, trace.sources.get(tree_of(thing), ()))
        is_plain = band.pattern is Pattern.NONE or len(band.starts) == 1
        if is_plain and len(things) > 1 and is_single(len(found), total):
            band = replace(band, pattern=Pattern.SINGLE_TABLE)
        bands.append(band)
    nodes = 0 if overlay is None else overlay.nodes
    return Heatmap(tuple(bands), len(commits), columns, per_column, trace.dropped, nodes)


Event = tuple[int, bytes, Metric, int]  # column, key, what it counts for, how many bytes


def _events(trace: Trace, per_column: int) -> dict[TreeId, list[Event]]:
    """Return what was written, read and fought for, by tree."""
    found: dict[TreeId, list[Event]] = {}
    for place, (_, writes) in enumerate(trace.commits):
        column = place // per_column
        for tree, key, row in writes:
            if row is None:
                event = (column, key, Metric.DELETED, 0)
            else:
                event = (column, key, Metric.WRITTEN, len(key) + _size(row))
            found.setdefault(tree, []).append(event)
    ats = [at for at, _ in trace.commits]
    for metric, touches in ((Metric.READ, trace.reads), (Metric.CONFLICTS, trace.conflicts)):
        for at, tree, key in touches:
            place = max(0, bisect_right(ats, at) - 1)
            column = place // per_column
            found.setdefault(tree, []).append((column, key, metric, 0))
    return found


def _keys_per_range(keys: int, ranges_max: int, column_share: float) -> int:
    """Return how many keys each range holds, so that at most `ranges_max` ranges are needed.

    It is a multiple of the keys that come with each column, where keys are only added: cells on the
    diagonal of a monotonic table then hold equally many, and none spills into its neighbour.
    """
    per_column = max(1, round(keys * column_share))
    return per_column * -(-keys // (per_column * ranges_max))


def _room(events: int, total: int) -> int:
    """How many ranges a table gets: by its part of the writes."""
    return max(1, round(RANGES_MAX * events / total))


def _size(row: Iterable[object]) -> int:
    """About how many bytes the cells of a row take."""
    size = 0
    for cell in row:
        size += len(cell) if isinstance(cell, (str, bytes)) else 8
    return size


class _Band:
    """One table or index while its cells are filled."""

    def __init__(
        self,
        thing: Table | Index,
        events: Sequence[Event],
        columns: int,
        starts: Sequence[bytes],
        keys: int,
    ) -> None:
        self._thing = thing
        self._keys = keys
        self._starts = starts
        self._cells = cells = {metric: [[0] * columns for _ in starts] for metric in COUNTED}
        size = cells[Metric.BYTES]
        for column, key, metric, taken in events:
            place = bisect_right(starts, key) - 1
            cells[metric][place][column] += 1
            if taken:
                size[place][column] += taken

    def drawn(self, overlay: Overlay | None, sources: Sequence[object]) -> Band:
        """The band, with what lies over it."""
        written = self._cells[Metric.WRITTEN]
        pattern = pattern_of(written if any(map(any, written)) else self._cells[Metric.READ])
        cells: dict[Metric, Cells] = {
            metric: found if any(map(any, found)) else [] for metric, found in self._cells.items()
        }
        if not cells[Metric.WRITTEN]:
            cells[Metric.WRITTEN] = self._cells[Metric.WRITTEN]
        boundaries: tuple[int, ...] = ()
        splits: Cells = []
        servers: Cells = []
        if overlay is not None:
            tree = tree_of(self._thing)
            # A boundary behind the last key divides nothing that was seen.
            found = {bisect_left(self._starts, start) for start in overlay.starts.get(tree, ())}
            boundaries = tuple(sorted(found - {0, len(self._starts)}))
            over = [overlay.minutes(tree, start) for start in self._starts]
            cells[Metric.SCORE] = [[minute.score for minute in row] for row in over]
            cells[Metric.SERVER] = [[minute.server_load for minute in row] for row in over]
            splits = [[minute.split for minute in row] for row in over]
            servers = [[minute.server for minute in row] for row in over]
        return Band(
            name=self._thing.name,
            is_index=isinstance(self._thing, Index),
            starts=tuple(map(KeyShape(self._thing).text, self._starts)),
            cells=cells,
            pattern=pattern,
            keys=self._keys,
            boundaries=boundaries,
            splits=splits,
            servers=servers,
            sources=tuple(map(str, sources)),
        )

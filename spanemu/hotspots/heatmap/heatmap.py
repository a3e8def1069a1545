"""The heatmap of a load: ranges of keys from top to bottom, commits from left to right.

    Orders      ###.........      a monotonic table: one bright diagonal, falling
                ...###......
                ......###...
    Users       .#..#.#..#.#      random keys: an even mix
                #.#.#..#.#..

Ranges are quantiles of all keys of the trace, so a range is no wider because its keys were written
late. Tables and indexes are sorted by name; keys by their order, the smallest at the top. The
boundaries of splits, and a simulation of the same load, are drawn over the picture.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from spanemu.hotspots.heatmap.patterns import Cells, Pattern, is_single, pattern_of
from spanemu.hotspots.positions import Positions
from spanemu.hotspots.simulation import replay
from spanemu.hotspots.split_info import KeyShape
from spanemu.hotspots.split_model import CutRules, Minute, SplitModel
from spanemu.hotspots.trace import Trace
from spanemu.schema.indexes import SortedIndex, TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId, tree_of

NODES = 8


@dataclass(frozen=True, slots=True)
class At:
    """The simulated split and server of a key in one minute.

    Loads are in percent of a server's capacity, 100 at most.
    """

    split: int
    server: int
    score: int
    server_load: int


class Overlay:
    """The splits drawn over the pictures of one database's tables.

    `starts` are the first keys of its splits by tree, `pinned` the positions of its boundaries.
    """

    def __init__(
        self,
        positions: Positions,
        starts: Mapping[TreeId, Sequence[bytes]],
        pinned: Sequence[bytes],
        trace: Trace,
        nodes: int = NODES,
    ) -> None:
        self.nodes = nodes
        self.starts = starts
        self._positions = positions
        keys = positions.sample(trace.commits)
        model = SplitModel(nodes, pinned, CutRules(positions.levels))
        self._minutes = replay(keys, model, nodes)
        self._split_starts = [[start for start, _ in minute.splits] for minute in self._minutes]

    def minutes(self, tree: TreeId, key: bytes) -> list[At]:
        """Return the split and server of a key in each minute."""
        position = self._positions.position(tree, key)
        return [
            _at(minute, bisect_right(starts, position) - 1)
            for minute, starts in zip(self._minutes, self._split_starts, strict=True)
        ]


def _at(minute: Minute, split: int) -> At:
    server = minute.homes[split]
    _, load = minute.splits[split]
    return At(split, server, _percent(load), _percent(minute.servers[server]))


def _percent(load: float) -> int:
    return min(100, round(100 * load))


RANGES_MAX = 500  # of all tables and indexes together
COLUMNS_MAX = 120
FEW_KEYS = 8  # below this number, a table's ranges are single rows
SHADES = " .:-=+*#%@"
TEXT_LINES, TEXT_KEYS = 24, 34  # of text: lines for a table, and characters for each key


class Metric(StrEnum):
    """The quantity in a cell; simulated quantities are in percent of a server's capacity."""

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
    """One table or index. `starts` are the first keys of its ranges as text, in order.

    A metric that was not observed has no cells. A simulated metric has one column for each minute,
    and so have `splits` and `servers`: the number of the split in which a range begins, and of its
    server. `boundaries` are the ranges in which a split of the database begins.
    """

    name: str
    is_index: bool
    starts: tuple[str, ...]
    cells: Mapping[Metric, Cells]
    pattern: Pattern
    keys: int  # distinct keys
    boundaries: tuple[int, ...] = ()
    splits: Cells = field(default_factory=list)
    servers: Cells = field(default_factory=list)
    sources: tuple[str, ...] = ()

    @property
    def banners(self) -> tuple[str, ...]:
        """The warnings that a reader needs before interpreting the picture."""
        banners = []
        if self.pattern is Pattern.MONOTONIC:
            banners.append("Monotonic keys")
        if self.keys < FEW_KEYS:
            banners.append("Key space not to scale")
        rows = [sum(row) for row in self.cells[Metric.WRITTEN]]
        if self.keys > 1 and rows and max(rows) >= 0.5 * sum(rows) > 0 and len(rows) > 2:
            banners.append("Hot range")
        return tuple(banners)


@dataclass(frozen=True, slots=True)
class Heatmap:
    """Bands, sorted by name, over the same columns.

    Each column stands for `commits_per_column` commits, the last column for the remaining ones.
    """

    bands: tuple[Band, ...]
    commits: int
    columns: int
    commits_per_column: int = 1
    dropped: int = 0  # commits before the first one kept
    nodes: int = 0  # simulated

    def text(self, width: int = 100, metric: Metric = Metric.WRITTEN) -> str:
        """Return the heatmap as text, `width` characters wide; a darker character means more load.

        Ranges that do not fit are merged, and so are columns.
        """
        lines = []
        across = max(1, min(self.columns, width - TEXT_KEYS))
        for band in self.bands:
            down = min(len(band.starts), TEXT_LINES)
            cells = _merged(band.cells.get(metric) or [[0]] * len(band.starts), down, across)
            most = max(max(row) for row in cells)
            lines.append(f"{band.name}: {band.pattern}")
            for index, row in enumerate(cells):
                start = band.starts[-(-index * len(band.starts) // down)]
                lines.append(f"  {''.join(_shade(n, most) for n in row)}  {start}"[:width])
        return "\n".join(lines)


def _merged(cells: Cells, down: int, across: int) -> Cells:
    """Return the cells merged into fewer ranges and columns, as sums."""
    merged = [[0] * across for _ in range(down)]
    for index, row in enumerate(cells):
        target = merged[index * down // len(cells)]
        for column, count in enumerate(row):
            target[column * across // len(row)] += count
    return merged


def _shade(count: int, most: int) -> str:
    if not count:
        return SHADES[0]
    return SHADES[1 + (len(SHADES) - 2) * count // most] if most else SHADES[0]


def build_heatmap(schema: Schema, trace: Trace, overlay: Overlay | None = None) -> Heatmap:
    """Build the heatmap of a trace."""
    commits = trace.commits
    per_column = max(1, -(-len(commits) // COLUMNS_MAX))
    columns = max(1, -(-len(commits) // per_column))
    events = _events(trace, per_column)
    relations = sorted(
        (relation for relation in schema.tables_and_indexes() if tree_of(relation) in events),
        key=lambda relation: relation.name.lower(),
    )
    total = sum(len(events[tree_of(relation)]) for relation in relations)
    bands = []
    for relation in relations:
        tree_events = events[tree_of(relation)]
        keys = sorted({key for _, key, _, _ in tree_events})
        most = min(_ranges_max(len(tree_events), total), columns)
        keys_per_range = _keys_per_range(len(keys), most, per_column / max(1, len(commits)))
        builder = _BandBuilder(relation, tree_events, columns, keys[::keys_per_range], len(keys))
        band = builder.build(overlay, trace.sources.get(tree_of(relation), ()))
        is_plain = band.pattern is Pattern.NONE or len(band.starts) == 1
        if is_plain and len(relations) > 1 and is_single(len(tree_events), total):
            band = replace(band, pattern=Pattern.SINGLE_TABLE)
        bands.append(band)
    nodes = 0 if overlay is None else overlay.nodes
    return Heatmap(tuple(bands), len(commits), columns, per_column, trace.dropped, nodes)


Event = tuple[int, bytes, Metric, int]  # column, key, metric, number of bytes


def _events(trace: Trace, per_column: int) -> dict[TreeId, list[Event]]:
    """Return the rows written, read and in conflict, by tree."""
    events: dict[TreeId, list[Event]] = {}
    for index, (_, writes) in enumerate(trace.commits):
        column = index // per_column
        for tree, key, row in writes:
            if row is None:
                event = (column, key, Metric.DELETED, 0)
            else:
                event = (column, key, Metric.WRITTEN, len(key) + _size(row))
            events.setdefault(tree, []).append(event)
    ats = [at for at, _ in trace.commits]
    for metric, touches in ((Metric.READ, trace.reads), (Metric.CONFLICTS, trace.conflicts)):
        for at, tree, key in touches:
            index = max(0, bisect_right(ats, at) - 1)
            column = index // per_column
            events.setdefault(tree, []).append((column, key, metric, 0))
    return events


def _keys_per_range(keys: int, ranges_max: int, column_share: float) -> int:
    """Return how many keys each range holds, so that at most `ranges_max` ranges are needed.

    The number is a multiple of the keys added by each column, where keys are only added. Cells on
    the diagonal of a monotonic table then hold equally many keys, and none spills into its
    neighbour.
    """
    per_column = max(1, round(keys * column_share))
    return per_column * -(-keys // (per_column * ranges_max))


def _ranges_max(events: int, total: int) -> int:
    """Return the number of ranges of a table, proportional to its part of the events."""
    return max(1, round(RANGES_MAX * events / total))


def _size(row: Iterable[object]) -> int:
    """Return the approximate size in bytes of the cells of a row."""
    size = 0
    for cell in row:
        size += len(cell) if isinstance(cell, (str, bytes)) else 8
    return size


class _BandBuilder:
    """The cells of one table or index while they are filled."""

    def __init__(
        self,
        relation: TableOrIndex,
        events: Sequence[Event],
        columns: int,
        starts: Sequence[bytes],
        keys: int,
    ) -> None:
        self._relation = relation
        self._keys = keys
        self._starts = starts
        self._cells = cells = {metric: [[0] * columns for _ in starts] for metric in COUNTED}
        size = cells[Metric.BYTES]
        for column, key, metric, byte_count in events:
            index = bisect_right(starts, key) - 1
            cells[metric][index][column] += 1
            if byte_count:
                size[index][column] += byte_count

    def build(self, overlay: Overlay | None, sources: Sequence[object]) -> Band:
        """Return the finished band, with the overlay."""
        written = self._cells[Metric.WRITTEN]
        pattern = pattern_of(written if any(map(any, written)) else self._cells[Metric.READ])
        cells: dict[Metric, Cells] = {
            metric: counts if any(map(any, counts)) else []
            for metric, counts in self._cells.items()
        }
        if not cells[Metric.WRITTEN]:
            cells[Metric.WRITTEN] = self._cells[Metric.WRITTEN]
        boundaries: tuple[int, ...] = ()
        splits: Cells = []
        servers: Cells = []
        if overlay is not None:
            tree = tree_of(self._relation)
            # A boundary behind the last key divides no observed keys.
            split_starts = {
                bisect_left(self._starts, start) for start in overlay.starts.get(tree, ())
            }
            boundaries = tuple(sorted(split_starts - {0, len(self._starts)}))
            over = [overlay.minutes(tree, start) for start in self._starts]
            cells[Metric.SCORE] = [[minute.score for minute in row] for row in over]
            cells[Metric.SERVER] = [[minute.server_load for minute in row] for row in over]
            splits = [[minute.split for minute in row] for row in over]
            servers = [[minute.server for minute in row] for row in over]
        return Band(
            name=self._relation.name,
            is_index=isinstance(self._relation, SortedIndex),
            starts=tuple(map(KeyShape(self._relation).text, self._starts)),
            cells=cells,
            pattern=pattern,
            keys=self._keys,
            boundaries=boundaries,
            splits=splits,
            servers=servers,
            sources=tuple(map(str, sources)),
        )

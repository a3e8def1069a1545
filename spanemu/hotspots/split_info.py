"""Splits as users are shown them, in the words of Spanner's split statistics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from spanemu.base.nanos import NANOS_PER_SECOND
from spanemu.base.severity import Severity
from spanemu.hotspots.cause import Reason
from spanemu.hotspots.finding import Finding
from spanemu.hotspots.keys import BEGIN, END, KeyShape
from spanemu.hotspots.simulation.settings import SplitSettings
from spanemu.schema.schema import Schema
from spanemu.storage.boundary import TREE_ID_BYTES, Boundary, Path, path_of
from spanemu.storage.layout import TreeId, tree_of
from spanemu.storage.sizes import split_bytes, split_rows
from spanemu.storage.splits import Split

Start = tuple[bytes, Boundary | None]  # a split's place, and the boundary it begins at
Placed = tuple[bytes, Boundary | None, Split]


@dataclass(frozen=True, slots=True)
class SplitRange:
    """Where a split begins and ends, and the tables and indexes that may have rows in it."""

    start: str
    limit: str
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SplitInfo:
    """One split: from the row `start` up to, and without, `limit`.

    `tables` are tables and indexes that may have rows in it. `bytes` and `rows` are about right,
    `load` is in units a second, smoothed over the last minutes. `origin` is why it begins where it
    does: "size", "load", "user" (AddSplitPoints) or "test"; "" where its table or index begins.
    """

    start: str
    limit: str
    tables: tuple[str, ...]
    server: int
    rows: int
    bytes: int
    load: float
    origin: str


@dataclass(frozen=True, slots=True)
class CommitSplits:
    """The splits of one commit, by where they begin, and the servers they were on."""

    splits: tuple[str, ...]
    servers: tuple[int, ...]

    @property
    def participants(self) -> int:
        """How many splits took part."""
        return len(self.splits)

    @property
    def two_phase(self) -> bool:
        """Whether the participants had to agree."""
        return self.participants > 1


def describe(
    schema: Schema,
    splits: Sequence[Placed],
    loads: Mapping[bytes, float],
    settings: SplitSettings,
) -> list[SplitInfo]:
    """All splits of a database, given in order."""
    ranges = ranges_of(schema, [(start, boundary) for start, boundary, _ in splits])
    return [
        SplitInfo(
            start=one.start,
            limit=one.limit,
            tables=one.tables,
            server=split.server,
            rows=split_rows(split),
            bytes=split_bytes(split),
            load=loads.get(start, 0.0) * settings.server_units_max,
            origin="" if boundary is None else str(boundary.origin),
        )
        for (start, boundary, split), one in zip(splits, ranges, strict=True)
    ]


def ranges_of(schema: Schema, starts: Sequence[Start]) -> list[SplitRange]:
    """The ranges of splits that begin at all those places, in order; none without a table."""
    if not starts:
        return []
    texts = [*start_texts(schema, starts), END]
    paths: dict[TreeId, list[tuple[str, Path]]] = {}
    for thing in schema.tables_and_indexes():
        path = path_of(schema, thing)
        paths.setdefault(path[0], []).append((thing.name, path))
    afters = [*starts[1:], None]
    return [
        SplitRange(texts[place], texts[place + 1], _tables(paths[root_of(one[0])], one, after))
        for place, (one, after) in enumerate(zip(starts, afters, strict=True))
    ]


def start_texts(schema: Schema, starts: Sequence[Start]) -> list[str]:
    """Where each split begins, as split statistics print it."""
    things = {tree_of(thing): thing for thing in schema.tables_and_indexes()}
    shapes: dict[TreeId, KeyShape] = {}
    texts = []
    for place, (start, boundary) in enumerate(starts):
        tree = root_of(start) if boundary is None else boundary.path[-1]
        key = b"" if boundary is None else boundary.key
        if tree not in shapes:
            shapes[tree] = KeyShape(things[tree])
        texts.append(shapes[tree].text(key) if place else BEGIN)
    return texts


def root_of(place: bytes) -> TreeId:
    """The hierarchy that a place is in."""
    return TreeId(int.from_bytes(place[:TREE_ID_BYTES], "big"))


def _tables(
    paths: Sequence[tuple[str, Path]], begin: Start, after: Start | None
) -> tuple[str, ...]:
    start, boundary = begin
    limit = None if after is None or root_of(after[0]) != root_of(start) else after[1]
    names = []
    for name, path in paths:
        low = b"" if boundary is None else boundary.cut(path)
        if limit is None or low < limit.cut(path):
            names.append(name)
    return tuple(names)


HOT_SCORE, WARM_SCORE = 100, 50
INTERVALS = {"MINUTE": 60, "10MINUTE": 600, "HOUR": 3600}  # seconds


@dataclass(frozen=True, slots=True)
class SplitStat:
    """One row; `interval_end` is in nanoseconds. Fields are the table's columns in lower case."""

    interval_end: int
    split_start: str
    split_limit: str
    cpu_usage_score: int
    affected_tables: tuple[str, ...]
    unsplittable_reasons: tuple[str, ...]


def split_stats(
    findings: Iterable[Finding],
    at: int,
    interval: str,
    split_of: Callable[[Finding], SplitRange | None],
) -> list[SplitStat]:
    """The rows of one table as of `at`, for the splits that findings lie in.

    Raises ValueError for an interval that there is no table of.
    """
    if interval not in INTERVALS:
        raise ValueError(f"interval {interval!r} is none of {', '.join(INTERVALS)}")
    length = INTERVALS[interval] * NANOS_PER_SECOND
    end = at - at % length
    rows = []
    for finding in findings:
        score = _score(finding)
        if score >= WARM_SCORE and _is_of_a_split(finding) and (split := split_of(finding)):
            reasons = (str(finding.reason),)
            rows.append(SplitStat(end, split.start, split.limit, score, split.tables, reasons))
    return joined(rows)


def joined(rows: Iterable[SplitStat]) -> list[SplitStat]:
    """One row for each split and interval, with the highest score and all reasons.

    The latest interval comes first, and in it the hottest split.
    """
    found: dict[tuple[int, str, str], SplitStat] = {}
    for row in rows:
        place = row.interval_end, row.split_start, row.split_limit
        known = found.get(place, row)
        found[place] = replace(
            row,
            cpu_usage_score=max(row.cpu_usage_score, known.cpu_usage_score),
            unsplittable_reasons=tuple(
                sorted({*row.unsplittable_reasons, *known.unsplittable_reasons})
            ),
        )
    return sorted(
        found.values(), key=lambda row: (-row.interval_end, -row.cpu_usage_score, row.split_start)
    )


def _is_of_a_split(finding: Finding) -> bool:
    """Whether a split's load is what is found: waits for locks cost no CPU, nor do key shapes."""
    return finding.reason is not Reason.UNSPECIFIED and not finding.evidence.conflict_share


def _score(finding: Finding) -> int:
    if finding.severity is Severity.ERROR:
        return HOT_SCORE
    if finding.severity is Severity.WARNING:
        share = max(finding.evidence.share or 0.0, finding.evidence.top_row_share)
        return min(HOT_SCORE - 1, WARM_SCORE + round(share * 100) // 2)
    return 0

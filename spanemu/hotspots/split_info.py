"""Splits and keys as users see them, in the terms of Spanner's split statistics.

Users(3)    Messages(3,"a",1)    UsersByFirstName("abc")    <begin>    <end>
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from spanemu.base.clock import INTERVALS, NANOS_PER_SECOND
from spanemu.base.severity import Severity
from spanemu.hotspots.verdict import Reason
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import KeyPart
from spanemu.storage.layout import TREE_ID_BYTES, Boundary, Path, TreeId, parts_of, path_of, tree_of
from spanemu.storage.split_map import split_bytes, split_rows
from spanemu.storage.split_settings import SplitSettings
from spanemu.storage.splits import Split
from spanemu.values.key import decode_part
from spanemu.values.key_text import quoted_text
from spanemu.values.types import TypeCode
from spanemu.values.value import encoder

if TYPE_CHECKING:
    from spanemu.hotspots.finding import Finding


BEGIN, END = "<begin>", "<end>"

_QUOTED = frozenset({TypeCode.STRING, TypeCode.BYTES})


class KeyShape:
    """The key of one table or index: divides encoded keys and prints them."""

    def __init__(self, relation: TableOrIndex) -> None:
        self.name = relation.name
        self.parts: tuple[KeyPart, ...] = parts_of(relation)
        self._codes = [part.column.type.code for part in self.parts]
        self._texts = [encoder(part.column.type) for part in self.parts]

    def encoded_parts(self, key: bytes) -> tuple[bytes, ...]:
        """Return the bytes of each part."""
        parts, offset = [], 0
        for code in self._codes:
            _, end = decode_part(code, key, offset)
            parts.append(key[offset:end])
            offset = end
        return tuple(parts)

    def values(self, key: bytes) -> tuple[Any, ...]:
        """Return the value of each part; a key prefix has fewer values."""
        values, offset = [], 0
        for code in self._codes:
            if offset == len(key):
                break
            value, offset = decode_part(code, key, offset)
            values.append(value)
        return tuple(values)

    def text(self, key: bytes, parts: int | None = None) -> str:
        """Return the key as split statistics print it, or only its first parts."""
        return f"{self.name}({','.join(self._shown(self.values(key))[:parts])})"

    def _shown(self, values: Sequence[Any]) -> list[str]:
        shown = []
        for value, code, text in zip(values, self._codes, self._texts, strict=False):
            if value is None:
                shown.append("NULL")
            elif code in _QUOTED:
                shown.append(quoted_text(str(text(value))))
            else:
                raw = text(value)
                shown.append(str(raw).lower() if isinstance(raw, bool) else str(raw))
        return shown


Start = tuple[bytes, Boundary | None]  # a split's position, and the boundary at which it begins
PlacedSplit = tuple[bytes, Boundary | None, Split]


@dataclass(frozen=True, slots=True)
class SplitRange:
    """The start and limit of a split, and the tables and indexes that may have rows in it."""

    start: str
    limit: str
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SplitInfo:
    """A split, from the row `start` up to but not including `limit`.

    `tables` are the tables and indexes that may have rows in the split. `bytes` and `rows` are
    approximate; `load` is in units a second, smoothed over the last minutes. `origin` is the reason
    of the boundary at `start`: "size", "load", "user" (AddSplitPoints) or "test"; "" where a table
    or index begins.
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
    """The participants of one commit: the starts of its splits, and the servers of these splits."""

    splits: tuple[str, ...]
    servers: tuple[int, ...]

    @property
    def participants(self) -> int:
        """The number of splits that took part."""
        return len(self.splits)

    @property
    def two_phase(self) -> bool:
        """Return whether the commit needed two-phase commit."""
        return self.participants > 1


def describe(
    schema: Schema,
    splits: Sequence[PlacedSplit],
    loads: Mapping[bytes, float],
    settings: SplitSettings,
) -> list[SplitInfo]:
    """Return all splits of a database, given in order."""
    ranges = ranges_of(schema, [(start, boundary) for start, boundary, _ in splits])
    return [
        SplitInfo(
            start=split_range.start,
            limit=split_range.limit,
            tables=split_range.tables,
            server=split.server,
            rows=split_rows(split),
            bytes=split_bytes(split),
            load=loads.get(start, 0.0) * settings.server_units_max,
            origin="" if boundary is None else str(boundary.origin),
        )
        for (start, boundary, split), split_range in zip(splits, ranges, strict=True)
    ]


def ranges_of(schema: Schema, starts: Sequence[Start]) -> list[SplitRange]:
    """Return the ranges of splits that begin at the given positions, in order."""
    if not starts:
        return []
    texts = [*start_texts(schema, starts), END]
    paths: dict[TreeId, list[tuple[str, Path]]] = {}
    for relation in schema.tables_and_indexes():
        path = path_of(schema, relation)
        paths.setdefault(path[0], []).append((relation.name, path))
    afters = [*starts[1:], None]
    return [
        SplitRange(
            texts[index],
            texts[index + 1],
            _tables(paths[root_of(split_range[0])], split_range, after),
        )
        for index, (split_range, after) in enumerate(zip(starts, afters, strict=True))
    ]


def start_texts(schema: Schema, starts: Sequence[Start]) -> list[str]:
    """Return the start of each split as split statistics print it."""
    relations = {tree_of(relation): relation for relation in schema.tables_and_indexes()}
    shapes: dict[TreeId, KeyShape] = {}
    texts = []
    for index, (start, boundary) in enumerate(starts):
        tree = root_of(start) if boundary is None else boundary.path[-1]
        key = b"" if boundary is None else boundary.key
        if tree not in shapes:
            shapes[tree] = KeyShape(relations[tree])
        texts.append(shapes[tree].text(key) if index else BEGIN)
    return texts


def root_of(position: bytes) -> TreeId:
    """Return the hierarchy that contains a position."""
    return TreeId(int.from_bytes(position[:TREE_ID_BYTES], "big"))


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


@dataclass(frozen=True, slots=True)
class SplitStat:
    """A row of SPLIT_STATS_TOP, with its columns in lower case; `interval_end` in nanoseconds."""

    interval_end: int
    split_start: str
    split_limit: str
    cpu_usage_score: int
    affected_tables: tuple[str, ...]
    unsplittable_reasons: tuple[str, ...]


def warm_stat(
    interval_end: int, split: SplitInfo, load: float, reasons: Sequence[str]
) -> SplitStat | None:
    """Return the row of a split for its load in servers, None if the split is not warm."""
    score = min(HOT_SCORE, round(load * 100))
    if score < WARM_SCORE:
        return None
    return SplitStat(interval_end, split.start, split.limit, score, split.tables, tuple(reasons))


def split_stats(
    findings: Iterable[Finding],
    at: int,
    interval: str,
    split_of: Callable[[Finding], SplitRange | None],
) -> list[SplitStat]:
    """Return the rows of one table as of `at`, for the splits that contain findings.

    Raises ValueError for an interval without a table.
    """
    if interval not in INTERVALS:
        raise ValueError(f"interval {interval!r} is not one of {', '.join(INTERVALS)}")
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
    """Return one row for each split and interval, with the highest score and all reasons.

    The latest interval comes first, and within an interval the hottest split.
    """
    by_interval: dict[tuple[int, str, str], SplitStat] = {}
    for row in rows:
        split_key = row.interval_end, row.split_start, row.split_limit
        known = by_interval.get(split_key, row)
        by_interval[split_key] = replace(
            row,
            cpu_usage_score=max(row.cpu_usage_score, known.cpu_usage_score),
            unsplittable_reasons=tuple(
                sorted({*row.unsplittable_reasons, *known.unsplittable_reasons})
            ),
        )
    return sorted(
        by_interval.values(),
        key=lambda row: (-row.interval_end, -row.cpu_usage_score, row.split_start),
    )


def _is_of_a_split(finding: Finding) -> bool:
    """Return whether the finding is about the load of a split.

    Waits for locks cost no CPU, and neither do rules about the shape of keys.
    """
    return finding.reason is not Reason.UNSPECIFIED and not finding.evidence.conflict_share


def _score(finding: Finding) -> int:
    if finding.severity is Severity.ERROR:
        return HOT_SCORE
    if finding.severity is Severity.WARNING:
        share = max(finding.evidence.share or 0.0, finding.evidence.top_row_share)
        return min(HOT_SCORE - 1, WARM_SCORE + round(share * 100) // 2)
    return 0

"""The observations of one table or index: its streams, scans, conflicts, and who wrote its rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import field
from enum import StrEnum

from spanemu.base.call import calling_site
from spanemu.base.record import dataclass
from spanemu.hotspots.samples import FrequentRows
from spanemu.hotspots.stream import Stream
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.storage.observer import ReadKind

SAMPLED_FIRST = 4  # commits or scans of a tree
SAMPLED_MASK = 0x3F  # every 64th scan after the first ones
SOURCES_MAX = 32  # kept for each tree
SHOWN_MAX = 3

_TEST_VARIABLE = "PYTEST_CURRENT_TEST"  # pytest sets it to "path::name (phase)"


@dataclass(frozen=True, slots=True)
class Source:
    """A code location that wrote or scanned rows; unknown parts are "".

    `statement` is SQL, or the description of a mutation or read; `site` is a line of the client's
    code; `test` is a pytest node id.
    """

    statement: str = ""
    site: str = ""
    test: str = ""
    tag: str = ""

    def __str__(self) -> str:
        parts = [self.statement or "a write"]
        if self.site:
            parts.append(f"at {self.site}")
        if self.tag:
            parts.append(f"[tag={self.tag}]")
        if self.test:
            parts.append(f"in {self.test}")
        return " ".join(parts)


class Sources:
    """The sources of one tree's rows or scans, with their counts."""

    __slots__ = ("_counts", "_offered", "_recorded")

    def __init__(self) -> None:
        self._counts: dict[Source, int] = {}
        self._offered = self._recorded = 0

    @property
    def has_enough(self) -> bool:
        """Return whether enough sources were recorded that sampling a few more suffices."""
        return self._recorded >= SAMPLED_FIRST

    def should_sample(self) -> bool:
        """Count a scan, and return whether to record its source."""
        self._offered = seen = self._offered + 1
        return not seen & SAMPLED_MASK or seen <= SAMPLED_FIRST

    def add(self, source: Source) -> None:
        """Count a source, unless too many different sources are kept."""
        self._recorded += 1
        if source in self._counts or len(self._counts) < SOURCES_MAX:
            self._counts[source] = self._counts.get(source, 0) + 1

    def most_frequent(self) -> tuple[Source, ...]:
        """Return the most frequent sources; of equally frequent ones, the first recorded."""
        ordered = sorted(self._counts, key=lambda source: -self._counts[source])
        return tuple(ordered[:SHOWN_MAX])


def caller() -> tuple[str, str]:
    """Return the line of client code, and the test, of the request that this thread serves."""
    test, _, _ = os.environ.get(_TEST_VARIABLE, "").rpartition(" ")
    return calling_site().line, test


@dataclass(frozen=True, slots=True)
class ScanSummary:
    """The counts of a tree's scans; `large_for` counts the large ones by purpose."""

    scans: int
    rows: int
    large: int
    large_rows: int
    large_for: Mapping[ReadKind, int] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()

    @property
    def large_share(self) -> float:
        """Return the part of the scans that read most of the tree."""
        return self.large / self.scans if self.scans else 0.0


class Scans:
    """The scans of one tree, counted when they end."""

    __slots__ = ("_large", "_large_rows", "_limits", "_rows", "_scans", "sources")

    def __init__(self, limits: Thresholds = THRESHOLDS) -> None:
        self._limits = limits
        self._scans = self._rows = self._large_rows = 0
        self._large: dict[ReadKind, int] = {}
        self.sources = Sources()

    def is_large(self, rows: int, of: int) -> bool:
        """Return whether a scan of `rows` rows reads most of a tree that has `of` rows."""
        limits = self._limits
        return rows >= limits.scan_rows_min and rows >= limits.scanned_part_min * of

    def add(self, rows: int, read_kind: ReadKind, *, large: bool) -> None:
        """Count one scan."""
        self._scans += 1
        self._rows += rows
        if large:
            self._large_rows += rows
            self._large[read_kind] = self._large.get(read_kind, 0) + 1

    def summary(self) -> ScanSummary:
        """Return the counts so far."""
        return ScanSummary(
            scans=self._scans,
            rows=self._rows,
            large=sum(self._large.values()),
            large_rows=self._large_rows,
            large_for=dict(self._large),
            sources=self.sources.most_frequent(),
        )


@dataclass(frozen=True, slots=True)
class ContentionSummary:
    """The counts of a tree's lock conflicts; `top_row_count` of them were about `top_row`.

    `seconds` is the total time that transactions waited.
    """

    conflicts: int
    seconds: float
    top_row: bytes | None
    top_row_count: int

    @property
    def top_row_share(self) -> float:
        """Return the part of the conflicts that were about the same row."""
        return self.top_row_count / self.conflicts if self.conflicts else 0.0


class Contention:
    """The lock conflicts about rows of one tree."""

    __slots__ = ("_conflicts", "_frequent", "_seconds")

    def __init__(self, limits: Thresholds = THRESHOLDS) -> None:
        self._conflicts = 0
        self._seconds = 0.0
        self._frequent = FrequentRows(limits.rows_max)

    def add(self, key: bytes | None, seconds: float) -> None:
        """Count one conflict. A conflict about a range has no key."""
        self._conflicts += 1
        self._seconds += seconds
        if key is not None:
            self._frequent.count_keys((key,))
            self._frequent.trim()

    def summary(self) -> ContentionSummary:
        """Return the counts so far."""
        row, count = self._frequent.top() or (None, 0)
        return ContentionSummary(self._conflicts, self._seconds, row, count)


class Kind(StrEnum):
    """The effect of a request on a row."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    READ = "read"  # by its key


# The indexes of streams in a `TreeLoad`: integers, because every write looks them up.
INSERTS, UPDATES, DELETES, READS = range(4)
_KINDS = (Kind.INSERT, Kind.UPDATE, Kind.DELETE, Kind.READ)


class TreeLoad:
    """The observations of one tree."""

    __slots__ = ("_limits", "_streams", "conflicts", "scans", "sources")

    def __init__(self, limits: Thresholds) -> None:
        self._limits = limits
        self._streams: list[Stream | None] = [None] * len(_KINDS)
        self.scans = Scans(limits)
        self.conflicts = Contention(limits)
        self.sources = Sources()

    def stream(self, kind: int) -> Stream:
        """Return the stream `INSERTS`, `UPDATES`, `DELETES` or `READS`, created on first use."""
        stream = self._streams[kind]
        if stream is None:
            stream = self._streams[kind] = Stream(self._limits)
        return stream

    def streams(self) -> Iterator[tuple[Kind, Stream]]:
        """Yield the streams that have been created."""
        for kind, stream in zip(_KINDS, self._streams, strict=True):
            if stream is not None:
                yield kind, stream


Order = tuple[tuple[str, bool], ...]  # (column, whether descending)


@dataclass(frozen=True, slots=True)
class Access:
    """The access path of a plan to a table: its primary key or an index.

    `equal` are the leading key columns bound to one value. `fetched` are the columns looked up in
    the table for every index entry. `is_reversed` means a scan from the last key to the first.
    `sorted_by` is the order that the rows are sorted into afterwards.
    """

    table: str
    index: str | None = None
    equal: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()
    is_reversed: bool = False
    sorted_by: Order = ()

    @property
    def relation(self) -> str:
        """The name of the index or table that is read first."""
        return self.index or self.table


@dataclass(frozen=True, slots=True)
class QueryUse:
    """A statement, how often it ran, and what its plan reads."""

    text: str
    tag: str
    count: int
    accesses: tuple[Access, ...]

    @property
    def tables(self) -> frozenset[str]:
        """The names of the tables that the statement reads."""
        return frozenset(access.table for access in self.accesses)

"""What is known of one table or index that is watched: its streams, scans and conflicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from spanemu.hotspots.samples import FrequentRows
from spanemu.hotspots.sources import Source, Sources
from spanemu.hotspots.stream import Stream
from spanemu.hotspots.thresholds import THRESHOLDS, Thresholds
from spanemu.storage.observer import ReadKind


@dataclass(frozen=True, slots=True)
class ScanSummary:
    """What is known of a tree's scans; `large_for` is by what they were for."""

    scans: int
    rows: int
    large: int
    large_rows: int
    large_for: Mapping[ReadKind, int] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()

    @property
    def large_share(self) -> float:
        """Of the scans, how many went through most of the tree."""
        return self.large / self.scans if self.scans else 0.0


class Scans:
    """The scans of one tree, counted as they end."""

    __slots__ = ("_large", "_large_rows", "_limits", "_rows", "_scans", "sources")

    def __init__(self, limits: Thresholds = THRESHOLDS) -> None:
        self._limits = limits
        self._scans = self._rows = self._large_rows = 0
        self._large: dict[ReadKind, int] = {}
        self.sources = Sources()

    def is_large(self, rows: int, of: int) -> bool:
        """Whether a scan of `rows` rows goes through most of a tree that has `of`."""
        limits = self._limits
        return rows >= limits.scan_rows_min and rows >= limits.contained_part_min * of

    def add(self, rows: int, reading: ReadKind, *, large: bool) -> None:
        """Count one scan."""
        self._scans += 1
        self._rows += rows
        if large:
            self._large_rows += rows
            self._large[reading] = self._large.get(reading, 0) + 1

    def summary(self) -> ScanSummary:
        """What is known by now."""
        return ScanSummary(
            scans=self._scans,
            rows=self._rows,
            large=sum(self._large.values()),
            large_rows=self._large_rows,
            large_for=dict(self._large),
            sources=self.sources.most(),
        )


@dataclass(frozen=True, slots=True)
class ContentionSummary:
    """What is known of a tree's conflicts; of them `top_row_count` were about `top_row`.

    `seconds` is how long transactions waited, all together.
    """

    conflicts: int
    seconds: float
    top_row: bytes | None
    top_row_count: int

    @property
    def top_row_share(self) -> float:
        """Of the conflicts, how many were about one row."""
        return self.top_row_count / self.conflicts if self.conflicts else 0.0


class Contention:
    """The conflicts about rows of one tree."""

    __slots__ = ("_conflicts", "_frequent", "_seconds")

    def __init__(self, limits: Thresholds = THRESHOLDS) -> None:
        self._conflicts = 0
        self._seconds = 0.0
        self._frequent = FrequentRows(limits.rows_max)

    def add(self, key: bytes | None, seconds: float) -> None:
        """Count one conflict; a range has no key."""
        self._conflicts += 1
        self._seconds += seconds
        if key is not None:
            self._frequent.see((key,))
            self._frequent.trim()

    def summary(self) -> ContentionSummary:
        """What is known by now."""
        row, count = self._frequent.top() or (None, 0)
        return ContentionSummary(self._conflicts, self._seconds, row, count)


class Kind(StrEnum):
    """What a request did to a row."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    READ = "read"  # by its key


# The places of streams in a `TreeLoad`, in numbers: they are asked for at every write.
INSERTS, UPDATES, DELETES, READS = range(4)
_KINDS = (Kind.INSERT, Kind.UPDATE, Kind.DELETE, Kind.READ)


class TreeLoad:
    """Of one tree."""

    __slots__ = ("_limits", "_streams", "conflicts", "scans", "sources")

    def __init__(self, limits: Thresholds) -> None:
        self._limits = limits
        self._streams: list[Stream | None] = [None] * len(_KINDS)
        self.scans = Scans(limits)
        self.conflicts = Contention(limits)
        self.sources = Sources()

    def stream(self, place: int) -> Stream:
        """`INSERTS`, `UPDATES`, `DELETES` or `READS`."""
        found = self._streams[place]
        if found is None:
            found = self._streams[place] = Stream(self._limits)
        return found

    def streams(self) -> Iterator[tuple[Kind, Stream]]:
        """The streams that something was seen of."""
        for kind, stream in zip(_KINDS, self._streams, strict=True):
            if stream is not None:
                yield kind, stream


Order = tuple[tuple[str, bool], ...]  # columns, and whether they are descending


@dataclass(frozen=True, slots=True)
class Access:
    """How a plan reads a table, by its key or by an index of it.

    `equal` are the leading key columns that are bound to one value. `fetched` are the columns that
    are looked up in the table for every entry of the index. `is_reversed`: from the last key to
    the first. `sorted_by`: the order that its rows are put in afterwards.
    """

    table: str
    index: str | None = None
    equal: tuple[str, ...] = ()
    fetched: tuple[str, ...] = ()
    is_reversed: bool = False
    sorted_by: Order = ()

    @property
    def thing(self) -> str:
        """The name of what is read first."""
        return self.index or self.table


@dataclass(frozen=True, slots=True)
class QueryUse:
    """A statement, and how often it ran."""

    text: str
    tag: str
    count: int
    accesses: tuple[Access, ...]

    @property
    def tables(self) -> frozenset[str]:
        """Names of the tables that it reads."""
        return frozenset(each.table for each in self.accesses)

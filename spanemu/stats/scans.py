"""Scans of one table or index: how many there were, and how many went through most of it.

A scan that most boundaries would lie inside of cannot be spread by placing boundaries, and Spanner
does not split what is scanned so: LARGE_SCAN_HOT_SPOT.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from spanemu.stats.sources import Source, Sources
from spanemu.stats.thresholds import THRESHOLDS, Thresholds
from spanemu.storage.observer import Reading


@dataclass(frozen=True, slots=True)
class ScanSummary:
    """What is known of a tree's scans; `large_for` is by what they were for."""

    scans: int
    rows: int
    large: int
    large_rows: int
    large_for: Mapping[Reading, int] = field(default_factory=dict)
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
        self._large: dict[Reading, int] = {}
        self.sources = Sources()

    def is_large(self, rows: int, of: int) -> bool:
        """Whether a scan of `rows` rows goes through most of a tree that has `of`."""
        limits = self._limits
        return rows >= limits.scan_rows_min and rows >= limits.contained_part_min * of

    def add(self, rows: int, reading: Reading, *, large: bool) -> None:
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

"""Warm splits of virtual minutes, as SPANNER_SYS.SPLIT_STATS_TOP_* lists them.

A score is the load of a split in percent of a server's capacity, at most 100; splits with a score
of 50 or more are listed. Longer intervals have the highest score of their minutes, and all reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from spanemu.base.clock import INTERVALS, NANOS_PER_MINUTE, NANOS_PER_SECOND
from spanemu.hotspots import split_info

MINUTES_KEPT = 24 * 60  # retention of the table by the minute


class WarmSplits:
    """The warm splits by the end of their minute (nanoseconds)."""

    def __init__(self) -> None:
        self._minutes: dict[int, list[split_info.SplitStat]] = {}

    def record_minute(
        self, at: int, splits: Iterable[tuple[split_info.SplitInfo, float, Sequence[str]]]
    ) -> None:
        """Record the minute that ended last as of `at`: splits, their loads in servers, and
        reasons.
        """
        end = at - at % NANOS_PER_MINUTE
        rows = [
            row
            for split, load, reasons in splits
            if (row := split_info.warm_stat(end, split, load, reasons)) is not None
        ]
        if rows:
            self._minutes[end] = rows
        expired = end - MINUTES_KEPT * NANOS_PER_MINUTE
        for minute in [minute for minute in self._minutes if minute <= expired]:
            del self._minutes[minute]

    def rows(self, at: int, interval: str) -> list[split_info.SplitStat]:
        """Return the published rows as of `at`, of intervals that have ended, the hottest first.

        Raises ValueError for an unknown interval.
        """
        if interval not in INTERVALS:
            raise ValueError(f"interval {interval!r} is not one of {', '.join(INTERVALS)}")
        length = INTERVALS[interval] * NANOS_PER_SECOND
        ends = ((minute, -(-minute // length) * length) for minute in self._minutes)
        return split_info.joined(
            replace(row, interval_end=end)
            for minute, end in ends
            if end <= at
            for row in self._minutes[minute]
        )

    def clear(self) -> None:
        """Delete all minutes."""
        self._minutes.clear()

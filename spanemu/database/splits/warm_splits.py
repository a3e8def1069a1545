"""Splits that were warm in a virtual minute, as SPANNER_SYS.SPLIT_STATS_TOP_* lists them.

A score is the load of a split in percent of what a server takes, 100 at most; from 50 on it is
listed. What cannot be cut says why: HOT_ROW where one row has nearly all of the load,
UNISOLATABLE_HOT_ROW where that is one row's family and the policy leaves it whole. Longer intervals
have the highest score of their minutes, and all reasons.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from spanemu.base.nanos import NANOS_PER_MINUTE, NANOS_PER_SECOND
from spanemu.stats.cause import Reason
from spanemu.stats.split_info import SplitInfo
from spanemu.stats.split_stats import HOT_SCORE, INTERVALS, WARM_SCORE, SplitStat, joined

MINUTES_KEPT = 24 * 60  # retention of the table by the minute
ONE_ROW_MIN = 0.9  # model: of a split's load


class WarmSplits:
    """What was warm, by the end of the minute (nanoseconds)."""

    def __init__(self) -> None:
        self._minutes: dict[int, list[SplitStat]] = {}

    def note(self, at: int, splits: Iterable[tuple[SplitInfo, float, Sequence[str]]]) -> None:
        """The minute that ended last as of `at`: splits, their loads in servers, and reasons."""
        end = at - at % NANOS_PER_MINUTE
        rows = [
            SplitStat(end, split.start, split.limit, score, split.tables, tuple(reasons))
            for split, load, reasons in splits
            if (score := min(HOT_SCORE, round(load * 100))) >= WARM_SCORE
        ]
        if rows:
            self._minutes[end] = rows
        for old in [
            each for each in self._minutes if each <= end - MINUTES_KEPT * NANOS_PER_MINUTE
        ]:
            del self._minutes[old]

    def rows(self, at: int, interval: str) -> list[SplitStat]:
        """What has been published as of `at`: of intervals that have ended, the hottest first.

        Raises ValueError for an interval that there is no table of.
        """
        if interval not in INTERVALS:
            raise ValueError(f"interval {interval!r} is none of {', '.join(INTERVALS)}")
        length = INTERVALS[interval] * NANOS_PER_SECOND
        ends = ((minute, -(-minute // length) * length) for minute in self._minutes)
        return joined(
            replace(row, interval_end=end)
            for minute, end in ends
            if end <= at
            for row in self._minutes[minute]
        )

    def clear(self) -> None:
        """Forget everything."""
        self._minutes.clear()


def reasons_of(events: Sequence[tuple[bytes, float, bytes]]) -> tuple[str, ...]:
    """Why a split cannot be cut where that is so; events are (where one may cut, load, row)."""
    rows: defaultdict[bytes, float] = defaultdict(float)
    families: defaultdict[bytes, float] = defaultdict(float)
    for family, load, row in events:
        rows[row] += load
        families[family] += load
    enough = ONE_ROW_MIN * sum(rows.values())
    if max(rows.values(), default=0.0) >= enough > 0:
        return (str(Reason.HOT_ROW),)
    if max(families.values(), default=0.0) >= enough > 0:
        return (str(Reason.UNISOLATABLE_HOT_ROW),)
    return ()

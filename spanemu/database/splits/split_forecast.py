"""Splits that were warm in a virtual minute, as SPANNER_SYS.SPLIT_STATS_TOP_* lists them.

A score is the load of a split in percent of what a server takes, 100 at most; from 50 on it is
listed. What cannot be cut says why: HOT_ROW where one row has nearly all of the load,
UNISOLATABLE_HOT_ROW where that is one row's family and the policy leaves it whole. Longer intervals
have the highest score of their minutes, and all reasons.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from spanemu.base.nanos import NANOS_PER_MINUTE, NANOS_PER_SECOND
from spanemu.hotspots.cause import Reason
from spanemu.hotspots.positions import Positions
from spanemu.hotspots.simulation.model import SplitModel
from spanemu.hotspots.simulation.simulation import UTILISATION_DEFAULT, replay
from spanemu.hotspots.split_info import (
    HOT_SCORE,
    INTERVALS,
    WARM_SCORE,
    SplitInfo,
    SplitRange,
    SplitStat,
    Start,
    joined,
    ranges_of,
)
from spanemu.hotspots.trace import Commit
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId

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


class SplitForecast:
    """Splits at the end of a load; `starts` are those that are there, with their boundaries."""

    def __init__(
        self, schema: Schema, places: Positions, model: SplitModel, starts: Sequence[Start]
    ) -> None:
        self._places = places
        there = dict(starts)
        self._starts = [one.start for one in model.ranges]
        self._ranges = ranges_of(
            schema,
            [
                (start, there[start] if start in there else places.boundary(start))
                for start in self._starts
            ],
        )

    def at(self, tree: TreeId, key: bytes) -> SplitRange:
        """The split of a row."""
        place = self._places.place(tree, key)
        return self._ranges[max(0, bisect_right(self._starts, place) - 1)]


def foreseen(
    schema: Schema,
    places: Positions,
    model: SplitModel,
    starts: Sequence[Start],
    commits: Sequence[Commit],
) -> SplitForecast:
    """What `model`, which has the splits that are there, makes of the commits."""
    replay(places.sample(commits), model, model.servers, UTILISATION_DEFAULT * model.servers)
    return SplitForecast(schema, places, model, starts)

"""Warm splits of virtual minutes, as SPANNER_SYS.SPLIT_STATS_TOP_* lists them, and splits after a
load.

A score is the load of a split in percent of a server's capacity, at most 100; splits with a score
of 50 or more are listed. A split that cannot be cut has a reason: HOT_ROW if a single row has
nearly all of the load, UNISOLATABLE_HOT_ROW if that is a row's family and the policy keeps the
family together. Longer intervals have the highest score of their minutes, and all reasons.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spanemu.base.clock import NANOS_PER_MINUTE, NANOS_PER_SECOND
from spanemu.base.deferred import deferred
from spanemu.hotspots.positions import Positions
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
from spanemu.hotspots.split_model import SplitModel
from spanemu.hotspots.trace import Commit
from spanemu.hotspots.verdict import Reason
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId

if TYPE_CHECKING:
    from spanemu.hotspots import simulation
else:
    simulation = deferred("spanemu.hotspots.simulation")


MINUTES_KEPT = 24 * 60  # retention of the table by the minute
ONE_ROW_MIN = 0.9  # model: of a split's load


class WarmSplits:
    """The warm splits by the end of their minute (nanoseconds)."""

    def __init__(self) -> None:
        self._minutes: dict[int, list[SplitStat]] = {}

    def record_minute(
        self, at: int, splits: Iterable[tuple[SplitInfo, float, Sequence[str]]]
    ) -> None:
        """Record the minute that ended last as of `at`: splits, their loads in servers, and
        reasons.
        """
        end = at - at % NANOS_PER_MINUTE
        rows = [
            SplitStat(end, split.start, split.limit, score, split.tables, tuple(reasons))
            for split, load, reasons in splits
            if (score := min(HOT_SCORE, round(load * 100))) >= WARM_SCORE
        ]
        if rows:
            self._minutes[end] = rows
        expired = end - MINUTES_KEPT * NANOS_PER_MINUTE
        for minute in [minute for minute in self._minutes if minute <= expired]:
            del self._minutes[minute]

    def rows(self, at: int, interval: str) -> list[SplitStat]:
        """Return the published rows as of `at`, of intervals that have ended, the hottest first.

        Raises ValueError for an unknown interval.
        """
        if interval not in INTERVALS:
            raise ValueError(f"interval {interval!r} is not one of {', '.join(INTERVALS)}")
        length = INTERVALS[interval] * NANOS_PER_SECOND
        ends = ((minute, -(-minute // length) * length) for minute in self._minutes)
        return joined(
            replace(row, interval_end=end)
            for minute, end in ends
            if end <= at
            for row in self._minutes[minute]
        )

    def clear(self) -> None:
        """Delete all minutes."""
        self._minutes.clear()


def reasons_of(events: Sequence[tuple[bytes, float, bytes]]) -> tuple[str, ...]:
    """Return why a split cannot be cut, or (); events are (cut position, load, row)."""
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
    """The splits at the end of a load; `starts` are the current splits with their boundaries."""

    def __init__(
        self, schema: Schema, positions: Positions, model: SplitModel, starts: Sequence[Start]
    ) -> None:
        self._positions = positions
        current = dict(starts)
        self._starts = [split_range.start for split_range in model.ranges]
        self._ranges = ranges_of(
            schema,
            [
                (start, current[start] if start in current else positions.boundary(start))
                for start in self._starts
            ],
        )

    def at(self, tree: TreeId, key: bytes) -> SplitRange:
        """Return the split of a row."""
        position = self._positions.position(tree, key)
        return self._ranges[max(0, bisect_right(self._starts, position) - 1)]


def forecast_splits(
    schema: Schema,
    positions: Positions,
    model: SplitModel,
    starts: Sequence[Start],
    commits: Sequence[Commit],
) -> SplitForecast:
    """Return the splits after `model`, which begins with the current splits, follows commits."""
    simulation.replay(positions.sample(commits), model, model.servers)
    return SplitForecast(schema, positions, model, starts)

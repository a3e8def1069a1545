"""The splits after a load, and why a split cannot be cut.

A split that cannot be cut has a reason: HOT_ROW if a single row has nearly all of the load,
UNISOLATABLE_HOT_ROW if that is a row's family and the policy keeps the family together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from spanemu.hotspots.positions import Positions
from spanemu.hotspots.simulation import replay
from spanemu.hotspots.split_info import (
    SplitRange,
    Start,
    ranges_of,
)
from spanemu.hotspots.split_model import SplitModel
from spanemu.hotspots.trace import Commit
from spanemu.hotspots.verdict import Reason
from spanemu.schema.schema import Schema
from spanemu.storage.layout import TreeId

ONE_ROW_MIN = 0.9  # model: of a split's load


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
    replay(positions.sample(commits), model, model.servers)
    return SplitForecast(schema, positions, model, starts)

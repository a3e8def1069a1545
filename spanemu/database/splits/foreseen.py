"""The splits that a database would have, had they followed what was seen of its load.

Nobody waits for virtual minutes to see in SPLIT_STATS where a test's load falls. So the model goes
on from the splits that are there, with the commits that were seen as the load of some minutes; the
database keeps the splits that it has.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from spanemu.schema.schema import Schema
from spanemu.stats.places import Places
from spanemu.stats.simulation.model import SplitModel
from spanemu.stats.simulation.simulation import UTILISATION_DEFAULT, replay
from spanemu.stats.split_info import SplitRange, Start, ranges_of
from spanemu.stats.trace import Commit
from spanemu.storage.layout import TreeId


class Foreseen:
    """Splits at the end of a load; `starts` are those that are there, with their boundaries."""

    def __init__(
        self, schema: Schema, places: Places, model: SplitModel, starts: Sequence[Start]
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
    places: Places,
    model: SplitModel,
    starts: Sequence[Start],
    commits: Sequence[Commit],
) -> Foreseen:
    """What `model`, which has the splits that are there, makes of the commits."""
    replay(places.sample(commits), model, model.servers, UTILISATION_DEFAULT * model.servers)
    return Foreseen(schema, places, model, starts)

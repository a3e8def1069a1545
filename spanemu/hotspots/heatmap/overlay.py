"""What lies over a heatmap: the boundaries that there are, and splits and servers of a simulation.

The simulation replays what was seen at half of what its nodes can do together. It is a model, and
says so wherever it is shown.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from spanemu.hotspots.positions import Positions
from spanemu.hotspots.simulation.model import CutRules, Minute, SplitModel
from spanemu.hotspots.simulation.simulation import UTILISATION_DEFAULT, replay
from spanemu.hotspots.trace import Trace
from spanemu.storage.layout import TreeId

NODES = 8


@dataclass(frozen=True, slots=True)
class At:
    """A key in one simulated minute; loads in percent of what a server can do, 100 at most."""

    split: int
    server: int
    score: int
    server_load: int


class Overlay:
    """What lies over the pictures of one database's tables.

    `starts` are the first keys of its splits by tree, `pinned` the places of its boundaries.
    """

    def __init__(
        self,
        places: Positions,
        starts: Mapping[TreeId, Sequence[bytes]],
        pinned: Sequence[bytes],
        trace: Trace,
        nodes: int = NODES,
    ) -> None:
        self.nodes = nodes
        self.starts = starts
        self._places = places
        keys = places.sample(trace.commits)
        model = SplitModel(nodes, pinned, CutRules(places.levels))
        self._minutes = replay(keys, model, nodes, UTILISATION_DEFAULT * nodes)
        self._split_starts = [[start for start, _ in minute.splits] for minute in self._minutes]

    def minutes(self, tree: TreeId, key: bytes) -> list[At]:
        """Where a key was in each of the minutes."""
        place = self._places.place(tree, key)
        return [
            _at(minute, bisect_right(starts, place) - 1)
            for minute, starts in zip(self._minutes, self._split_starts, strict=True)
        ]


def _at(minute: Minute, split: int) -> At:
    server = minute.homes[split]
    _, load = minute.splits[split]
    return At(split, server, _percent(load), _percent(minute.servers[server]))


def _percent(load: float) -> int:
    return min(100, round(100 * load))

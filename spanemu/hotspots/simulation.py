"""The expected behaviour in production: recorded writes at a rate, on a number of nodes, by minute.

A simulation explains a verdict and never decides one. Its twin calibrates it: the same number of
writes with random keys on the same model. Everything begins in one split, so the first minutes
always look bad. That is the cold start, which split points avoid, and not a hotspot.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from statistics import mean

from spanemu.base.rand import Randomness
from spanemu.hotspots.split_model import Minute, SplitModel
from spanemu.hotspots.thresholds import THRESHOLDS

MINUTES = 12
EVENTS_PER_NODE_MIN = 4  # in a virtual minute
TWINS_MIN, TWINS_MAX = 5, 40
TWIN_KEYS = 20_000  # of all twins together, which gives their mean peak within one percent
TWIN_KEY_BYTES = 16
HOT_EXCESS, WARM_EXCESS = 1.6, 1.4
UTILISATION_DEFAULT = 0.5


class Outlook(StrEnum):
    """A word for how much busier the busiest server is than with random keys."""

    HOT = "hot"
    WARM = "warm"
    EVEN = "even"
    TOO_SHORT = "too short"


@dataclass(frozen=True, slots=True)
class Simulation:
    """The outcome of a simulation.

    `peak` is the mean load of the busiest server after the warm-up, in parts of its capacity, and
    `twin_peak` that of random keys. `qps` counts rows, index entries included.
    """

    nodes: int
    qps: float
    minutes: tuple[Minute, ...]
    peak: float
    twin_peak: float

    def __str__(self) -> str:
        head = (
            f"{self.outlook}: {self.qps:,.0f} rows/s on {self.nodes} nodes, the busiest server at "
            f"{self.peak:.0%}, with random keys {self.twin_peak:.0%} (a model of Spanner)"
        )
        lines = [
            f"minute {number:2}: {len(minute.splits):3} splits, servers at "
            + " ".join(f"{load:.0%}" for load in minute.servers)
            for number, minute in enumerate(self.minutes, 1)
        ]
        return "\n".join([head, *lines])

    @property
    def excess(self) -> float:
        """The ratio of the peak to the peak of random keys."""
        return self.peak / self.twin_peak if self.twin_peak else 0.0

    @property
    def outlook(self) -> Outlook:
        """The outlook that the excess indicates."""
        if len(self.minutes) < 2:
            return Outlook.TOO_SHORT
        if self.excess >= HOT_EXCESS:
            return Outlook.HOT
        return Outlook.WARM if self.excess >= WARM_EXCESS else Outlook.EVEN

    @property
    def cold_start(self) -> float:
        """The load of the only server in use in the first minute."""
        return self.minutes[0].peak if self.minutes else 0.0

    @property
    def saturated_minutes(self) -> int:
        """The number of minutes after the warm-up in which a server was overloaded."""
        return sum(minute.peak >= 1.0 for minute in self.minutes[len(self.minutes) // 2 :])


def simulate(
    keys: Sequence[bytes],
    nodes: int,
    qps: float | None = None,
    model: Callable[[int], SplitModel] = SplitModel,
) -> Simulation:
    """Replay keys, in the order of writing, at `qps` rows a second.

    Without `qps` the load is half of the capacity of all nodes. `model` creates the initial splits
    for a number of servers.
    """
    capacity = THRESHOLDS.server_writes_max
    rate = UTILISATION_DEFAULT * nodes * capacity if qps is None else qps
    minutes = replay(keys, model(nodes), nodes, rate / capacity)
    twin_peak = _twin_peak(len(keys), nodes, rate / capacity) if minutes else 0.0
    return Simulation(nodes, rate, minutes, _peak(minutes), twin_peak)


def replay(
    keys: Sequence[bytes], model: SplitModel, nodes: int, load: float | None = None
) -> tuple[Minute, ...]:
    """Return the minutes of a load; `load` is the total load of a minute, in servers.

    The load defaults to half of what the nodes can serve.
    """
    if load is None:
        load = UTILISATION_DEFAULT * nodes
    size = max(EVENTS_PER_NODE_MIN * nodes, len(keys) // MINUTES)
    starts = range(0, len(keys) - size + 1, size)
    return tuple(model.minute(keys[at : at + size], load / size) for at in starts)


@lru_cache(maxsize=64)
def _twin_peak(count: int, nodes: int, load: float) -> float:
    """Return the mean peak of several twins; the peak of one twin deviates by eight percent."""
    twins = max(TWINS_MIN, min(TWINS_MAX, TWIN_KEYS // count))
    return mean(_peak(_twin(count, seed, nodes, load)) for seed in range(twins))


def _twin(count: int, seed: int, nodes: int, load: float) -> tuple[Minute, ...]:
    chance = Randomness(seed).generator
    keys = [chance.randbytes(TWIN_KEY_BYTES) for _ in range(count)]
    return replay(keys, SplitModel(nodes), nodes, load)


def _peak(minutes: Iterable[Minute]) -> float:
    warmed = list(minutes)
    warmed = warmed[len(warmed) // 2 :]
    return mean(minute.peak for minute in warmed) if warmed else 0.0

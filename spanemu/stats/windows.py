"""The prequential share: boundaries from the past, load from the future.

Splitting by load can place boundaries only where load was seen, and they help only if what comes
next falls on both sides. So that is measured: the K-quantiles of one window of commits, and how the
next window falls between them. Random keys put about 1/K into the fullest bucket, keys that only
grow put all of it there.

    window 1    . . .. . . ..  .   .     ->  | |  |  |   |     boundaries
    window 2     . ..  . . . . .  ..     ->  share of the fullest bucket
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from math import sqrt
from operator import sub

# What one commit wrote into one stream: a key, or several in order.
Unit = bytes | tuple[bytes, ...]


class Prequential:
    """Shares at one length of window: how many there are, their mean and its standard error."""

    __slots__ = ("_boundaries", "_buckets", "_squares", "_total", "count", "fed", "width")

    def __init__(self, width: int, buckets: int) -> None:
        self.width = width
        self.fed = 0  # units of the owner's buffer that were taken in
        self.count = 0
        self._buckets = buckets
        self._boundaries: list[bytes] | None = None
        self._total = 0.0
        self._squares = 0.0

    @property
    def mean(self) -> float:
        """The mean share of the fullest bucket; 0 before the second window."""
        return self._total / self.count if self.count else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        if self.count < 2:
            return 0.0
        spread = max(0.0, self._squares - self._total * self._total / self.count)
        return sqrt(spread / (self.count - 1) / self.count)

    def feed(self, units: Sequence[Unit]) -> None:
        """Take in every whole window of `units` that was not taken in yet."""
        width = self.width
        while self.fed + width <= len(units):
            self._window(units[self.fed : self.fed + width])
            self.fed += width

    def _window(self, units: Sequence[Unit]) -> None:
        keys: list[bytes] = [unit for unit in units if type(unit) is bytes]
        if len(keys) == len(units):
            keys.sort()
            below: Sequence[float] = range(len(keys) + 1)
        else:
            keys, below = _weighed(units)
        if self._boundaries is not None:
            cuts = [below[bisect_left(keys, boundary)] for boundary in self._boundaries]
            share = max(map(sub, [*cuts, below[-1]], [0, *cuts])) / self.width
            self.count += 1
            self._total += share
            self._squares += share * share
        width, buckets = self.width, self._buckets
        if type(below) is range:
            places = [n * width // buckets for n in range(1, buckets)]
        else:
            places = [
                min(bisect_left(below, n * width / buckets), len(keys) - 1)
                for n in range(1, buckets)
            ]
        self._boundaries = [keys[place] for place in places]


def _weighed(units: Sequence[Unit]) -> tuple[list[bytes], list[float]]:
    """All keys in order, and the weight below each place: the rows of a commit share one."""
    pairs: list[tuple[bytes, float]] = []
    for unit in units:
        if isinstance(unit, bytes):
            pairs.append((unit, 1.0))
        else:
            weight = 1.0 / len(unit)
            pairs += [(key, weight) for key in unit]
    pairs.sort()
    return [key for key, _ in pairs], [0.0, *accumulate(weight for _, weight in pairs)]

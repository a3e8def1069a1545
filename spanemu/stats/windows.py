"""The prequential share: boundaries from the past, load from the future.

Splitting by load can place boundaries only where load was seen, and they help only if what comes
next falls on both sides. So that is measured: the K-quantiles of one window of commits, and how the
next window falls between them. Random keys put about 1/K into the fullest bucket, keys that only
grow put all of it there.

    window 1    . . .. . . ..  .   .     ->  | |  |  |   |     boundaries
    window 2     . ..  . . . . .  ..     ->  share of the fullest bucket

Windows of several lengths run side by side. Each length divides the next, so that a longer window
is put in order by merging the shorter ones.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, chain
from math import sqrt
from operator import sub

# What one commit wrote into one stream: a key, or several in order.
Unit = bytes | tuple[bytes, ...]


class Prequential:
    """Shares at one length of window: how many there are, their mean and its standard error."""

    __slots__ = ("_boundaries", "_buckets", "_squares", "_total", "count", "width")

    def __init__(self, width: int, buckets: int) -> None:
        self.width = width
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

    def take(self, keys: Sequence[bytes]) -> None:
        """Take in the next window, of commits with one key each: the keys in order."""
        width, buckets = self.width, self._buckets
        if self._boundaries is not None:
            self._count([bisect_left(keys, each) for each in self._boundaries], width)
        self._boundaries = [keys[n * width // buckets] for n in range(1, buckets)]

    def take_weighed(self, units: Sequence[Unit]) -> None:
        """Take in the next window; the rows of a commit share its weight."""
        keys, below = _weighed(units)
        width, buckets, last = self.width, self._buckets, len(keys) - 1
        if self._boundaries is not None:
            cuts = [below[bisect_left(keys, each)] for each in self._boundaries]
            self._count(cuts, below[-1])
        places = (bisect_left(below, n * width / buckets) for n in range(1, buckets))
        self._boundaries = [keys[min(place, last)] for place in places]

    def _count(self, cuts: Sequence[float], whole: float) -> None:
        """`cuts` are what lies below each boundary."""
        share = max(map(sub, [*cuts, whole], [0, *cuts])) / self.width
        self.count += 1
        self._total += share
        self._squares += share * share


class Windows:
    """Windows of several lengths over one stream. `widths` grow, and each divides the next."""

    __slots__ = ("_runs", "lengths")

    def __init__(self, widths: Sequence[int], buckets: int) -> None:
        self.lengths = tuple(Prequential(width, buckets) for width in widths)
        # Of the owner's buffer: for each length the windows that were taken in, in order.
        self._runs: tuple[list[list[bytes]], ...] = tuple([] for _ in widths)

    def feed(self, units: Sequence[Unit]) -> None:
        """Take in every whole window of `units` that was not taken in yet."""
        keys = [unit for unit in units if type(unit) is bytes]
        is_plain = len(keys) == len(units)
        shorter: Sequence[Sequence[bytes]] = ()
        step = 0
        for length, runs in zip(self.lengths, self._runs, strict=True):
            width = length.width
            for at in range(len(runs) * width, len(units) - width + 1, width):
                if not is_plain:
                    length.take_weighed(units[at : at + width])
                    runs.append([])
                    continue
                found = keys[at : at + width]
                if step:  # Sorting finds the runs that are in order already, and merges them.
                    found = [*chain.from_iterable(shorter[at // step : (at + width) // step])]
                found.sort()
                runs.append(found)
                length.take(found)
            shorter, step = runs, width

    def rewind(self) -> None:
        """The owner's buffer is empty again."""
        for runs in self._runs:
            runs.clear()


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

"""What is kept of a stream that has no end: a sample of its keys, and its most frequent rows."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import log, log1p, sqrt

from spanemu.base.rand import Randomness

Sample = tuple[int, int, bytes]  # (place in the order of arrival, commit timestamp, key)


class Turns:
    """Which of a stream a full reservoir takes, and where it puts them: Li's algorithm L.

    Drawn once for all reservoirs of a size, as far as the longest stream has come: the same stream
    makes the same sample, and what a reservoir lets pass costs nothing.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._chance = Randomness(0).generator.random
        self._weight = 1.0
        self._last = size - 1
        self._mutex = threading.Lock()
        self._draw()
        self.places = [self._last]
        self.slots: list[int] = []

    def draw_until(self, end: int) -> None:
        """Know all that is taken of the first `end`, and the one behind."""
        with self._mutex:
            while self.places[-1] < end:
                self.slots.append(int(self._chance() * self._size))
                self._draw()
                self.places.append(self._last)

    def _draw(self) -> None:
        self._weight *= (1.0 - self._chance()) ** (1 / self._size)
        passed = log(1.0 - self._chance()) / log1p(-self._weight)
        self._last += 1 + int(passed)


_turns = lru_cache(Turns)


class Reservoir:
    """An even sample of what came by, the same for the same stream."""

    __slots__ = ("_seen", "_size", "_turn", "_turns", "samples")

    def __init__(self, size: int) -> None:
        self._size = size
        self._turns = _turns(size)
        self._turn = 0
        self._seen = 0
        self.samples: list[Sample] = []

    def offer(self, ats: Sequence[int], keys: Sequence[bytes]) -> None:
        """Look at the next of the stream."""
        first = self._seen
        self._seen = end = first + len(keys)
        room = self._size - first
        if room > 0:
            self.samples += zip(range(first, end), ats[:room], keys[:room], strict=False)
        turns, turn, samples = self._turns, self._turn, self.samples
        if turns.places[-1] < end:
            turns.draw_until(end)
        places, slots = turns.places, turns.slots
        while (place := places[turn]) < end:
            samples[slots[turn]] = place, ats[place - first], keys[place - first]
            turn += 1
        self._turn = turn

    def in_order(self) -> list[Sample]:
        """The sample in the order of arrival."""
        return sorted(self.samples)


class FrequentRows:
    """Counts of the most frequent keys, too low by 1/size of the stream at most (Misra, Gries)."""

    __slots__ = ("_size", "counts")

    def __init__(self, size: int) -> None:
        self._size = size
        self.counts: Counter[bytes] = Counter()

    def see(self, keys: Iterable[bytes]) -> None:
        """Count them."""
        self.counts.update(keys)

    def trim(self) -> None:
        """Keep few counts; to be called now and then, at places that the stream itself decides."""
        counts = self.counts
        if len(counts) >= 2 * self._size:
            least = sorted(counts.values(), reverse=True)[self._size]
            self.counts = Counter({key: n - least for key, n in counts.items() if n > least})

    def top(self) -> tuple[bytes, int] | None:
        """The most frequent key with its count; the smallest of several."""
        if not self.counts:
            return None
        return min(self.counts.items(), key=lambda each: (-each[1], each[0]))


def neighbour_distance(values: Sequence[bytes]) -> int:
    """How far apart in the order they are in values are that lie beside each other.

    Nine in ten are no farther. It is one for what only grows, a little more than there are tails
    where there are several, and much where the values come back again and again to all places.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    apart = sorted(abs(after - before) for before, after in pairwise(order))
    return apart[9 * len(apart) // 10] if apart else 0


def rank_correlation(values: Sequence[bytes]) -> float:
    """Spearman's rho of values with the order they are in; equal values share their rank."""
    count = len(values)
    order = sorted(range(count), key=values.__getitem__)
    ranks = [0.0] * count
    start = 0
    while start < count:
        end = start
        while end + 1 < count and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in order[start : end + 1]:
            ranks[place] = (start + end) / 2
        start = end + 1
    middle = (count - 1) / 2
    spread = sum((rank - middle) ** 2 for rank in ranks)
    if not spread:
        return 0.0
    by_arrival = sum((place - middle) ** 2 for place in range(count))
    together = sum((place - middle) * (rank - middle) for place, rank in enumerate(ranks))
    return together / sqrt(by_arrival * spread)

"""What is kept of a stream that has no end: a sample of its keys, and its most frequent rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from spanemu.base.rand import Randomness

Sample = tuple[int, int, bytes]  # (place in the order of arrival, commit timestamp, key)


class Reservoir:
    """An even sample of what came by, the same for the same stream."""

    __slots__ = ("_chance", "_size", "samples")

    def __init__(self, size: int) -> None:
        self._size = size
        self._chance = Randomness(0).generator.random
        self.samples: list[Sample] = []

    def offer(self, sample: Sample) -> None:
        """Look at the next of the stream; its place counts from zero without gaps."""
        if sample[0] < self._size:
            self.samples.append(sample)
        elif (place := int(self._chance() * (sample[0] + 1))) < self._size:
            self.samples[place] = sample

    def in_order(self) -> list[Sample]:
        """The sample in the order of arrival."""
        return sorted(self.samples)


class FrequentRows:
    """Counts of the most frequent keys, too low by 1/size of the stream at most (Misra, Gries)."""

    __slots__ = ("_size", "counts")

    def __init__(self, size: int) -> None:
        self._size = size
        self.counts: dict[bytes, int] = {}

    def see(self, key: bytes) -> None:
        """Count one."""
        counts = self.counts
        counts[key] = counts.get(key, 0) + 1
        if len(counts) >= 2 * self._size:
            least = sorted(counts.values(), reverse=True)[self._size]
            self.counts = {key: n - least for key, n in counts.items() if n > least}

    def top(self) -> tuple[bytes, int] | None:
        """The most frequent key with its count; the smallest of several."""
        if not self.counts:
            return None
        return min(self.counts.items(), key=lambda each: (-each[1], each[0]))


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

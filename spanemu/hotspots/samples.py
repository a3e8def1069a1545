"""Bounded summaries of an unbounded stream of keys: a sample, frequent rows, the share of a bucket.

The share is measured prequentially: the quantiles of one window of commits divide the key space
into buckets, and the next window is counted in these buckets.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, chain, pairwise, repeat
from math import log, log1p, sqrt
from operator import itemgetter, sub

from spanemu.base.rand import Randomness

Sample = tuple[int, int, bytes]  # (index in the order of arrival, commit timestamp, key)


class ReservoirDraws:
    """The random draws of a full reservoir: the elements it takes and their slots (algorithm L).

    All reservoirs of a size share one sequence of draws, computed as far as the longest stream has
    come. The same stream therefore gives the same sample, and an element that is not taken costs
    nothing.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._random = Randomness(0).generator.random
        self._weight = 1.0
        self._last = size - 1
        self._mutex = threading.Lock()
        self._draw()
        self.positions = [self._last]
        self.slots: list[int] = []

    def draw_until(self, end: int) -> None:
        """Compute all draws among the first `end` elements, and the first draw after them."""
        with self._mutex:
            while self.positions[-1] < end:
                self.slots.append(int(self._random() * self._size))
                self._draw()
                self.positions.append(self._last)

    def _draw(self) -> None:
        self._weight *= (1.0 - self._random()) ** (1 / self._size)
        passed = log(1.0 - self._random()) / log1p(-self._weight)
        self._last += 1 + int(passed)


_draws = lru_cache(ReservoirDraws)


class Reservoir:
    """A uniform sample of a stream; the same stream gives the same sample."""

    __slots__ = ("_draws", "_next_draw", "_seen", "_size", "samples")

    def __init__(self, size: int) -> None:
        self._size = size
        self._draws = _draws(size)
        self._next_draw = 0
        self._seen = 0
        self.samples: list[Sample] = []

    def offer(self, timestamps: Sequence[int], keys: Sequence[bytes]) -> None:
        """Offer the next elements of the stream to the sample."""
        first = self._seen
        self._seen = end = first + len(keys)
        room = self._size - first
        if room > 0:
            self.samples += zip(range(first, end), timestamps[:room], keys[:room], strict=False)
        draws, next_draw, samples = self._draws, self._next_draw, self.samples
        if draws.positions[-1] < end:
            draws.draw_until(end)
        positions, slots = draws.positions, draws.slots
        while (position := positions[next_draw]) < end:
            samples[slots[next_draw]] = (
                position,
                timestamps[position - first],
                keys[position - first],
            )
            next_draw += 1
        self._next_draw = next_draw

    def in_order(self) -> list[Sample]:
        """Return the sample in the order of arrival."""
        return sorted(self.samples)


class FrequentRows:
    """The counts of the most frequent keys (Misra-Gries), too low by at most 1/size."""

    __slots__ = ("_size", "counts")

    def __init__(self, size: int) -> None:
        self._size = size
        self.counts: Counter[bytes] = Counter()

    def count_keys(self, keys: Iterable[bytes]) -> None:
        """Count the keys."""
        self.counts.update(keys)

    def trim(self) -> None:
        """Drop low counts. Call this at points of the stream that the stream alone determines."""
        counts = self.counts
        if len(counts) >= 2 * self._size:
            least = sorted(counts.values(), reverse=True)[self._size]
            self.counts = Counter({key: n - least for key, n in counts.items() if n > least})

    def top(self) -> tuple[bytes, int] | None:
        """Return the most frequent key with its count; of several, the smallest key."""
        if not self.counts:
            return None
        return min(self.counts.items(), key=lambda item: (-item[1], item[0]))


def neighbour_distance(values: Sequence[bytes]) -> int:
    """Return how far apart neighbours in key order are in arrival order.

    The result is the ninth decile of these distances. It is 1 for values that only grow, a little
    more than the number of sequences where several grow in parallel, and large where values return
    to all parts of the key space again and again.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    distances = sorted(abs(after - before) for before, after in pairwise(order))
    return distances[9 * len(distances) // 10] if distances else 0


def rank_correlation(values: Sequence[bytes]) -> float:
    """Return Spearman's rho of the values with their order; equal values share a rank."""
    count = len(values)
    order = sorted(range(count), key=values.__getitem__)
    ranks = [0.0] * count
    start = 0
    while start < count:
        end = start
        while end + 1 < count and values[order[end + 1]] == values[order[start]]:
            end += 1
        for position in order[start : end + 1]:
            ranks[position] = (start + end) / 2
        start = end + 1
    middle = (count - 1) / 2
    spread = sum((rank - middle) ** 2 for rank in ranks)
    if not spread:
        return 0.0
    by_arrival = sum((position - middle) ** 2 for position in range(count))
    together = sum((position - middle) * (rank - middle) for position, rank in enumerate(ranks))
    return together / sqrt(by_arrival * spread)


Keys = tuple[bytes, ...]  # the rows that one commit wrote into one stream, in order

# One key of each commit; and for a commit that wrote several rows all its keys, by its index.
Block = tuple[Sequence[bytes], Mapping[int, Keys]]


class Prequential:
    """The shares of the fullest bucket at one window length: count, mean and standard error."""

    __slots__ = ("_boundaries", "_buckets", "_quantiles", "_squares", "_total", "count", "width")

    def __init__(self, width: int, buckets: int) -> None:
        self.width = width
        self.count = 0
        self._buckets = buckets
        self._quantiles = itemgetter(*(n * width // buckets for n in range(1, buckets)))
        self._boundaries: Sequence[bytes] | None = None
        self._total = 0.0
        self._squares = 0.0

    @property
    def mean(self) -> float:
        """Return the mean share of the fullest bucket; 0 before the second window."""
        return self._total / self.count if self.count else 0.0

    @property
    def error(self) -> float:
        """Return the standard error of the mean."""
        if self.count < 2:
            return 0.0
        spread = max(0.0, self._squares - self._total * self._total / self.count)
        return sqrt(spread / (self.count - 1) / self.count)

    def add_block(self, block: Block) -> None:
        """Count every complete window of the next commits."""
        keys, sets = block
        width = self.width
        for start in range(0, len(keys) - width + 1, width):
            if sets:
                window = range(start, start + width)
                self.add_weighted([sets.get(n) or (keys[n],) for n in window])
            else:
                self.add(sorted(keys[start : start + width]))

    def add(self, keys: Sequence[bytes]) -> None:
        """Count the next window of commits with one key each, given the keys in order."""
        if self._boundaries is not None:
            self._count(list(map(bisect_left, repeat(keys), self._boundaries)), self.width)
        self._boundaries = self._quantiles(keys)

    def add_weighted(self, units: Sequence[Keys]) -> None:
        """Count the next window; the rows of one commit share its weight."""
        keys, below = _weighted(units)
        width, buckets, last = self.width, self._buckets, len(keys) - 1
        if self._boundaries is not None:
            cuts = [below[bisect_left(keys, boundary)] for boundary in self._boundaries]
            self._count(cuts, below[-1])
        positions = (bisect_left(below, n * width / buckets) for n in range(1, buckets))
        self._boundaries = [keys[min(position, last)] for position in positions]

    def _count(self, cuts: Sequence[float], whole: float) -> None:
        """Add the share of the fullest bucket; `cuts` are the weights below each boundary."""
        share = min(1.0, max(map(sub, [*cuts, whole], [0, *cuts])) / self.width)
        self.count += 1
        self._total += share
        self._squares += share * share


def halves(keys: Sequence[bytes], buckets: int) -> Prequential:
    """Return the share with boundaries from one half of the commits and load from the other."""
    width = len(keys) // 2
    share = Prequential(width, buckets)
    first, second = sorted(keys[:width]), sorted(keys[-width:])
    for half in (first, second, first):
        share.add(half)
    return share


class Windows:
    """The share of a stream, measured with the longest window length that has enough windows.

    `widths` grow, and each divides the next. A longer length replaces a shorter one for good. The
    first commits are kept until there are `enough` windows of the longest length, and a shorter
    length is computed only on demand; afterwards only the longest length is counted.
    """

    __slots__ = ("_buckets", "_enough", "_kept", "_longest", "_widths")

    def __init__(self, widths: Sequence[int], buckets: int, enough: int) -> None:
        self._widths = widths
        self._buckets = buckets
        self._enough = enough
        self._kept: list[Block] = []
        self._longest = Prequential(widths[-1], buckets)

    def add(self, block: Block) -> None:
        """Add a block of commits, as many as the longest window has."""
        self._kept.append(block)
        if self._longest.count or len(self._kept) >= self._enough:
            for kept in self._kept:
                self._longest.add_block(kept)
            self._kept.clear()

    def chosen(self, rest: Block) -> Prequential | None:
        """Return the deciding measurement of all added blocks and `rest`, an incomplete block."""
        if self._longest.count:
            return self._longest
        blocks = [*self._kept, rest]
        commits = sum(len(keys) for keys, _ in blocks)
        enough = [width for width in self._widths if width * self._enough <= commits]
        if not enough:
            return None
        measured = Prequential(enough[-1], self._buckets)
        for block in blocks:
            measured.add_block(block)
        return measured


def _weighted(units: Sequence[Keys]) -> tuple[list[bytes], list[float]]:
    """Return all keys in order, and the weight below each index.

    The rows of a commit share one weight.
    """
    keys = [*chain.from_iterable(units)]
    sizes = set(map(len, units))
    if len(sizes) == 1:
        return sorted(keys), [0.0, *accumulate(repeat(1.0 / sizes.pop(), len(keys)))]
    weights = [*chain.from_iterable([repeat(1.0 / len(unit), len(unit)) for unit in units])]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    ordered = list(map(keys.__getitem__, order))
    return ordered, [0.0, *accumulate(map(weights.__getitem__, order))]

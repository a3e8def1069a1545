"""The prequential share: boundaries from the past, load from the future.

Splitting by load can place boundaries only where load was seen, and they help only if what comes
next falls on both sides. So that is measured: the K-quantiles of one window of commits, and how the
next window falls between them. Random keys put about 1/K into the fullest bucket, keys that only
grow put all of it there.

    window 1    . . .. . . ..  .   .     ->  | |  |  |   |     boundaries
    window 2     . ..  . . . . .  ..     ->  share of the fullest bucket

The longer a window, the less do shares of random keys lie above that. So the longest length decides
of which there are enough windows.

Commits that go round, through 64 shards say, fill a window of 16 with keys beside each other, and
yet come back to every boundary. For such there are `halves`, the two longest windows there can be.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate, chain, repeat
from math import sqrt
from operator import itemgetter, sub

Keys = tuple[bytes, ...]  # of the rows that one commit wrote into one stream, in order

# Commits: a key of each, and all keys, by its place, of one that wrote several rows.
Block = tuple[Sequence[bytes], Mapping[int, Keys]]


class Prequential:
    """Shares at one length of window: how many there are, their mean and its standard error."""

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
        """The mean share of the fullest bucket; 0 before the second window."""
        return self._total / self.count if self.count else 0.0

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        if self.count < 2:
            return 0.0
        spread = max(0.0, self._squares - self._total * self._total / self.count)
        return sqrt(spread / (self.count - 1) / self.count)

    def take_all(self, block: Block) -> None:
        """Take in every whole window of the next commits."""
        keys, sets = block
        width = self.width
        for start in range(0, len(keys) - width + 1, width):
            if sets:
                window = range(start, start + width)
                self.take_weighed([sets.get(n) or (keys[n],) for n in window])
            else:
                self.take(sorted(keys[start : start + width]))

    def take(self, keys: Sequence[bytes]) -> None:
        """Take in the next window, of commits with one key each: the keys in order."""
        if self._boundaries is not None:
            self._count(list(map(bisect_left, repeat(keys), self._boundaries)), self.width)
        self._boundaries = self._quantiles(keys)

    def take_weighed(self, units: Sequence[Keys]) -> None:
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
        share = min(1.0, max(map(sub, [*cuts, whole], [0, *cuts])) / self.width)
        self.count += 1
        self._total += share
        self._squares += share * share


def halves(keys: Sequence[bytes], buckets: int) -> Prequential:
    """Boundaries from either half of all commits, load from the other."""
    width = len(keys) // 2
    found = Prequential(width, buckets)
    first, second = sorted(keys[:width]), sorted(keys[-width:])
    for half in (first, second, first):
        found.take(half)
    return found


class Windows:
    """The shares of a stream at the longest of some lengths of which there are enough windows.

    `widths` grow, and each divides the next. A longer length takes the place of a shorter one for
    good, so nothing is reckoned before it is asked for while the stream is young: the first commits
    are kept until there are `enough` of the longest windows, and from then on only those count.
    """

    __slots__ = ("_buckets", "_enough", "_kept", "_longest", "_widths")

    def __init__(self, widths: Sequence[int], buckets: int, enough: int) -> None:
        self._widths = widths
        self._buckets = buckets
        self._enough = enough
        self._kept: list[Block] = []
        self._longest = Prequential(widths[-1], buckets)

    def take(self, block: Block) -> None:
        """Take in the next commits, as many as the longest length has."""
        self._kept.append(block)
        if self._longest.count or len(self._kept) >= self._enough:
            for each in self._kept:
                self._longest.take_all(each)
            self._kept.clear()

    def chosen(self, rest: Block) -> Prequential | None:
        """What decides after the commits that were taken in and `rest`, fewer than of a block."""
        if self._longest.count:
            return self._longest
        blocks = [*self._kept, rest]
        commits = sum(len(keys) for keys, _ in blocks)
        enough = [width for width in self._widths if width * self._enough <= commits]
        if not enough:
            return None
        found = Prequential(enough[-1], self._buckets)
        for each in blocks:
            found.take_all(each)
        return found


def _weighed(units: Sequence[Keys]) -> tuple[list[bytes], list[float]]:
    """All keys in order, and the weight below each place: the rows of a commit share one."""
    keys = [*chain.from_iterable(units)]
    sizes = set(map(len, units))
    if len(sizes) == 1:
        return sorted(keys), [0.0, *accumulate(repeat(1.0 / sizes.pop(), len(keys)))]
    weights = [*chain.from_iterable([repeat(1.0 / len(unit), len(unit)) for unit in units])]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    ordered = list(map(keys.__getitem__, order))
    return ordered, [0.0, *accumulate(map(weights.__getitem__, order))]

"""The partitions of a change stream: key ranges that tile the key space, each for a range of time.

The key space of a database is the sequence of its hierarchies (`storage.layout`) by id, each with
its keys in order. The partitions of a stream always cover all of it:

    hierarchy    |------ 3 ------|--------- 7 ----------|
    eras    t0   [--- a ---)[------- b -------)[-- c --)
            t1   [--- a ---)[--- d ---)[- e --)[-- c --)        b was split; its children are d, e

A partition owns the changes of its keys with start <= commit timestamp < end. A change of the
tiling closes exactly the partitions whose range is not in the new tiling, and opens their children.

All classes are immutable, so snapshots and clones share histories.
"""

from __future__ import annotations

import dataclasses
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from itertools import pairwise
from math import inf

from spanemu.base.clock import BEGINNING
from spanemu.base.record import dataclass
from spanemu.storage.layout import Boundary, Path, TreeId


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Bound:
    """A position in the key space: a boundary in a hierarchy, or the beginning of the hierarchy."""

    hierarchy: TreeId
    position: bytes = b""  # that of the boundary
    boundary: Boundary | None = field(default=None, compare=False)

    @classmethod
    def at(cls, boundary: Boundary) -> Bound:
        """Return the bound at a boundary of the store."""
        return cls(boundary.hierarchy, boundary.position, boundary)

    def cut(self, path: Path) -> bytes:
        """Return the first key, in a tree of the bound's hierarchy, not below the bound."""
        return b"" if self.boundary is None else self.boundary.cut(path)


Range = tuple[Bound | None, Bound | None]  # None: open towards the end of the key space


@dataclass(frozen=True, slots=True)
class Partition:
    """A half-open key range of a stream from `start` until before `end`.

    `end` is None while the partition is open. `parents` are the tokens of the partitions that held
    some of its keys before.
    """

    token: str
    low: Bound | None
    high: Bound | None
    start: int
    end: int | None = None
    parents: tuple[str, ...] = ()

    @property
    def range(self) -> Range:
        """The range of keys."""
        return self.low, self.high


@dataclass(frozen=True, slots=True)
class Era:
    """The partitions of a stream, in key order, from `since` until the next era.

    Partitions are as they were in the era: `PartitionHistory.get` returns the end of a partition
    that has ended since. `paths` holds the path of each watched tree.
    """

    since: int
    partitions: tuple[Partition, ...]
    paths: Mapping[TreeId, Path]
    # By tree: the index of the first partition that may contain its keys, and the first key of
    # each further partition in the tree's hierarchy.
    _starts: dict[TreeId, tuple[int, Sequence[bytes]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def index_of(self, tree: TreeId, key: bytes) -> int:
        """Return the index of the partition that owns a key of a watched tree."""
        starts = self._starts.get(tree)
        if starts is None:
            starts = self._starts[tree] = self._starts_in(self.paths[tree])
        return starts[0] + bisect_right(starts[1], key)

    def number_of(self, token: str) -> int:
        """Return the index of the partition with that token; -1 if it is not of this era."""
        tokens = (each.token for each in self.partitions)
        return next((index for index, each in enumerate(tokens) if each == token), -1)

    def _starts_in(self, path: Path) -> tuple[int, Sequence[bytes]]:
        lows = [each.low for each in self.partitions[1:] if each.low is not None]
        first = bisect_left(lows, Bound(path[0]))
        mine = (low for low in lows[first:] if low.hierarchy == path[0])
        return first, [low.cut(path) for low in mine]


@dataclass(frozen=True)
class PartitionHistory:
    """The retained partitions of one stream.

    `eras` are in order of time, and the last one is current.
    """

    stream: str
    created: int
    eras: tuple[Era, ...]
    by_token: Mapping[str, Partition]
    children_of: Mapping[str, tuple[str, ...]]  # tokens, in key order

    @classmethod
    def new(
        cls,
        stream: str,
        bounds: Iterable[Bound],
        paths: Mapping[TreeId, Path],
        at: int,
        new_token: Callable[[], str],
    ) -> PartitionHistory:
        """Return the history of a stream that is created at `at`, cut at `bounds`."""
        partitions = tuple(Partition(new_token(), *range_, at) for range_ in ranges_of(bounds))
        tokens = {each.token: each for each in partitions}
        return cls(stream, at, (Era(at, partitions, paths),), tokens, {})

    # ------------------------------------------------------------------ reading

    @property
    def current(self) -> Era:
        """The current era."""
        return self.eras[-1]

    def at(self, timestamp: int) -> Era:
        """Return the era of a timestamp; the first one for a timestamp before all eras."""
        return self.span_at(timestamp)[0]

    def span_at(self, timestamp: int) -> tuple[Era, float]:
        """Return the era of a timestamp, and the time at which it ends."""
        index = max(1, bisect_right(self.eras, timestamp, key=_since))
        return self.eras[index - 1], self.eras[index].since if index < len(self.eras) else inf

    def get(self, token: str) -> Partition | None:
        """Return the partition with that token; None if it is unknown, or forgotten."""
        return self.by_token.get(token)

    def children(self, token: str) -> tuple[Partition, ...]:
        """Return the partitions that follow a partition which has ended, in key order."""
        tokens = self.children_of.get(token, ())
        return tuple(self.by_token[each] for each in tokens if each in self.by_token)

    # ------------------------------------------------------------------ changes

    def changed(
        self,
        bounds: Iterable[Bound],
        paths: Mapping[TreeId, Path],
        at: int,
        new_token: Callable[[], str],
        renewed: Iterable[str] = (),
    ) -> PartitionHistory:
        """Return the history with partitions cut at `bounds` from `at` on.

        A partition that keeps its range stays open, unless its token is in `renewed`.
        """
        current, again = self.current, set(renewed)
        ranges = dict.fromkeys(ranges_of(bounds))
        open_ = current.partitions
        closed = [each for each in open_ if each.token in again or each.range not in ranges]
        if not closed and paths == current.paths:
            return self
        ended = {each.token for each in closed}
        kept = {each.range: each for each in open_ if each.token not in ended}
        partitions = tuple(
            kept.get(range_) or Partition(new_token(), *range_, at, None, _parents(range_, closed))
            for range_ in ranges
        )
        return self._with(Era(at, partitions, paths), closed)

    def _with(self, era: Era, closed: Sequence[Partition]) -> PartitionHistory:
        by_token, children = dict(self.by_token), dict(self.children_of)
        by_token |= {each.token: replace(each, end=era.since) for each in closed}
        for partition in era.partitions:
            if partition.token not in by_token:
                by_token[partition.token] = partition
                for parent in partition.parents:
                    children[parent] = (*children.get(parent, ()), partition.token)
        return replace(self, eras=(*self.eras, era), by_token=by_token, children_of=children)

    def forgetting(self, at: int) -> PartitionHistory:
        """Return the history without the partitions that ended at `at` or before."""
        ended = bisect_right(self.eras[1:], at, key=_since)
        if not ended:
            return self
        gone = {t for t, each in self.by_token.items() if each.end is not None and each.end <= at}
        return replace(
            self,
            eras=self.eras[ended:],
            by_token={t: each for t, each in self.by_token.items() if t not in gone},
            children_of={t: known for t, known in self.children_of.items() if t not in gone},
        )

    def restarted(self) -> PartitionHistory:
        """Return the open partitions as if they had existed from the beginning of time."""
        current = self.current
        partitions = tuple(
            replace(each, start=BEGINNING, parents=()) for each in current.partitions
        )
        tokens = {each.token: each for each in partitions}
        era = Era(BEGINNING, partitions, current.paths)
        return replace(self, created=BEGINNING, eras=(era,), by_token=tokens, children_of={})

    def check(self) -> None:
        """Assert every invariant."""
        assert [era.since for era in self.eras] == sorted({era.since for era in self.eras})
        for era in self.eras:
            lows = [each.low for each in era.partitions]
            assert lows[0] is None
            assert era.partitions[-1].high is None
            assert [each.high for each in era.partitions[:-1]] == lows[1:]
            inner = [low for low in lows[1:] if low is not None]
            assert inner == sorted(set(inner))
            assert len(inner) == len(lows) - 1
        for token, partition in self.by_token.items():
            assert partition.token == token
            assert (partition.end is None) == (partition in self.current.partitions)
            for child in self.children(token):
                assert token in child.parents
                assert child.start == partition.end


def ranges_of(bounds: Iterable[Bound]) -> list[Range]:
    """Return the ranges into which sorted bounds cut the key space."""
    return list(pairwise([None, *bounds, None]))


def overlap(one: Range, other: Range) -> bool:
    """Return whether two ranges have keys in common."""
    return _is_before(one[0], other[1]) and _is_before(other[0], one[1])


def _is_before(low: Bound | None, high: Bound | None) -> bool:
    return low is None or high is None or low < high


def _parents(range_: Range, closed: Iterable[Partition]) -> tuple[str, ...]:
    return tuple(each.token for each in closed if overlap(range_, each.range))


def _since(era: Era) -> int:
    return era.since

"""The order in which schedules are tried: race reversal, ordered by preemptions.

A finished run shows its races: pairs of dependent steps of different actors that nothing else
orders. Each race is reversed by a prefix of the run in which the later step comes first. Prefixes
with the same order of dependent steps are equivalent, and only one of them is run. The bound of
preemptions orders the search, and prefixes with one preemption more than the bound are run as well,
because reversals beyond the bound lead to schedules within it.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import count, pairwise
from typing import NamedTuple

from spanemu.explorer.histories import FinishedRun, FinishedRuns, Order, Reversal, history_of
from spanemu.explorer.run import SHAPE_BYTES, Run
from spanemu.explorer.steps import INTERRUPTED, Trace

ORDERS_KEPT = 128  # of finished runs, decoded


class _Entry(NamedTuple):
    """A race of a finished run, to be reversed; equally cheap ones in the order of `serial`."""

    preemptions: int
    length: int
    serial: int
    run: int
    first: int
    second: int


class Branch(NamedTuple):
    """A prefix to run, and the shapes of the requests that it repeats."""

    word: tuple[int, ...]
    shapes: tuple[bytes, ...]


class Frontier:
    """The prefixes to run, the cheapest first, at one granularity."""

    def __init__(self, preemptions: int) -> None:
        self._most = preemptions + 1
        self._queue: list[_Entry] = []
        self._pushed: set[bytes] = set()
        self._finished = FinishedRuns()
        self._order_of = lru_cache(maxsize=ORDERS_KEPT)(self._decoded)
        self._serial = count()
        self._head: Reversal | None = None  # of the cheapest prefix, as `has_more` has found it
        self.left = 0  # prefixes within the bound that wait

    @property
    def has_more(self) -> bool:
        """True if the bound leaves out a prefix that no finished run covers."""
        while self._queue:
            head = self._head = self._reversal(self._queue[0])
            if not self._finished.cover(head.history):
                return True
            self._pop()
        return False

    def next(self) -> Branch | None:
        """Return the cheapest prefix that no finished run covers; None beyond the bound."""
        if not self.has_more or self._queue[0].preemptions > self._most:
            return None
        reversal, entry = self._head, self._pop()
        assert reversal is not None
        shapes = self._finished.runs[entry.run].shapes
        return Branch(
            tuple(reversal.word),
            tuple(
                shapes[SHAPE_BYTES * index : SHAPE_BYTES * (index + 1)]
                for index in reversal.indexes
            ),
        )

    def _pop(self) -> _Entry:
        entry = heapq.heappop(self._queue)
        self.left -= entry.preemptions <= self._most
        return entry

    def _reversal(self, entry: _Entry) -> Reversal:
        run = self._finished.runs[entry.run]
        return run.reversal(self._order_of(entry.run), (entry.first, entry.second))

    def _decoded(self, number: int) -> Order:
        return self._finished.runs[number].order()

    def add(self, run: Run) -> bool:
        """Push the reversals of the races of a finished run; return whether the run is new."""
        trace = run.trace()
        word = bytes(run.word)
        history = history_of(word, trace.clocks, len(run.actors))
        if self._finished.cover(history):
            return False
        finished = FinishedRun(word, b"".join(run.shapes), history)
        number = self._finished.add(finished)
        following, order = _following(run.word), Order.of(word, trace.clocks)
        for race in races(run, trace):
            reversal = finished.reversal(order, race)
            digest = blake2b(b"\xff".join(reversal.history), digest_size=8).digest()
            if digest not in self._pushed:
                self._pushed.add(digest)
                cost = preemptions(run, reversal.indexes, following)
                length = len(reversal.word)
                entry = _Entry(cost, length, next(self._serial), number, *race)
                heapq.heappush(self._queue, entry)
                self.left += cost <= self._most
        return True


def has_dependencies(run: Run) -> bool:
    """Return whether steps of two actors depend on each other."""
    return any(
        other.actor != step.actor and step.depends_on(other)
        for step in run.steps
        for other in run.steps[: step.index]
    )


def races(run: Run, trace: Trace) -> Iterator[tuple[int, int]]:
    """Yield the pairs of steps that may be reversed."""
    for step, bits in zip(run.steps, trace.direct, strict=True):
        while bits:
            lowest = bits & -bits
            bits ^= lowest
            first = run.steps[lowest.bit_length() - 1]
            if (
                first.actor != step.actor
                and step.enabled_by != first.index
                and not (step.is_woken or first.is_woken)
            ):
                yield first.index, step.index


def _following(word: Sequence[int]) -> list[int | None]:
    """Return for each step the next step of the same actor, None for the last."""
    following: list[int | None] = [None] * len(word)
    known: dict[int, int] = {}
    for index in range(len(word) - 1, -1, -1):
        following[index] = known.get(word[index])
        known[word[index]] = index
    return following


def preemptions(run: Run, indexes: Sequence[int], following: Sequence[int | None]) -> int:
    """Return how often a prefix switches away from an actor that is able to continue."""
    interrupted = 0
    for before, index in pairwise(indexes):
        after = following[before]
        if (
            run.word[index] != run.word[before]
            and after is not None
            and run.steps[after].kind in INTERRUPTED
        ):
            interrupted += 1
    return interrupted

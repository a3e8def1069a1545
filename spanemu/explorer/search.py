"""The order in which schedules are tried: race reversal, ordered by preemptions.

A finished run shows its races: pairs of dependent steps of different actors that nothing else
orders. Each race is reversed by a prefix of the run in which the later step comes first. Prefixes
with the same order of dependent steps are equivalent, and only one of them is run. The bound of
preemptions orders the search, and prefixes with one preemption more than the bound are run as well,
because reversals beyond the bound lead to schedules within it.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import count, pairwise
from typing import NamedTuple

from spanemu.explorer.run import Run
from spanemu.explorer.steps import INTERRUPTED, History, Trace


class Branch(NamedTuple):
    """A prefix to run, its history, and the shapes of the requests that it repeats."""

    preemptions: int
    length: int
    serial: int  # Equally cheap branches are run in the order in which they were found.
    prefix: bytes
    history: History
    shapes: tuple[int, ...]

    @property
    def word(self) -> tuple[int, ...]:
        """The actors of the steps."""
        return tuple(self.prefix)


class Frontier:
    """The branches to run, the cheapest first, at one granularity."""

    def __init__(self, preemptions: int) -> None:
        self._most = preemptions + 1
        self._queue: list[Branch] = []
        self._pushed: set[bytes] = set()
        self._finished = FinishedRuns()
        self._serial = count()

    @property
    def left(self) -> int:
        """The number of branches within the bound that wait."""
        return sum(branch.preemptions <= self._most for branch in self._queue)

    @property
    def has_more(self) -> bool:
        """True if the bound leaves out a branch that no finished run covers."""
        while self._queue and self._finished.cover(self._queue[0].history):
            heapq.heappop(self._queue)
        return bool(self._queue)

    def next(self) -> Branch | None:
        """Return the cheapest branch that no finished run covers; None beyond the bound."""
        if not self.has_more or self._queue[0].preemptions > self._most:
            return None
        return heapq.heappop(self._queue)

    def add(self, run: Run) -> bool:
        """Push the reversals of the races of a finished run; return whether the run is new."""
        trace = run.trace()
        history = trace.history()
        if self._finished.cover(history):
            return False
        self._finished.add(history)
        following, shapes = _following(run.word), run.shapes
        for race in races(run, trace):
            self._push(run, trace, race, following, shapes)
        return True

    def _push(
        self,
        run: Run,
        trace: Trace,
        race: tuple[int, int],
        following: Sequence[int | None],
        shapes: Sequence[int],
    ) -> None:
        first, second = race
        between = [
            index for index in range(first + 1, second) if not trace.before[index] >> first & 1
        ]
        indexes = [*range(first), *between, second]
        history = trace.history(indexes)
        digest = blake2b(b"\xff".join(history), digest_size=8).digest()
        if digest in self._pushed:
            return
        self._pushed.add(digest)
        branch = Branch(
            preemptions(run, indexes, following),
            len(indexes),
            next(self._serial),
            bytes(run.word[index] for index in indexes),
            history,
            tuple(shapes[index] for index in indexes),
        )
        heapq.heappush(self._queue, branch)


class FinishedRuns:
    """The histories of finished runs.

    The histories of an actor are kept in order, where those with a common beginning lie together.
    """

    def __init__(self) -> None:
        self._runs: list[History] = []
        self._by_actor: list[list[tuple[bytes, int]]] = []

    def add(self, history: History) -> None:
        """Add the history of a run."""
        while len(self._by_actor) < len(history):
            self._by_actor.append([(b"", number) for number in range(len(self._runs))])
        for actor, entries in enumerate(self._by_actor):
            own = history[actor] if actor < len(history) else b""
            insort(entries, (own, len(self._runs)))
        self._runs.append(history)

    def cover(self, history: History) -> bool:
        """Return whether a finished run begins with a history."""
        if len(history) > len(self._by_actor):
            history, more = history[: len(self._by_actor)], history[len(self._by_actor) :]
            if any(more):
                return False
        ranges = [
            _beginning(entries, own)
            for entries, own in zip(self._by_actor, history, strict=False)
            if own
        ]
        if not ranges:
            return bool(self._runs)
        entries = min(ranges, key=lambda entries: entries[2] - entries[1])
        return any(
            _begins(self._runs[number], history)
            for _, number in entries[0][entries[1] : entries[2]]
        )


def _beginning(
    entries: list[tuple[bytes, int]], own: bytes
) -> tuple[list[tuple[bytes, int]], int, int]:
    """Return where the histories of an actor lie that begin with one, which ends with a zero."""
    end = own[:-1] + b"\x01"
    return entries, bisect_left(entries, (own, -1)), bisect_left(entries, (end, -1))


def _begins(finished: History, history: History) -> bool:
    return all(
        not own or (actor < len(finished) and finished[actor].startswith(own))
        for actor, own in enumerate(history)
    )


def races(run: Run, trace: Trace) -> Iterator[tuple[int, int]]:
    """Yield the pairs of steps that may be reversed."""
    for step in run.steps:
        bits = trace.direct[step.index]
        for first in range(step.index):
            if (
                bits >> first & 1
                and run.steps[first].actor != step.actor
                and step.enabled_by != first
            ):
                yield first, step.index


def _following(word: Sequence[int]) -> list[int | None]:
    """Return for each step the next step of the same actor, None for the last."""
    following: list[int | None] = [None] * len(word)
    known: dict[int, int] = {}
    for index in range(len(word) - 1, -1, -1):
        following[index] = known.get(word[index])
        known[word[index]] = index
    return following


def preemptions(run: Run, indexes: Sequence[int], following: Sequence[int | None]) -> int:
    """Count the switches of a prefix that interrupt an actor which could have gone on."""
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

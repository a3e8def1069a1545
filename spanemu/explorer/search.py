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
from itertools import count, pairwise

from spanemu.explorer.run import Run
from spanemu.explorer.steps import Event, Trace

Prefix = tuple[int, ...]
Shape = frozenset[tuple[Event, frozenset[Event]]]  # each event with the events before it


class Frontier:
    """The prefixes to run, the cheapest first, at one granularity."""

    def __init__(self, preemptions: int) -> None:
        self._most = preemptions + 1
        self._queue: list[tuple[int, int, int, Prefix, Shape]] = []
        self._pushed: set[Shape] = set()
        self._finished: list[dict[Event, frozenset[Event]]] = []
        self._serial = count()
        self.beyond = 0  # prefixes that the bound left out

    def __len__(self) -> int:
        return len(self._queue)

    def next(self) -> Prefix | None:
        """Return the cheapest prefix that no finished run has covered; None at the end."""
        while self._queue:
            *_, prefix, shape = heapq.heappop(self._queue)
            if not self._is_covered(shape):
                return prefix
        return None

    def _is_covered(self, shape: Shape) -> bool:
        return any(
            all(known.get(event) == before for event, before in shape) for known in self._finished
        )

    def add(self, run: Run) -> None:
        """Push the reversals of the races of a finished run."""
        trace = run.trace()
        self._finished.append(
            {event: trace.predecessors(index) for index, event in enumerate(trace.events)}
        )
        for first, second in races(run, trace):
            self._push(run, trace, first, second)

    def _push(self, run: Run, trace: Trace, first: int, second: int) -> None:
        between = [
            index for index in range(first + 1, second) if not trace.before[index] >> first & 1
        ]
        indexes = [*range(first), *between, second]
        among = sum(1 << index for index in indexes)
        shape = frozenset(
            (trace.events[index], trace.predecessors(index, among)) for index in indexes
        )
        if shape in self._pushed:
            return
        self._pushed.add(shape)
        prefix = tuple(run.word[index] for index in indexes)
        cost = _preemptions(run, indexes)
        if cost > self._most:
            self.beyond += 1
            return
        heapq.heappush(self._queue, (cost, len(prefix), next(self._serial), prefix, shape))


def races(run: Run, trace: Trace) -> Iterator[tuple[int, int]]:
    """Yield the pairs of steps that may be reversed."""
    for second, step in enumerate(run.steps):
        for first in range(second):
            other = run.steps[first]
            if other.actor == step.actor or not trace.dependent[second] >> first & 1:
                continue
            if step.enabled_by == first:
                continue
            if any(
                trace.before[middle] >> first & 1 and trace.before[second] >> middle & 1
                for middle in range(first + 1, second)
            ):
                continue
            yield first, second


def _preemptions(run: Run, indexes: Sequence[int]) -> int:
    """Return how many steps of a prefix interrupt an actor that could have gone on."""
    interrupted = 0
    later: dict[int, list[int]] = {}
    for step in run.steps:
        later.setdefault(step.actor, []).append(step.index)
    for before, index in pairwise(indexes):
        actor = run.steps[before].actor
        if run.steps[index].actor != actor:
            following = [each for each in later[actor] if each > before]
            if following and run.steps[following[0]].kind in ("request", "point"):
                interrupted += 1
    return interrupted

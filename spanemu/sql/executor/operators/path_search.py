"""The orders in which the paths from a node are found, by search prefix.

    ALL                      depth first; holds one path, and the edges of the nodes on it
    ANY, ANY SHORTEST        breadth first; ends at the first path to each last node
    ANY CHEAPEST             by the sum of costs; likewise

A search for one path to each node need not go on from a state that it has reached before. A state
is a hop with the node behind it and the copies of its segment. Of two states with enough copies,
the one with fewer copies can do all that the other can. That does not hold where a mode or a
condition depends on the path: then every path counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import count
from typing import Any

from spanemu.base.call import current
from spanemu.sql.executor.memory import MemoryAccount
from spanemu.sql.executor.operators.path_pattern import Pattern, Walk
from spanemu.sql.executor.operators.path_trace import (
    COPIES,
    HOP,
    NODE,
    VALUES,
    Node,
    Trace,
)
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.resolved import PathPrefix

# From a node and the row of the input to the complete paths.
Search = Callable[[Node, Row, Run], Iterator[Trace]]

TRACE_BYTES = 300  # of a path that is held, and of the state that it has reached


class _Reached:
    """The states that a search has reached."""

    def __init__(self, pattern: Pattern, is_free: bool) -> None:
        self._bounds = [
            (pattern.segments[hop.segment].lower, pattern.segments[hop.segment].is_unbounded)
            for hop in pattern.hops
        ]
        self._is_free = is_free
        self.count = 0  # of paths that were new
        self._exact: set[tuple[Any, ...]] = set()
        self._fewest: dict[tuple[Any, ...], int] = {}

    def is_new(self, trace: Trace) -> bool:
        """Return whether a path has reached a state that no earlier path could replace."""
        if self._is_free and not self._adds(trace):
            return False
        self.count += 1
        return True

    def _adds(self, trace: Trace) -> bool:
        hop = trace[HOP]
        lower, is_unbounded = self._bounds[hop]
        copies = trace[COPIES] + 1
        if copies < lower:
            state = (trace[NODE], hop, copies)
            if state in self._exact:
                return False
            self._exact.add(state)
            return True
        junction = (trace[NODE], hop)
        fewest = self._fewest.get(junction)
        if fewest is not None and (is_unbounded or fewest <= copies):
            return False
        self._fewest[junction] = copies
        return True


def depth_first(pattern: Pattern, _: MemoryAccount, __: bool) -> Search:
    """Return the search that finds every path."""

    def search(node: Node, row: Row, run: Run) -> Iterator[Trace]:
        check = current().check
        walk = Walk(pattern, row, run)
        arrive, expand, tasks = walk.arrive, walk.expand, walk.tasks
        complete = walk.start(node)
        if complete is not None:
            yield complete
        pending: list[Iterator[Trace]] = []
        while True:
            if tasks:
                check()
                pending += map(expand, tasks)
                tasks.clear()
            if not pending:
                return
            trace = next(pending[-1], None)
            if trace is None:
                pending.pop()
                continue
            complete = arrive(trace)
            if complete is not None:
                yield complete
            elif not tasks:  # Very many nodes in turn may fail the conditions on the last one.
                check()

    return search


def breadth_first(pattern: Pattern, holding: MemoryAccount, is_free: bool) -> Search:
    """Return the search for a path of fewest edges to each last node."""

    def search(node: Node, row: Row, run: Run) -> Iterator[Trace]:
        check = current().check
        walk = Walk(pattern, row, run)
        ends: set[Node] = set()
        reached = _Reached(pattern, is_free)
        complete = walk.start(node)
        if complete is not None:
            ends.add(node)
            yield complete
        while walk.tasks:
            tasks, walk.tasks = walk.tasks, []
            for task in tasks:
                check()
                before = reached.count
                for trace in walk.expand(task):
                    if reached.is_new(trace):
                        complete = walk.arrive(trace)
                        if complete is not None and complete[NODE] not in ends:
                            ends.add(complete[NODE])
                            yield complete
                holding.take_bytes(TRACE_BYTES * (reached.count - before), run)

    return search


def cheapest_first(pattern: Pattern, holding: MemoryAccount, is_free: bool) -> Search:
    """Return the search for a path of least cost to each last node."""

    def search(node: Node, row: Row, run: Run) -> Iterator[Trace]:
        check = current().check
        walk = Walk(pattern, row, run)
        ends: set[Node] = set()
        reached = _Reached(pattern, is_free)
        numbers = count()
        queue: list[tuple[Any, int, Trace]] = []
        cost: Any = 0
        complete = walk.start(node)
        while True:
            if complete is not None and complete[NODE] not in ends:
                ends.add(complete[NODE])
                yield complete
            for task in walk.tasks:
                check()
                held = len(queue)
                costs = pattern.hops[task[1]].costs
                for trace in walk.expand(task):
                    total = cost if costs is None else costs.added(cost, trace[VALUES])
                    heappush(queue, (total, next(numbers), trace))
                holding.take_bytes(TRACE_BYTES * (len(queue) - held), run)
            while queue:
                cost, _, trace = heappop(queue)
                if reached.is_new(trace):
                    break
                check()
            else:
                return
            walk.tasks.clear()
            complete = walk.arrive(trace)

    return search


SEARCHES: Mapping[PathPrefix, Callable[[Pattern, MemoryAccount, bool], Search]] = {
    PathPrefix.ALL: depth_first,
    PathPrefix.ANY: breadth_first,
    PathPrefix.ANY_SHORTEST: breadth_first,
    PathPrefix.ANY_CHEAPEST: cheapest_first,
}

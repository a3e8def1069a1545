"""Bidirectional search for a path with the fewest edges between two known nodes.

The side with fewer nodes at its rim goes on, one edge at a time from all of them, until a node is
reached from both sides. No path is shorter than the first that is found: after i edges from one
side and j from the other without a meeting, there is no path of up to i + j edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.base.call import current
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import MemoryAccount
from spanemu.sql.executor.operators.path_cheapest import (
    Meeting,
    can_halve,
    cheapest_of_halves,
)
from spanemu.sql.executor.operators.path_parts import Arrivals, Reading, compile_hop
from spanemu.sql.executor.operators.path_pattern import Pattern, Walk
from spanemu.sql.executor.operators.path_search import TRACE_BYTES, breadth_first
from spanemu.sql.executor.operators.path_trace import COPIES, HOP, NODE, Node, Trace, first_trace
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.resolved import PathPrefix


def can_meet(node: PathScan) -> bool:
    """Return whether a path scan can be searched from both ends."""
    if node.end is None or node.prefix is PathPrefix.ALL:
        return False
    if len(node.segments) != 1 or not node.is_free:
        return False
    (segment,) = node.segments
    if len(segment.hops) != 1 or segment.lower > 1:
        return False
    if node.prefix is PathPrefix.ANY_CHEAPEST and not can_halve(node):
        return False
    return all(step.backward is not None for step in segment.hops[0].steps)


def from_both_ends(
    node: PathScan, pattern: Pattern, compiler: Compiler, holding: MemoryAccount
) -> Meeting:
    """Return the search of a path scan that `can_meet`."""
    if node.prefix is PathPrefix.ANY_CHEAPEST:
        return cheapest_of_halves(node, pattern, compiler, holding)
    backward = compile_hop(
        node.segments[0].hops[0], compiler, Reading(backward=True, is_late=pattern.is_late)
    )
    around = breadth_first(pattern, holding, True)
    segment = pattern.segments[0]

    def search(start: Node, end: Node, row: Row, run: Run) -> Iterator[Trace]:
        if start == end:  # The start itself, or a path around.
            yield from (trace for trace in around(start, row, run) if trace[NODE] == end)
            return
        if segment.place is not None and segment.place(end, run) is None:
            return
        sides = _Sides(start, end, pattern.hops[0].arrivals, backward)
        check = current().check
        for _ in range(segment.upper):
            for added in sides.extend(run):
                check()
                holding.take_bytes(TRACE_BYTES * added, run)
            if sides.meeting is not None:
                complete = Walk(pattern, row, run).leave(sides.path(), 0)
                if complete is not None:
                    yield complete
                return
            if sides.is_exhausted:
                return

    return search


class _Sides:
    """The nodes reached from the start and from the end, and the rims that go on."""

    def __init__(self, start: Node, end: Node, forward: Arrivals, backward: Arrivals) -> None:
        self.meeting: Node | None = None
        self._end = end
        self._forward, self._backward = forward, backward
        first = first_trace(start)
        self._traces: dict[Node, Trace] = {start: first}
        # The next node on the way to the end, with the edge to it and the values of the hop.
        self._links: dict[Node, tuple[Node, Any, Any]] = {end: (end, None, ())}
        self._heads: list[Trace] = [first]
        self._tails: list[Node] = [end]

    @property
    def is_exhausted(self) -> bool:
        """Return whether one side has no further node to expand."""
        return not self._heads or not self._tails

    def extend(self, run: Run) -> Iterator[int]:
        """Extend the smaller side by one edge, and yield how many nodes each lookup adds."""
        if len(self._heads) <= len(self._tails):
            return self._extend_forward(run)
        return self._extend_backward(run)

    def _extend_forward(self, run: Run) -> Iterator[int]:
        heads, self._heads = self._heads, []
        for trace in heads:
            before, copies = len(self._heads), _copies_behind(trace)
            for node, edge, values in self._forward(trace[NODE], run):
                if node in self._traces:
                    continue
                reached = self._traces[node] = (node, trace, edge, values, 0, copies)
                if node in self._links:
                    self.meeting = node
                    return
                self._heads.append(reached)
            yield len(self._heads) - before

    def _extend_backward(self, run: Run) -> Iterator[int]:
        tails, self._tails = self._tails, []
        for target in tails:
            before = len(self._tails)
            for node, edge, values in self._backward(target, run):
                if node in self._links:
                    continue
                self._links[node] = (target, edge, values)
                if node in self._traces:
                    self.meeting = node
                    return
                self._tails.append(node)
            yield len(self._tails) - before

    def path(self) -> Trace:
        """Return the path through the node at which the sides met."""
        assert self.meeting is not None
        trace = self._traces[self.meeting]
        while trace[NODE] != self._end:
            following, edge, values = self._links[trace[NODE]]
            trace = (following, trace, edge, values, 0, _copies_behind(trace))
        return trace


def _copies_behind(trace: Trace) -> int:
    """Return how many copies a path with one hop in each has."""
    copies: int = 0 if trace[HOP] is None else trace[COPIES] + 1
    return copies

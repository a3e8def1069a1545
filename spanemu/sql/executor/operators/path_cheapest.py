"""The search for a cheapest path of few edges between two known nodes, from both ends.

A path of up to `upper` edges consists of one half from the start and one half to the end. Both
halves are extended edge by edge, from the nodes that the last edge has reached at less cost than
any path with fewer edges:

    known[node]     the cheapest half to a node
    best            the two halves with the same node whose costs sum up to least
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.base.call import current
from spanemu.base.record import NamedTuple
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import MemoryAccount
from spanemu.sql.executor.operators.path_parts import Arrivals, Costs, Reading, compile_hop
from spanemu.sql.executor.operators.path_pattern import Pattern, Walk
from spanemu.sql.executor.operators.path_search import TRACE_BYTES, cheapest_first
from spanemu.sql.executor.operators.path_trace import NODE, Node, Trace, first_trace
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.paths import PathScan

_EDGES_MAX = 12  # of a path that is searched from both ends: longer halves reach all of a graph

# From a node, the last node and the row of the input to the path between them, if there is one.
Meeting = Callable[[Node, Node, Row, Run], Iterator[Trace]]


class _Half(NamedTuple):
    """A path from one end: its last node, its cost, the half before, and the edge between."""

    node: Node
    cost: Any
    before: _Half | None
    edge: Any
    values: Sequence[Any]


def can_halve(node: PathScan) -> bool:
    """Return whether the paths of a scan with one hop are short enough to be halved."""
    upper = node.segments[0].upper
    return upper is not None and upper <= _EDGES_MAX


def cheapest_of_halves(
    node: PathScan, pattern: Pattern, compiler: Compiler, holding: MemoryAccount
) -> Meeting:
    """Return the search for the path between two nodes with the least sum of costs."""
    backward = compile_hop(node.segments[0].hops[0], compiler, Reading(backward=True))
    hop, segment = pattern.hops[0], pattern.segments[0]
    around = cheapest_first(pattern, holding, True)
    later, sooner = segment.upper // 2, segment.upper - segment.upper // 2

    def search(start: Node, end: Node, row: Row, run: Run) -> Iterator[Trace]:
        if start == end:  # The start itself, or a path around.
            yield from (trace for trace in around(start, row, run) if trace[NODE] == end)
            return
        if segment.place is not None and segment.place(end, run) is None:
            return
        heads = _Halves(hop.arrivals, hop.costs, holding).reached(start, sooner, run)
        tails = _Halves(backward, hop.costs, holding).reached(end, later, run)
        best: tuple[_Half, _Half] | None = None
        for node in heads.keys() & tails.keys():
            pair = heads[node], tails[node]
            if best is None or _sum(pair) < _sum(best):
                best = pair
        if best is not None:
            complete = Walk(pattern, row, run).leave(_joined(*best), 0)
            if complete is not None:
                yield complete

    return search


def _sum(pair: tuple[_Half, _Half]) -> Any:
    return pair[0].cost + pair[1].cost


class _Halves:
    """The search for halves of paths in one direction."""

    def __init__(self, arrivals: Arrivals, costs: Costs | None, holding: MemoryAccount) -> None:
        self._arrivals = arrivals
        self._costs = costs
        self._holding = holding

    def reached(self, origin: Node, length: int, run: Run) -> dict[Node, _Half]:
        """Return the cheapest half of up to `length` edges to each node."""
        first = _Half(origin, 0, None, None, ())
        known = {origin: first}
        rim = [first]
        for _ in range(length):
            cheaper = self._extended(rim, known, run)
            known |= cheaper
            rim = list(cheaper.values())
        return known

    def _extended(
        self, rim: Sequence[_Half], known: Mapping[Node, _Half], run: Run
    ) -> dict[Node, _Half]:
        """Return the halves with one more edge that are cheaper than those known."""
        check, costs = current().check, self._costs
        cheaper: dict[Node, _Half] = {}
        for half in rim:
            check()
            before = len(cheaper)
            for node, edge, values in self._arrivals(half.node, run):
                cost = half.cost if costs is None else costs.added(half.cost, values)
                other = cheaper.get(node) or known.get(node)
                if other is None or cost < other.cost:
                    cheaper[node] = _Half(node, cost, half, edge, values)
            self._holding.take_bytes(TRACE_BYTES * (len(cheaper) - before), run)
        return cheaper


def _joined(head: _Half, tail: _Half) -> Trace:
    """Return the path of two halves that end at the same node."""
    steps: list[_Half] = []
    step: _Half | None = head
    while step is not None and step.before is not None:
        steps.append(step)
        step = step.before
    assert step is not None
    trace = first_trace(step.node)
    for copies, half in enumerate(reversed(steps)):
        trace = (half.node, trace, half.edge, half.values, 0, copies)
    copies = len(steps)
    while tail.before is not None:
        trace = (tail.before.node, trace, tail.edge, tail.values, 0, copies)
        tail = tail.before
        copies += 1
    return trace

"""The search for a cheapest path of few edges between two known nodes, from both ends.

A path of up to `upper` edges consists of one half from the start and one half to the end. Both
halves are extended edge by edge, from the nodes that the last edge has reached at less cost than
any path with fewer edges:

    known[node]     the cheapest half to a node
    best            the two halves with the same node whose costs sum up to least
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spanemu.base.call import current
from spanemu.base.record import NamedTuple
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import MemoryAccount
from spanemu.sql.executor.operators.path_parts import Arrivals, Costs, compile_hop
from spanemu.sql.executor.operators.path_pattern import Pattern
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
    backward = compile_hop(node.segments[0].hops[0], compiler, backward=True)
    hop, segment = pattern.hops[0], pattern.segments[0]
    around = cheapest_first(pattern, holding, True)
    later, sooner = segment.upper // 2, segment.upper - segment.upper // 2

    def search(start: Node, end: Node, row: Row, run: Run) -> Iterator[Trace]:
        if start == end:  # The start itself, or a path around.
            yield from (trace for trace in around(start, row, run) if trace[NODE] == end)
            return
        if segment.place is not None and segment.place(end, run) is None:
            return
        heads = _halves(start, sooner, hop.arrivals, hop.costs, holding, run)
        tails = _halves(end, later, backward, hop.costs, holding, run)
        best: tuple[_Half, _Half] | None = None
        for place in heads.keys() & tails.keys():
            pair = heads[place], tails[place]
            if best is None or _sum(pair) < _sum(best):
                best = pair
        if best is not None:
            complete = pattern.leave(_joined(*best), 0, row, run)
            if complete is not None:
                yield complete

    return search


def _sum(pair: tuple[_Half, _Half]) -> Any:
    return pair[0].cost + pair[1].cost


def _halves(
    origin: Node,
    length: int,
    arrivals: Arrivals,
    costs: Costs | None,
    holding: MemoryAccount,
    run: Run,
) -> dict[Node, _Half]:
    """Return the cheapest half of up to `length` edges to each node."""
    check = current().check
    first = _Half(origin, 0, None, None, ())
    known = {origin: first}
    rim = [first]
    for _ in range(length):
        reached: dict[Node, _Half] = {}
        for half in rim:
            check()
            before = len(reached)
            for node, edge, values in arrivals(half.node, run):
                cost = half.cost if costs is None else costs.added(half.cost, values)
                other = reached.get(node) or known.get(node)
                if other is None or cost < other.cost:
                    reached[node] = _Half(node, cost, half, edge, values)
            holding.take_bytes(TRACE_BYTES * (len(reached) - before), run)
        known |= reached
        rim = list(reached.values())
    return known


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

"""Traces of paths, and the tests of a path while it grows.

A path in the making is a linked list of *traces*, from its latest element back to the first node,
so that paths share what they have in common:

    (node, parent, edge, values, hop, copies)

    node      the table and the key of the node that the path has reached: ("Account", 7)
    parent    the trace before; None for the first node
    edge      the table and the key of the last edge; None unless a mode needs edges
    values    the values of the columns of the hop
    hop       the number of the hop within the path; behind a segment whose place has columns, a
              trace with the values of the place follows, whose hop is `~segment`
    copies    the complete copies of the segment before this one
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spanemu.sql.executor.run import Run
from spanemu.sql.resolved import PathMode

Node = tuple[Any, ...]  # the name of the table, then the parts of the key
Trace = tuple[Any, ...]
NODE, PARENT, EDGE, VALUES, HOP, COPIES = range(6)

# From the trace that a path has reached, and the node and edge that come next: whether they may.
Admits = Callable[[Trace, Node, Any], bool]


class LateValues(tuple[Any, ...]):
    """Values of a hop that are not computed yet: the function that does, and its row."""

    __slots__ = ()


def with_values(trace: Trace, run: Run) -> Trace:
    """Return a path with all of its values computed."""
    behind: list[Trace] = []
    while trace[PARENT] is not None:
        behind.append(trace)
        trace = trace[PARENT]
    for node, _, edge, values, hop, copies in reversed(behind):
        if values.__class__ is LateValues:
            compute, row = values
            values = compute(row, run)
        trace = (node, trace, edge, values, hop, copies)
    return trace


def first_trace(node: Node) -> Trace:
    """Return the path that consists of its first node."""
    return (node, None, None, (), None, 0)


def mode_test(mode: PathMode, first_hop: int, length: int | None) -> Admits | None:
    """Return the test of a mode that covers the hops from `first_hop` on; None if there is none.

    With `length`, it covers the last hops of a copy: `length` of them are before the next.
    """
    test = _MODES.get(mode)
    if test is None:
        return None
    return lambda trace, node, edge: test(_covered(trace, first_hop, length), node, edge)


def _covered(trace: Trace, first_hop: int, length: int | None) -> list[Trace]:
    """Return the traces that a mode covers, the latest first, and the trace that they begin with.

    Traces of places stand for no element of their own.
    """
    covered: list[Trace] = []
    while True:
        hop = trace[HOP]
        if hop is None or (0 <= hop < first_hop) or len(covered) == length:
            covered.append(trace)
            return covered
        if hop >= 0:
            covered.append(trace)
        trace = trace[PARENT]


def _is_trail(covered: Sequence[Trace], _: Node, edge: Any) -> bool:
    return all(trace[EDGE] != edge for trace in covered[:-1])


def _is_acyclic(covered: Sequence[Trace], node: Node, _: Any) -> bool:
    return all(trace[NODE] != node for trace in covered)


def _is_simple(covered: Sequence[Trace], node: Node, _: Any) -> bool:
    first = covered[-1][NODE]
    if len(covered) > 1 and covered[0][NODE] == first:
        return False  # The path is closed.
    return all(trace[NODE] != node for trace in covered[:-1])


_MODES: Mapping[PathMode, Callable[[Sequence[Trace], Node, Any], bool]] = {
    PathMode.TRAIL: _is_trail,
    PathMode.ACYCLIC: _is_acyclic,
    PathMode.SIMPLE: _is_simple,
}


def hop_values(trace: Trace, count: int) -> list[Any]:
    """Return the values of the last `count` hops in the order of the path, all in one list."""
    taken: list[Sequence[Any]] = []
    while len(taken) < count:
        taken.append(trace[VALUES])
        trace = trace[PARENT]
    return [value for values in reversed(taken) for value in values]

"""The columns that a complete path adds to a row: values of hops, groups, places and the path.

Only what the plan still needs is collected: a path whose outputs are the columns of its last place
is not walked at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

from spanemu.sql.executor.operators.path_trace import HOP, PARENT, VALUES, Trace
from spanemu.sql.plan.paths import PathScan, Segment
from spanemu.values.graph import Element

# From a trace and the element of the first node, which only a path needs, to values of outputs.
OutputsOf = Callable[[Trace, "Element | None"], tuple[Any, ...]]
# The values of the traces of each hop in the order of the path, and of each place.
_Collected = tuple[list[list[Sequence[Any]]], list[Sequence[Any]]]
_Output = Callable[[_Collected], Any]


def compile_outputs(node: PathScan, count: int, *, with_path: bool) -> OutputsOf:
    """Compile the outputs of the first `count` segments and, with `with_path`, of the path."""
    segments = node.segments[:count]
    first_hops = list(accumulate([len(segment.hops) for segment in segments], initial=0))
    outputs = [
        output
        for number, segment in enumerate(segments)
        for output in _segment_outputs(segment, number, first_hops[number])
    ]
    has_path = with_path and node.path is not None
    if not outputs and not has_path:
        return lambda trace, _: ()
    last = segments[-1]
    if not has_path and last.place is not None and len(outputs) == len(last.place.columns):
        return lambda trace, _: trace[VALUES]
    path_of = _path_maker(node) if has_path else None
    hop_count, place_count = first_hops[-1], len(segments)

    def outputs_of(trace: Trace, first: Element | None) -> tuple[Any, ...]:
        collected = _collect(trace, hop_count, place_count)
        values = [output(collected) for output in outputs]
        if path_of is not None:
            values.append(path_of(trace, first))
        return tuple(values)

    return outputs_of


def _collect(trace: Trace, hop_count: int, place_count: int) -> _Collected:
    hops: list[list[Sequence[Any]]] = [[] for _ in range(hop_count)]
    places: list[Sequence[Any]] = [()] * place_count
    while trace[PARENT] is not None:
        number = trace[HOP]
        if number >= 0:
            hops[number].append(trace[VALUES])
        else:
            places[~number] = trace[VALUES]
        trace = trace[PARENT]
    for values in hops:
        values.reverse()
    return hops, places


def _segment_outputs(segment: Segment, number: int, first_hop: int) -> list[_Output]:
    """Return the outputs of a segment in the order of `Segment.outputs`."""
    columns = [
        (column.id, first_hop + hop, position)
        for hop, each in enumerate(segment.hops)
        for position, column in enumerate(each.columns)
    ]
    outputs = [_single(hop, position) for _, hop, position in columns] if segment.is_fixed else []
    sources = {column: (hop, position) for column, hop, position in columns}
    outputs += [_group(*sources[column.id]) for _, column in segment.groups]
    if segment.place is not None:
        outputs += [_place(number, position) for position in range(len(segment.place.columns))]
    return outputs


def _single(hop: int, position: int) -> _Output:
    return lambda collected: collected[0][hop][0][position]


def _group(hop: int, position: int) -> _Output:
    return lambda collected: tuple([values[position] for values in collected[0][hop]])


def _place(number: int, position: int) -> _Output:
    return lambda collected: collected[1][number][position]


def _path_maker(node: PathScan) -> OutputsOf:
    """Return the function from a trace, and the element of the first node, to the path."""
    places: list[tuple[int, int]] = []  # of edge and node among the values of each hop
    for segment, elements in zip(node.segments, node.elements, strict=True):
        for hop, (edge, target) in zip(segment.hops, elements, strict=True):
            ids = [column.id for column in hop.columns]
            places.append((ids.index(edge.id), ids.index(target.id)))

    def path(trace: Trace, first: Element | None) -> tuple[Any, ...]:
        elements: list[Any] = []
        while trace[PARENT] is not None:
            number = trace[HOP]
            if number >= 0:
                edge, target = places[number]
                values = trace[VALUES]
                elements += (values[target], values[edge])
            trace = trace[PARENT]
        elements.append(first)
        elements.reverse()
        return tuple(elements)

    return path

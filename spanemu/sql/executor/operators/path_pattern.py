"""A compiled pattern: how a path is extended, where it may end, and its row.

The hops of all segments are numbered from the start of the path. Between two copies of a segment a
path is at a *junction*: another copy may follow, or the segment ends if there are enough copies.
Then the conditions behind the segment decide, and the next segment begins at its own junction.

    (a)-[e]->{1,2}(b)-[f]->(c)       junction of segment 0, hop 0, junction of segment 0 (1 copy):
                                     hop 0 again, or b passes: junction of segment 1, hop 1, ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from spanemu.base.record import Unique, record
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.operators.path_parts import (
    Arrival,
    Arrivals,
    CheckNode,
    Costs,
    Reading,
    compile_hop,
    compile_place,
    costs_of,
)
from spanemu.sql.executor.operators.path_result import OutputsOf, compile_outputs
from spanemu.sql.executor.operators.path_trace import (
    COPIES,
    HOP,
    NODE,
    Admits,
    Node,
    Trace,
    first_trace,
    hop_values,
    mode_test,
)
from spanemu.sql.executor.relation import Relation, Value
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.paths import Hop, PathScan, Scope, Segment
from spanemu.sql.resolved import PathPrefix

# A hop to take next: from which trace, its number, and the complete copies of its segment.
Task = tuple[Trace, int, int]
# From a trace, the row of the input and the run: whether the path satisfies a condition.
Passes = Callable[[Trace, Row, Run], Any]

DEPTH_MAX = 100  # copies of a segment without bound


@record
class CompiledHop(Unique):
    """A hop: the arrivals of its edges, and the tests of each.

    `is_last` says that a copy of the segment `segment` ends behind it.
    """

    segment: int
    arrivals: Arrivals
    admits: Admits | None
    passes: Passes | None
    costs: Costs | None
    is_last: bool


@record
class CompiledSegment(Unique):
    """A segment: its first hop, its bounds, and the conditions behind it.

    `keeps_values` says that the place has columns.
    """

    first_hop: int
    lower: int
    upper: int
    is_unbounded: bool
    place: CheckNode | None
    keeps_values: bool
    passes: Passes | None


Test = TypeVar("Test", bound=Callable[..., Any])


def _all_of(tests: Iterable[Test]) -> Test | None:
    """Return the test that is true where all tests are; None without tests."""
    every = list(tests)
    if len(every) < 2:
        return every[0] if every else None

    def test(*arguments: Any) -> bool:
        return all(each(*arguments) for each in every)

    return test  # type: ignore[return-value]


class Pattern:
    """The compiled pattern of a path scan over the rows of `below`."""

    def __init__(self, node: PathScan, below: Relation, compiler: Compiler) -> None:
        self._compiler = compiler
        self._node = node
        self._below = below
        self.is_late = node.is_free and node.prefix in (PathPrefix.ANY, PathPrefix.ANY_SHORTEST)
        self._reading = Reading(is_late=self.is_late)
        self.hops: list[CompiledHop] = []
        self.segments: list[CompiledSegment] = []
        for number, segment in enumerate(node.segments):
            self._add(number, segment)

    def _add(self, number: int, segment: Segment) -> None:
        """Compile a segment and its hops."""
        first = len(self.hops)
        for position, hop in enumerate(segment.hops):
            self.hops.append(
                CompiledHop(
                    number,
                    compile_hop(hop, self._compiler, self._reading),
                    _all_of(self._admits(number, segment, first, position)),
                    _all_of(self._copy_conditions(segment, position)),
                    costs_of(hop),
                    position == len(segment.hops) - 1,
                )
            )
        behind = segment.place
        self.segments.append(
            CompiledSegment(
                first,
                segment.lower,
                DEPTH_MAX if segment.upper is None else segment.upper,
                segment.upper is None,
                None if behind is None else compile_place(behind, self._compiler),
                behind is not None and bool(behind.columns),
                _all_of(self._path_conditions(number)),
            )
        )

    # ------------------------------------------------------------------ modes and conditions

    def _admits(self, number: int, segment: Segment, first: int, position: int) -> Iterator[Admits]:
        """Yield the tests of the modes that cover a hop."""
        for scope in self._node.scopes:
            if scope.first <= number <= scope.last:
                first_hop = sum([len(each.hops) for each in self._node.segments[: scope.first]])
                test = mode_test(scope.mode, first_hop, None)
                if test is not None:
                    yield test
        for scope in segment.scopes:
            if scope.first <= position <= scope.last:
                test = mode_test(scope.mode, first, position - scope.first)
                if test is not None:
                    yield test

    def _copy_conditions(self, segment: Segment, position: int) -> Iterator[Passes]:
        """Yield the conditions on the hops of a copy that are decided behind a hop."""
        for scope in segment.scopes:
            if scope.last == position and scope.condition is not None:
                covered = segment.hops[scope.first : scope.last + 1]
                yield self._copy_condition(scope, covered)

    def _copy_condition(self, scope: Scope, hops: Sequence[Hop]) -> Passes:
        columns = [column for hop in hops for column in hop.columns]
        width, count = self._below.width, len(hops)
        layout = {column.id: width + place for place, column in enumerate(columns)}
        assert scope.condition is not None
        test = self._compiler.test(scope.condition, {**self._below.layout, **layout})
        return lambda trace, row, run: test((*row, *hop_values(trace, count)), run)

    def _path_conditions(self, number: int) -> Iterator[Passes]:
        """Yield the conditions on a path that are decided behind a segment."""
        for scope in self._node.scopes:
            if scope.last == number and scope.condition is not None:
                yield self._path_condition(scope, number)

    def _path_condition(self, scope: Scope, number: int) -> Passes:
        segments = self._node.segments[: number + 1]
        columns = [column for segment in segments for column in segment.outputs]
        outputs_of = compile_outputs(self._node, number + 1, with_path=False)
        width = self._below.width
        layout = {column.id: width + place for place, column in enumerate(columns)}
        assert scope.condition is not None
        test: Value = self._compiler.test(scope.condition, {**self._below.layout, **layout})
        return lambda trace, row, run: test((*row, *outputs_of(trace, None)), run)

    def outputs(self) -> OutputsOf:
        """Return the function from a complete path to the columns that it adds to a row."""
        return compile_outputs(self._node, len(self._node.segments), with_path=True)


class Walk:
    """The growth of paths from one row of the input; `tasks` are the hops to take next."""

    __slots__ = ("_hops", "_row", "_run", "_segments", "tasks")

    def __init__(self, pattern: Pattern, row: Row, run: Run) -> None:
        self._hops, self._segments = pattern.hops, pattern.segments
        self._row, self._run = row, run
        self.tasks: list[Task] = []

    def start(self, node: Node) -> Trace | None:
        """Add the hops that a path of one node may take; return the path if it is complete."""
        return self._junction(first_trace(node), 0, 0)

    def arrive(self, trace: Trace) -> Trace | None:
        """Add the hops that a path may take next; return the path if it is complete."""
        number = trace[HOP]
        hop = self._hops[number]
        if hop.is_last:
            return self._junction(trace, hop.segment, trace[COPIES] + 1)
        self.tasks.append((trace, number + 1, trace[COPIES]))
        return None

    def _junction(self, trace: Trace, number: int, copies: int) -> Trace | None:
        segment = self._segments[number]
        if copies < segment.upper:
            self.tasks.append((trace, segment.first_hop, copies))
        while copies >= segment.lower:
            behind = self.leave(trace, number)
            if behind is None:
                return None
            trace, number, copies = behind, number + 1, 0
            if number == len(self._segments):
                return trace
            segment = self._segments[number]
            self.tasks.append((trace, segment.first_hop, 0))
        return None

    def leave(self, trace: Trace, number: int) -> Trace | None:
        """Return the path behind a segment, or None if the segment may not end there."""
        segment = self._segments[number]
        if segment.place is not None:
            values = segment.place(trace[NODE], self._run)
            if values is None:
                return None
            if segment.keeps_values:
                trace = (trace[NODE], trace, None, values, ~number, 0)
        if segment.passes is not None and not segment.passes(trace, self._row, self._run):
            return None
        return trace

    def expand(self, task: Task) -> Iterator[Trace]:
        """Yield the paths that one more hop makes of a path."""
        parent, number, copies = task
        hop = self._hops[number]
        arrivals = hop.arrivals(parent[NODE], self._run)
        if hop.admits is None and hop.passes is None:
            return ((node, parent, edge, values, number, copies) for node, edge, values in arrivals)
        return self._admitted(arrivals, hop, task)

    def _admitted(
        self, arrivals: Iterable[Arrival], hop: CompiledHop, task: Task
    ) -> Iterator[Trace]:
        parent, number, copies = task
        admits, passes = hop.admits, hop.passes
        for node, edge, values in arrivals:
            if admits is None or admits(parent, node, edge):
                trace = (node, parent, edge, values, number, copies)
                if passes is None or passes(trace, self._row, self._run):
                    yield trace

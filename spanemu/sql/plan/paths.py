"""The plan node of quantified and selected paths of a graph, and the parts of its pattern.

A pattern is a sequence of segments, each repeated; a copy of a segment consists of hops, and a hop
is a union of steps, one for each edge table and direction:

    (a)-[e]->{1,3}(b)      one segment, 1 to 3 copies, of one hop
    step                   Scan Transfers seek=[AccountId = $here]

Plans of steps and checks are correlated: they read the key of the node at hand, which the operator
sets, from the columns called `here`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from spanemu.base.record import Unique, record
from spanemu.sql.plan.nodes import Columns, Node
from spanemu.sql.resolved import Expr, PathMode, PathPrefix, ResolvedColumn
from spanemu.values.types import ElementTable


@record
class Lookup(Unique):
    """The edges at a node whose key is in the columns `here`: of each, the columns of the step."""

    node: Node
    here: Columns
    parts: ClassVar[tuple[str, ...]] = ("node",)


@record
class PlainLookup(Lookup):
    """A lookup without a plan yet, which no rule could improve (`planner.edge_lookup`).

    `node` scans the edges, of which those at the node at hand satisfy `condition`. `match` joins
    them with the nodes that they lead to, `reached`. `computed` are values over both.
    """

    condition: Expr
    reached: Node | None
    match: Expr | None
    computed: tuple[tuple[ResolvedColumn, Expr], ...]
    parts = ()


@record
class Step(Unique):
    """The edges of one edge table in one direction, looked up from their first node.

    `backward` looks them up from the node that they reach, for searches from both ends.
    """

    source: ElementTable
    edge: ElementTable
    target: ElementTable
    forward: Lookup
    source_key: Columns
    edge_key: Columns
    target_key: Columns
    values: Columns
    skips_loops: bool = False
    backward: Lookup | None = None
    parts: ClassVar[tuple[str, ...]] = ("forward", "backward")

    @property
    def columns(self) -> Columns:
        """The columns of a lookup from the first node."""
        return (*self.target_key, *self.edge_key, *self.values)

    @property
    def columns_backward(self) -> Columns:
        """The columns of a lookup from the node that the edges reach."""
        return (*self.source_key, *self.edge_key, *self.values)


@record
class Hop(Unique):
    """An edge pattern: the union of its steps, whose values align with `columns`."""

    steps: tuple[Step, ...]
    columns: Columns = ()
    cost: ResolvedColumn | None = None
    parts: ClassVar[tuple[str, ...]] = ("steps",)


@record
class Scope(Unique):
    """A mode and a condition of segments of a path, or of hops of a copy: see `resolved.PathScope`.

    `parts` leads to the condition.
    """

    first: int
    last: int
    mode: PathMode = PathMode.WALK
    condition: Expr | None = None
    parts: ClassVar[tuple[str, ...]] = ("condition",)


@record
class Check(Unique):
    """The condition on nodes of one table at a place. Without `lookup` there is none.

    `key` are the columns with the key of the node, which `lookup` produces if it is there. `values`
    are expressions over its columns, or over `key`.
    """

    table: ElementTable
    key: Columns
    lookup: Lookup | None
    values: tuple[Expr, ...]
    parts: ClassVar[tuple[str, ...]] = ("lookup", "values")


@record
class Place(Unique):
    """A node pattern behind a segment: a check for each table; their values are the `columns`."""

    checks: tuple[Check, ...]
    columns: Columns = ()
    parts: ClassVar[tuple[str, ...]] = ("checks",)


@record
class Segment(Unique):
    """A part of a path, repeated `lower` to `upper` times (None: without bound).

    `groups` pairs outputs, which are arrays, with columns of hops.
    """

    hops: tuple[Hop, ...]
    lower: int = 1
    upper: int | None = 1
    scopes: tuple[Scope, ...] = ()
    groups: tuple[tuple[ResolvedColumn, ResolvedColumn], ...] = ()
    place: Place | None = None
    parts: ClassVar[tuple[str, ...]] = ("hops", "scopes", "place")

    @property
    def is_fixed(self) -> bool:
        """Return whether there is always one copy, so that the columns of its hops are outputs."""
        return self.lower == 1 and self.upper == 1

    @property
    def outputs(self) -> Columns:
        """The columns that the segment adds to a row."""
        plain = [column for hop in self.hops for column in hop.columns] if self.is_fixed else []
        groups = [output for output, _ in self.groups]
        return (*plain, *groups, *(() if self.place is None else self.place.columns))


# For each hop of a segment, the columns with its edge and with the node behind it.
Elements = tuple[tuple[ResolvedColumn, ResolvedColumn], ...]


@record
class PathScan(Node):
    """A node that emits each row of `input` with each path from its node `start`.

    With `end`, only paths to that node. `prefix` selects among the paths of a row with the same
    last node. ALL is depth first and streams: it holds one path and the edges of the nodes on it.
    The others hold the nodes or paths that they have reached. The cost is a lookup for each node
    on a path. Keeps the order of the input.
    """

    input: Node
    start: Expr
    segments: tuple[Segment, ...]
    prefix: PathPrefix = PathPrefix.ALL
    end: Expr | None = None
    scopes: tuple[Scope, ...] = ()
    path: ResolvedColumn | None = None
    first_element: Expr | None = None
    elements: tuple[Elements, ...] = ()
    parts = ("input", "start", "end", "segments", "scopes", "first_element")

    @property
    def columns(self) -> Columns:
        return self.input.columns + self.produced

    @property
    def produced(self) -> Columns:
        outputs = [column for segment in self.segments for column in segment.outputs]
        return (*outputs, *(() if self.path is None else (self.path,)))

    @property
    def internal(self) -> Iterator[ResolvedColumn]:
        """The columns that the operator sets for the plans and conditions inside."""
        for segment in self.segments:
            for hop in segment.hops:
                yield from hop.columns
            for check in () if segment.place is None else segment.place.checks:
                yield from check.key
        for lookup in self.lookups():
            yield from lookup.here

    def lookups(self) -> Iterator[Lookup]:
        """Yield the plans of all steps and checks."""
        for segment in self.segments:
            for hop in segment.hops:
                for step in hop.steps:
                    yield step.forward
                    if step.backward is not None:
                        yield step.backward
            for check in () if segment.place is None else segment.place.checks:
                if check.lookup is not None:
                    yield check.lookup

    @property
    def has_trails(self) -> bool:
        """Return whether the identity of edges counts."""
        scopes = [*self.scopes, *[scope for each in self.segments for scope in each.scopes]]
        return any(scope.mode is PathMode.TRAIL for scope in scopes)

    @property
    def is_free(self) -> bool:
        """Return whether every path of steps that pass may be continued, whatever came before."""
        return not self.scopes and not any(segment.scopes for segment in self.segments)


# The records with parts, for `plan.traverse`.
PARTS: Mapping[type, tuple[str, ...]] = {
    Lookup: Lookup.parts,
    PlainLookup: PlainLookup.parts,
    Step: Step.parts,
    Hop: Hop.parts,
    Scope: Scope.parts,
    Check: Check.parts,
    Place: Place.parts,
    Segment: Segment.parts,
}

"""Lowers paths with repetitions, prefixes and modes to a `PathScan`.

A path under a prefix, or under a mode that covers a repetition, is one scan of its own: each link
is a segment. Any other repetition is a scan of one segment, over the rows that stand before it.

Not here: the parts of a scan (`path_parts`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from spanemu.sql.googlesql.analyzer.expressions.coercion import supertype
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.ast import Hint, Identifier
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.catalog import Numbers
from spanemu.sql.googlesql.graph.analyzer.elements import (
    Element,
    HopElement,
)
from spanemu.sql.googlesql.graph.analyzer.group_variables import Copies, GroupVariable
from spanemu.sql.googlesql.graph.analyzer.identity import conjunction, same
from spanemu.sql.googlesql.graph.analyzer.match_rows import MatchRows
from spanemu.sql.googlesql.graph.analyzer.nodes import (
    PatternNode,
    PatternNodes,
    Sense,
    end_of,
    labeled_tables,
    reachable,
    senses,
)
from spanemu.sql.googlesql.graph.analyzer.path_parts import (
    Hop,
    Part,
    Path,
    PathContext,
    PlaceBehind,
)
from spanemu.sql.googlesql.graph.analyzer.patterns import (
    EdgeLink,
    Place,
    Range,
    RepeatedLink,
    Shape,
)
from spanemu.sql.googlesql.graph.analyzer.table import (
    ElementVariable,
    GraphEnv,
    Variable,
    WorkingTable,
)
from spanemu.sql.googlesql.graph.analyzer.variables import names_in
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    PathMode,
    PathPrefix,
    PathScan,
    PathScope,
    ResolvedColumn,
    Scan,
    SingleRow,
)
from spanemu.values.types import Type

_PREFIXES: Mapping[ast.SearchPrefix | None, PathPrefix] = {
    None: PathPrefix.ALL,
    ast.SearchPrefix.ALL: PathPrefix.ALL,
    ast.SearchPrefix.ANY: PathPrefix.ANY,
    ast.SearchPrefix.ANY_SHORTEST: PathPrefix.ANY_SHORTEST,
    ast.SearchPrefix.ANY_CHEAPEST: PathPrefix.ANY_CHEAPEST,
}
_MODES: Mapping[ast.PathMode | None, PathMode] = {
    None: PathMode.WALK,
    ast.PathMode.WALK: PathMode.WALK,
    ast.PathMode.TRAIL: PathMode.TRAIL,
    ast.PathMode.ACYCLIC: PathMode.ACYCLIC,
    ast.PathMode.SIMPLE: PathMode.SIMPLE,
}


class Matching(Protocol):
    """The MATCH around the scan of a path, as far as the scan needs it."""

    env: GraphEnv
    table: WorkingTable
    nodes: PatternNodes
    rows: MatchRows
    variables: dict[str, Variable]

    def name_node(self, node: PatternNode) -> list[Expr]:
        """Bind the variables of a node to its element.

        Return the conditions that it is the one that the variables denote already.
        """
        ...

    def name_element(self, name: str, element: Element, exposed: Numbers) -> list[Expr]:
        """Bind a variable to an element; if it is bound, return the conditions of equality."""
        ...

    def join_node(self, node: PatternNode, hint: Hint | None) -> Element:
        """Make sure that the rows have the columns of a node, and return it."""
        ...

    def range_condition(self, covered: Range, variables: Mapping[str, Variable]) -> Expr:
        """Return the condition of a subpath, which sees only `variables`, by folded name."""
        ...


class PathBuilder:
    """A builder of the scan of a path, or of one repetition in it."""

    def __init__(self, matching: Matching, path: Path) -> None:
        self._matching = matching
        self._path = path
        self._analysis = matching.env.analysis
        self._catalog = matching.env.catalog
        self._context = PathContext(path, matching.table, matching.env)
        self._parts: list[Part] = []
        self._scopes: list[PathScope] = []
        self._given: list[PatternNode] = []  # nodes whose elements the scan gives
        self._edges: dict[str, HopElement] = {}  # by folded name, outside of repetitions
        # Conditions on the paths that a prefix has chosen.
        self._later: list[Expr] = []
        self._is_selective = path.pattern.prefix not in (None, ast.SearchPrefix.ALL)
        self._end: Expr | None = None
        self._column: ResolvedColumn | None = None
        self._start = matching.nodes[path.shape.places[0]].known()
        self._start_identity = self._start.identity_value()
        self._start_value: Expr | None = None

    def scan_whole(self) -> None:
        """Add the scan of the whole path."""
        shape = self._path.shape
        last = len(shape.links) - 1
        for number, link in enumerate(shape.links):
            spot = shape.places[number + 1]
            node = self._matching.nodes[spot]
            is_end = number == last and node.is_ready and node not in self._given
            if is_end:
                # The rows have the last node: its conditions are conditions on them.
                node.patterns.extend(spot.patterns)
                self._end = self._matching.join_node(node, None).identity_value()
                spot = Place()
            if isinstance(link, EdgeLink):
                part = self._fixed(number, link, spot)
                arrived = part.hops[-1].right
            else:
                begun = self._matching.nodes[shape.places[number]].numbers
                part = self._repeated(link, begun)
                if not is_end:
                    node.allow(part.reached(begun))
                    part.place = PlaceBehind(node.numbers, spot.patterns, self._context)
                    arrived = part.place.element
            self._parts.append(part)
            if not is_end:
                self._arrive(node, arrived, number)
        self._add_costs()
        for covered in shape.ranges:
            self._add_range(covered)
        self._path.items[:] = [self.path_value]
        self._add_step()

    def scan_repetition(self, number: int, link: RepeatedLink) -> None:
        """Add the scan of one repetition, between two nodes of the path."""
        places = self._path.shape.places
        node = self._matching.nodes[places[number + 1]]
        self._start = self._matching.nodes[places[number]].known()
        self._start_identity = self._start.identity_value()
        begun = self._matching.nodes[places[number]].numbers
        part = self._repeated(link, begun)
        self._parts.append(part)
        if node.is_ready:
            self._end = self._matching.join_node(node, None).identity_value()
        else:
            node.allow(part.reached(begun))
            part.place = PlaceBehind(node.numbers, node.patterns, self._context)
            node.patterns = []
            self._arrive(node, part.place.element, 0)
        self._path.items.append(self.path_value)
        self._add_step()

    def _add_step(self) -> None:
        self._matching.rows.add_step(self._build)
        self._matching.rows.require(self._later)

    def _arrive(self, node: PatternNode, element: HopElement, number: int) -> None:
        """Let a node of the path be the element that the scan gives, or that the rows have."""
        if not node.is_ready:
            node.element = element
            node.is_ready = True
            self._given.append(node)
        else:
            equal = conjunction(same(element, node.known(), self._analysis))
            self._scopes.append(PathScope(number, number, condition=equal))
        self._later += self._matching.name_node(node)

    # ------------------------------------------------------------------ segments

    def _fixed(self, number: int, link: EdgeLink, spot: Place) -> Part:
        """Return the segment of an edge that is not repeated."""
        edge = self._path.edges[number]
        hop = Hop(link, None, spot, edge.senses, self._context)
        edge.element = hop.edge
        variable = link.pattern.variable
        if variable is not None:
            self._name_edge(variable.name, hop.edge, edge.exposed, number)
        return Part([hop], 1, 1)

    def _name_edge(self, name: str, element: HopElement, exposed: Numbers, number: int) -> None:
        """Let a variable denote the edge of a segment.

        An edge that the path has twice is a condition on the path; one that the rows have besides,
        on the paths that a prefix has chosen.
        """
        first = self._edges.setdefault(self._catalog.fold(name), element)
        if first is not element:
            conditions = same(first, element, self._analysis)
        else:
            conditions = self._matching.name_element(name, element, exposed)
            if self._is_selective:
                self._later += conditions
                return
        if conditions:
            self._scopes.append(PathScope(number, number, condition=conjunction(conditions)))

    def _repeated(self, link: RepeatedLink, begun: Numbers) -> Part:
        """Return the segment of a repetition that begins in the tables `begun`.

        Its variables then denote groups.
        """
        body = link.body
        edges = [inner for inner in body.links if isinstance(inner, EdgeLink)]
        fitting = [
            self._fitting(inner, *body.places[number : number + 2])
            for number, inner in enumerate(edges)
        ]
        reached = reachable(fitting, begun, is_repeated=link.upper != 1)
        hops = []
        for number, (inner, some) in enumerate(zip(edges, reached, strict=True)):
            left = body.places[0] if number == 0 and body.places[0].patterns else None
            hops.append(Hop(inner, left, body.places[number + 1], some, self._context))
        part = Part(hops, link.lower, link.upper)
        copies = Copies(part.groups, None, self._analysis)
        self._path.copies.append((len(hops), lambda: copies.array(hops[0].edge.tag())))
        self._name_groups(body, part)
        for covered in body.ranges:
            condition = None
            if covered.where is not None:
                condition = self._matching.range_condition(covered, part.variables)
            if covered.last > covered.first:
                scope = PathScope(covered.first, covered.last - 1, _MODES[covered.mode], condition)
                part.scopes.append(scope)
        return part

    def _fitting(self, link: EdgeLink, left: Place, right: Place) -> list[Sense]:
        """Return the edge tables that fit the labels of an edge and of its nodes."""
        catalog = self._catalog
        lefts, rights = self._labeled(left), self._labeled(right)
        labeled = labeled_tables(link.pattern, catalog, is_edge=True)
        return [
            sense
            for sense in senses(link, labeled, catalog)
            if end_of(sense, is_left=True) in lefts and end_of(sense, is_left=False) in rights
        ]

    def _labeled(self, place: Place) -> Numbers:
        numbers = self._catalog.nodes.all
        for pattern in place.patterns:
            numbers &= labeled_tables(pattern, self._catalog, is_edge=False)
        return numbers

    def _name_groups(self, body: Shape, part: Part) -> None:
        """Name the elements of a copy, and the arrays of them that stand outside."""
        first = part.hops[0].left
        if first is not None:
            self._name_place(body.places[0], first, 0, part)
        for number, hop in enumerate(part.hops):
            variable = hop.link.pattern.variable
            if variable is not None:
                self._name_part(variable, hop.edge, number, part)
            self._name_place(body.places[number + 1], hop.right, number, part)

    def _name_place(self, place: Place, element: HopElement, number: int, part: Part) -> None:
        for name in place.names():
            self._name_part(name, element, number, part)

    def _name_part(self, name: Identifier, element: HopElement, number: int, part: Part) -> None:
        key = self._catalog.fold(name.name)
        known = part.variables.get(key)
        if known is not None and known.element is not None:
            if known.element is not element:
                equal = conjunction(same(known.element, element, self._analysis))
                part.scopes.append(PathScope(0, number, condition=equal))
            return
        part.variables[key] = ElementVariable(name.name, element)
        turn = self._matching.rows.computed_column if self._path.is_reversed else None
        variable = GroupVariable(name.name, element, Copies(part.groups, turn, self._analysis))
        part.group_variables.append(variable)
        self._matching.variables[key] = variable

    # ------------------------------------------------------------------ costs, modes, conditions

    def _add_costs(self) -> None:
        if self._path.pattern.prefix is not ast.SearchPrefix.ANY_CHEAPEST:
            return
        hops = [hop for part in self._parts for hop in part.hops if hop.link.pattern.cost]
        type_: Type | None = None
        for hop in hops:
            for cost in hop.costs():
                type_ = cost.type if type_ is None else supertype(type_, cost.type)
        for hop in hops:
            if type_ is not None:
                hop.add_cost(type_)

    def _add_range(self, covered: Range) -> None:
        condition = None
        if covered.where is not None:
            known = names_in(self._path.shape, covered.first, covered.last)
            keys = {self._catalog.fold(name.name) for name in known}
            variables = {
                key: variable for key, variable in self._matching.variables.items() if key in keys
            }
            condition = self._matching.range_condition(covered, variables)
        if covered.last > covered.first:
            mode = _MODES[covered.mode]
            self._scopes.append(PathScope(covered.first, covered.last - 1, mode, condition))
        elif condition is not None and covered.first == 0:
            self._matching.rows.require([condition])
        elif condition is not None:
            number = covered.first - 1
            self._scopes.append(PathScope(number, number, condition=condition))

    # ------------------------------------------------------------------ the scan

    def path_value(self) -> Expr:
        """Return the path as a value."""
        if self._column is None:
            self._column = self._analysis.column("$path", self._path.type(self._catalog))
            self._start_value = self._start.value()
            for hop in self._hops():
                hop.edge.value()
                hop.right.value()
        path = ColumnRef(self._column.type, self._column)
        if self._path.is_reversed:
            return operator_call("$path_reversed", (path,), self._analysis, -1)
        return path

    def _hops(self) -> list[Hop]:
        return [hop for part in self._parts for hop in part.hops]

    def _build(self, rows: Scan | None) -> Scan:
        elements = [
            tuple((hop.edge.column, hop.right.column) for hop in part.hops) for part in self._parts
        ]
        has_path = self._column is not None
        for part in self._parts:
            for variable in part.group_variables:
                variable.finish()
        return PathScan(
            rows or SingleRow(),
            self._start_identity,
            tuple(part.finish() for part in self._parts),
            _PREFIXES[self._path.pattern.prefix] if self._path.is_whole else PathPrefix.ALL,
            self._end,
            tuple(self._scopes),
            self._column,
            self._start_value,
            tuple(elements) if has_path else (),
        )

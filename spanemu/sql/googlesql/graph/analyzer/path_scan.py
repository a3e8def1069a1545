"""Lowers paths with repetitions, prefixes and modes to a `PathScan`.

A path under a prefix, or under a mode that covers a repetition, is one scan of its own: each link
is a segment. Any other repetition is a scan of one segment, over the rows that stand before it.

A hop of a segment is an edge pattern with the node pattern behind it. Its steps are one for each
edge table and direction; a filler is resolved for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce, supertype
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.ast import Hint, Identifier
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphCatalog, GraphTables, Numbers
from spanemu.sql.googlesql.graph.analyzer.elements import (
    Columns,
    Element,
    HopElement,
    ScannedElement,
    same,
)
from spanemu.sql.googlesql.graph.analyzer.expressions import conjunction
from spanemu.sql.googlesql.graph.analyzer.fillers import edge_cost, filler_conditions
from spanemu.sql.googlesql.graph.analyzer.groups import Copies, GroupVariable
from spanemu.sql.googlesql.graph.analyzer.nodes import (
    PatternEdge,
    PatternNode,
    PatternNodes,
    Sense,
    end_of,
    labeled_tables,
    senses,
)
from spanemu.sql.googlesql.graph.analyzer.patterns import (
    EdgeLink,
    Place,
    Range,
    RepeatedLink,
    Shape,
)
from spanemu.sql.googlesql.graph.analyzer.rows import Rows, check_table_hint, completed
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
    JoinScan,
    JoinType,
    PathCheck,
    PathHop,
    PathMode,
    PathPlace,
    PathPrefix,
    PathScan,
    PathScope,
    PathSegment,
    PathStep,
    ProjectScan,
    ResolvedColumn,
    Scan,
    SingleRow,
)
from spanemu.values.graph_types import ElementTable, GraphType, path_type
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


def is_whole(pattern: ast.PathPattern, shape: Shape) -> bool:
    """Return whether a path is one scan: under a prefix, or a mode that covers a repetition."""
    if pattern.prefix not in (None, ast.SearchPrefix.ALL):
        return True
    return any(
        each.mode is not None
        and any(isinstance(link, RepeatedLink) for link in shape.links[each.first : each.last])
        for each in shape.ranges
    )


class Path:
    """A path pattern while its MATCH is resolved.

    `items` are what the path consists of, in order: nodes, edges, and paths of repetitions.
    `node_numbers` and `edge_numbers` are the tables that these may come from.
    """

    def __init__(self, pattern: ast.PathPattern, shape: Shape) -> None:
        self.pattern = pattern
        self.shape = shape
        self.is_whole = is_whole(pattern, shape)
        self.edges: dict[int, PatternEdge] = {}  # by position of the link
        self.items: list[Callable[[], Expr]] = []
        self.is_reversed = False  # its scan begins at the end
        self.node_numbers: set[int] = set()
        self.edge_numbers: set[int] = set()

    def type(self, catalog: GraphCatalog) -> GraphType:
        """Return the type of the path."""
        nodes, edges = catalog.nodes.some(self.node_numbers), catalog.edges.some(self.edge_numbers)
        return path_type(
            catalog.name, [each.element for each in nodes], [each.element for each in edges]
        )


class Matching(Protocol):
    """What the scan of a path needs of the MATCH around it."""

    env: GraphEnv
    table: WorkingTable
    nodes: PatternNodes
    conditions: list[Expr]
    variables: dict[str, Variable]

    def add_step(self, step: Callable[[Scan | None], Scan]) -> None:
        """Add a step over rows that satisfy the conditions so far."""
        ...

    def name_node(self, node: PatternNode) -> None:
        """Let the variables of a node denote its element."""
        ...

    def name_element(self, name: str, element: Element, exposed: Numbers) -> list[Expr]:
        """Let a variable denote an element; return the conditions that it is the one it has."""
        ...

    def computed_column(self, value: Expr) -> ResolvedColumn:
        """Return a column of the rows after the MATCH, with a value over them."""
        ...

    def join_node(self, node: PatternNode, hint: Hint | None) -> Element:
        """Make sure that the rows have the columns of a node, and return it."""
        ...

    def range_condition(self, each: Range, variables: Mapping[str, Variable]) -> Expr:
        """Return the condition of a subpath, which sees only `variables`, by folded name."""
        ...


class PathBuilder:
    """A builder of the scan of a path, or of one repetition in it."""

    def __init__(self, matching: Matching, path: Path) -> None:
        self._matching = matching
        self._path = path
        self._env = matching.env
        self.analysis = matching.env.analysis
        self.catalog = matching.env.catalog
        self._parts: list[_Part] = []
        self._scopes: list[PathScope] = []
        self._given: list[PatternNode] = []  # nodes whose elements the scan gives
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
            place = shape.places[number + 1]
            node = self._matching.nodes[place]
            is_end = number == last and node.is_ready and node not in self._given
            if is_end:
                # The rows have the last node: its conditions are conditions on them.
                node.patterns.extend(place.patterns)
                self._end = self._matching.join_node(node, None).identity_value()
                place = Place()
            if isinstance(link, EdgeLink):
                part = self._fixed(number, link, place)
                arrived = part.hops[-1].right
            else:
                part = self._repeated(link)
                if not is_end:
                    part.place = _Place(node.numbers, place.patterns, self)
                    arrived = part.place.element
            self._parts.append(part)
            if not is_end:
                self._arrive(node, arrived, number)
        self._add_costs()
        for each in shape.ranges:
            self._add_range(each)
        self._path.items[:] = [self.path_value]
        self._matching.add_step(self._build)

    def scan_repetition(self, number: int, link: RepeatedLink) -> None:
        """Add the scan of one repetition, between two nodes of the path."""
        places = self._path.shape.places
        node = self._matching.nodes[places[number + 1]]
        self._start = self._matching.nodes[places[number]].known()
        self._start_identity = self._start.identity_value()
        part = self._repeated(link)
        self._parts.append(part)
        if node.is_ready:
            self._end = self._matching.join_node(node, None).identity_value()
        else:
            part.place = _Place(node.numbers, node.patterns, self)
            node.patterns = []
            self._arrive(node, part.place.element, 0)
        self._path.items.append(self.path_value)
        self._matching.add_step(self._build)

    def _arrive(self, node: PatternNode, element: HopElement, number: int) -> None:
        """Let a node of the path be the element that the scan gives, or that the rows have."""
        if not node.is_ready:
            node.element = element
            node.is_ready = True
            self._given.append(node)
            self._matching.name_node(node)
        else:
            equal = conjunction(same(element, node.known(), self.analysis))
            self._scopes.append(PathScope(number, number, condition=equal))

    # ------------------------------------------------------------------ segments

    def _fixed(self, number: int, link: EdgeLink, place: Place) -> _Part:
        """Return the segment of an edge that is not repeated."""
        edge = self._path.edges[number]
        hop = Hop(link, None, place, edge.senses, self)
        edge.element = hop.edge
        variable = link.pattern.variable
        if variable is not None:
            known = self._matching.name_element(variable.name, hop.edge, edge.exposed)
            if known:
                self._scopes.append(PathScope(number, number, condition=conjunction(known)))
        return _Part([hop], 1, 1)

    def _repeated(self, link: RepeatedLink) -> _Part:
        """Return the segment of a repetition, and let its variables denote groups."""
        body = link.body
        catalog = self.catalog
        allowed = [self._labeled(place) for place in body.places]
        hops = []
        for number, inner in enumerate(body.links):
            assert isinstance(inner, EdgeLink)
            labeled = labeled_tables(inner.pattern, catalog, is_edge=True)
            fitting = [
                sense
                for sense in senses(inner, labeled, catalog)
                if end_of(sense, catalog, is_left=True) in allowed[number]
                and end_of(sense, catalog, is_left=False) in allowed[number + 1]
            ]
            left = body.places[0] if number == 0 and body.places[0].patterns else None
            hops.append(Hop(inner, left, body.places[number + 1], fitting, self))
        part = _Part(hops, link.lower, link.upper)
        self._name_groups(body, part)
        for each in body.ranges:
            condition = None
            if each.where is not None:
                condition = self._matching.range_condition(each, part.variables)
            if each.last > each.first:
                scope = PathScope(each.first, each.last - 1, _MODES[each.mode], condition)
                part.scopes.append(scope)
        return part

    def _labeled(self, place: Place) -> Numbers:
        numbers = self.catalog.nodes.all
        for pattern in place.patterns:
            numbers &= labeled_tables(pattern, self.catalog, is_edge=False)
        return numbers

    def _name_groups(self, body: Shape, part: _Part) -> None:
        """Name the elements of a copy, and the arrays of them that stand outside."""
        first = part.hops[0].left
        if first is not None:
            self._name_place(body.places[0], first, 0, part)
        for number, hop in enumerate(part.hops):
            variable = hop.link.pattern.variable
            if variable is not None:
                self._name_part(variable, hop.edge, number, part)
            self._name_place(body.places[number + 1], hop.right, number, part)

    def _name_place(self, place: Place, element: HopElement, number: int, part: _Part) -> None:
        for name in place.names():
            self._name_part(name, element, number, part)

    def _name_part(self, name: Identifier, element: HopElement, number: int, part: _Part) -> None:
        key = self.catalog.fold(name.name)
        known = part.variables.get(key)
        if known is not None and known.element is not None:
            if known.element is not element:
                equal = conjunction(same(known.element, element, self.analysis))
                part.scopes.append(PathScope(0, number, condition=equal))
            return
        part.variables[key] = ElementVariable(name.name, element)
        turn = self._matching.computed_column if self._path.is_reversed else None
        variable = GroupVariable(name.name, element, Copies(part.groups, turn, self.analysis))
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

    def _add_range(self, each: Range) -> None:
        condition = None
        if each.where is not None:
            known = names_in(self._path.shape, each.first, each.last)
            keys = {self.catalog.fold(name.name) for name in known}
            variables = {
                key: variable for key, variable in self._matching.variables.items() if key in keys
            }
            condition = self._matching.range_condition(each, variables)
        if each.last > each.first:
            mode = _MODES[each.mode]
            self._scopes.append(PathScope(each.first, each.last - 1, mode, condition))
        elif condition is not None and each.first == 0:
            self._matching.conditions.append(condition)
        elif condition is not None:
            number = each.first - 1
            self._scopes.append(PathScope(number, number, condition=condition))

    def single(self, name: str, rows: Rows) -> ScannedElement:
        """Return the element that the rows of one step give."""
        tables = self.catalog.tables(rows.table.declared.source is not None)
        return ScannedElement(name, tables, [rows], self.catalog, self.analysis)

    def fillers(self, pattern: ast.ElementPattern, element: ScannedElement) -> list[Expr]:
        """Return the conditions of an element pattern in one step."""
        is_edge = element.is_edge
        exposed = labeled_tables(pattern, self.catalog, is_edge=is_edge)
        return filler_conditions(pattern, element, exposed, self._matching.table, self._env)

    def cost(self, pattern: ast.EdgePattern, rows: Rows) -> Expr:
        """Return the cost of an edge in one step. Raise BadCost if it is no number."""
        element = self.single("$edge", rows)
        return edge_cost(pattern, element, self._matching.table, self._env)

    # ------------------------------------------------------------------ the scan

    def path_value(self) -> Expr:
        """Return the path as a value."""
        if self._column is None:
            self._column = self.analysis.column("$path", self._path.type(self.catalog))
            self._start_value = self._start.value()
            for hop in self._hops():
                hop.edge.value()
                hop.right.value()
        path = ColumnRef(self._column.type, self._column)
        if self._path.is_reversed:
            return operator_call("$path_reversed", (path,), self.analysis, -1)
        return path

    def _hops(self) -> list[Hop]:
        return [hop for part in self._parts for hop in part.hops]

    def note_tables(self, edges: Sequence[int], nodes: Sequence[int]) -> None:
        """Note the tables that edges and nodes of the path may come from."""
        self._path.edge_numbers.update(edges)
        self._path.node_numbers.update(nodes)

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


class _Part:
    """A segment while its path is resolved; `variables` denote the elements of one copy."""

    def __init__(self, hops: list[Hop], lower: int, upper: int | None) -> None:
        self.hops = hops
        self.lower = lower
        self.upper = upper
        self.scopes: list[PathScope] = []
        self.groups: list[tuple[ResolvedColumn, ResolvedColumn]] = []
        self.variables: dict[str, Variable] = {}
        self.group_variables: list[GroupVariable] = []
        self.place: _Place | None = None

    def finish(self) -> PathSegment:
        """Return the segment, once everything that the query uses is requested."""
        return PathSegment(
            tuple(hop.finish() for hop in self.hops),
            self.lower,
            self.upper,
            tuple(self.scopes),
            tuple(self.groups),
            None if self.place is None else self.place.finish(),
        )


class _Step:
    """A step while its path is resolved: an edge table in one sense, with its two nodes."""

    def __init__(self, sense: Sense, hop: Hop, builder: PathBuilder) -> None:
        catalog, analysis = builder.catalog, builder.analysis
        table, is_reversed = sense
        hint = hop.link.pattern.table_hint
        self.edge = Rows(table, catalog, analysis, is_reversed=is_reversed, hint=hint)
        self.right = self._node(is_left=False, builder=builder)
        self.left = self._node(is_left=True, builder=builder) if hop.has_left else None
        self.conditions: list[Expr] = []
        self.computed: list[tuple[ResolvedColumn, Expr]] = []
        self.skips_loops = hop.link.direction is ast.Direction.ANY and is_reversed
        for rows in (self.edge, self.right, self.left):
            if rows is not None:
                self.conditions.extend(rows.conditions)
                rows.conditions, rows.computed = self.conditions, self.computed

    def _node(self, *, is_left: bool, builder: PathBuilder) -> Rows:
        rows = Rows(self.edge.end_table(is_left=is_left), builder.catalog, builder.analysis)
        rows.known_key = self.edge.left_or_right_key(is_left=is_left)
        return rows

    def finish(self, values: Sequence[ResolvedColumn], analysis: Analysis) -> PathStep:
        """Return the step."""
        source_key = self._columns(self.edge.left_or_right_key(is_left=True))
        target_key = self._columns(self.edge.left_or_right_key(is_left=False))
        edge_key = self._columns(self.edge.key())
        scan = self.edge.source()
        for rows, is_left in ((self.left, True), (self.right, False)):
            if rows is None or not (rows.is_used or not self.edge.end_exists(is_left=is_left)):
                continue
            if is_left and not rows.is_used:
                continue
            pairs = zip(rows.own_key(), rows.known_key or (), strict=True)
            matches = [operator_call("$equal", pair, analysis, -1) for pair in pairs]
            scan = JoinScan(JoinType.INNER, scan, rows.source(), conjunction(matches))
        return PathStep(
            self._end_element(is_left=True),
            self.edge.table.element,
            self._end_element(is_left=False),
            completed(scan, self.conditions, self.computed),
            source_key,
            edge_key,
            target_key,
            tuple(values),
            self.skips_loops,
        )

    def _end_element(self, *, is_left: bool) -> ElementTable:
        return self.edge.end_table(is_left=is_left).element

    def _columns(self, key: Sequence[Expr]) -> tuple[ResolvedColumn, ...]:
        return tuple([self.edge.compute("$key", part) for part in key])


class Hop:
    """An edge pattern and the node pattern behind it, within a path.

    The first hop of a repetition's body also has the node pattern in front, `left`.
    """

    def __init__(
        self,
        link: EdgeLink,
        left: Place | None,
        right: Place,
        fitting: Sequence[Sense],
        builder: PathBuilder,
    ) -> None:
        self.link = link
        self.has_left = left is not None
        self._builder = builder
        pattern = link.pattern
        check_table_hint(pattern.table_hint, [table for table, _ in fitting], builder.analysis)
        self._steps = [_Step(sense, self, builder) for sense in fitting]
        self._columns = Columns(len(fitting))
        self._cost: ResolvedColumn | None = None
        self._cost_values: list[Expr] = []
        catalog = builder.catalog
        name = "$edge" if pattern.variable is None else pattern.variable.name
        self.edge = self._element(name, catalog.edges, [step.edge for step in self._steps])
        self.right = self._element(
            _name(right), catalog.nodes, [step.right for step in self._steps]
        )
        self.left: HopElement | None = None
        if left is not None:
            rows = [step.left for step in self._steps if step.left is not None]
            self.left = self._element(_name(left), catalog.nodes, rows)
        builder.note_tables(
            [step.edge.table.number for step in self._steps],
            [step.right.table.number for step in self._steps],
        )
        for step in self._steps:
            self._add_fillers(step, left, right)

    def _element(self, name: str, tables: GraphTables, rows: Sequence[Rows]) -> HopElement:
        builder = self._builder
        return HopElement(name, tables, rows, self._columns, builder.catalog, builder.analysis)

    def _add_fillers(self, step: _Step, left: Place | None, right: Place) -> None:
        builder = self._builder
        edge = builder.single(self.edge.name, step.edge)
        step.conditions += builder.fillers(self.link.pattern, edge)
        for rows, place in ((step.right, right), (step.left, left)):
            if rows is None or place is None:
                continue
            for pattern in place.patterns:
                name = "$node" if pattern.variable is None else pattern.variable.name
                step.conditions += builder.fillers(pattern, builder.single(name, rows))

    def costs(self) -> Sequence[Expr]:
        """Return the cost of the edge in each step."""
        if not self._cost_values:
            self._cost_values = [
                self._builder.cost(self.link.pattern, step.edge) for step in self._steps
            ]
        return self._cost_values

    def add_cost(self, type_: Type) -> None:
        """Let the hop have a cost, in a type that all costs of the path share."""
        builder = self._builder
        at = self.link.pattern.cost_at
        self._cost = builder.analysis.column("$cost", type_)
        parts = [
            step.edge.compute("$cost", coerce(value, type_, builder.analysis, at))
            for step, value in zip(self._steps, self.costs(), strict=True)
        ]
        self._columns.add(self._cost, parts)

    def finish(self) -> PathHop:
        """Return the hop, once everything that the query uses is requested."""
        for element in (self.left, self.edge, self.right):
            if element is not None:
                element.finish()
        steps = tuple(
            step.finish(sources, self._builder.analysis)
            for step, sources in zip(self._steps, self._columns.sources, strict=True)
        )
        return PathHop(steps, tuple(self._columns.outputs), self._cost)


def _name(place: Place) -> str:
    return next((name.name for name in place.names()), "$node")


class _Place:
    """The node behind a repetition while its path is resolved."""

    def __init__(
        self, numbers: Numbers, patterns: Sequence[ast.NodePattern], builder: PathBuilder
    ) -> None:
        catalog, analysis = builder.catalog, builder.analysis
        self._builder = builder
        self._has_conditions = numbers != catalog.nodes.all
        self._columns = Columns(len(numbers))
        self._rows = []
        self._keys = []
        for table in catalog.nodes.some(numbers):
            rows = Rows(table, catalog, analysis)
            key = tuple(analysis.column("$key", type_) for type_ in table.element.key)
            rows.known_key = tuple(ColumnRef(part.type, part) for part in key)
            self._rows.append(rows)
            self._keys.append(key)
        name = next((each.variable.name for each in patterns if each.variable), "$node")
        self.element = HopElement(name, catalog.nodes, self._rows, self._columns, catalog, analysis)
        builder.note_tables((), [rows.table.number for rows in self._rows])
        for rows in self._rows:
            for pattern in patterns:
                rows.conditions += builder.fillers(pattern, builder.single(name, rows))

    def finish(self) -> PathPlace | None:
        """Return the place; None if nothing is asked of the node."""
        self.element.finish()
        checks = tuple(
            self._check(rows, key, tuple(sources))
            for rows, key, sources in zip(
                self._rows, self._keys, self._columns.sources, strict=True
            )
        )
        is_plain = not self._columns.outputs and all(check.scan is None for check in checks)
        if is_plain and not self._has_conditions:
            return None
        return PathPlace(checks, tuple(self._columns.outputs))

    @staticmethod
    def _check(
        rows: Rows, key: tuple[ResolvedColumn, ...], values: tuple[ResolvedColumn, ...]
    ) -> PathCheck:
        scan: Scan | None = None
        if rows.is_used or rows.conditions or rows.computed:
            own_key = rows.own_key()
            keyed = ProjectScan(rows.source(), tuple(zip(key, own_key, strict=True)))
            scan = completed(keyed, rows.conditions, rows.computed)
        return PathCheck(rows.table.element, key, scan, values)

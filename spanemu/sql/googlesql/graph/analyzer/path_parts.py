"""The parts of a `PathScan` while its path is resolved: segments, hops, steps and places.

A hop is an edge pattern with the node pattern behind it. Its steps are one for each edge table and
direction, so a filler is resolved for each of them. Each part is finished once all columns that
the query uses are known.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spanemu.sql.analysis.tree import rewrite
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.coercion import coerce
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphCatalog, GraphTables, Numbers
from spanemu.sql.googlesql.graph.analyzer.elements import (
    Columns,
    HopElement,
    ScannedElement,
)
from spanemu.sql.googlesql.graph.analyzer.fillers import edge_cost, filler_conditions
from spanemu.sql.googlesql.graph.analyzer.group_variables import GroupVariable
from spanemu.sql.googlesql.graph.analyzer.identity import conjunction
from spanemu.sql.googlesql.graph.analyzer.nodes import (
    PatternEdge,
    Sense,
    labeled_tables,
)
from spanemu.sql.googlesql.graph.analyzer.patterns import (
    EdgeLink,
    Place,
    RepeatedLink,
    Shape,
)
from spanemu.sql.googlesql.graph.analyzer.rows import Rows, check_table_hint, completed
from spanemu.sql.googlesql.graph.analyzer.table import (
    GraphEnv,
    Variable,
    WorkingTable,
)
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    JoinScan,
    JoinType,
    Literal,
    PathCheck,
    PathHop,
    PathPlace,
    PathScope,
    PathSegment,
    PathStep,
    ProjectScan,
    ResolvedColumn,
    Scan,
)
from spanemu.values.graph_types import ElementTable, GraphType, path_type
from spanemu.values.types import INT64, Type


def is_whole(pattern: ast.PathPattern, shape: Shape) -> bool:
    """Return whether a path is one scan: under a prefix, or a mode that covers a repetition.

    A path of one node is never: no prefix leaves any of them out.
    """
    if pattern.prefix not in (None, ast.SearchPrefix.ALL):
        return bool(shape.links)
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
        # For each repetition, how many edges a copy has, and an array as long as there are copies.
        self.copies: list[tuple[int, Callable[[], Expr]]] = []

    def length(self, analysis: Analysis) -> Expr:
        """Return the number of edges of the path, counted without the edges themselves."""
        fixed = sum(isinstance(link, EdgeLink) for link in self.shape.links)
        total: Expr | None = Literal(INT64, fixed) if fixed or not self.copies else None
        for edges, copies in self.copies:
            count = operator_call("ARRAY_LENGTH", (copies(),), analysis, -1)
            if edges > 1:
                count = operator_call("$multiply", (count, Literal(INT64, edges)), analysis, -1)
            total = count if total is None else operator_call("$add", (total, count), analysis, -1)
        assert total is not None
        return total

    def type(self, catalog: GraphCatalog) -> GraphType:
        """Return the type of the path."""
        nodes, edges = catalog.nodes.some(self.node_numbers), catalog.edges.some(self.edge_numbers)
        return path_type(
            catalog.name, [each.element for each in nodes], [each.element for each in edges]
        )


class PathContext:
    """The surroundings of the parts of one path: its graph, and the names in its fillers."""

    def __init__(self, path: Path, table: WorkingTable, env: GraphEnv) -> None:
        self.path = path
        self.analysis = env.analysis
        self.catalog = env.catalog
        self._table = table
        self._env = env

    def single(self, name: str, rows: Rows) -> ScannedElement:
        """Return the element that the rows of one step give."""
        tables = self.catalog.tables(rows.table.declared.source is not None)
        return ScannedElement(name, tables, [rows], self.analysis)

    def fillers(self, pattern: ast.ElementPattern, element: ScannedElement) -> list[Expr]:
        """Return the conditions of an element pattern in one step."""
        is_edge = element.is_edge
        exposed = labeled_tables(pattern, self.catalog, is_edge=is_edge)
        conditions = filler_conditions(pattern, element, exposed, self._table, self._env)
        element.finish()
        return conditions

    def cost(self, pattern: ast.EdgePattern, rows: Rows) -> Expr:
        """Return the cost of an edge in one step. Raise BadCost if it is no number."""
        element = self.single("$edge", rows)
        cost = edge_cost(pattern, element, self._table, self._env)
        if element.uses == 0:
            return cost
        # The cost is computed beside the other values of the row.
        value = rows.value(element.type, whole=True)

        def with_value(part: Expr) -> Expr | None:
            is_edge = isinstance(part, ColumnRef) and part.column.id == element.column.id
            return value if is_edge else None

        computed: Expr = rewrite(cost, with_value)
        return computed

    def note_tables(self, edges: Sequence[int], nodes: Sequence[int]) -> None:
        """Note the tables that edges and nodes of the path may come from."""
        self.path.edge_numbers.update(edges)
        self.path.node_numbers.update(nodes)


class Part:
    """A segment while its path is resolved; `variables` denote the elements of one copy."""

    def __init__(self, hops: list[Hop], lower: int, upper: int | None) -> None:
        self.hops = hops
        self.lower = lower
        self.upper = upper
        self.scopes: list[PathScope] = []
        self.groups: list[tuple[ResolvedColumn, ResolvedColumn]] = []
        self.variables: dict[str, Variable] = {}
        self.group_variables: list[GroupVariable] = []
        self.place: PlaceBehind | None = None

    def reached(self, begun: Numbers) -> Numbers:
        """Return the tables of the nodes behind the segment, if it begins in the tables `begun`."""
        behind = self.hops[-1].right.numbers
        return behind | begun if self.lower == 0 else behind

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

    def __init__(self, sense: Sense, hop: Hop, context: PathContext) -> None:
        catalog, analysis = context.catalog, context.analysis
        table, is_reversed = sense
        hint = hop.link.pattern.table_hint
        self.edge = Rows(table, catalog, analysis, is_reversed=is_reversed, hint=hint)
        if hop.link.direction is ast.Direction.ANY:
            self.edge.become_half()
        self.right = self._node(is_left=False, context=context)
        self.left = self._node(is_left=True, context=context) if hop.has_left else None
        self.conditions: list[Expr] = []
        self.computed: list[tuple[ResolvedColumn, Expr]] = []
        self.skips_loops = hop.link.direction is ast.Direction.ANY and is_reversed
        for rows in (self.edge, self.right, self.left):
            if rows is not None:
                self.conditions.extend(rows.conditions)
                rows.conditions, rows.computed = self.conditions, self.computed

    def _node(self, *, is_left: bool, context: PathContext) -> Rows:
        rows = Rows(self.edge.end_table(is_left=is_left), context.catalog, context.analysis)
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
        context: PathContext,
    ) -> None:
        self.link = link
        self.has_left = left is not None
        self._context = context
        pattern = link.pattern
        check_table_hint(pattern.table_hint, [table for table, _ in fitting], context.analysis)
        self._steps = [_Step(sense, self, context) for sense in fitting]
        self._columns = Columns(len(fitting))
        self._cost: ResolvedColumn | None = None
        self._cost_values: list[Expr] = []
        catalog = context.catalog
        name = "$edge" if pattern.variable is None else pattern.variable.name
        self.edge = self._element(name, catalog.edges, [step.edge for step in self._steps])
        self.right = self._element(
            _name(right), catalog.nodes, [step.right for step in self._steps]
        )
        self.left: HopElement | None = None
        if left is not None:
            rows = [step.left for step in self._steps if step.left is not None]
            self.left = self._element(_name(left), catalog.nodes, rows)
        context.note_tables(
            [step.edge.table.number for step in self._steps],
            [step.right.table.number for step in self._steps],
        )
        for step in self._steps:
            self._add_fillers(step, left, right)

    def _element(self, name: str, tables: GraphTables, rows: Sequence[Rows]) -> HopElement:
        context = self._context
        return HopElement(name, tables, rows, self._columns, context.analysis)

    def _add_fillers(self, step: _Step, left: Place | None, right: Place) -> None:
        context = self._context
        edge = context.single(self.edge.name, step.edge)
        step.conditions += context.fillers(self.link.pattern, edge)
        for rows, spot in ((step.right, right), (step.left, left)):
            if rows is None or spot is None:
                continue
            for pattern in spot.patterns:
                name = "$node" if pattern.variable is None else pattern.variable.name
                step.conditions += context.fillers(pattern, context.single(name, rows))

    def costs(self) -> Sequence[Expr]:
        """Return the cost of the edge in each step."""
        if not self._cost_values:
            self._cost_values = [
                self._context.cost(self.link.pattern, step.edge) for step in self._steps
            ]
        return self._cost_values

    def add_cost(self, type_: Type) -> None:
        """Add a cost to the hop, in a type that all costs of the path share."""
        context = self._context
        at = self.link.pattern.cost_at
        self._cost = context.analysis.column("$cost", type_)
        parts = [
            step.edge.compute("$cost", coerce(value, type_, context.analysis, at))
            for step, value in zip(self._steps, self.costs(), strict=True)
        ]
        self._columns.add(self._cost, parts)

    def finish(self) -> PathHop:
        """Return the hop, once everything that the query uses is requested."""
        for element in (self.left, self.edge, self.right):
            if element is not None:
                element.finish()
        steps = tuple(
            step.finish(sources, self._context.analysis)
            for step, sources in zip(self._steps, self._columns.sources, strict=True)
        )
        return PathHop(steps, tuple(self._columns.outputs), self._cost)


def _name(place: Place) -> str:
    return next((name.name for name in place.names()), "$node")


class PlaceBehind:
    """The node behind a repetition while its path is resolved."""

    def __init__(
        self, numbers: Numbers, patterns: Sequence[ast.NodePattern], context: PathContext
    ) -> None:
        catalog, analysis = context.catalog, context.analysis
        self._context = context
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
        self.element = HopElement(name, catalog.nodes, self._rows, self._columns, analysis)
        context.note_tables((), [rows.table.number for rows in self._rows])
        for rows in self._rows:
            for pattern in patterns:
                rows.conditions += context.fillers(pattern, context.single(name, rows))

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

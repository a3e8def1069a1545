"""Resolves MATCH and OPTIONAL MATCH: patterns become joins of scans, and scans of paths.

Patterns are resolved from left to right. A stretch of nodes and edges becomes joins, whose order
the planner chooses; a repetition, or a path under a prefix or a mode, becomes a `PathScan` over
what stands before. A node that is known already, from another pattern or from the working table,
is not read again: its key is compared.

Not here: the joins, conditions and computed columns themselves (`match_rows`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spanemu.sql.googlesql.analyzer.expressions.expression import resolve_condition
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.analyzer.scope import Scope
from spanemu.sql.googlesql.ast import Hint
from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.anchors import equated_properties, is_anchored
from spanemu.sql.googlesql.graph.analyzer.catalog import TAG, Numbers
from spanemu.sql.googlesql.graph.analyzer.derived_elements import CopiedColumns
from spanemu.sql.googlesql.graph.analyzer.elements import Element, ScannedElement
from spanemu.sql.googlesql.graph.analyzer.fillers import filler_conditions, pattern_scope
from spanemu.sql.googlesql.graph.analyzer.identity import conjunction, same
from spanemu.sql.googlesql.graph.analyzer.match_rows import MatchRows
from spanemu.sql.googlesql.graph.analyzer.nodes import (
    PatternEdge,
    PatternNode,
    PatternNodes,
    prune_tables,
)
from spanemu.sql.googlesql.graph.analyzer.path_parts import Path
from spanemu.sql.googlesql.graph.analyzer.path_scan import PathBuilder
from spanemu.sql.googlesql.graph.analyzer.patterns import (
    EdgeLink,
    Range,
    RepeatedLink,
    reversed_shape,
    shape_of,
)
from spanemu.sql.googlesql.graph.analyzer.rows import Rows, check_table_hint
from spanemu.sql.googlesql.graph.analyzer.table import (
    ElementVariable,
    GraphEnv,
    PathVariable,
    Variable,
    WorkingTable,
)
from spanemu.sql.googlesql.graph.analyzer.variables import (
    Declarations,
    check_costs,
    check_prefixes,
    names_in,
    names_inside_prefix,
)
from spanemu.sql.resolved import Expr, Literal, MakePath, Or, ResolvedColumn, SingleRow
from spanemu.values.types import BOOL


def resolve_match(node: ast.Match, table: WorkingTable, env: GraphEnv) -> WorkingTable:
    """Return the working table after a MATCH. Raise AnalysisError if the MATCH is invalid."""
    return Matcher(node, table, env).resolve()


class Matcher:
    """The state of the resolution of one MATCH: its nodes, its rows and its names."""

    def __init__(self, node: ast.Match, table: WorkingTable, env: GraphEnv) -> None:
        self.node = node
        self.table = table
        self.env = env
        self.analysis = env.analysis
        self.catalog = env.catalog
        self.declarations = Declarations(table, env)
        self.nodes = PatternNodes(self.catalog, self.declarations)
        self.paths = [Path(pattern, shape_of(pattern)) for pattern in node.patterns]
        self.variables: dict[str, Variable] = {}
        check_costs(path.shape for path in self.paths)
        for path in self.paths:
            self.declarations.add(path.pattern, path.shape)
        check_prefixes([(path.pattern, path.shape) for path in self.paths], self.declarations)
        names = self.declarations.by_name
        uses_incoming = any(table.variable(name) is not None for name in names)
        self.rows = MatchRows(node, table, env, uses_incoming=uses_incoming)
        self._copies = CopiedColumns(self.rows.copied_column)  # of the rows before

    def resolve(self) -> WorkingTable:
        """Return the working table after the MATCH."""
        self._collect()
        for path in self.paths:
            self._lower(path)
        named = self._with_variables()
        if self.node.where is not None:
            inside = self.env.over(named, "WHERE clause")
            inside.is_horizontal = True
            self.rows.last_conditions.append(resolve_condition(self.node.where, inside))
        return WorkingTable(named.variables, self.rows.build, self.table.fold)

    def _collect(self) -> None:
        """Find the nodes and edges outside of repetitions, and the tables that may give them."""
        for path in self.paths:
            inside = names_inside_prefix(path.pattern, path.shape, self.table.fold)
            for spot in path.shape.places:
                self.nodes.add(spot, inside)
        self._find_anchors()
        edges = []
        for path in self.paths:
            self._orient(path)
            places = path.shape.places
            for number, link in enumerate(path.shape.links):
                if isinstance(link, EdgeLink):
                    left, right = self.nodes[places[number]], self.nodes[places[number + 1]]
                    edge = PatternEdge(link, left, right, self.catalog)
                    path.edges[number] = edge
                    edges.append(edge)
        prune_tables(edges)
        for path in self.paths:
            # Within a path that is scanned as a whole, the scan itself tests the other nodes.
            places = path.shape.places[:1] if path.is_whole else path.shape.places
            for spot in places:
                self.nodes[spot].patterns.extend(spot.patterns)

    def _find_anchors(self) -> None:
        """Find the nodes whose keys are determined by conditions."""
        fold = self.table.fold
        equated: dict[str, set[str]] = {}
        for variable, name in equated_properties(self.node.where, fold):
            equated.setdefault(variable, set()).add(name)
        for path in self.paths:
            for spot in path.shape.places:
                node = self.nodes[spot]
                if len(node.numbers) == 1:
                    (number,) = node.numbers
                    table = self.catalog.nodes[number]
                    anchored = is_anchored(table, spot.patterns, equated, fold)
                    node.is_anchored = node.is_anchored or anchored

    def _orient(self, path: Path) -> None:
        """Let the scan of a path begin at its end, if only that is known by its key."""
        shape = path.shape
        first, last = self.nodes[shape.places[0]], self.nodes[shape.places[-1]]
        if not (path.is_whole or shape.has_repetition) or first.is_known or not last.is_known:
            return
        if all(each.where is None for each in shape.ranges):
            path.shape = reversed_shape(shape)
            path.is_reversed = True

    # ------------------------------------------------------------------ paths

    def _lower(self, path: Path) -> None:
        first = self.join_node(self.nodes[path.shape.places[0]], path.pattern.hint)
        path.items.append(first.value)
        path.node_numbers |= first.numbers
        self._join_end(path)
        if path.is_whole:
            PathBuilder(self, path).scan_whole()
        else:
            for number, link in enumerate(path.shape.links):
                if isinstance(link, EdgeLink):
                    self._edge(path, number)
                else:
                    self._repetition(path, number, link)
            for covered in path.shape.ranges:
                self._range(path, covered)
        if path.pattern.variable is not None:
            self._name_path(path)

    def _join_end(self, path: Path) -> None:
        """Join the rows with the last node of a scan of a path, if the node is known by its key."""
        spot = path.shape.places[-1]
        node = self.nodes[spot]
        is_repeated = any(isinstance(link, RepeatedLink) for link in path.shape.links[-1:])
        if (path.is_whole or is_repeated) and node.is_anchored and not node.is_ready:
            if path.is_whole:
                node.patterns.extend(spot.patterns)
            self.join_node(node, None)

    def _edge(self, path: Path, number: int) -> None:
        """Join the rows with those of an edge and of the node behind it."""
        edge = path.edges[number]
        right_patterns = path.shape.places[number + 1].patterns
        element = self._join_edge(edge)
        self.rows.require(same(element.pattern_end(is_left=True), edge.left.known(), self.analysis))
        hint = right_patterns[0].hint if right_patterns else None
        right = self.join_node(edge.right, hint)
        self.rows.require(same(element.pattern_end(is_left=False), right, self.analysis))
        path.items += (element.value, right.value)
        path.edge_numbers |= element.numbers
        path.node_numbers |= right.numbers

    def _join_edge(self, edge: PatternEdge) -> ScannedElement:
        pattern = edge.link.pattern
        name = "$edge" if pattern.variable is None else pattern.variable.name
        tables = [table for table, _ in edge.senses]
        check_table_hint(pattern.table_hint, tables, self.analysis)
        rows = [
            Rows(
                table,
                self.catalog,
                self.analysis,
                is_reversed=is_reversed,
                hint=pattern.table_hint,
            )
            for table, is_reversed in edge.senses
        ]
        if edge.link.direction is ast.Direction.ANY:
            for table_rows in rows:
                table_rows.become_half()
                self._skip_loops(table_rows)
        element = ScannedElement(name, self.catalog.edges, rows, self.analysis)
        edge.element = element
        self.rows.join(element.scan, pattern.hint)
        self.rows.require(self._fillers(pattern, element, edge.exposed))
        if pattern.variable is not None:
            self.rows.require(self.name_element(pattern.variable.name, element, edge.exposed))
        return element

    def _skip_loops(self, rows: Rows) -> None:
        """Leave out the loops of one of the two senses of an edge without direction."""
        loop = rows.is_loop() if rows.is_reversed else None
        if loop is not None:
            rows.require(self._negated(loop))

    def _repetition(self, path: Path, number: int, link: RepeatedLink) -> None:
        PathBuilder(self, path).scan_repetition(number, link)

    def _range(self, path: Path, covered: Range) -> None:
        """Add the condition and the mode of a subpath of nodes and edges."""
        if covered.where is not None:
            named = names_in(path.shape, covered.first, covered.last)
            keys = {self.table.fold(name.name) for name in named}
            known = {key: variable for key, variable in self.variables.items() if key in keys}
            self.rows.require([self.range_condition(covered, known)])
        if covered.mode is not None:
            self.rows.require(self._mode_conditions(path, covered))

    def range_condition(self, covered: Range, variables: Mapping[str, Variable]) -> Expr:
        """Return the condition of a subpath, which sees only `variables`, by folded name."""
        assert covered.where is not None
        inside = WorkingTable(variables.values(), SingleRow, self.table.fold)
        scope = Scope(pattern_scope({}, self.table, self.env), inside)
        env = self.env.within(scope, "WHERE clause")
        env.is_horizontal = True
        return resolve_condition(covered.where, env)

    def _mode_conditions(self, path: Path, covered: Range) -> list[Expr]:
        """Return the conditions that no edge, or no node, of a range occurs twice."""
        edges = [path.edges[number].known() for number in range(covered.first, covered.last)]
        if covered.mode is ast.PathMode.TRAIL:
            return self._all_different(edges)
        places = path.shape.places[covered.first : covered.last + 1]
        nodes = [self.nodes[spot].known() for spot in places]
        if covered.mode is ast.PathMode.ACYCLIC:
            return self._all_different(nodes)
        if covered.mode is ast.PathMode.SIMPLE and len(nodes) > 1:
            return self._all_different(nodes[:-1]) + self._all_different(nodes[1:])
        return []

    def _all_different(self, elements: Sequence[Element]) -> list[Expr]:
        conditions: list[Expr] = []
        for position, first in enumerate(elements):
            for second in elements[position + 1 :]:
                if first is second:
                    conditions.append(Literal(BOOL, False))
                elif first.numbers & second.numbers:
                    equal = conjunction(same(first, second, self.analysis))
                    conditions.append(self._negated(equal))
        return conditions

    # ------------------------------------------------------------------ nodes

    def join_node(self, node: PatternNode, hint: Hint | None) -> Element:
        """Make sure that the rows have the columns of a node, and return it."""
        if not node.is_ready:
            self._scan_node(node, hint)
        elif node.incoming is not None:
            self._check_incoming(node)
        element = node.known()
        for pattern in node.patterns:
            self.rows.require(self._fillers(pattern, element, node.exposed))
        node.patterns = []
        self.rows.require(self.name_node(node))
        return element

    def _fillers(
        self, pattern: ast.ElementPattern, element: Element, exposed: Numbers
    ) -> list[Expr]:
        return filler_conditions(pattern, element, exposed, self.table, self.env)

    def _scan_node(self, node: PatternNode, hint: Hint | None) -> None:
        name = next(iter(node.names.values()), "$node")
        table_hint = next((each.table_hint for each in node.patterns if each.table_hint), None)
        tables = self.catalog.nodes.some(node.numbers)
        check_table_hint(table_hint, tables, self.analysis)
        rows = [Rows(table, self.catalog, self.analysis, hint=table_hint) for table in tables]
        element = ScannedElement(name, self.catalog.nodes, rows, self.analysis)
        node.element = element
        node.is_ready = True
        self.rows.join(element.scan, hint)

    def _check_incoming(self, node: PatternNode) -> None:
        """Add the conditions that an element of the working table must satisfy here."""
        element = node.known()
        if element.numbers != node.numbers:
            self.rows.require([self.has_table(element, node.numbers)])
        elif element.is_nullable:
            self.rows.require([self._negated(element.is_null())])
        node.incoming = None

    def has_table(self, element: Element, numbers: Numbers) -> Expr:
        """Return whether an element is of one of some tables."""
        tests = [
            operator_call("$equal", (element.tag(), Literal(TAG, number)), self.analysis, -1)
            for number in sorted(numbers)
        ]
        if not tests:
            return Literal(BOOL, False)
        return tests[0] if len(tests) == 1 else Or(BOOL, tuple(tests))

    def _negated(self, condition: Expr) -> Expr:
        return operator_call("$not", (condition,), self.analysis, -1)

    # ------------------------------------------------------------------ names

    def name_node(self, node: PatternNode) -> list[Expr]:
        """Bind the variables of a node to its element.

        Return the conditions that it is the one that the variables denote already.
        """
        return [
            condition
            for name in node.names.values()
            for condition in self.name_element(name, node.known(), node.exposed)
        ]

    def name_element(self, name: str, element: Element, exposed: Numbers) -> list[Expr]:
        """Bind a variable to an element.

        Return the conditions that it is the one that the variable denotes already.
        """
        key = self.table.fold(name)
        before = self.variables.get(key) or self.declarations.incoming(name)
        if before is None or before.element is element:
            self.variables[key] = ElementVariable(name, element, exposed)
            return []
        assert before.element is not None
        self.variables[key] = ElementVariable(name, before.element, exposed)
        return same(before.element, element, self.analysis)

    def _name_path(self, path: Path) -> None:
        variable = path.pattern.variable
        assert variable is not None
        type_ = path.type(self.catalog)

        def make() -> ResolvedColumn:
            items = tuple([item() for item in path.items])
            if path.is_reversed:
                items = items[::-1]
            return self.rows.column_of_both(variable.name, MakePath(type_, items))

        def length() -> Expr | None:
            return None if self.node.optional else path.length(self.analysis)

        named = PathVariable(variable.name, type_, make, length)
        self.variables[self.table.fold(variable.name)] = named

    def _with_variables(self) -> WorkingTable:
        """Return the working table with the variables that the patterns declare."""
        added = []
        for key, variable in self.variables.items():
            known = self.table.variable(key)
            if self.node.optional and known is not None:
                continue
            if known is None and self._is_captured(key):
                continue
            if self.node.optional and isinstance(variable, ElementVariable):
                variable = self._nullable(variable)
            added.append(variable)
        return self.table.extended(added)

    def _nullable(self, variable: ElementVariable) -> ElementVariable:
        """Return a variable of an OPTIONAL MATCH, which is NULL where nothing matches.

        A new name for an element that the rows had before needs columns of its own.
        """
        element = variable.element
        if self._is_own(element):
            element.is_nullable = True
            return variable
        copied = self._copies.element(variable.name, element)
        return ElementVariable(variable.name, copied, variable.exposed)

    def _is_own(self, element: Element) -> bool:
        """Return whether the rows of the MATCH itself give an element."""
        tables = [self.table] if self.env.captured is None else [self.table, self.env.captured]
        return all(each.element is not element for table in tables for each in table.variables)

    def _is_captured(self, key: str) -> bool:
        captured = self.env.captured
        return captured is not None and captured.variable(key) is not None

"""The rows of one element table in one place of a query, with the conditions of a pattern.

Columns are created on request, so that an element costs only what the query uses of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.schema.table import Table
from spanemu.sql.analysis.errors import HintIndexNotFound
from spanemu.sql.analysis.hints import HintTarget, check_hints, table_hints
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.table_relation import TableRelation
from spanemu.sql.errors import AnalysisError
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.analyzer.queries.from_clause import view_relation
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.ast import Hint
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphCatalog, GraphTable
from spanemu.sql.googlesql.graph.analyzer.identity import conjunction
from spanemu.sql.resolved import (
    And,
    ColumnRef,
    Expr,
    FilterScan,
    Hints,
    JoinScan,
    JoinType,
    Literal,
    MakeElement,
    ProjectScan,
    ResolvedColumn,
    Scan,
)
from spanemu.values.graph_types import GraphType
from spanemu.values.types import BOOL, STRING

_INDEX_STRATEGY = "index_strategy"


class Rows:
    """The rows of an element table. An edge whose row `is_reversed` runs from right to left.

    Left and right are the nodes of an edge in the pattern, source and destination those in the
    graph.
    """

    def __init__(
        self,
        table: GraphTable,
        catalog: GraphCatalog,
        analysis: Analysis,
        *,
        is_reversed: bool = False,
        hint: Hint | None = None,
    ) -> None:
        self.table = table
        self.is_reversed = is_reversed
        self._catalog = catalog
        self._analysis = analysis
        self._relation = _relation(table, analysis, hint)
        self._joined: dict[bool, tuple[Rows, Expr]] = {}
        self.conditions: list[Expr] = self._key_conditions()
        self.computed: list[tuple[ResolvedColumn, Expr]] = []
        # Whether the query asks for more than the key that others know of the row.
        self.is_used = False
        self.known_key: tuple[Expr, ...] | None = None

    def become_half(self) -> None:
        """Note that other rows are the same edges in the other sense.

        Each half is sought from one end: the union of indexes that the hint INDEX_STRATEGY asks
        for is that of both.
        """
        if isinstance(self._relation, TableRelation):
            hints = [each for each in self._relation.hints if each[0] != _INDEX_STRATEGY]
            self._relation.hints = tuple(hints)

    def column(self, name: str) -> Expr:
        """Return a column of the table or view."""
        self.is_used = True
        column = self._relation.column(name, -1)
        assert column is not None
        return column

    def key(self) -> tuple[Expr, ...]:
        """Return the parts of the element key, as shared with other elements if known."""
        return self.own_key() if self.known_key is None else self.known_key

    def own_key(self) -> tuple[Expr, ...]:
        """Return the parts of the key, read from the row.

        The key of an edge that refers to other columns of a node than its key has the key of the
        node as well: such a row is several edges.
        """
        key = [self.column(name) for name in self.table.declared.key]
        for is_source, end in self.table.ends.items():
            if end.key is None:
                key.extend(self.end_key(is_source=is_source))
        return tuple(key)

    def property(self, folded: str) -> Expr | None:
        """Return the value of a property, declared or dynamic, or None if no row has it."""
        declared = self.table.properties.get(folded)
        if declared is None:
            return self._dynamic_property(folded)
        self.is_used = True
        name = declared.expression.strip("`")
        if self._catalog.fold(name) in self.table.columns:
            return self.column(name)
        return self._analysis.row_expression(declared.expression, declared.type, self._relation)

    def _dynamic_property(self, folded: str) -> Expr | None:
        column = self.table.declared.dynamic_properties
        if column is None:
            return None
        member = (self.column(column), Literal(STRING, folded))
        return operator_call("$json_subscript", member, self._analysis, -1)

    def has_dynamic_label(self, folded: str) -> Expr:
        """Return whether the row's own label has a name; for "", whether the row has a label."""
        name = self.table.declared.dynamic_label
        assert name is not None
        label = self.column(name)
        analysis = self._analysis
        missing = operator_call("$is_null", (label,), analysis, -1)
        present = operator_call("$not", (missing,), analysis, -1)
        if not folded:
            return present
        named = operator_call("$equal", (self.column(name), Literal(STRING, folded)), analysis, -1)
        return And(BOOL, (present, named))

    def value(self, type_: GraphType, *, whole: bool) -> Expr:
        """Return the element as a value, with its properties if it is `whole`."""
        declared, element = self.table.declared, self.table.element
        properties: tuple[Expr, ...] = ()
        label = members = None
        if whole:
            values = (self.property(self._catalog.fold(name)) for name, _ in element.properties)
            properties = tuple([value for value in values if value is not None])
            if declared.dynamic_label is not None:
                label = self.column(declared.dynamic_label)
            if declared.dynamic_properties is not None:
                members = self.column(declared.dynamic_properties)
        is_edge = declared.source is not None
        source = self.end_key(is_source=True) if is_edge else ()
        destination = self.end_key(is_source=False) if is_edge else ()
        return MakeElement(
            type_, element, self.key(), properties, source, destination, label, members
        )

    # ------------------------------------------------------------------ ends of an edge

    def end_table(self, *, is_left: bool) -> GraphTable:
        """Return the node table at an end of the edge in the pattern."""
        return self.table.end(is_left is not self.is_reversed).node

    def left_or_right_key(self, *, is_left: bool) -> tuple[Expr, ...]:
        """Return the key of the node at an end of the edge in the pattern."""
        return self.end_key(is_source=is_left is not self.is_reversed)

    def end_key(self, *, is_source: bool) -> tuple[Expr, ...]:
        """Return the key of the node at which the edge begins or ends.

        An edge that refers to other columns of the node than its key is joined with the node.
        """
        own = self.table.end(is_source).key
        if own is None:
            return self._node(is_source).own_key()
        return tuple([self.column(name) for name in own])

    def _node(self, is_source: bool) -> Rows:
        known = self._joined.get(is_source)
        if known is not None:
            return known[0]
        end = self.table.end(is_source)
        node = Rows(end.node, self._catalog, self._analysis)
        pairs = [
            (self.column(own), node.column(column))
            for own, column in zip(end.declared.columns, end.declared.node_columns, strict=True)
        ]
        matches = [operator_call("$equal", pair, self._analysis, -1) for pair in pairs]
        self._joined[is_source] = node, conjunction(matches)
        return node

    def is_loop(self) -> Expr | None:
        """Return whether both ends of the edge are one node; None if they never are."""
        if self.end_table(is_left=True) is not self.end_table(is_left=False):
            return None
        pairs = zip(self.end_key(is_source=True), self.end_key(is_source=False), strict=True)
        return conjunction([operator_call("$equal", pair, self._analysis, -1) for pair in pairs])

    def end_exists(self, *, is_left: bool) -> bool:
        """Return whether the schema makes sure that the node at an end of each edge exists."""
        is_source = is_left is not self.is_reversed
        return is_source in self._joined or self.table.end(is_source).is_sure

    # ------------------------------------------------------------------ the scan

    def require(self, condition: Expr) -> None:
        """Keep only the rows for which `condition` is TRUE."""
        self.conditions.append(condition)

    def compute(self, name: str, value: Expr) -> ResolvedColumn:
        """Return a column of the scan with a value over the row."""
        if isinstance(value, ColumnRef):
            return value.column
        column = self._analysis.column(name, value.type)
        self.computed.append((column, value))
        return column

    def assign(self, column: ResolvedColumn, value: Expr) -> None:
        """Make the scan compute a column that exists already."""
        self.computed.append((column, value))

    def scan(self) -> Scan:
        """Return the scan. Call once, after everything that the query uses is requested."""
        return completed(self.source(), self.conditions, self.computed)

    def source(self) -> Scan:
        """Return the scan without the conditions and the values computed over a row."""
        scan = self._relation.scan()
        for node, condition in self._joined.values():
            scan = JoinScan(JoinType.INNER, scan, node.scan(), condition)
        return scan

    def _key_conditions(self) -> list[Expr]:
        """Return the conditions that no part of the key is NULL, for parts that may be NULL."""
        table = self._relation.table if isinstance(self._relation, TableRelation) else None
        conditions = []
        for name in self.table.declared.key:
            stored = None if table is None else table.column(name)
            if stored is None or not stored.not_null:
                missing = operator_call("$is_null", (self.column(name),), self._analysis, -1)
                conditions.append(operator_call("$not", (missing,), self._analysis, -1))
        return conditions


def completed(
    scan: Scan, conditions: Sequence[Expr], computed: Sequence[tuple[ResolvedColumn, Expr]]
) -> Scan:
    """Return rows with computed columns that satisfy conditions, which may use the columns."""
    if computed:
        scan = ProjectScan(scan, tuple(computed))
    return FilterScan(scan, conjunction(conditions)) if conditions else scan


def _relation(table: GraphTable, analysis: Analysis, hint: Hint | None) -> Relation:
    name = table.declared.table
    schema = analysis.schema
    stored = schema.table(name)
    analysis.traits.tables.add(name)
    if stored is not None:
        relation = TableRelation(name, stored, analysis)
        relation.hints = _hints_for(hint, stored, analysis)
        return relation
    check_hints(hint, HintTarget.TABLE, analysis)
    view = schema.view(name)
    assert view is not None
    return view_relation(name, view, Env(analysis, Scope(None), "view", {}), -1)


def _hints_for(hint: Hint | None, table: Table, analysis: Analysis) -> Hints:
    """Return the hints of an element pattern for one of the tables that may give the element."""
    if hint is None:
        return ()
    try:
        return table_hints(hint, table, analysis)
    except HintIndexNotFound:
        return ()


def check_table_hint(hint: Hint | None, tables: Sequence[GraphTable], analysis: Analysis) -> None:
    """Raise AnalysisError if the hints of an element pattern suit none of its tables."""
    problem: AnalysisError | None = None
    for table in tables:
        stored = analysis.schema.table(table.declared.table)
        if stored is None:
            continue
        try:
            table_hints(hint, stored, analysis)
        except AnalysisError as failure:
            problem = problem or failure
        else:
            return
    if problem is not None:
        raise problem

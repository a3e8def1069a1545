"""Elements that are values, such as the elements of an array: their parts are taken from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.expressions.operator_call import operator_call
from spanemu.sql.googlesql.graph.analyzer.catalog import TAG, GraphCatalog, GraphTable
from spanemu.sql.googlesql.graph.analyzer.elements import Element
from spanemu.sql.googlesql.graph.analyzer.identity import Identity, Slot, filler, slots_of
from spanemu.sql.resolved import (
    Case,
    ColumnRef,
    Expr,
    GetKey,
    GetProperty,
    Literal,
    ResolvedColumn,
)
from spanemu.values.graph_types import GraphType
from spanemu.values.types import BOOL


class ValueElement(Element):
    """A value of an element type, such as an element of an array; its parts are taken from it."""

    def __init__(self, column: ResolvedColumn, catalog: GraphCatalog, analysis: Analysis) -> None:
        type_ = column.type
        assert isinstance(type_, GraphType)
        tables = catalog.tables(bool(type_.edges) or type_.code is type_.code.GRAPH_EDGE)
        super().__init__(column.name, tables, tables.numbers_of(type_), analysis)
        self.column = column
        self.is_nullable = True

    def property(self, folded: str) -> Expr:
        return GetProperty(self.property_type(folded), self._operand(), folded)

    def _operand(self) -> Expr:
        return ColumnRef(self.column.type, self.column)

    def tag(self) -> Expr:
        return _tag_of(self._operand, self._pairs(), self.analysis)

    def slot(self, slot: Slot) -> Expr:
        return _slot_of(self._operand, self._pairs(), "", slot, self.analysis)

    def _pairs(self) -> list[tuple[GraphTable, GraphTable]]:
        return [(table, table) for table in self.tables.some(self.numbers)]

    def is_null(self) -> Expr:
        return operator_call("$is_null", (self._operand(),), self.analysis, -1)

    def end(self, *, is_source: bool) -> Identity:
        return _ValueEnd(self, is_source)


class _ValueEnd(Identity):
    """The node at one end of an edge that is a value."""

    def __init__(self, edge: ValueElement, is_source: bool) -> None:
        self._pairs = [
            (table, table.end(is_source).node) for table in edge.tables.some(edge.numbers)
        ]
        super().__init__(edge.catalog.nodes, frozenset(node.number for _, node in self._pairs))
        self._edge = edge
        self._end = "source" if is_source else "destination"

    def _operand(self) -> Expr:
        return ColumnRef(self._edge.column.type, self._edge.column)

    def tag(self) -> Expr:
        return _tag_of(self._operand, self._pairs, self._edge.analysis)

    def slot(self, slot: Slot) -> Expr:
        return _slot_of(self._operand, self._pairs, self._end, slot, self._edge.analysis)


# In pairs, the second table is that of the first table's element, or of a node at its end.
Pairs = Iterable[tuple[GraphTable, GraphTable]]


def _tag_of(operand: Callable[[], Expr], pairs: Pairs, analysis: Analysis) -> Expr:
    whens = []
    for table, meant in pairs:
        part: Expr = Literal(BOOL, True)
        if table.element.key:
            key = GetKey(table.element.key[0], operand(), table.element, 0)
            missing = operator_call("$is_null", (key,), analysis, -1)
            part = operator_call("$not", (missing,), analysis, -1)
        whens.append((part, Literal(TAG, meant.number)))
    if not whens:
        return Literal(TAG, None)
    return Case(TAG, tuple(whens), Literal(TAG, None))


def _slot_of(
    operand: Callable[[], Expr], pairs: Pairs, end: str, slot: Slot, analysis: Analysis
) -> Expr:
    pairs = tuple(pairs)
    parts: list[Expr] = []
    for table, meant in pairs:
        slots = slots_of(meant)
        if slot in slots:
            parts.append(GetKey(slot.type, operand(), table.element, slots.index(slot), end))
    if len(parts) < len(pairs) or not parts:
        parts.append(filler(slot.type))
    if len(parts) == 1:
        return parts[0]
    return operator_call("COALESCE", parts, analysis, -1)

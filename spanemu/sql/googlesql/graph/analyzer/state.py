"""What the analysis of one statement knows of graphs: the graph in use, and elements by column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from spanemu.base.record import dataclass
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphCatalog, Numbers
from spanemu.sql.googlesql.graph.analyzer.elements import Element
from spanemu.sql.resolved import ColumnRef, Expr, GetProperty, ResolvedColumn
from spanemu.values.types import Type


class Group(Protocol):
    """A group variable, which may be collected as something lighter than its elements."""

    type: Type
    is_built: bool  # the rows are: only what they have can be used

    def value(self) -> Expr:
        """Return the array of the elements."""
        ...

    def release(self) -> None:
        """Note that a value which was asked for is not used."""
        ...

    def light(self) -> Expr:
        """Return an array with as many elements."""
        ...


@dataclass(slots=True)
class GraphState:
    """The graphs of the enclosing queries, innermost last, and the elements that columns hold.

    An element is listed with the tables whose properties the query may name. `groups` are the
    group variables whose arrays columns hold.
    """

    catalogs: list[GraphCatalog] = field(default_factory=list)
    elements: dict[int, tuple[Element, Numbers]] = field(default_factory=dict)
    groups: dict[int, Group] = field(default_factory=dict)

    def register(self, element: Element, exposed: Numbers | None = None) -> None:
        """Note what a column of an element type holds."""
        self.elements[element.column.id] = element, exposed or element.numbers

    def of_grouped(self, reference: ColumnRef, keys: Mapping[int, ResolvedColumn]) -> Expr | None:
        """Return a property of an element that is a key of a grouping; None for another column.

        `keys` are the columns that hold the keys, by the column that is the key.
        """
        for element, _ in self.elements.values():
            key = keys.get(element.column.id)
            name = None if key is None else element.property_name(reference.column.id)
            if key is not None and name is not None:
                return GetProperty(reference.type, ColumnRef(key.type, key), name)
        return None


def graph_state(analysis: Analysis) -> GraphState:
    """Return the state of a statement's graphs, which the first graph query creates."""
    if analysis.graph is None:
        analysis.graph = GraphState()
    state = analysis.graph
    assert isinstance(state, GraphState)
    return state


def element_of(value: Expr, analysis: Analysis) -> Element | None:
    """Return the element that an expression denotes as a whole, or None for other values."""
    if type(value) is not ColumnRef or analysis.graph is None:
        return None
    known = graph_state(analysis).elements.get(value.column.id)
    return None if known is None or known[0].is_built else known[0]


def group_of(value: Expr, analysis: Analysis) -> Group | None:
    """Return the group variable whose array an expression is, or None for other values."""
    if type(value) is not ColumnRef or analysis.graph is None:
        return None
    known = graph_state(analysis).groups.get(value.column.id)
    return None if known is None or known.is_built else known

"""Resolves properties of elements: `n.name`, and which properties a query may name."""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.sql.analysis.relation import Relation, Star
from spanemu.sql.googlesql.analyzer.errors import BadQuery
from spanemu.sql.googlesql.analyzer.name_errors import closest
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.googlesql.ast import Identifier
from spanemu.sql.googlesql.graph.analyzer.catalog import (
    GraphCatalog,
    GraphTables,
    Numbers,
    catalog_by_name,
)
from spanemu.sql.googlesql.graph.analyzer.elements import Element
from spanemu.sql.googlesql.graph.analyzer.errors import PropertyNotDefined, PropertyNotExposed
from spanemu.sql.googlesql.graph.analyzer.state import element_of, graph_state
from spanemu.sql.resolved import ColumnRef, Expr, GetProperty, Scan
from spanemu.values.graph_types import GraphType
from spanemu.values.types import TypeCode


class ElementRelation(Relation):
    """An element as a name of a scope; its columns are the properties of `exposed` tables."""

    def __init__(self, name: str, element: Element, exposed: Numbers) -> None:
        super().__init__(name, element.catalog.fold)
        self.element = element
        self.exposed = exposed

    def column(self, name: str, at: int) -> Expr:
        element = self.element
        folded = exposed_property(name, element.tables, self.exposed, element.catalog, at)
        return element.property(folded)

    def star(self) -> Star:
        raise BadQuery("Dot-star is not supported for graph elements")

    def column_names(self) -> Iterator[str]:
        for table in self.element.tables.some(self.exposed):
            yield from (name for name, _ in table.element.properties)

    def row_value(self) -> Expr:
        return self.element.value()

    def scan(self) -> Scan:
        raise AssertionError("an element is no table")


def exposed_property(
    name: str, tables: GraphTables, exposed: Numbers, catalog: GraphCatalog, at: int
) -> str:
    """Return the folded name of a property that some table exposes.

    Raise PropertyNotDefined or PropertyNotExposed if no table does.
    """
    folded = catalog.fold(name)
    some = tables.some(exposed)
    if any(
        folded in table.properties or table.declared.dynamic_properties is not None
        for table in some
    ):
        return folded
    if folded not in catalog.properties:
        known = (each for each, _ in catalog.properties.values())
        raise PropertyNotDefined(name, closest(name, known), catalog.name, at=at)
    if not some:
        return folded  # No element satisfies the labels.
    raise PropertyNotExposed(name, str(tables.type_of(exposed)), at=at)


def property_of(value: Expr, name: Identifier, env: Env) -> Expr:
    """Resolve `value.name`, where the value is a node or an edge."""
    analysis = env.analysis
    state = graph_state(analysis)
    element = element_of(value, analysis)
    if element is not None:
        assert isinstance(value, ColumnRef)
        exposed = state.elements[value.column.id][1]
        element.release()
        value_of_property = ElementRelation(element.name, element, exposed).column(
            name.name, name.at
        )
        _record_origin(value, value_of_property, name, env)
        return value_of_property
    type_ = value.type
    assert isinstance(type_, GraphType)
    catalog = catalog_by_name(type_.graph, analysis.schema)
    tables = catalog.tables(type_.code is TypeCode.GRAPH_EDGE)
    numbers = tables.numbers_of(type_)
    folded = exposed_property(name.name, tables, numbers, catalog, name.at)
    return GetProperty(tables.property_type(folded, numbers, catalog.properties), value, folded)


def _record_origin(value: Expr, reference: Expr, name: Identifier, env: Env) -> None:
    """Note that a property is a reference to the rows from which its element comes."""
    share_origin(value, reference, env, f".{name.name}")


def share_origin(value: Expr, reference: Expr, env: Env, suffix: str = "") -> None:
    """Note that `reference` refers to the same rows as the reference `value`."""
    scope: Scope | None = env.scope
    while scope is not None:
        origins = scope.origins or []
        for origin in reversed(origins):
            if origin.expression is value:
                shown = f"{origin.display_name}{suffix}"
                origins.append(origin._replace(expression=reference, display_name=shown))
                return
        scope = scope.parent

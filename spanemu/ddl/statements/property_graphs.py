"""CREATE and DROP PROPERTY GRAPH: declared, judged and shown; queries over graphs are refused."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.ddl.change import Change
from spanemu.ddl.edit import with_object, without_object
from spanemu.ddl.errors.objects import TooManyObjects
from spanemu.ddl.errors.routines import GraphElementNotFound, GraphInvalid
from spanemu.ddl.expressions import element_row
from spanemu.ddl.lookup import dropped_object, find_object
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.names import object_name_problems
from spanemu.ddl.validators.property_graphs import element_problems, graph_problems
from spanemu.schema.graph import Element, Endpoint, Label, Property, PropertyGraph
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast
from spanemu.sql import syntax_tree as ast
from spanemu.sql.dialects import dialect_of

_KIND = "Property Graph"


def create_property_graph(statement: ddl_ast.CreatePropertyGraph, schema: Schema) -> Change:
    """A graph over tables and views, or another definition for a name."""
    name = str(statement.name)
    before = find_object(schema, "graphs", name)
    if before is not None and statement.if_not_exists:
        return Change(schema)
    if before is None or not statement.or_replace:
        raise_first(object_name_problems(_KIND, name, schema))
        if len(schema.graphs) >= schema.limits.property_graphs:
            raise TooManyObjects(_KIND, name, schema.limits.property_graphs)
    reading = _Reading(name, schema)
    nodes = tuple(reading.element(one, ()) for one in statement.nodes)
    edges = tuple(reading.element(one, nodes) for one in statement.edges)
    graph = PropertyGraph(name, nodes, edges)
    raise_first(graph_problems(graph, schema))
    if graph == before:
        return Change(schema)
    return Change(with_object(schema, "graphs", graph))


def drop_property_graph(statement: ddl_ast.DropPropertyGraph, schema: Schema) -> Change:
    """Take a graph away; its tables stay."""
    if dropped_object(schema, "graphs", statement, _KIND) is None:
        return Change(schema)
    return Change(without_object(schema, "graphs", str(statement.name)))


class _Reading:
    """Turns element tables as written into `Element`s with every default filled in."""

    def __init__(self, graph: str, schema: Schema) -> None:
        self._graph = graph
        self._schema = schema

    def element(self, written: ddl_ast.GraphElement, nodes: Sequence[Element]) -> Element:
        """One node table, or one edge table over `nodes`."""
        row = element_row(self._schema, str(written.table))
        if row is None:
            raise GraphElementNotFound(self._graph, "table", str(written.table))
        name = row.name.rpartition(".")[2] if written.alias is None else written.alias.name
        key = _names(written.key) or tuple(column.name for column in row.key_columns)
        element = Element(
            row.name,
            name,
            key,
            tuple(self._labels(written, name, row)),
            self._endpoint(written.source, nodes),
            self._endpoint(written.destination, nodes),
            None if written.dynamic_label is None else written.dynamic_label.name,
            None if written.dynamic_properties is None else written.dynamic_properties.name,
        )
        raise_first(element_problems(self._graph, element, row, nodes))
        return element

    def _endpoint(
        self, written: ddl_ast.GraphEndpoint | None, nodes: Sequence[Element]
    ) -> Endpoint | None:
        if written is None:
            return None
        node = next((one for one in nodes if one.name == written.element.name), None)
        if node is None:
            raise GraphElementNotFound(self._graph, "node table", written.element.name)
        return Endpoint(
            _names(written.columns), node.name, _names(written.referenced_columns) or node.key
        )

    def _labels(self, written: ddl_ast.GraphElement, element: str, row: Table) -> list[Label]:
        """Labels with their properties; without any, the default label with all columns.

        A dynamic label stands in for the default one.
        """
        if not written.labels and written.dynamic_label is not None:
            return []
        labels = written.labels or (ddl_ast.GraphLabel(),)
        return [
            Label(
                element if label.name is None else label.name.name,
                tuple(self._properties(label.properties, element, row)),
            )
            for label in labels
        ]

    def _properties(
        self, written: ddl_ast.GraphProperties | None, element: str, row: Table
    ) -> list[Property]:
        if written is None or written.all:
            excepted = () if written is None else _names(written.excepted)
            for name in excepted:
                if row.column(name) is None:
                    raise GraphElementNotFound(self._graph, "column", f"{row.name}.{name}")
            left = {name.lower() for name in excepted}
            return [
                Property(column.name, column.type, column.name)
                for column in row.columns
                if column.name.lower() not in left and not column.hidden
            ]
        return [self._property(item, element, row) for item in written.items]

    def _property(self, item: ddl_ast.GraphProperty, element: str, row: Table) -> Property:
        name = item.name
        if name is None:
            tree = item.value.tree
            if not isinstance(tree, ast.Name) or len(tree.path.parts) != 1:
                reason = f"property {item.value.text} needs a name"
                raise GraphInvalid(self._graph, element, reason)
            name = tree.path.parts[0]
        dialect = dialect_of(self._schema.dialect)
        found = dialect.analyze_expression(item.value.text, row, self._schema, expected=None)
        if found.has_subquery:
            raise GraphInvalid(self._graph, element, f"property {name.name} has a subquery")
        return Property(name.name, found.expression.type, item.value.text)


def _names(identifiers: Sequence[ast.Identifier]) -> tuple[str, ...]:
    return tuple(identifier.name for identifier in identifiers)

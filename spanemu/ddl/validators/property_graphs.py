"""Rules for property graphs, and for the tables and columns that they need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.routines import GraphElementNotFound, GraphInvalid, GraphsDepend
from spanemu.ddl.expressions import element_row
from spanemu.schema.objects import Element, Endpoint, PropertyGraph
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import Type, TypeCode


def element_problems(
    graph: str, element: Element, row: Table, nodes: Sequence[Element]
) -> Iterator[SpannerError]:
    """Yield what is wrong with an element table; `nodes` are the tables it may refer to."""
    if not element.key:
        yield GraphInvalid(graph, element.name, "it needs a KEY clause")
    ends = [end for end in (element.source, element.destination) if end is not None]
    named = [*element.key, *(name for end in ends for name in end.columns)]
    named += [
        name for name in (element.dynamic_label, element.dynamic_properties) if name is not None
    ]
    for name in named:
        if row.column(name) is None:
            yield GraphElementNotFound(graph, "column", f"{row.name}.{name}")
    for names in (element.key, *(end.columns for end in ends)):
        if len({name.lower() for name in names}) != len(names):
            yield GraphInvalid(graph, element.name, "a key names a column twice")
    if nodes and len(ends) != 2:
        yield GraphInvalid(graph, element.name, "an edge needs a SOURCE and a DESTINATION KEY")
    yield from _dynamic_problems(graph, element, row)
    yield from _label_problems(graph, element)


def _dynamic_problems(graph: str, element: Element, row: Table) -> Iterator[SpannerError]:
    expected = (
        (element.dynamic_label, TypeCode.STRING, "DYNAMIC LABEL"),
        (element.dynamic_properties, TypeCode.JSON, "DYNAMIC PROPERTIES"),
    )
    for name, code, clause in expected:
        column = None if name is None else row.column(name)
        if column is not None and column.type.code is not code:
            yield GraphInvalid(graph, element.name, f"{clause} column {name} is not of type {code}")


def _label_problems(graph: str, element: Element) -> Iterator[SpannerError]:
    seen: set[str] = set()
    for label in element.labels:
        if label.name.lower() in seen:
            yield GraphInvalid(graph, element.name, f"duplicate label name: {label.name}")
        seen.add(label.name.lower())
        uses = Counter(declared.name.lower() for declared in label.properties)
        for name in (name for name, count in uses.items() if count > 1):
            yield GraphInvalid(graph, element.name, f"label {label.name} has {name} twice")


def graph_problems(graph: PropertyGraph, schema: Schema) -> Iterator[SpannerError]:
    """Yield what is wrong with element tables that are valid by themselves."""
    names: set[str] = set()
    for element in graph.elements:
        if element.name.lower() in names:
            yield GraphInvalid(graph.name, element.name, "the name is used twice; give it an alias")
        names.add(element.name.lower())
    yield from _shared_label_problems(graph)
    for elements, kind in ((graph.nodes, "node"), (graph.edges, "edge")):
        dynamic = [node for node in elements if node.dynamic_label is not None]
        for node in dynamic[1:]:
            yield GraphInvalid(graph.name, node.name, f"a second {kind} table with a dynamic label")
    for edge in graph.edges:
        for end in (edge.source, edge.destination):
            if end is not None:
                yield from _endpoint_problems(graph, edge, end, schema)


def _shared_label_problems(graph: PropertyGraph) -> Iterator[SpannerError]:
    """Yield labels with different properties, and properties with different types."""
    labels: dict[str, frozenset[str]] = {}
    types: dict[str, Type] = {}
    for element in graph.elements:
        for label in element.labels:
            properties = frozenset(declared.name.lower() for declared in label.properties)
            if labels.setdefault(label.name.lower(), properties) != properties:
                reason = f"label {label.name} has other properties elsewhere"
                yield GraphInvalid(graph.name, element.name, reason)
            for declared in label.properties:
                if types.setdefault(declared.name.lower(), declared.type) != declared.type:
                    reason = f"property {declared.name} has another type elsewhere"
                    yield GraphInvalid(graph.name, element.name, reason)


def _endpoint_problems(
    graph: PropertyGraph, edge: Element, end: Endpoint, schema: Schema
) -> Iterator[SpannerError]:
    if len(end.columns) != len(end.node_columns):
        yield GraphInvalid(graph.name, edge.name, f"keys to {end.node} differ in length")
    node = next(node for node in graph.nodes if node.name == end.node)
    above, below = element_row(schema, node.table), element_row(schema, edge.table)
    assert above is not None
    assert below is not None
    for edge_column, node_column in zip(end.columns, end.node_columns, strict=False):
        referenced, referencing = above.column(node_column), below.column(edge_column)
        if referenced is None:
            yield GraphElementNotFound(graph.name, "column", f"{node.table}.{node_column}")
        elif referencing is not None and referencing.type != referenced.type:
            reason = f"{edge_column} and {node.name}.{node_column} differ in type"
            yield GraphInvalid(graph.name, edge.name, reason)


# ---------------------------------------------------------------------------- dependents


def graphs_over_problems(schema: Schema, kind: str, name: str) -> Iterator[SpannerError]:
    """Yield the error for a table or view to drop that property graphs need."""
    graphs = [
        graph.name
        for graph in schema.graphs.values()
        if any(element.table == name for element in graph.elements)
    ]
    if graphs:
        yield GraphsDepend(kind, name, ", ".join(graphs))


def graphs_over_column_problems(
    schema: Schema, table: Table, column: str
) -> Iterator[SpannerError]:
    """Yield the error for a column to drop that property graphs need."""
    graphs = [
        graph.name
        for graph in schema.graphs.values()
        if any(
            column in _columns(element, schema)
            for element in graph.elements
            if element.table == table.name
        )
    ]
    if graphs:
        yield GraphsDepend("column", f"{table.name}.{column}", ", ".join(graphs))


def _columns(element: Element, schema: Schema) -> set[str]:
    """Return the columns of its table that an element needs."""
    row = element_row(schema, element.table)
    ends = [end for end in (element.source, element.destination) if end is not None]
    columns = {*element.key, *(name for end in ends for name in end.columns)}
    columns |= {n for n in (element.dynamic_label, element.dynamic_properties) if n is not None}
    for label in element.labels:
        for declared in label.properties:
            if declared.expression == declared.name:
                columns.add(declared.name)
            else:
                dialect = dialect_of(schema.dialect)
                used = dialect.analyze_expression(declared.expression, row, schema, expected=None)
                columns |= {column.name for column in used.references}
    return columns

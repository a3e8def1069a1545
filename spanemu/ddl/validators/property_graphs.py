"""Rules for property graphs, and for the tables, views, columns and indexes that they need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from spanemu.base.errors import SpannerError
from spanemu.ddl.errors.routines import (
    GraphColumnNotFound,
    GraphElementRepeated,
    GraphInvalid,
    GraphKeyNotUnique,
    GraphLabelsDiffer,
    GraphPropertyRedefined,
    GraphPropertySubquery,
    GraphPropertyTypesDiffer,
    GraphPropertyVolatile,
    GraphsDepend,
    GraphViewInvalid,
)
from spanemu.ddl.expressions import element_row
from spanemu.ddl.validators.tables import is_key_type
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.objects import Element, Endpoint, Property, PropertyGraph, View
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.dialect import StoredExpression
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import TypeCode

# ---------------------------------------------------------------------------- element tables


def element_problems(
    graph: str, element: Element, row: Table, schema: Schema
) -> Iterator[SpannerError]:
    """Yield the problems with an element table by itself; `row` has its columns."""
    if not element.key and schema.fold(row.name) in schema.views:
        reason = f"{row.name} is a view and needs a KEY clause"
        yield GraphInvalid(graph, element.name, reason)
    ends = [end for end in (element.source, element.destination) if end is not None]
    keys = [*element.key, *(name for end in ends for name in end.columns)]
    dynamic = [element.dynamic_label, element.dynamic_properties]
    for name in (*keys, *(name for name in dynamic if name is not None)):
        column = row.column(name)
        if column is None:
            yield GraphColumnNotFound(graph, row.name, name)
        elif name in keys and not is_key_type(column.type, schema):
            reason = f"the key column {name} is of type {column.type}, which no key can have"
            yield GraphInvalid(graph, element.name, reason)
    for names in (element.key, *(end.columns for end in ends)):
        if len({name.lower() for name in names}) != len(names):
            yield GraphInvalid(graph, element.name, "a key names a column twice")
    if not _is_unique(element.key, row, schema):
        yield GraphKeyNotUnique(graph, row.name, element.name, ", ".join(element.key))
    yield from _dynamic_problems(graph, element, row)
    yield from _label_problems(graph, element, schema)


def _is_unique(key: Sequence[str], row: Table, schema: Schema) -> bool:
    """Return whether no two rows of a table or view have the same values in the columns `key`.

    Rows with NULL in one of them do not count.
    """
    columns = {schema.fold(name) for name in key}
    view = schema.views.get(schema.fold(row.name))
    if view is not None:
        return _identifies(columns, view, schema)
    primary_key = {schema.fold(column.name) for column in row.key_columns}
    return primary_key <= columns or any(
        _makes_unique(index, columns, schema) for index in schema.indexes_of(row)
    )


def _identifies(columns: set[str], view: View, schema: Schema) -> bool:
    """Return whether the columns are exactly those that tell the rows of a view apart."""
    identity = dialect_of(schema.dialect).analyze_view(view.query, schema).identity
    if identity is None:
        return False
    names = [{schema.fold(name) for name in each} for each in identity]
    return all(each & columns for each in names) and columns <= set().union(*names)


def _makes_unique(index: SortedIndex, columns: set[str], schema: Schema) -> bool:
    """Return whether a unique index has an entry for each row without NULL in `columns`."""
    key = {schema.fold(part.column.name) for part in index.key}
    filtered = {schema.fold(column.name) for column in index.declared_filter}
    return index.unique and key | filtered <= columns


def _dynamic_problems(graph: str, element: Element, row: Table) -> Iterator[SpannerError]:
    expected = (
        (element.dynamic_label, TypeCode.STRING, "DYNAMIC LABEL"),
        (element.dynamic_properties, TypeCode.JSON, "DYNAMIC PROPERTIES"),
    )
    for name, code, clause in expected:
        column = None if name is None else row.column(name)
        if column is not None and column.type.code is not code:
            yield GraphInvalid(graph, element.name, f"{clause} column {name} is not of type {code}")


def _label_problems(graph: str, element: Element, schema: Schema) -> Iterator[SpannerError]:
    labels: set[str] = set()
    defined: dict[str, Property] = {}
    for label in element.labels:
        if label.name.lower() in labels:
            yield GraphInvalid(graph, element.name, f"duplicate label name {label.name}")
        labels.add(label.name.lower())
        uses = Counter(declared.name.lower() for declared in label.properties)
        for name in (name for name, count in uses.items() if count > 1):
            reason = f"duplicate property name {name} in the label {label.name}"
            yield GraphInvalid(graph, element.name, reason)
        for declared in label.properties:
            first = defined.setdefault(declared.name.lower(), declared)
            if not _same_expression(first.expression, declared.expression, schema):
                yield GraphPropertyRedefined(graph, element.name, declared.name)


def _same_expression(one: str, other: str, schema: Schema) -> bool:
    if one.lower() == other.lower():
        return True
    dialect = dialect_of(schema.dialect)
    return dialect.parse_expression(one) == dialect.parse_expression(other)


def property_problems(graph: str, name: str, value: StoredExpression) -> Iterator[SpannerError]:
    """Yield the problems with the expression of a property."""
    if value.has_subquery:
        yield GraphPropertySubquery(graph, name)
    if not value.is_deterministic:
        yield GraphPropertyVolatile(graph, name)


# ---------------------------------------------------------------------------- graphs


def graph_problems(graph: PropertyGraph, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with element tables that are valid by themselves."""
    names: set[str] = set()
    for element in graph.elements:
        if element.name.lower() in names:
            yield GraphElementRepeated(graph.name, element.name)
        names.add(element.name.lower())
    yield from _shared_label_problems(graph)
    yield from _shared_dynamic_problems(graph)
    for edge in graph.edges:
        for end in (edge.source, edge.destination):
            if end is not None:
                yield from _endpoint_problems(graph, edge, end, schema)


def _shared_label_problems(graph: PropertyGraph) -> Iterator[SpannerError]:
    """Yield labels with different properties, and properties with different types.

    As Spanner does, a message names the later definition first.
    """
    labels: dict[str, tuple[Property, ...]] = {}
    properties: dict[str, Property] = {}
    for element in graph.elements:
        for label in element.labels:
            first = labels.setdefault(label.name.lower(), label.properties)
            if _folded_names(first) != _folded_names(label.properties):
                yield GraphLabelsDiffer(
                    graph.name, label.name, _listed(label.properties), _listed(first)
                )
            for declared in label.properties:
                known = properties.setdefault(declared.name.lower(), declared)
                if known.type != declared.type:
                    types = str(declared.type), str(known.type)
                    yield GraphPropertyTypesDiffer(graph.name, declared.name, *types)


def _folded_names(properties: Sequence[Property]) -> set[str]:
    return {declared.name.lower() for declared in properties}


def _listed(properties: Sequence[Property]) -> str:
    return ", ".join(declared.name for declared in properties)


def _shared_dynamic_problems(graph: PropertyGraph) -> Iterator[SpannerError]:
    """Yield tables that a dynamic label excludes: it stands alone among the nodes or the edges."""
    dynamic = {}
    for elements, kind in ((graph.nodes, "node"), (graph.edges, "edge")):
        labeled = [each for each in elements if each.dynamic_label is not None]
        dynamic[kind] = bool(labeled)
        if labeled and len(elements) > 1:
            reason = f"a {kind} table with a dynamic label must be the only {kind} table"
            yield GraphInvalid(graph.name, labeled[0].name, reason)
    if graph.edges and dynamic["node"] != dynamic["edge"]:
        has, lacks = ("node", "edge") if dynamic["node"] else ("edge", "node")
        element = (graph.edges if dynamic["node"] else graph.nodes)[0]
        reason = f"a dynamically labeled {has} table needs dynamically labeled {lacks} tables"
        yield GraphInvalid(graph.name, element.name, reason)


def _endpoint_problems(
    graph: PropertyGraph, edge: Element, end: Endpoint, schema: Schema
) -> Iterator[SpannerError]:
    if len(end.columns) != len(end.node_columns):
        yield GraphInvalid(graph.name, edge.name, f"keys to {end.node} differ in length")
    if len({name.lower() for name in end.node_columns}) != len(end.node_columns):
        yield GraphInvalid(graph.name, edge.name, f"a key to {end.node} names a column twice")
    node = next(node for node in graph.nodes if node.name == end.node)
    above, below = element_row(schema, node.table), element_row(schema, edge.table)
    assert above is not None
    assert below is not None
    for edge_column, node_column in zip(end.columns, end.node_columns, strict=False):
        referenced, referencing = above.column(node_column), below.column(edge_column)
        if referenced is None:
            yield GraphColumnNotFound(graph.name, node.table, node_column)
        elif referencing is not None and referencing.type != referenced.type:
            reason = (
                f"{edge_column} of type {referencing.type} refers to {node.name}.{node_column} "
                f"of type {referenced.type}"
            )
            yield GraphInvalid(graph.name, edge.name, reason)


# ---------------------------------------------------------------------------- dependents


def graphs_over_problems(schema: Schema, kind: str, name: str) -> Iterator[SpannerError]:
    """Yield the error for a table or view to drop that property graphs need."""
    graphs = [graph.name for graph in _graphs_over(schema, name)]
    if graphs:
        yield GraphsDepend(kind, name, ", ".join(graphs))


def _graphs_over(schema: Schema, name: str) -> Iterator[PropertyGraph]:
    for graph in schema.graphs.values():
        if any(element.table == name for element in graph.elements):
            yield graph


def graphs_over_column_problems(
    schema: Schema, table: Table, column: str
) -> Iterator[SpannerError]:
    """Yield the error for a column to drop that property graphs need."""
    graphs = [
        graph.name
        for graph in _graphs_over(schema, table.name)
        if column in _columns(graph, table.name, schema)
    ]
    if graphs:
        yield GraphsDepend("column", f"{table.name}.{column}", ", ".join(graphs))


def graphs_over_index_problems(schema: Schema, index: SortedIndex) -> Iterator[SpannerError]:
    """Yield the error for a unique index to drop that makes an element key unique."""
    if not index.unique:
        return
    after = schema.without_index(index.name)
    graphs = [
        graph.name
        for graph in _graphs_over(schema, index.table)
        for element in graph.elements
        if element.table == index.table
        if not _is_unique(element.key, schema.tables[schema.fold(index.table)], after)
    ]
    if graphs:
        yield GraphsDepend("INDEX", index.name, ", ".join(dict.fromkeys(graphs)))


def graphs_over_view_problems(schema: Schema, view: View) -> Iterator[SpannerError]:
    """Yield the errors for a replaced view that property graphs no longer fit."""
    for graph in _graphs_over(schema, view.name):
        for problem in _problems_of(graph, schema):
            yield GraphViewInvalid(view.name, graph.name, str(problem))


def _problems_of(graph: PropertyGraph, schema: Schema) -> Iterator[SpannerError]:
    for element in graph.elements:
        row = element_row(schema, element.table)
        assert row is not None
        yield from element_problems(graph.name, element, row, schema)
        dialect = dialect_of(schema.dialect)
        for declared in (each for label in element.labels for each in label.properties):
            try:
                value = dialect.analyze_expression(declared.expression, row, schema, expected=None)
            except SpannerError as problem:
                yield problem
                continue
            if value.expression.type != declared.type:
                types = str(declared.type), str(value.expression.type)
                yield GraphPropertyTypesDiffer(graph.name, declared.name, *types)
    yield from graph_problems(graph, schema)


def _columns(graph: PropertyGraph, table: str, schema: Schema) -> set[str]:
    """Return the columns of a table that a graph needs."""
    row = element_row(schema, table)
    assert row is not None
    columns: set[str] = set()
    for element in graph.elements:
        for end in (element.source, element.destination):
            if end is not None:
                columns |= set(end.columns) if element.table == table else set()
                node = next(node for node in graph.nodes if node.name == end.node)
                columns |= set(end.node_columns) if node.table == table else set()
        if element.table == table:
            columns |= {*element.key, element.dynamic_label or "", element.dynamic_properties or ""}
            for declared in (each for label in element.labels for each in label.properties):
                columns |= _columns_of(declared.expression, row, schema)
    return columns


def _columns_of(expression: str, row: Table, schema: Schema) -> set[str]:
    dialect = dialect_of(schema.dialect)
    used = dialect.analyze_expression(expression, row, schema, expected=None)
    return {column.name for column in used.references}

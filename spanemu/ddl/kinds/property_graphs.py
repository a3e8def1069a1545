"""Property graphs: declared, validated, printed and listed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.base.identifiers import (
    CALLED_BY_NAME,
    fold,
    quoted,
    quoted_column,
    split_name,
)
from spanemu.ddl.errors.routines import (
    GraphColumnNotFound,
    GraphInvalid,
    GraphNodeTableNotFound,
    GraphPropertyUnnamed,
    GraphTableNotFound,
)
from spanemu.ddl.expressions import element_row
from spanemu.ddl.kinds.kind import ObjectKind
from spanemu.ddl.kinds.rows import ObjectTable, Rows
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.property_graphs import (
    element_problems,
    graph_problems,
    graphs_over_column_problems,
    graphs_over_problems,
    property_problems,
)
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.schema.objects import Element, Endpoint, Label, Property, PropertyGraph
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import graph_ast
from spanemu.sql import syntax_tree as ast
from spanemu.sql.dialects import dialect_of
from spanemu.sql.errors import SyntaxFailure
from spanemu.values.json import Json


def _graph(
    statement: graph_ast.CreatePropertyGraph, _before: PropertyGraph | None, schema: Schema
) -> PropertyGraph:
    name = str(statement.name)
    resolver = _Resolver(name, schema)
    nodes = tuple(resolver.node(node) for node in statement.nodes)
    edges = tuple(resolver.edge(edge, nodes) for edge in statement.edges)
    graph = PropertyGraph(name, nodes, edges)
    raise_first(graph_problems(graph, schema))
    return graph


class _Resolver:
    """A resolver of element tables as written into `Element`s with explicit defaults."""

    def __init__(self, graph: str, schema: Schema) -> None:
        self._graph = graph
        self._schema = schema

    def node(self, written: graph_ast.GraphElement) -> Element:
        """Return a node table."""
        element = self._element(written, ())
        if element.source is not None or element.destination is not None:
            reason = "a node table has no SOURCE or DESTINATION KEY"
            raise GraphInvalid(self._graph, element.name, reason)
        return element

    def edge(self, written: graph_ast.GraphElement, nodes: Sequence[Element]) -> Element:
        """Return an edge table over `nodes`."""
        element = self._element(written, nodes)
        if element.source is None or element.destination is None:
            reason = "an edge table needs a SOURCE KEY and a DESTINATION KEY"
            raise GraphInvalid(self._graph, element.name, reason)
        return element

    def _element(self, written: graph_ast.GraphElement, nodes: Sequence[Element]) -> Element:
        row = element_row(self._schema, str(written.table))
        if row is None:
            raise GraphTableNotFound(self._graph, str(written.table))
        name = row.name.rpartition(".")[2] if written.alias is None else written.alias.name
        key = _columns(written.key, row) or tuple(column.name for column in row.key_columns)
        element = Element(
            row.name,
            name,
            key,
            tuple(self._labels(written, name, row)),
            self._endpoint(written.source, row, nodes),
            self._endpoint(written.destination, row, nodes),
            _column(written.dynamic_label, row),
            _column(written.dynamic_properties, row),
        )
        raise_first(element_problems(self._graph, element, row, self._schema))
        return element

    def _endpoint(
        self, written: graph_ast.GraphEndpoint | None, row: Table, nodes: Sequence[Element]
    ) -> Endpoint | None:
        if written is None:
            return None
        name = written.element.name
        node = next((node for node in nodes if node.name.lower() == name.lower()), None)
        if node is None:
            raise GraphNodeTableNotFound(self._graph, name)
        above = element_row(self._schema, node.table)
        assert above is not None
        node_columns = _columns(written.referenced_columns, above) or node.key
        return Endpoint(_columns(written.columns, row), node.name, node_columns)

    def _labels(self, written: graph_ast.GraphElement, element: str, row: Table) -> list[Label]:
        """Return the labels; without any, the default label with all columns."""
        labels = written.labels or (graph_ast.GraphLabel(),)
        return [
            Label(
                element if label.name is None else label.name.name,
                tuple(self._properties(label.properties, element, row)),
            )
            for label in labels
        ]

    def _properties(
        self, written: graph_ast.GraphProperties | None, element: str, row: Table
    ) -> list[Property]:
        if written is None or written.all:
            excepted = () if written is None else _columns(written.excepted, row)
            for name in excepted:
                if row.column(name) is None:
                    raise GraphColumnNotFound(self._graph, row.name, name)
            left = {name.lower() for name in excepted}
            if len(left) < len(excepted):
                raise GraphInvalid(self._graph, element, "EXCEPT names a column twice")
            return [
                Property(column.name, column.type, quoted_column(column.name))
                for column in row.columns
                if column.name.lower() not in left and not column.hidden
            ]
        return [self._property(item, row) for item in written.items]

    def _property(self, item: graph_ast.GraphProperty, row: Table) -> Property:
        name = item.name
        if name is None:
            tree = item.value.tree
            if not isinstance(tree, ast.Name) or len(tree.path.parts) != 1:
                raise GraphPropertyUnnamed(self._graph, item.value.text)
            name = tree.path.parts[0]
        dialect = dialect_of(self._schema.dialect)
        value = dialect.analyze_expression(item.value.text, row, self._schema, expected=None)
        raise_first(property_problems(self._graph, name.name, value))
        return Property(name.name, value.expression.type, item.value.text)


def _columns(names: Sequence[ast.Identifier], row: Table) -> tuple[str, ...]:
    """Return the names of columns as the table spells them; unknown ones as written."""
    columns = (row.column(name.name) for name in names)
    return tuple(
        name.name if column is None else column.name
        for name, column in zip(names, columns, strict=True)
    )


def _column(name: ast.Identifier | None, row: Table) -> str | None:
    return None if name is None else _columns((name,), row)[0]


# ---------------------------------------------------------------------------- metadata


def graph_metadata(graph: PropertyGraph) -> dict[str, Any]:
    """Return PROPERTY_GRAPH_METADATA_JSON, as the page "Information schema" describes it."""
    home, _, name_of_graph = graph.name.rpartition(".")
    labels: dict[str, tuple[str, dict[str, None]]] = {}
    types: dict[str, tuple[str, str]] = {}
    for element in graph.elements:
        for label in element.labels:
            _, known = labels.setdefault(fold(label.name), (label.name, {}))
            for declared in label.properties:
                declaration = declared.name, str(declared.type)
                name, _ = types.setdefault(fold(declared.name), declaration)
                known[name] = None
    metadata: dict[str, Any] = {"catalog": "", "schema": home, "name": name_of_graph}
    metadata["labels"] = [
        {"name": label, "propertyDeclarationNames": list(names)} for label, names in labels.values()
    ]
    metadata["propertyDeclarations"] = [{"name": n, "type": type_} for n, type_ in types.values()]
    metadata["nodeTables"] = [_element_metadata(node) for node in graph.nodes]
    if graph.edges:
        metadata["edgeTables"] = [_element_metadata(edge) for edge in graph.edges]
    return metadata


def _element_metadata(element: Element) -> dict[str, Any]:
    home, _, table = element.table.rpartition(".")
    metadata: dict[str, Any] = {
        "name": element.name,
        "kind": "NODE" if element.source is None else "EDGE",
        "baseCatalogName": "",
        "baseSchemaName": home,
        "baseTableName": table,
        "keyColumns": list(element.key),
        "labelNames": [label.name for label in element.labels],
        "propertyDefinitions": [
            {"propertyDeclarationName": name, "valueExpressionSql": _without_needless_quotes(text)}
            for name, text in _definitions(element).items()
        ],
    }
    if element.dynamic_label is not None:
        metadata["dynamicLabelExpr"] = element.dynamic_label
    if element.dynamic_properties is not None:
        metadata["dynamicPropertyExpr"] = element.dynamic_properties
    ends = (("sourceNodeTable", element.source), ("destinationNodeTable", element.destination))
    for word, end in ends:
        if end is not None:
            metadata[word] = {
                "nodeTableName": end.node,
                "edgeTableColumns": list(end.columns),
                "nodeTableColumns": list(end.node_columns),
            }
    return metadata


def _without_needless_quotes(text: str) -> str:
    """Return an expression with backticks only around names that need them.

    Clients compare the expression with the name of a column: that alone has no backticks.
    """
    if "`" not in text:
        return text
    dialect = dialect_of(GOOGLE_STANDARD_SQL)
    expression = dialect.parse_expression(text)
    if isinstance(expression, ast.Name) and len(expression.path.parts) == 1:
        return expression.path.parts[0].name
    for token in reversed(dialect.tokenize(text)):
        name = token.text[1:-1]
        if token.text[:1] != "`" or quoted(name) != name or name.upper() in CALLED_BY_NAME:
            continue
        plain = f"{text[: token.at]}{name}{text[token.end :]}"
        try:
            if dialect.parse_expression(plain) == expression:
                text = plain
        except SyntaxFailure:
            continue
    return text


def _definitions(element: Element) -> dict[str, str]:
    definitions: dict[str, Property] = {}
    for label in element.labels:
        for declared in label.properties:
            definitions.setdefault(fold(declared.name), declared)
    return {declared.name: declared.expression for declared in definitions.values()}


# ---------------------------------------------------------------------------- description


def _graphs_over_table(schema: Schema, table: Table) -> Iterator[SpannerError]:
    return graphs_over_problems(schema, "TABLE", table.name)


def _renamed(graph: PropertyGraph, old: str, new: str) -> PropertyGraph:
    if all(element.table != old for element in graph.elements):
        return graph
    nodes, edges = (
        tuple(
            replace(element, table=new) if element.table == old else element for element in elements
        )
        for elements in (graph.nodes, graph.edges)
    )
    return replace(graph, nodes=nodes, edges=edges)


def _depends_on(graph: PropertyGraph, _schema: Schema) -> Iterable[tuple[str, str]]:
    return ((element.table, "shows") for element in graph.elements)


def _rows(schema: Schema) -> Rows:
    for graph in schema.graphs.values():
        yield "", *split_name(graph.name), Json(graph_metadata(graph))


PROPERTY_GRAPH = ObjectKind(
    words="PROPERTY GRAPH",
    label="Property Graph",
    field="graphs",
    create=graph_ast.CreatePropertyGraph,
    define=_graph,
    drop=graph_ast.DropPropertyGraph,
    limit="property_graphs",
    table_dependents=_graphs_over_table,
    column_dependents=graphs_over_column_problems,
    renamed=_renamed,
    depends_on=_depends_on,
    tables=(
        ObjectTable(
            "PROPERTY_GRAPHS",
            """*PROPERTY_GRAPH_CATALOG *PROPERTY_GRAPH_SCHEMA *PROPERTY_GRAPH_NAME
            PROPERTY_GRAPH_METADATA_JSON:JSON""",
            _rows,
        ),
    ),
)

"""Property graphs: declared, validated, printed and listed; queries over graphs are refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.base.identifiers import quoted, quoted_path, split_name
from spanemu.ddl.errors.routines import GraphElementNotFound, GraphInvalid
from spanemu.ddl.expressions import element_row
from spanemu.ddl.kinds.kind import ObjectKind
from spanemu.ddl.kinds.rows import ObjectTable, Rows
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.property_graphs import (
    element_problems,
    graph_problems,
    graphs_over_column_problems,
    graphs_over_problems,
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

# Functions that are called without parentheses, unless their name is quoted.
_CALLED_BY_NAME = frozenset(
    {"CURRENT_DATE", "CURRENT_DATETIME", "CURRENT_TIME", "CURRENT_TIMESTAMP"}
)


def _graph(
    statement: graph_ast.CreatePropertyGraph, _before: PropertyGraph | None, schema: Schema
) -> PropertyGraph:
    name = str(statement.name)
    resolver = _Resolver(name, schema)
    nodes = tuple(resolver.element(node, ()) for node in statement.nodes)
    edges = tuple(resolver.element(edge, nodes) for edge in statement.edges)
    graph = PropertyGraph(name, nodes, edges)
    raise_first(graph_problems(graph, schema))
    return graph


class _Resolver:
    """A resolver of element tables as written into `Element`s with explicit defaults."""

    def __init__(self, graph: str, schema: Schema) -> None:
        self._graph = graph
        self._schema = schema

    def element(self, written: graph_ast.GraphElement, nodes: Sequence[Element]) -> Element:
        """Return a node table, or an edge table over `nodes`."""
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
        self, written: graph_ast.GraphEndpoint | None, nodes: Sequence[Element]
    ) -> Endpoint | None:
        if written is None:
            return None
        node = next((node for node in nodes if node.name == written.element.name), None)
        if node is None:
            raise GraphElementNotFound(self._graph, "node table", written.element.name)
        return Endpoint(
            _names(written.columns), node.name, _names(written.referenced_columns) or node.key
        )

    def _labels(self, written: graph_ast.GraphElement, element: str, row: Table) -> list[Label]:
        """Return the labels; without any, the default label with all columns.

        A dynamic label replaces the default label.
        """
        if not written.labels and written.dynamic_label is not None:
            return []
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

    def _property(self, item: graph_ast.GraphProperty, element: str, row: Table) -> Property:
        name = item.name
        if name is None:
            tree = item.value.tree
            if not isinstance(tree, ast.Name) or len(tree.path.parts) != 1:
                reason = f"property {item.value.text} needs a name"
                raise GraphInvalid(self._graph, element, reason)
            name = tree.path.parts[0]
        dialect = dialect_of(self._schema.dialect)
        value = dialect.analyze_expression(item.value.text, row, self._schema, expected=None)
        if value.has_subquery:
            raise GraphInvalid(self._graph, element, f"property {name.name} has a subquery")
        return Property(name.name, value.expression.type, item.value.text)


def _names(identifiers: Sequence[ast.Identifier]) -> tuple[str, ...]:
    return tuple(identifier.name for identifier in identifiers)


# ---------------------------------------------------------------------------- text


def graph_text(graph: PropertyGraph) -> str:
    """Return CREATE PROPERTY GRAPH with explicit defaults."""
    text = f"CREATE PROPERTY GRAPH {quoted_path(graph.name)}\nNODE TABLES(\n"
    text += "".join(f"  {' '.join(_element_text(element))},\n" for element in graph.nodes) + ")"
    if graph.edges:
        text += "\nEDGE TABLES(\n"
        text += "".join(f"  {' '.join(_element_text(element))},\n" for element in graph.edges) + ")"
    return text


def _element_text(element: Element) -> Iterator[str]:
    yield quoted_path(element.table)
    if element.name != element.table.rpartition(".")[2]:
        yield f"AS {quoted(element.name)}"
    yield f"KEY({_quoted(element.key)})"
    for word, endpoint in (("SOURCE", element.source), ("DESTINATION", element.destination)):
        if endpoint is not None:
            yield f"{word} {_endpoint_text(endpoint)}"
    for label in element.labels:
        yield f"LABEL {quoted(label.name)} {_properties_text(label)}"
    if element.dynamic_label is not None:
        yield f"DYNAMIC LABEL({quoted(element.dynamic_label)})"
    if element.dynamic_properties is not None:
        yield f"DYNAMIC PROPERTIES({quoted(element.dynamic_properties)})"


def _endpoint_text(endpoint: Endpoint) -> str:
    node = f"{quoted(endpoint.node)}({_quoted(endpoint.node_columns)})"
    return f"KEY({_quoted(endpoint.columns)}) REFERENCES {node}"


def _properties_text(label: Label) -> str:
    if not label.properties:
        return "NO PROPERTIES"
    return f"PROPERTIES({', '.join(map(_property_text, label.properties))})"


def _property_text(declared: Property) -> str:
    if declared.expression in (declared.name, quoted(declared.name)):
        return quoted(declared.name)
    return f"{declared.expression} AS {quoted(declared.name)}"


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


# ---------------------------------------------------------------------------- metadata


def graph_metadata(graph: PropertyGraph) -> dict[str, Any]:
    """Return PROPERTY_GRAPH_METADATA_JSON, as the page "Information schema" describes it."""
    home, _, name = graph.name.rpartition(".")
    labels: dict[str, dict[str, None]] = {}
    types: dict[str, str] = {}
    for element in graph.elements:
        for label in element.labels:
            known = labels.setdefault(label.name, {})
            for declared in label.properties:
                known[declared.name] = None
                types[declared.name] = str(declared.type)
    metadata: dict[str, Any] = {"catalog": "", "schema": home, "name": name}
    metadata["labels"] = [
        {"name": label, "propertyDeclarationNames": list(names)} for label, names in labels.items()
    ]
    metadata["propertyDeclarations"] = [{"name": n, "type": type_} for n, type_ in types.items()]
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

    Clients compare the expression with the name of a column.
    """
    if "`" not in text:
        return text
    dialect = dialect_of(GOOGLE_STANDARD_SQL)
    expression = dialect.parse_expression(text)
    for token in reversed(dialect.tokenize(text)):
        name = token.text[1:-1]
        if token.text[:1] != "`" or quoted(name) != name or name.upper() in _CALLED_BY_NAME:
            continue
        plain = f"{text[: token.at]}{name}{text[token.end :]}"
        try:
            if dialect.parse_expression(plain) == expression:
                text = plain
        except SyntaxFailure:
            continue
    return text


def _definitions(element: Element) -> dict[str, str]:
    return {
        declared.name: declared.expression
        for label in element.labels
        for declared in label.properties
    }


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
    text=graph_text,
    tables=(
        ObjectTable(
            "PROPERTY_GRAPHS",
            """*PROPERTY_GRAPH_CATALOG *PROPERTY_GRAPH_SCHEMA *PROPERTY_GRAPH_NAME
            PROPERTY_GRAPH_METADATA_JSON:JSON""",
            _rows,
        ),
    ),
)

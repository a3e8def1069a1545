"""A property graph as CREATE PROPERTY GRAPH writes it, and as INFORMATION_SCHEMA describes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spanemu.base.reserved import quoted, quoted_path
from spanemu.schema.graph import Element, Endpoint, Label, Property, PropertyGraph


def graph_text(graph: PropertyGraph) -> str:
    """CREATE PROPERTY GRAPH with every default spelt out."""
    text = f"CREATE PROPERTY GRAPH {quoted_path(graph.name)}\nNODE TABLES(\n"
    text += "".join(f"  {' '.join(_element(one))},\n" for one in graph.nodes) + ")"
    if graph.edges:
        text += "\nEDGE TABLES(\n"
        text += "".join(f"  {' '.join(_element(one))},\n" for one in graph.edges) + ")"
    return text


def _element(element: Element) -> Iterator[str]:
    yield quoted_path(element.table)
    if element.name != element.table.rpartition(".")[2]:
        yield f"AS {quoted(element.name)}"
    yield f"KEY({_names(element.key)})"
    for word, endpoint in (("SOURCE", element.source), ("DESTINATION", element.destination)):
        if endpoint is not None:
            yield f"{word} {_endpoint(endpoint)}"
    for label in element.labels:
        yield f"LABEL {quoted(label.name)} {_properties(label)}"
    if element.dynamic_label is not None:
        yield f"DYNAMIC LABEL({quoted(element.dynamic_label)})"
    if element.dynamic_properties is not None:
        yield f"DYNAMIC PROPERTIES({quoted(element.dynamic_properties)})"


def _endpoint(endpoint: Endpoint) -> str:
    node = f"{quoted(endpoint.node)}({_names(endpoint.node_columns)})"
    return f"KEY({_names(endpoint.columns)}) REFERENCES {node}"


def _properties(label: Label) -> str:
    if not label.properties:
        return "NO PROPERTIES"
    return f"PROPERTIES({', '.join(map(_property, label.properties))})"


def _property(one: Property) -> str:
    if one.expression in (one.name, quoted(one.name)):
        return quoted(one.name)
    return f"{one.expression} AS {quoted(one.name)}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


# ---------------------------------------------------------------------------- metadata


def graph_metadata(graph: PropertyGraph) -> dict[str, Any]:
    """PROPERTY_GRAPH_METADATA_JSON, by the page "Information schema"."""
    home, _, name = graph.name.rpartition(".")
    labels: dict[str, dict[str, None]] = {}
    types: dict[str, str] = {}
    for element in graph.elements:
        for label in element.labels:
            known = labels.setdefault(label.name, {})
            for one in label.properties:
                known[one.name] = None
                types[one.name] = str(one.type)
    found: dict[str, Any] = {"catalog": "", "schema": home, "name": name}
    found["labels"] = [
        {"name": label, "propertyDeclarationNames": list(names)} for label, names in labels.items()
    ]
    found["propertyDeclarations"] = [{"name": n, "type": type_} for n, type_ in types.items()]
    found["nodeTables"] = [_described(one) for one in graph.nodes]
    if graph.edges:
        found["edgeTables"] = [_described(one) for one in graph.edges]
    return found


def _described(element: Element) -> dict[str, Any]:
    home, _, table = element.table.rpartition(".")
    found: dict[str, Any] = {
        "name": element.name,
        "kind": "NODE" if element.source is None else "EDGE",
        "baseCatalogName": "",
        "baseSchemaName": home,
        "baseTableName": table,
        "keyColumns": list(element.key),
        "labelNames": [label.name for label in element.labels],
        "propertyDefinitions": [
            {"propertyDeclarationName": name, "valueExpressionSql": text}
            for name, text in _definitions(element).items()
        ],
    }
    if element.dynamic_label is not None:
        found["dynamicLabelExpr"] = element.dynamic_label
    if element.dynamic_properties is not None:
        found["dynamicPropertyExpr"] = element.dynamic_properties
    ends = (("sourceNodeTable", element.source), ("destinationNodeTable", element.destination))
    for word, end in ends:
        if end is not None:
            found[word] = {
                "nodeTableName": end.node,
                "edgeTableColumns": list(end.columns),
                "nodeTableColumns": list(end.node_columns),
            }
    return found


def _definitions(element: Element) -> dict[str, str]:
    return {one.name: one.expression for label in element.labels for one in label.properties}

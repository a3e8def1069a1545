"""Graph elements and paths as JSON, for TO_JSON and SAFE_TO_JSON.

    node    {"identifier", "kind": "node", "labels", "properties"}
    edge    the same, and "destination_node_identifier" and "source_node_identifier"
    path    the array of its elements

Properties are written as TO_JSON writes values of their types.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.values import graph
from spanemu.values.graph import Element
from spanemu.values.graph_types import ElementTable, GraphType
from spanemu.values.json import ordered
from spanemu.values.types import Type, TypeCode

Encoder = Callable[[Any], Any]
_Properties = Callable[[Element], dict[str, Any]]


def graph_encoder(type_: Type, encoder_of: Callable[[Type], Encoder]) -> Encoder:
    """Return a function from an element or a path, which may be NULL, to plain JSON data.

    `encoder_of` returns the function for the values of a property.
    """
    assert isinstance(type_, GraphType)
    by_table = {
        table.name: _properties_encoder(table, encoder_of) for table in type_.nodes | type_.edges
    }

    def element(value: Element | None) -> Any:
        return None if value is None else _document(value, by_table[value.table.name])

    def path(value: graph.Path | None) -> Any:
        return None if value is None else [element(each) for each in interruptible(value)]

    return path if type_.code is TypeCode.GRAPH_PATH else element


def _properties_encoder(table: ElementTable, encoder_of: Callable[[Type], Encoder]) -> _Properties:
    fields = [(name, encoder_of(type_)) for name, type_ in table.properties]

    def encode(element: Element) -> dict[str, Any]:
        declared = {
            name: item(value)
            for (name, item), value in zip(fields, element.properties, strict=True)
        }
        return ordered(graph.dynamic_members(element) | declared)

    return encode


def _document(element: Element, properties: _Properties) -> dict[str, Any]:
    document: dict[str, Any] = {}
    is_edge = element.table.is_edge
    if is_edge:
        document["destination_node_identifier"] = graph.destination_identifier(element)
    document["identifier"] = graph.identifier(element)
    document["kind"] = "edge" if is_edge else "node"
    document["labels"] = list(graph.labels(element))
    document["properties"] = properties(element)
    if is_edge:
        document["source_node_identifier"] = graph.source_identifier(element)
    return document

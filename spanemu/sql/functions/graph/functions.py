"""Graph functions, by the chapter of that name, and the predicates of graph queries.

IS SOURCE OF, IS DESTINATION OF, IS LABELED and PROPERTY_EXISTS are calls of hidden functions
("$is_source_of"); the analyzer resolves label expressions and names of properties.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.graph import paths
from spanemu.sql.functions.notation import chapter, function, overload
from spanemu.values import graph
from spanemu.values.graph import Element
from spanemu.values.graph_types import (
    ElementTable,
    GraphType,
    edge_part,
    node_part,
    path_type,
)
from spanemu.values.types import Type, array_of

_ELEMENT = "T1{GRAPH_NODE|GRAPH_EDGE}"
_NODE, _EDGE, _PATH = "T1{GRAPH_NODE}", "T2{GRAPH_EDGE}", "T1{GRAPH_PATH}"


def element_definition_name(element: Element) -> str:
    """Return `ELEMENT_DEFINITION_NAME(element)`: the alias of its table in the graph."""
    return element.table.name


def same(*elements: Element | None) -> bool:
    """Return `SAME(element, element, ...)`."""
    first, *others = _known("SAME", elements)
    return all(other == first for other in others)


def all_different(*elements: Element | None) -> bool:
    """Return `ALL_DIFFERENT(element, element, ...)`."""
    known = _known("ALL_DIFFERENT", elements)
    return len(set(known)) == len(known)


def _known(function_name: str, elements: Sequence[Element | None]) -> list[Element]:
    known = [element for element in interruptible(elements) if element is not None]
    if len(known) < len(elements):
        raise BadArgument(f"Input to the function {function_name} must not be null")
    return known


def has_label(element: Element, label: str) -> bool:
    """Return whether an element has a label, in any letter case."""
    folded = label.lower()
    own = element.dynamic_label
    return own == folded or folded in {each.lower() for each in element.table.labels}


def has_any_label(element: Element) -> bool:
    """Return whether an element has a label at all."""
    return element.dynamic_label is not None or bool(element.table.labels)


def property_exists(element: Element, name: str) -> bool:
    """Return whether an element has a property, in any letter case.

    Properties that a row holds itself are in lower case.
    """
    if element.table.position(name) is not None:
        return True
    return name.lower() in graph.dynamic_members(element)


def _path_type(types: Sequence[Type]) -> Type:
    parts = [type_ for type_ in types if isinstance(type_, GraphType)]
    nodes = frozenset[ElementTable]().union(*[part.nodes for part in parts])
    edges = frozenset[ElementTable]().union(*[part.edges for part in parts])
    return path_type(parts[0].graph, nodes, edges)


def _node_of(types: Sequence[Type]) -> Type:
    return node_part(_graph_type(types))


def _nodes_of(types: Sequence[Type]) -> Type:
    return array_of(_node_of(types))


def _edges_of(types: Sequence[Type]) -> Type:
    return array_of(edge_part(_graph_type(types)))


def _graph_type(types: Sequence[Type]) -> GraphType:
    (path,) = types
    assert isinstance(path, GraphType)
    return path


FUNCTIONS = chapter(
    "graph",
    {
        "$has_any_label": function(
            (overload(f"({_ELEMENT}) -> BOOL", has_any_label),), cannot_fail=True
        ),
        "$has_label": function(
            (overload(f"({_ELEMENT}, STRING) -> BOOL", has_label),), cannot_fail=True
        ),
        "$is_destination_of": function(
            (overload(f"({_NODE}, {_EDGE}) -> BOOL", graph.is_destination),), cannot_fail=True
        ),
        "$is_source_of": function(
            (overload(f"({_NODE}, {_EDGE}) -> BOOL", graph.is_source),), cannot_fail=True
        ),
        "$path_reversed": function(
            (overload(f"({_PATH}) -> T1", paths.backwards),), cannot_fail=True
        ),
        "$property_exists": function(
            (overload(f"({_ELEMENT}, STRING) -> BOOL", property_exists),), cannot_fail=True
        ),
        "ALL_DIFFERENT": (
            overload(f"({_ELEMENT}, T1, T1...) -> BOOL", all_different, called=True),
        ),
        "DESTINATION_NODE_ID": function(
            (overload(f"({_EDGE}) -> STRING", graph.destination_identifier),), cannot_fail=True
        ),
        "EDGES": function(
            (overload(f"({_PATH}) -> ?", paths.edges, result=_edges_of),), cannot_fail=True
        ),
        "ELEMENT_DEFINITION_NAME": function(
            (overload(f"({_ELEMENT}) -> STRING", element_definition_name),), cannot_fail=True
        ),
        "ELEMENT_ID": function(
            (overload(f"({_ELEMENT}) -> STRING", graph.identifier),), cannot_fail=True
        ),
        "IS_ACYCLIC": function(
            (overload(f"({_PATH}) -> BOOL", paths.is_acyclic),), cannot_fail=True
        ),
        "IS_SIMPLE": function((overload(f"({_PATH}) -> BOOL", paths.is_simple),), cannot_fail=True),
        "IS_TRAIL": function((overload(f"({_PATH}) -> BOOL", paths.is_trail),), cannot_fail=True),
        "LABELS": function(
            (overload(f"({_ELEMENT}) -> ARRAY<STRING>", graph.labels),), cannot_fail=True
        ),
        "NODES": function(
            (overload(f"({_PATH}) -> ?", paths.nodes, result=_nodes_of),), cannot_fail=True
        ),
        "PATH": (
            overload(
                f"({_NODE}, {_EDGE}..., T1...) -> ?",
                paths.make_path,
                called=True,
                result=_path_type,
            ),
        ),
        "PATH_FIRST": function(
            (overload(f"({_PATH}) -> ?", paths.first, result=_node_of),), cannot_fail=True
        ),
        "PATH_LAST": function(
            (overload(f"({_PATH}) -> ?", paths.last, result=_node_of),), cannot_fail=True
        ),
        "PATH_LENGTH": function((overload(f"({_PATH}) -> INT64", paths.length),), cannot_fail=True),
        "PROPERTY_NAMES": function(
            (overload(f"({_ELEMENT}) -> ARRAY<STRING>", graph.property_names),), cannot_fail=True
        ),
        "SAME": (overload(f"({_ELEMENT}, T1, T1...) -> BOOL", same, called=True),),
        "SOURCE_NODE_ID": function(
            (overload(f"({_EDGE}) -> STRING", graph.source_identifier),), cannot_fail=True
        ),
    },
)

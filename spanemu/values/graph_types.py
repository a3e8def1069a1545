"""Types of graph elements and paths, and the element tables that they consist of.

A type names the element tables that a value may come from:

    MATCH (a:Account)-[e]->(b)      a    GRAPH_NODE of {Account}
                                    e    GRAPH_EDGE of {Transfers, Pays}
                                    b    GRAPH_NODE of {Account, Merchant}

The supertype of two types of one graph and one kind is the union of the tables. Types of two
graphs, and of nodes and edges, have none.

Not here: how the element tables of a graph follow from its schema (the dialect's analyzer), and the
values (`values.graph`).
"""

from __future__ import annotations

from collections.abc import Iterable

from spanemu.base.record import dataclass
from spanemu.values.types import ElementTable as ElementTable
from spanemu.values.types import Type, TypeCode

Tables = frozenset[ElementTable]
NO_TABLES: Tables = frozenset()


@dataclass(frozen=True, slots=True)
class GraphType(Type):
    """The type of a node, an edge or a path of `graph`.

    `nodes` and `edges` are the tables that the nodes and the edges of a value may come from: a node
    type has no edges, an edge type no nodes. Use `node_type`, `edge_type` and `path_type` rather
    than the constructor.
    """

    graph: str = ""
    nodes: Tables = NO_TABLES
    edges: Tables = NO_TABLES

    @property
    def tables(self) -> Tables:
        """The tables of an element type."""
        return self.edges if self.code is TypeCode.GRAPH_EDGE else self.nodes

    @property
    def kind(self) -> str:
        """The name of the type without its parts: GRAPH_ELEMENT or GRAPH_PATH."""
        return "GRAPH_PATH" if self.code is TypeCode.GRAPH_PATH else "GRAPH_ELEMENT"

    def __str__(self) -> str:
        if self.code is TypeCode.GRAPH_PATH:
            return f"PATH<node: {node_part(self)}, edge: {edge_part(self)}>"
        properties: dict[str, Type] = {}
        for table in self.tables:
            properties |= dict(table.properties)
        shown = [f"{name} {properties[name]}" for name in sorted(properties, key=str.lower)]
        if any(table.has_dynamic_properties for table in self.tables):
            shown.append("DYNAMIC")
        return f"{self.code.value}({self.graph})<{', '.join(shown)}>"


def node_type(graph: str, tables: Iterable[ElementTable]) -> GraphType:
    """Return the type of the nodes of some node tables."""
    return GraphType(TypeCode.GRAPH_NODE, graph=graph, nodes=frozenset(tables))


def edge_type(graph: str, tables: Iterable[ElementTable]) -> GraphType:
    """Return the type of the edges of some edge tables."""
    return GraphType(TypeCode.GRAPH_EDGE, graph=graph, edges=frozenset(tables))


def path_type(
    graph: str, nodes: Iterable[ElementTable], edges: Iterable[ElementTable]
) -> GraphType:
    """Return the type of the paths over some node tables and edge tables."""
    return GraphType(
        TypeCode.GRAPH_PATH, graph=graph, nodes=frozenset(nodes), edges=frozenset(edges)
    )


def node_part(path: GraphType) -> GraphType:
    """Return the type of the nodes of a path type."""
    return node_type(path.graph, path.nodes)


def edge_part(path: GraphType) -> GraphType:
    """Return the type of the edges of a path type."""
    return edge_type(path.graph, path.edges)


def graph_supertype(first: Type, second: Type) -> GraphType | None:
    """Return the type of the values of both types, or None if one is no graph type or they are of
    two graphs or kinds.
    """
    if not isinstance(first, GraphType) or not isinstance(second, GraphType):
        return None
    if first.code is not second.code or first.graph != second.graph:
        return None
    return GraphType(
        first.code,
        graph=first.graph,
        nodes=first.nodes | second.nodes,
        edges=first.edges | second.edges,
    )


def is_graph_subtype(narrow: Type, wide: Type) -> bool:
    """Return whether every value of one graph type is a value of the other."""
    return graph_supertype(narrow, wide) == wide


def graph_part(type_: Type) -> Type | None:
    """Return the graph type in a type, also inside of arrays and structs, or None."""
    if type_.is_graph:
        return type_
    if type_.element is not None:
        return graph_part(type_.element)
    parts = (graph_part(field.type) for field in type_.fields)
    return next((part for part in parts if part is not None), None)

"""The syntax tree of CREATE PROPERTY GRAPH: elements, their keys, labels and properties."""

from __future__ import annotations

from spanemu.base.record import record
from spanemu.sql.ddl_ast import DdlStatement, Drop, Options, SqlExpression
from spanemu.sql.syntax_tree import Identifier, Node, Path


@record
class GraphProperty(Node):
    """`expression [AS name]`."""

    value: SqlExpression
    name: Identifier | None = None


@record
class GraphProperties(Node):
    """PROPERTIES (items), PROPERTIES ALL COLUMNS if `all`, or NO PROPERTIES if both are unset."""

    all: bool = False
    excepted: tuple[Identifier, ...] = ()
    items: tuple[GraphProperty, ...] = ()


@record
class GraphLabel(Node):
    """LABEL name [properties]; DEFAULT LABEL, and bare properties, have no name."""

    name: Identifier | None = None
    properties: GraphProperties | None = None


@record
class GraphEndpoint(Node):
    """{SOURCE | DESTINATION} KEY (columns) REFERENCES element [(columns)]."""

    columns: tuple[Identifier, ...]
    element: Identifier
    referenced_columns: tuple[Identifier, ...] = ()


@record
class GraphElement(Node):
    """A node table, or an edge table when both endpoints are set."""

    table: Path
    alias: Identifier | None = None
    key: tuple[Identifier, ...] = ()
    source: GraphEndpoint | None = None
    destination: GraphEndpoint | None = None
    labels: tuple[GraphLabel, ...] = ()
    dynamic_label: Identifier | None = None
    dynamic_properties: Identifier | None = None


@record
class CreatePropertyGraph(DdlStatement):
    """CREATE [OR REPLACE] PROPERTY GRAPH."""

    name: Path
    nodes: tuple[GraphElement, ...]
    edges: tuple[GraphElement, ...] = ()
    options: Options | None = None
    or_replace: bool = False
    if_not_exists: bool = False


@record
class DropPropertyGraph(Drop):
    """DROP PROPERTY GRAPH."""

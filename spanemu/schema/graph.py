"""A property graph: tables and views as nodes and edges."""

from __future__ import annotations

from spanemu.base.record import dataclass
from spanemu.values.types import Type


@dataclass(frozen=True, slots=True)
class Property:
    """`expression AS name`: a value of the elements with a label."""

    name: str
    type: Type
    expression: str


@dataclass(frozen=True, slots=True)
class Label:
    """A label of an element table, with the properties that it exposes."""

    name: str
    properties: tuple[Property, ...]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The source or destination node of an edge: `columns` of the edge refer to a node's key."""

    columns: tuple[str, ...]
    node: str  # the name of the node table in the graph
    node_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Element:
    """A node table, or an edge table if it has endpoints. `name` is the alias in the graph."""

    table: str
    name: str
    key: tuple[str, ...]
    labels: tuple[Label, ...]
    source: Endpoint | None = None
    destination: Endpoint | None = None
    dynamic_label: str | None = None
    dynamic_properties: str | None = None


@dataclass(frozen=True, slots=True)
class PropertyGraph:
    """A property graph as declared."""

    name: str
    nodes: tuple[Element, ...]
    edges: tuple[Element, ...] = ()

    @property
    def elements(self) -> tuple[Element, ...]:
        """Node tables, then edge tables."""
        return self.nodes + self.edges

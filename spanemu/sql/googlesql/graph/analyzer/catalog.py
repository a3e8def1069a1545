"""A property graph as queries see it: element tables by number, labels and properties by name.

The number of an element table is its position among the graph's node tables, or among its edge
tables. A query compares numbers where it must know from which table an element comes.

A catalog is compiled once for each generation of the schema.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from spanemu.base.record import Unique, record
from spanemu.schema.objects import Element, Endpoint, Property, PropertyGraph
from spanemu.schema.schema import Schema
from spanemu.schema.table import certain_references
from spanemu.sql.googlesql.analyzer.name_errors import closest
from spanemu.sql.googlesql.ast import Path
from spanemu.sql.googlesql.graph.analyzer.errors import GraphNotFound
from spanemu.values.graph_types import ElementTable, GraphType, edge_type, node_type
from spanemu.values.types import INT64, JSON, Type

Numbers = frozenset[int]
NONE: Numbers = frozenset()


@record
class EdgeEnd(Unique):
    """An end of an edge table, and the node table to which it refers.

    - `key`: the columns of the edge table with the key of the node; None if the edge table refers
      to other columns of the node, which are then a part of the edge's key
    - `is_sure`: whether the schema makes sure that the node of each edge exists
    """

    declared: Endpoint
    node: GraphTable
    key: tuple[str, ...] | None
    is_sure: bool


@record
class GraphTable(Unique):
    """An element table: its declaration, what its elements know of it, and its number.

    `properties` are by folded name, `labels` are folded, `columns` are the types of the columns of
    the table or view by folded name. An edge table has two `ends`, by whether each is the source.
    """

    number: int
    declared: Element
    element: ElementTable
    properties: Mapping[str, Property]
    labels: frozenset[str]
    columns: Mapping[str, Type]
    ends: Mapping[bool, EdgeEnd]

    def end(self, is_source: bool) -> EdgeEnd:
        """Return the source or the destination of an edge table."""
        return self.ends[is_source]


class GraphTables:
    """The node tables or the edge tables of a graph, by number, and their labels."""

    def __init__(
        self, catalog: GraphCatalog, tables: tuple[GraphTable, ...], *, is_edge: bool
    ) -> None:
        self.catalog = catalog
        self.is_edge = is_edge
        self.tables = tables
        self.all = frozenset(range(len(tables)))
        self.by_name = {table.declared.name: table for table in tables}
        self.dynamic = frozenset(
            table.number for table in tables if table.declared.dynamic_label is not None
        )
        self._by_label: dict[str, Numbers] = {}
        for table in tables:
            for label in table.labels:
                self._by_label[label] = self._by_label.get(label, NONE) | {table.number}

    def __getitem__(self, number: int) -> GraphTable:
        return self.tables[number]

    def some(self, numbers: Collection[int]) -> tuple[GraphTable, ...]:
        """Return tables by number, in their order in the graph."""
        return tuple([self.tables[number] for number in sorted(numbers)])

    def with_label(self, folded: str) -> Numbers | None:
        """Return the numbers of the tables that declare a label, or None if none does."""
        return self._by_label.get(folded)

    def type_of(self, numbers: Collection[int]) -> GraphType:
        """Return the type of the elements of some tables."""
        make = edge_type if self.is_edge else node_type
        return make(self.catalog.name, [self.tables[number].element for number in numbers])

    def property_type(
        self, folded: str, numbers: Collection[int], known: Mapping[str, tuple[str, Type]]
    ) -> Type:
        """Return the type of a property of some tables: declared, or JSON if only rows have it.

        `known` are the properties of the graph.
        """
        some = self.some(numbers)
        for table in some:
            declared = table.properties.get(folded)
            if declared is not None:
                return declared.type
        is_dynamic = any(table.declared.dynamic_properties is not None for table in some)
        return known[folded][1] if folded in known and not is_dynamic else JSON

    def numbers_of(self, type_: GraphType) -> Numbers:
        """Return the numbers of the tables of an element type of this graph."""
        return frozenset(self.by_name[table.name].number for table in type_.tables)


class GraphCatalog:
    """A property graph as queries see it; `properties` are names and types by folded name."""

    def __init__(self, graph: PropertyGraph, schema: Schema) -> None:
        self.name = graph.name
        self.fold = schema.fold
        self._schema = schema
        self.properties: dict[str, tuple[str, Type]] = {}
        nodes = [self._table(number, node, {}) for number, node in enumerate(graph.nodes)]
        self.nodes = GraphTables(self, tuple(nodes), is_edge=False)
        by_name = self.nodes.by_name
        edges = [self._table(number, edge, by_name) for number, edge in enumerate(graph.edges)]
        self.edges = GraphTables(self, tuple(edges), is_edge=True)
        self.has_dynamic_properties = any(
            element.dynamic_properties is not None for element in graph.elements
        )

    def tables(self, is_edge: bool) -> GraphTables:
        """Return the edge tables or the node tables."""
        return self.edges if is_edge else self.nodes

    def _table(self, number: int, declared: Element, nodes: Mapping[str, GraphTable]) -> GraphTable:
        properties: dict[str, Property] = {}
        for label in declared.labels:
            for exposed in label.properties:
                key = self.fold(exposed.name)
                properties.setdefault(key, exposed)
                self.properties.setdefault(key, (exposed.name, exposed.type))
        columns = self._columns(declared.table)
        ends = {
            is_source: self._end(declared, end, nodes[end.node])
            for is_source, end in ((True, declared.source), (False, declared.destination))
            if end is not None
        }
        element = ElementTable(
            self.name,
            declared.name,
            tuple(sorted((label.name for label in declared.labels), key=str.lower)),
            tuple(
                (exposed.name, exposed.type)
                for exposed in sorted(properties.values(), key=lambda exposed: exposed.name.lower())
            ),
            self._key_types(declared, columns, ends.values()),
            ends[True].node.element if ends else None,
            ends[False].node.element if ends else None,
            declared.dynamic_label is not None,
            declared.dynamic_properties is not None,
        )
        labels = frozenset(self.fold(label.name) for label in declared.labels)
        return GraphTable(number, declared, element, properties, labels, columns, ends)

    def _key_types(
        self, declared: Element, columns: Mapping[str, Type], ends: Iterable[EdgeEnd]
    ) -> tuple[Type, ...]:
        key = [columns[self.fold(name)] for name in declared.key]
        for end in ends:
            if end.key is None:
                key.extend(end.node.element.key)
        return tuple(key)

    def _end(self, declared: Element, end: Endpoint, node: GraphTable) -> EdgeEnd:
        fold = self.fold
        pairs = zip(end.columns, end.node_columns, strict=True)
        own = {fold(column): name for name, column in pairs}
        folded = [fold(name) for name in node.declared.key]
        key = tuple([own[name] for name in folded]) if own.keys() >= set(folded) else None
        return EdgeEnd(end, node, key, self._is_sure(declared, end, node))

    def _is_sure(self, declared: Element, end: Endpoint, node: GraphTable) -> bool:
        """Return whether the schema makes sure that the node at an end of each edge exists."""
        edges, nodes = self._schema.table(declared.table), self._schema.table(node.declared.table)
        if edges is None or nodes is None:
            return False
        stored = [edges.column(own) for own in end.columns]
        if any(column is None or not column.not_null for column in stored):
            return False
        pairs = {
            (self.fold(own), self.fold(other))
            for own, other in zip(end.columns, end.node_columns, strict=True)
        }
        return any(pairs == sure for sure in certain_references(edges, nodes))

    def _columns(self, name: str) -> Mapping[str, Type]:
        table = self._schema.table(name)
        if table is not None:
            return {self.fold(column.name): column.type for column in table.columns}
        view = self._schema.view(name)
        assert view is not None
        return {self.fold(column): type_ for column, type_ in view.columns}


TAG = INT64  # the type of the number of an element's table


def find_catalog(path: Path, schema: Schema) -> GraphCatalog:
    """Return the graph that a query names. Raise GraphNotFound if there is none."""
    name = str(path)
    if schema.fold(name) not in schema.graphs:
        known = [each.name for each in schema.graphs.values()]
        raise GraphNotFound(name, closest(name, known), at=path.at)
    return catalog_by_name(name, schema)


def catalog_by_name(name: str, schema: Schema) -> GraphCatalog:
    """Return a graph of the schema, compiled on first use."""
    key = GraphCatalog, schema.fold(name)
    catalog = schema.compiled.get(key)
    if catalog is None:
        catalog = schema.compiled[key] = GraphCatalog(schema.graphs[key[1]], schema)
    assert isinstance(catalog, GraphCatalog)
    return catalog

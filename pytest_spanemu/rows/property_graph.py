"""Rows of a property graph: nodes by table, and edges between them in a shape.

    shape     the ends of edge number i, of nodes in one table
    random    two different nodes by chance
    chain     node i and node i + 1
    ring      node i and node i + 1, and from the last node to the first
    hub       the first node and node i + 1

Where an edge leads from one node table to another, chain and ring lead from node i to node i of the
other table, and hub from the first node to node i. Rows are those of the base tables: a node table
is written before the edge tables that refer to it, with the keys of its parents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, Protocol

from google.cloud.spanner_v1 import param_types

from pytest_spanemu.databases.catalog import Catalog, TableInfo
from pytest_spanemu.options import Dialect
from pytest_spanemu.rows.writing import Row

__tracebackhide__ = True  # hides these frames in pytest's tracebacks

Shape = Literal["random", "chain", "ring", "hub"]
Pair = tuple[int, int]

SHAPES = ("random", "chain", "ring", "hub")
_METADATA = """
    SELECT property_graph_metadata_json FROM INFORMATION_SCHEMA.PROPERTY_GRAPHS
    WHERE LOWER(property_graph_schema) = LOWER(@schema)
      AND LOWER(property_graph_name) = LOWER(@name)
"""


class WriteRows(Protocol):
    """A function that writes a row for each mapping of given columns, and returns the rows."""

    def __call__(self, table: TableInfo, given: Sequence[Mapping[str, Any]]) -> list[Row]: ...


@dataclass(frozen=True)
class _Element:
    """A node table, or an edge table: the columns of an edge that refer to those of a node."""

    alias: str
    table: TableInfo
    labels: frozenset[str]  # in lower case
    source: _End | None = None
    destination: _End | None = None


@dataclass(frozen=True)
class _End:
    node: str
    columns: tuple[str, ...]
    referenced: tuple[str, ...]

    def of(self, row: Row) -> dict[str, Any]:
        """Return the columns of an edge that begins or ends at the node of `row`."""
        return {
            mine: row[theirs] for mine, theirs in zip(self.columns, self.referenced, strict=True)
        }


class PropertyGraphRows:
    """A writer of the nodes and edges of one property graph.

    A name in any letter case is an element table's, or a label that one element table has.
    """

    def __init__(self, database: Any, catalog: Catalog, name: str) -> None:
        if catalog.dialect is not Dialect.GOOGLESQL:
            raise ValueError("a database of the PostgreSQL dialect has no property graphs")
        self._name = name
        self._catalog = catalog
        metadata = _metadata(database, name)
        self._nodes = dict(self._elements(metadata.get("nodeTables", ())))
        self._edges = dict(self._elements(metadata.get("edgeTables", ())))

    def _elements(self, tables: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, _Element]]:
        for described in tables:
            names = described.get("baseSchemaName"), described["baseTableName"]
            base = ".".join(filter(None, names))
            try:
                table = self._catalog.table(base)
            except KeyError:
                continue  # a view, whose rows are those of its tables
            ends = (_end(described.get(f"{side}NodeTable")) for side in ("source", "destination"))
            labels = frozenset(label.lower() for label in described["labelNames"])
            name = described["name"]
            yield name.lower(), _Element(name, table, labels, *ends)

    def write(
        self,
        nodes: Mapping[str, int],
        edges: Mapping[str, int],
        shape: str,
        random: Random,
        write: WriteRows,
    ) -> dict[str, list[Row]]:
        """Write nodes and edges; return the rows by the names in `nodes` and `edges`."""
        if shape not in SHAPES:
            raise ValueError(f"shape {shape!r} is not one of {', '.join(SHAPES)}")
        node_tables = {name: self._element(name, self._nodes, "node") for name in nodes}
        edge_tables = {name: self._element(name, self._edges, "edge") for name in edges}
        rows: dict[str, list[Row]] = {}
        by_alias: dict[str, list[Row]] = {}
        order = [table.name for table in self._catalog.insertion_order()]
        for name in sorted(node_tables, key=lambda name: order.index(node_tables[name].table.name)):
            table = node_tables[name].table
            parents = _rows_of(table.parent, node_tables, rows)
            given = [_key_of(parents, n, self._catalog, table) for n in range(nodes[name])]
            rows[name] = by_alias[node_tables[name].alias.lower()] = write(table, given)
        for name, edge in edge_tables.items():
            ends = self._ends(edge, edges[name], shape, random, by_alias)
            rows[name] = write(edge.table, ends)
        return {name: rows[name] for name in (*nodes, *edges)}

    def _element(self, name: str, known: Mapping[str, _Element], kind: str) -> _Element:
        labeled = [each for each in known.values() if name.lower() in each.labels]
        element = known.get(name.lower()) or (labeled[0] if len(labeled) == 1 else None)
        if element is None:
            aliases = ", ".join(each.alias for each in known.values()) or "none"
            raise ValueError(
                f"property graph {self._name} has no {kind} table {name!r} over a table; "
                f"they are: {aliases}"
            )
        return element

    def _ends(
        self,
        edge: _Element,
        count: int,
        shape: str,
        random: Random,
        nodes: Mapping[str, list[Row]],
    ) -> list[dict[str, Any]]:
        """Return the columns of `count` edges that refer to their nodes."""
        source, destination = edge.source, edge.destination
        assert source is not None
        assert destination is not None
        for end in (source, destination):
            if end.node.lower() not in nodes:
                raise ValueError(f"edges of {edge.alias} need nodes={{{end.node!r}: ...}}")
        if any(edge.table is node.table for node in self._nodes.values()):
            raise ValueError(
                f"the edges of {edge.alias} are columns of rows of {edge.table.name}: pass them to "
                f"spanner_factory.{edge.table.name}"
            )
        sources, targets = nodes[source.node.lower()], nodes[destination.node.lower()]
        others = None if sources is targets else len(targets)
        nodes_at_hand = _Nodes(len(sources), others, _needs_distinct_ends(edge))
        pairs = list(_pairs(shape, count, nodes_at_hand, random))
        if len(pairs) < count:
            raise ValueError(
                f"the shape {shape!r} has {len(pairs)} edges of {edge.alias} between "
                f"{len(sources)} {source.node} and {len(targets)} {destination.node}, not {count}"
            )
        return [source.of(sources[i]) | destination.of(targets[j]) for i, j in pairs]


@dataclass(frozen=True)
class _Nodes:
    """The numbers of nodes that edges connect; `others` is None for edges within one table."""

    sources: int
    others: int | None
    distinct: bool  # no two edges have the same ends


def _pairs(shape: str, count: int, nodes: _Nodes, random: Random) -> Iterator[Pair]:
    """Yield the ends of at most `count` edges."""
    sources, others = nodes.sources, nodes.others
    if shape == "random":
        yield from _random_pairs(count, nodes, random)
    elif others is None:
        last = sources if shape == "ring" else sources - 1
        for i in range(min(count, last)):
            yield 0 if shape == "hub" else i, (i + 1) % sources
    else:
        most = others if shape in ("hub", "ring") else min(sources, others)
        for i in range(min(count, most if sources else 0)):
            yield 0 if shape == "hub" else i % sources, i


def _random_pairs(count: int, nodes: _Nodes, random: Random) -> Iterator[Pair]:
    sources = nodes.sources
    targets = sources if nodes.others is None else nodes.others
    skips_loops = nodes.others is None and sources > 1  # without other nodes, an edge is a loop
    possible = sources * (targets - 1 if skips_loops else targets)
    if not possible:
        return
    numbers = (
        random.sample(range(possible), min(count, possible))
        if nodes.distinct
        else [random.randrange(possible) for _ in range(count)]
    )
    for number in numbers:
        i, j = divmod(number, possible // sources)
        yield i, j + 1 if skips_loops and j >= i else j


def _needs_distinct_ends(edge: _Element) -> bool:
    """Return whether two edges cannot have the same ends, because a key has no other columns."""
    assert edge.source is not None
    assert edge.destination is not None
    columns = {*edge.source.columns, *edge.destination.columns}
    return any(columns.issuperset(key) for key in (edge.table.key, *edge.table.unique))


def _rows_of(
    table: str | None, nodes: Mapping[str, _Element], rows: Mapping[str, list[Row]]
) -> list[Row]:
    """Return the rows of a parent table among the nodes that are written already."""
    for name, node in nodes.items():
        if node.table.name == table and name in rows:
            return rows[name]
    return []


def _key_of(parents: Sequence[Row], n: int, catalog: Catalog, table: TableInfo) -> dict[str, Any]:
    """Return the key of the parent of row `n`; rows take the parents in turn."""
    if not parents or table.parent is None:
        return {}
    parent = parents[n % len(parents)]
    return {part: parent[part] for part in catalog.table(table.parent).key}


def _end(reference: Mapping[str, Any] | None) -> _End | None:
    if reference is None:
        return None
    columns, referenced = reference["edgeTableColumns"], reference["nodeTableColumns"]
    return _End(reference["nodeTableName"], tuple(columns), tuple(referenced))


def _metadata(database: Any, name: str) -> Mapping[str, Any]:
    schema, _, plain = name.rpartition(".")
    types = {"schema": param_types.STRING, "name": param_types.STRING}
    with database.snapshot() as snapshot:
        rows = list(snapshot.execute_sql(_METADATA, {"schema": schema, "name": plain}, types))
    if not rows:
        raise ValueError(f"there is no property graph {name!r}")
    metadata: Mapping[str, Any] = rows[0][0]
    return metadata

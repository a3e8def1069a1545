"""The nodes and edges of the patterns of one MATCH, each with the tables that may give it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from spanemu.sql.googlesql.graph import ast
from spanemu.sql.googlesql.graph.analyzer.catalog import GraphCatalog, GraphTable, Numbers
from spanemu.sql.googlesql.graph.analyzer.elements import Element
from spanemu.sql.googlesql.graph.analyzer.labels import check_labels, tables_with
from spanemu.sql.googlesql.graph.analyzer.patterns import EdgeLink, Place
from spanemu.sql.googlesql.graph.analyzer.table import ElementVariable
from spanemu.sql.googlesql.graph.analyzer.variables import Declarations


class PatternNode:
    """A node of the patterns: all places that share a variable.

    - `numbers`: the tables that may give the node
    - `exposed`: the tables whose properties the query may name: those that the labels leave
    - `element`: what gives the node, once that is known; `incoming` is that of the working table
    - `patterns`: the fillers that are conditions on `element`
    """

    def __init__(self, catalog: GraphCatalog) -> None:
        self.numbers: Numbers = catalog.nodes.all
        self.exposed: Numbers = catalog.nodes.all
        self.incoming: ElementVariable | None = None
        self.element: Element | None = None
        self.names: dict[str, str] = {}
        self.patterns: list[ast.NodePattern] = []
        self.is_ready = False  # the rows built so far have its columns
        self.is_anchored = False  # conditions determine its key

    @property
    def is_known(self) -> bool:
        """Return whether the node is known, by its key or from the working table."""
        return self.is_anchored or self.is_ready

    def known(self) -> Element:
        """Return the element of a node that the rows have."""
        assert self.element is not None
        return self.element

    def allow(self, numbers: Numbers) -> None:
        """Restrict the tables that may give the node."""
        self.numbers &= numbers


class PatternNodes:
    """The nodes of the patterns by place."""

    def __init__(self, catalog: GraphCatalog, declarations: Declarations) -> None:
        self._catalog = catalog
        self._declarations = declarations
        self._by_place: dict[int, PatternNode] = {}
        self._by_name: dict[str, PatternNode] = {}

    def __getitem__(self, place: Place) -> PatternNode:
        return self._by_place[id(place)]

    def __iter__(self) -> Iterator[PatternNode]:
        return iter(dict.fromkeys(self._by_place.values()))

    def add(self, spot: Place, inside: Collection[str]) -> PatternNode:
        """Add a place; it is the node of another place that has one of its variables.

        A node with a name of `inside` is that of the working table only for the paths that a
        prefix chooses.
        """
        fold = self._catalog.fold
        keys = {fold(name.name): name for name in spot.names()}
        same = [self._by_name[key] for key in keys if key in self._by_name]
        node = same[0] if same else PatternNode(self._catalog)
        for other in same[1:]:
            self._merge(node, other)
        self._by_place[id(spot)] = node
        for key, name in keys.items():
            node.names.setdefault(key, name.name)
            self._by_name[key] = node
            known = None if key in inside else self._declarations.incoming(name.name)
            if known is not None and node.incoming is None:
                node.incoming = known
                node.element = known.element
                node.is_ready = True
                node.allow(known.element.numbers)
        for pattern in spot.patterns:
            labeled = labeled_tables(pattern, self._catalog, is_edge=False)
            node.allow(labeled)
            node.exposed &= labeled
        return node

    def _merge(self, node: PatternNode, other: PatternNode) -> None:
        if other is node:
            return
        for places, known in ((self._by_place, other), (self._by_name, other)):
            for key, value in places.items():
                if value is known:
                    places[key] = node  # type: ignore[index]
        node.names |= other.names
        node.numbers &= other.numbers
        node.exposed &= other.exposed
        if node.incoming is None:
            node.incoming, node.element = other.incoming, other.element
            node.is_ready = other.is_ready


def labeled_tables(pattern: ast.ElementPattern, catalog: GraphCatalog, *, is_edge: bool) -> Numbers:
    """Return the tables that the labels of an element pattern leave."""
    if pattern.labels is not None:
        check_labels(pattern.labels, catalog, is_edge)
    return tables_with(pattern.labels, catalog, is_edge)


# An edge table, and whether its edges run from right to left in the pattern.
Sense = tuple[GraphTable, bool]


def senses(link: EdgeLink, numbers: Iterable[int], catalog: GraphCatalog) -> list[Sense]:
    """Return the edge tables of an edge pattern, twice where the direction is open."""
    is_reversed = {
        ast.Direction.RIGHT: (False,),
        ast.Direction.LEFT: (True,),
        ast.Direction.ANY: (False, True),
    }
    return [
        (table, sense)
        for table in catalog.edges.some(tuple(numbers))
        for sense in is_reversed[link.direction]
    ]


def end_of(sense: Sense, *, is_left: bool) -> int:
    """Return the number of the node table at the left or right end of an edge."""
    table, is_reversed = sense
    return table.end(is_left is not is_reversed).node.number


def reachable(
    hops: Sequence[Sequence[Sense]], begun: Numbers, *, is_repeated: bool
) -> list[list[Sense]]:
    """Return the edge tables of each hop that some path from the tables `begun` can take.

    If the hops are repeated, a copy begins where the one before ends.
    """
    starts = begun
    while True:
        current = starts
        kept = []
        for hop in hops:
            fitting = [each for each in hop if end_of(each, is_left=True) in current]
            current = frozenset(end_of(each, is_left=False) for each in fitting)
            kept.append(fitting)
        if not is_repeated or current <= starts:
            return kept
        starts |= current


class PatternEdge:
    """An edge pattern between two nodes, outside of repetitions."""

    def __init__(
        self, link: EdgeLink, left: PatternNode, right: PatternNode, catalog: GraphCatalog
    ) -> None:
        self.link = link
        self.left = left
        self.right = right
        self.exposed = labeled_tables(link.pattern, catalog, is_edge=True)
        self.senses = senses(link, self.exposed, catalog)
        self.element: Element | None = None

    def known(self) -> Element:
        """Return the element of an edge that the rows have."""
        assert self.element is not None
        return self.element

    def prune(self) -> bool:
        """Drop tables that do not fit together; return whether that restricts a node."""
        kept = [
            sense
            for sense in self.senses
            if end_of(sense, is_left=True) in self.left.numbers
            and end_of(sense, is_left=False) in self.right.numbers
        ]
        self.senses = kept
        before = len(self.left.numbers), len(self.right.numbers)
        self.left.allow(frozenset(end_of(each, is_left=True) for each in kept))
        self.right.allow(frozenset(end_of(each, is_left=False) for each in kept))
        return before != (len(self.left.numbers), len(self.right.numbers))


def prune_tables(edges: Sequence[PatternEdge]) -> None:
    """Leave each node and edge only tables that fit their neighbours."""
    restricted = True
    while restricted:
        restricted = False
        for edge in edges:
            restricted = edge.prune() or restricted

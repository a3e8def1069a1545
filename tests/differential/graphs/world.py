"""A graph of two node tables and four edge tables, with random rows.

Labels are shared among tables, ids repeat from table to table, some edges lead to nodes that are
not there, some have no destination at all, and there are loops and parallel edges. The source of an
edge always exists where the schema says so: by interleaving, and by foreign keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

DDL = (
    "CREATE TABLE A (id INT64 NOT NULL, x INT64, name STRING(MAX)) PRIMARY KEY (id)",
    "CREATE TABLE B (id INT64 NOT NULL, x INT64) PRIMARY KEY (id)",
    "CREATE TABLE AA (id INT64 NOT NULL, n INT64 NOT NULL, dst INT64, w INT64) "
    "PRIMARY KEY (id, n), INTERLEAVE IN PARENT A",
    "CREATE TABLE AB (id INT64 NOT NULL, n INT64 NOT NULL, dst INT64, w INT64, "
    "FOREIGN KEY (id) REFERENCES A (id)) PRIMARY KEY (id, n)",
    "CREATE INDEX ABByDst ON AB (dst)",
    "CREATE TABLE BA (id INT64 NOT NULL, n INT64 NOT NULL, dst INT64, w INT64) PRIMARY KEY (id, n)",
    "CREATE TABLE BB (id INT64 NOT NULL, src INT64, dst INT64, w INT64, "
    "FOREIGN KEY (src) REFERENCES B (id)) PRIMARY KEY (id)",
    """CREATE PROPERTY GRAPH G
      NODE TABLES (
        A KEY (id) LABEL A PROPERTIES (id, x, name) LABEL Thing PROPERTIES (id, x),
        B KEY (id) LABEL B PROPERTIES (id, x) LABEL Thing PROPERTIES (id, x)
      )
      EDGE TABLES (
        AA KEY (id, n) SOURCE KEY (id) REFERENCES A (id) DESTINATION KEY (dst) REFERENCES A (id)
          LABEL Same PROPERTIES (w) LABEL FromA PROPERTIES (w),
        AB KEY (id, n) SOURCE KEY (id) REFERENCES A (id) DESTINATION KEY (dst) REFERENCES B (id)
          LABEL Other PROPERTIES (w) LABEL FromA PROPERTIES (w),
        BA KEY (id, n) SOURCE KEY (id) REFERENCES B (id) DESTINATION KEY (dst) REFERENCES A (id)
          LABEL Other PROPERTIES (w),
        BB KEY (id) SOURCE KEY (src) REFERENCES B (id) DESTINATION KEY (dst) REFERENCES B (id)
          LABEL Same PROPERTIES (w)
      )""",
)

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "A": ("id", "x", "name"),
    "B": ("id", "x"),
    "AA": ("id", "n", "dst", "w"),
    "AB": ("id", "n", "dst", "w"),
    "BA": ("id", "n", "dst", "w"),
    "BB": ("id", "src", "dst", "w"),
}
LABELS: Mapping[str, frozenset[str]] = {
    "A": frozenset({"A", "Thing"}),
    "B": frozenset({"B", "Thing"}),
    "AA": frozenset({"Same", "FromA"}),
    "AB": frozenset({"Other", "FromA"}),
    "BA": frozenset({"Other"}),
    "BB": frozenset({"Same"}),
}
NODE_LABELS = ("A", "B", "Thing")
EDGE_LABELS = ("Same", "Other", "FromA")
_ENDS = {"AA": ("A", "A"), "AB": ("A", "B"), "BA": ("B", "A"), "BB": ("B", "B")}

Rows = Mapping[str, Sequence[tuple[Any, ...]]]


@dataclass(frozen=True)
class Element:
    """A node or an edge: its table, its key, its properties as pairs; of an edge, its ends."""

    table: str
    key: tuple[Any, ...]
    properties: tuple[tuple[str, Any], ...]
    source: Element | None = None
    destination: Element | None = None

    def get(self, name: str) -> Any:
        """Return the value of a property, None where there is none."""
        return dict(self.properties).get(name)

    @property
    def labels(self) -> frozenset[str]:
        return LABELS[self.table]

    @property
    def name(self) -> str:
        """The identity of an element as text, as the queries return it: its table and its key."""
        return f"{self.table}{list(self.key)}"


@dataclass(frozen=True)
class Graph:
    """The nodes and edges that the rows make."""

    nodes: tuple[Element, ...]
    edges: tuple[Element, ...]


def random_rows(random: Random) -> Rows:
    """Return rows of up to eight nodes and a dozen edges."""
    rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in COLUMNS}

    def some() -> Any:
        return random.choice((None, 1, 2, 3))

    ids = {"A": range(1, random.randint(2, 5)), "B": range(1, random.randint(1, 5))}
    rows["A"] = [(each, some(), random.choice((None, "p", "q"))) for each in ids["A"]]
    rows["B"] = [(each, some()) for each in ids["B"]]
    numbers = dict.fromkeys(_ENDS, 0)
    for _ in range(random.randint(1, 11)):
        name = random.choice(sorted(_ENDS))
        source, destination = _ENDS[name]
        last = len(ids[source]) + (name == "BA")
        if not last:
            continue
        begin = random.randint(1, last)
        end = random.choice((None, *range(1, len(ids[destination]) + 2)))
        number = numbers[name] = numbers[name] + 1
        cost = random.randint(1, 5)
        if name == "BB":
            rows[name].append((number, random.choice((None, begin, begin)), end, cost))
        else:
            rows[name].append((begin, number, end, cost))
    return rows


def graph_of(rows: Rows) -> Graph:
    """Return the elements of the rows: an edge is there if both of its nodes are."""
    nodes = {
        (name, row[0]): Element(name, row[:1], tuple(zip(COLUMNS[name], row, strict=True)))
        for name in ("A", "B")
        for row in rows[name]
    }
    edges = []
    for name, (source, destination) in _ENDS.items():
        for row in rows[name]:
            cells = dict(zip(COLUMNS[name], row, strict=True))
            begin = nodes.get((source, cells["src" if name == "BB" else "id"]))
            end = nodes.get((destination, cells["dst"]))
            if begin is not None and end is not None:
                key = row[:1] if name == "BB" else row[:2]
                edges.append(Element(name, key, (("w", cells["w"]),), begin, end))
    return Graph(tuple(nodes.values()), tuple(edges))

"""ANY SHORTEST and ANY CHEAPEST agree with networkx about all pairs of nodes of random graphs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest
from google.cloud.spanner_v1 import param_types

import spanemu

networkx = pytest.importorskip("networkx")

DDL = """
    CREATE TABLE Place (a INT64 NOT NULL) PRIMARY KEY (a);
    CREATE TABLE Road (a INT64 NOT NULL, b INT64 NOT NULL, n INT64 NOT NULL, km INT64)
      PRIMARY KEY (a, b, n), INTERLEAVE IN PARENT Place;
    CREATE INDEX RoadsTo ON Road (b);
    CREATE PROPERTY GRAPH Map NODE TABLES (Place) EDGE TABLES (Road
      SOURCE KEY (a) REFERENCES Place (a) DESTINATION KEY (b) REFERENCES Place (a));
"""
NODES = 12  # so that a cheapest path has no more edges than a search from both ends may take
SEEDS = range(4)
Pairs = dict[tuple[int, int], int]


def random_roads(seed: int) -> list[tuple[int, int, int, int]]:
    """Return roads with their kilometres: parallel ones, loops, and places without any."""
    random = Random(seed)
    return [
        (random.randrange(NODES), random.randrange(NODES), number, random.randint(1, 20))
        for number in range(random.choice((8, 16, 24)))
    ]


class Map:
    """The same roads in a database and in networkx."""

    def __init__(self, database: Any, seed: int) -> None:
        self._database = database
        roads = random_roads(seed)
        self.directed = networkx.MultiDiGraph()
        self.directed.add_nodes_from(range(NODES))
        self.directed.add_edges_from([(a, b, n, {"km": km}) for a, b, n, km in roads])
        with database.batch() as batch:
            batch.insert("Place", ("a",), [(number,) for number in range(NODES)])
            batch.insert("Road", ("a", "b", "n", "km"), roads)

    def rows(self, gql: str, **parameters: int) -> list[Any]:
        """Return the rows of a graph query."""
        kinds = dict.fromkeys(parameters, param_types.INT64)
        with self._database.snapshot() as snapshot:
            return list(snapshot.execute_sql(f"GRAPH Map {gql}", parameters, kinds))

    def pairs(self, gql: str) -> Pairs:
        """Return the value of each pair that a graph query returns, which has each pair once."""
        rows = self.rows(gql)
        values = {(first, last): value for first, last, value in rows}
        assert len(values) == len(rows)
        return values


@pytest.fixture(scope="module", params=SEEDS)
def map_(request: pytest.FixtureRequest) -> Iterator[Map]:
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("map", schema=DDL).client()
        yield Map(database, request.param)


def flat(nested: Mapping[int, Mapping[int, int]]) -> Pairs:
    return {(first, last): value for first, all_ in nested.items() for last, value in all_.items()}


def test_shortest_paths_are_as_long_as_those_of_networkx(map_: Map) -> None:
    expected = flat(dict(networkx.all_pairs_shortest_path_length(map_.directed)))
    forward = "MATCH ANY SHORTEST (a)-[e]->*(b) RETURN a.a AS x, b.a AS y, ARRAY_LENGTH(e) AS n"
    assert map_.pairs(forward) == expected
    backward = "MATCH ANY SHORTEST (b)<-[e]-*(a) RETURN a.a AS x, b.a AS y, ARRAY_LENGTH(e) AS n"
    assert map_.pairs(backward) == expected


def test_shortest_paths_in_any_direction_are_as_long_as_those_of_networkx(map_: Map) -> None:
    undirected = map_.directed.to_undirected()
    expected = flat(dict(networkx.all_pairs_shortest_path_length(undirected)))
    gql = "MATCH p = ANY SHORTEST (a)-[e]-*(b) RETURN a.a AS x, b.a AS y, PATH_LENGTH(p) AS n"
    assert map_.pairs(gql) == expected


def test_cheapest_paths_cost_as_much_as_those_of_networkx(map_: Map) -> None:
    expected = flat(dict(networkx.all_pairs_dijkstra_path_length(map_.directed, weight="km")))
    gql = (
        "MATCH ANY CHEAPEST (a)-[e COST e.km]->*(b) LET km = COALESCE(SUM(e.km), 0) "
        "RETURN a.a AS x, b.a AS y, km"
    )
    assert map_.pairs(gql) == expected


def test_searches_between_two_known_nodes_agree_with_networkx(map_: Map) -> None:
    lengths = flat(dict(networkx.all_pairs_shortest_path_length(map_.directed)))
    costs = flat(dict(networkx.all_pairs_dijkstra_path_length(map_.directed, weight="km")))
    ends = "(a {a: @x})-[e COST e.km]->{0,12}(b {a: @y})"
    for prefix, expected, value in (
        ("ANY SHORTEST", lengths, "ARRAY_LENGTH(e)"),
        ("ANY CHEAPEST", costs, "COALESCE(SUM(e.km), 0)"),
    ):
        gql = f"MATCH {prefix} {ends} LET v = {value} RETURN v"
        for first in range(NODES):
            for last in range(NODES):
                known = expected.get((first, last))
                assert map_.rows(gql, x=first, y=last) == ([] if known is None else [[known]])

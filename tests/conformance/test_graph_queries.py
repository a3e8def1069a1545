"""Graph queries through the official client: what their statements and SQL around them answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.api_core.exceptions import GoogleAPICallError, PermissionDenied

import spanemu

SCHEMA = """
CREATE TABLE City (id INT64 NOT NULL, name STRING(MAX), zone STRING(MAX)) PRIMARY KEY (id);
CREATE TABLE Driver (id INT64 NOT NULL, name STRING(MAX)) PRIMARY KEY (id);
CREATE TABLE Road (a INT64 NOT NULL, b INT64 NOT NULL, n INT64 NOT NULL, km INT64)
  PRIMARY KEY (a, b, n);
CREATE TABLE Visit (driver INT64 NOT NULL, city INT64 NOT NULL) PRIMARY KEY (driver, city);
CREATE VIEW North SQL SECURITY INVOKER AS SELECT c.id, c.name FROM City AS c WHERE c.zone = 'N';
CREATE PROPERTY GRAPH Net
NODE TABLES (City, Driver, North KEY (id))
EDGE TABLES (
  Road SOURCE KEY (a) REFERENCES City (id) DESTINATION KEY (b) REFERENCES City (id),
  Visit SOURCE KEY (driver) REFERENCES Driver (id) DESTINATION KEY (city) REFERENCES City (id),
  Road AS ToNorth SOURCE KEY (a) REFERENCES City (id) DESTINATION KEY (b) REFERENCES North (id)
    LABEL ToNorth
);
CREATE ROLE reader;
GRANT SELECT(id, name) ON TABLE City TO ROLE reader
"""
ROWS = [
    "INSERT INTO City (id, name, zone) VALUES (1, 'Aro', 'N'), (2, 'Bel', 'S'), (3, 'Cor', NULL)",
    "INSERT INTO Driver (id, name) VALUES (1, 'Ann'), (2, 'Bob')",
    # A loop, parallel roads, and a road to a city that does not exist.
    "INSERT INTO Road (a, b, n, km) VALUES (1, 2, 1, 10), (1, 2, 2, 14), (2, 3, 1, 20), "
    "(3, 1, 1, 30), (3, 3, 1, 5), (3, 9, 1, 1)",
    "INSERT INTO Visit (driver, city) VALUES (1, 1), (1, 3)",
]


@pytest.fixture(scope="module")
def net() -> Iterator[Any]:
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("net", schema=SCHEMA.split(";"))
        client = database.client()
        client.run_in_transaction(lambda work: [work.execute_update(row) for row in ROWS])
        yield database


def ask(net: Any, sql: str, **options: Any) -> list[Any]:
    with net.client(**options).snapshot() as snapshot:
        return [tuple(row) for row in snapshot.execute_sql(sql)]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("GRAPH Net MATCH -[e:Road]-> RETURN COUNT(*) AS n", [(5,)]),
        ("GRAPH Net MATCH (a)-[e:Road]-(b) RETURN COUNT(*) AS n", [(9,)]),
        ("GRAPH Net MATCH (a)-[e:Road]->(a) RETURN a.name, e.km", [("Cor", 5)]),
        (
            "GRAPH Net MATCH (a {id: 2})-[@{INDEX_STRATEGY=FORCE_INDEX_UNION} e:Road]-(b) "
            "RETURN e.km",
            [(10,), (14,), (20,)],
        ),
        (
            "GRAPH Net MATCH (d:Driver) OPTIONAL MATCH (d)-[:Visit]->(c) WHERE c.id > 1 "
            "RETURN d.name, c.name AS city",
            [("Ann", "Cor"), ("Bob", None)],
        ),
        (
            "GRAPH Net MATCH (a:City) OPTIONAL MATCH ((x)-[:Road]->(y) WHERE x.id = y.id)(a) "
            "RETURN a.id, y.id AS same, y IS NULL AS none, y.name",
            [(1, None, True, None), (2, None, True, None), (3, 3, False, "Cor")],
        ),
        (
            "GRAPH Net MATCH (d:Driver) CALL (d) { OPTIONAL MATCH (x)(d)-[:Visit]->(c:City) "
            "RETURN x.name AS visitor, c.id } RETURN d.name, visitor, id",
            [("Ann", "Ann", 1), ("Ann", "Ann", 3), ("Bob", None, None)],
        ),
        ("GRAPH Net MATCH (a)-[:ToNorth]->(n) RETURN a.id, n.name", [(3, "Aro")]),
        (
            "GRAPH Net MATCH (a:City)-[:Road]->(b:City) RETURN b, COUNT(*) AS n GROUP BY b "
            "NEXT MATCH (b)<-[:Visit]-(d) RETURN b.name, n, d.name AS driver",
            [("Aro", 1, "Ann"), ("Cor", 2, "Ann")],
        ),
        (
            "GRAPH Net MATCH (c:City) RETURN c AS x UNION ALL MATCH (d:Driver) RETURN d AS x "
            "NEXT FILTER x.id = 1 RETURN ELEMENT_DEFINITION_NAME(x) AS t, x.zone",
            [("City", "N"), ("Driver", None)],
        ),
        (
            "GRAPH Net MATCH (c:City) RETURN c NEXT MATCH (c)-[:Road]->(x) RETURN c.id "
            "INTERSECT DISTINCT MATCH (c)<-[:Visit]-() RETURN c.id",
            [(1,), (3,)],
        ),
        (
            "GRAPH Net MATCH (c:City) CALL (c) { MATCH (c)-[r:Road]->(x) RETURN r.km AS km "
            "ORDER BY km DESC LIMIT 1 } RETURN c.name, km",
            [("Aro", 14), ("Bel", 20), ("Cor", 30)],
        ),
        (
            "GRAPH Net MATCH (d:Driver) OPTIONAL CALL (d) { MATCH (d)-[:Visit]->(c) RETURN "
            "d AS same, c.name AS city } RETURN d.name, same.id AS i, city",
            [("Ann", 1, "Aro"), ("Ann", 1, "Cor"), ("Bob", None, None)],
        ),
        (
            "GRAPH Net MATCH (a)-[e:Road]->(b) FILTER IS_FIRST(1) OVER (PARTITION BY a ORDER BY "
            "e.km DESC) RETURN a.id, e.km",
            [(1, 14), (2, 20), (3, 30)],
        ),
        (
            "GRAPH Net MATCH (a)-[e:Road]->(b) RETURN a.id, COUNT(*) AS n, "
            "IS_FIRST(1) OVER (ORDER BY COUNT(*), a.id DESC) AS fewest",
            [(1, 2, False), (2, 1, True), (3, 2, False)],
        ),
        (
            "GRAPH Net MATCH (a)-[e:Road]->(b) RETURN a, b.id AS b, SUM(e.km) AS km, IS_FIRST(1) "
            "OVER (PARTITION BY a ORDER BY SUM(e.km) DESC) AS f GROUP BY a, b NEXT "
            "RETURN a.id, b, km, f",
            [(1, 2, 24, True), (2, 3, 20, True), (3, 1, 30, True), (3, 3, 5, False)],
        ),
        (
            "GRAPH Net MATCH (a:City)-[e:Road]->{1,2}(b:City {id: 1}) "
            "RETURN a.id, ARRAY_TRANSFORM(e, x -> x.km) AS way",
            [(2, [20, 30]), (3, [5, 30]), (3, [30])],
        ),
        (
            "GRAPH Net MATCH (a {id: 1})-[e:Road]->{1,3}(b:City) LET s = SUM(e.km), n = COUNT(e) "
            "FILTER n = 3 AND b.id = 1 RETURN s",
            [(60,), (64,)],
        ),
        (
            "GRAPH Net MATCH (a {id: 1})-[e:Road WHERE e IN {MATCH -[f:Road]-> FILTER IS_FIRST(1) "
            "OVER (PARTITION BY SOURCE_NODE_ID(f) ORDER BY f.km DESC) RETURN f}]->{1,3}(b) "
            "RETURN b.id, ARRAY_LENGTH(e) AS n",
            [(2, 1), (3, 2), (1, 3)],
        ),
        (
            "GRAPH Net MATCH (a {id: 1})-[e:Road WHERE INT64(TO_JSON(e).properties.km) > 10]->"
            "{1,2}(b WHERE JSON_VALUE(TO_JSON(b).kind) = 'node') RETURN b.id",
            [(2,), (3,)],
        ),
        (
            "GRAPH Net MATCH ANY CHEAPEST (a {id: 1})-[e:Road COST "
            "INT64(TO_JSON(e).properties.km)]->{1,3}(b {id: 3}) LET s = SUM(e.km) RETURN s",
            [(30,)],
        ),
        (
            "GRAPH Net MATCH p = (a:City {id: 1})-[e:Road {n: 1}]->(b) FOR x IN NODES(p) "
            "MATCH (x)-[f:Road]->(y) RETURN x.id, f.km",
            [(1, 10), (1, 14), (2, 20)],
        ),
        (
            "GRAPH Net MATCH (c:City) RETURN c.id, EXISTS {MATCH (x)-[:ToNorth]->() WHERE x = c} "
            "AS t, c.id IN {MATCH (:Driver)-[:Visit]->(v) RETURN v.id} AS v",
            [(1, False, True), (2, False, False), (3, True, True)],
        ),
        (
            "SELECT c.name, g.b.name AS other FROM City AS c LEFT JOIN GRAPH_TABLE(Net MATCH "
            "(a:City)-[r:Road]->(b:City) WHERE a.id = c.id AND r.km > 14 RETURN b) AS g ON TRUE",
            [("Aro", None), ("Bel", "Cor"), ("Cor", "Aro")],
        ),
        (
            "SELECT a.c.name, b.km FROM GRAPH_TABLE(Net MATCH (c:City)<-[:Visit]-() RETURN c) AS a "
            "JOIN GRAPH_TABLE(Net MATCH (c:City)-[r:Road]->() RETURN c, r.km) AS b ON a.c = b.c",
            [("Aro", 10), ("Aro", 14), ("Cor", 5), ("Cor", 30)],
        ),
        (
            "SELECT a.name, COUNT(*) AS n FROM GRAPH_TABLE(Net MATCH (a:City)-[:Road]->() "
            "RETURN a) GROUP BY a",
            [("Aro", 2), ("Bel", 1), ("Cor", 2)],
        ),
    ],
)
def test_rows(net: Any, sql: str, rows: list[Any]) -> None:
    assert sorted(ask(net, sql), key=repr) == sorted(rows, key=repr)


def test_rows_written_in_the_same_transaction_are_seen(net: Any) -> None:
    def write(work: Any) -> list[Any]:
        work.execute_update("INSERT INTO Road (a, b, n, km) VALUES (2, 1, 7, 77)")
        sql = "GRAPH Net MATCH (a {id: 2})-[e:Road]->{1,1}(b {id: 1}) LET s = SUM(e.km) RETURN s"
        rows = list(work.execute_sql(sql))
        work.execute_update("DELETE FROM Road WHERE n = 7")
        return rows

    assert net.client().run_in_transaction(write) == [[77]]


def test_dml_reads_graphs(net: Any) -> None:
    sql = (
        "UPDATE City SET zone = zone "
        "WHERE id IN {GRAPH Net MATCH (:Driver {id: 1})-[:Visit]->(c) RETURN c.id}"
    )
    assert net.client().run_in_transaction(lambda work: work.execute_update(sql)) == 2


def test_a_role_needs_the_columns_of_used_properties(net: Any) -> None:
    options = {"database_role": "reader"}
    assert ask(net, "GRAPH Net MATCH (c:City {id: 1}) RETURN c.name", **options) == [("Aro",)]
    assert ask(net, "GRAPH Net MATCH (c:City) RETURN COUNT(c) AS n", **options) == [(3,)]
    for sql in (
        "GRAPH Net MATCH (c:City) RETURN c.zone",
        "GRAPH Net MATCH (c:City) RETURN TO_JSON(c) AS j",
        "GRAPH Net MATCH (c:City)-[:Road]->(x) RETURN x.name",
        "GRAPH Net MATCH (c:City)-[:Road]->{1,2}(x) RETURN x.name",
    ):
        with pytest.raises(PermissionDenied):
            ask(net, sql, **options)


@pytest.mark.parametrize(
    "sql",
    [
        "GRAPH Net MATCH (c:City) RETURN c",
        "GRAPH Net MATCH (a {id: 2})-[@{INDEX_STRATEGY=FORCE_INDEX_UNION} e:Road]->() RETURN e.km",
        "GRAPH Net MATCH (c:City) FILTER IS_FIRST(0) OVER () RETURN c.id",
        "GRAPH Net RETURN VALUE {MATCH (c:City) RETURN c.id} AS v",
        "GRAPH Net MATCH ANY CHEAPEST (a:City)-[e:Road COST e.km - 10]->(b) RETURN 1 AS x",
    ],
)
def test_refuses(net: Any, sql: str) -> None:
    with pytest.raises(GoogleAPICallError):
        ask(net, sql)

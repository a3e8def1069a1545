"""Plain lookups of edges have the plans that all rules together would make of them."""

from __future__ import annotations

import pytest

from spanemu.ddl.apply import plan_batch
from spanemu.schema.schema import EMPTY
from spanemu.sql.googlesql.dialect import GOOGLESQL
from spanemu.sql.plan.nodes import Filter, Node, Scan
from spanemu.sql.plan.paths import Lookup, PathScan, PlainLookup
from spanemu.sql.plan.traverse import walk
from spanemu.sql.planner import path_scan
from spanemu.sql.planner.build import plan_statement
from tests.golden.plan_text import plan_text
from tests.unit.sql.world import MemoryReader

SCHEMA = plan_batch(
    [
        "CREATE TABLE City (id INT64 NOT NULL, name STRING(MAX)) PRIMARY KEY (id)",
        "CREATE TABLE Pair (x INT64 NOT NULL, y STRING(9) NOT NULL, big INT64 AS (x * 2)) "
        "PRIMARY KEY (x, y)",
        "CREATE TABLE Road (a INT64 NOT NULL, b INT64 NOT NULL, km INT64) PRIMARY KEY (a, b)",
        "CREATE TABLE Track (id INT64 NOT NULL, a INT64, b INT64) PRIMARY KEY (id)",
        "CREATE TABLE Bond (id INT64 NOT NULL, x INT64 NOT NULL, y STRING(9) NOT NULL, "
        "FOREIGN KEY (id) REFERENCES City (id)) PRIMARY KEY (id, x, y)",
        "CREATE INDEX RoadsTo ON Road (b)",
        "CREATE INDEX TracksFrom ON Track (a)",
        "CREATE VIEW Short SQL SECURITY INVOKER AS SELECT r.a, r.b FROM Road AS r WHERE r.km < 9",
        "CREATE PROPERTY GRAPH G NODE TABLES (City, Pair) EDGE TABLES ("
        "Road SOURCE KEY (a) REFERENCES City (id) DESTINATION KEY (b) REFERENCES City (id),"
        "Track SOURCE KEY (a) REFERENCES City (id) DESTINATION KEY (b) REFERENCES City (id),"
        "Bond SOURCE KEY (id) REFERENCES City (id) DESTINATION KEY (x, y) REFERENCES Pair (x, y),"
        "Short KEY (a, b) SOURCE KEY (a) REFERENCES City (id) DESTINATION KEY (b) REFERENCES "
        "City (id))",
    ],
    EMPTY,
)[-1].schema


def planned(sql: str) -> Node:
    statement = GOOGLESQL.resolve(f"GRAPH G MATCH {sql}", SCHEMA, {})
    plan = plan_statement(statement, SCHEMA, MemoryReader({}, SCHEMA))
    return plan.root  # type: ignore[attr-defined, no-any-return]


def text_of(sql: str) -> str:
    statement = GOOGLESQL.resolve(f"GRAPH G MATCH {sql}", SCHEMA, {})
    return plan_text(plan_statement(statement, SCHEMA, MemoryReader({}, SCHEMA)))


def lookups(sql: str) -> list[Lookup]:
    (paths,) = [node for node in walk(planned(sql)) if isinstance(node, PathScan)]
    return list(paths.lookups())


@pytest.mark.parametrize(
    "sql",
    [
        "(a {id: 1})-[e:Road]->{1,3}(b) RETURN b.id",
        "(a {id: 1})<-[e:Road]-{1,3}(b) RETURN COUNT(*) AS n",
        "(a {id: 1})-[e:Track]->{1,3}(b:City) RETURN b.name",
        "(a {id: 1})<-[e:Track]-{1,3}(b) RETURN b.id",
        "(a {id: 1})-[e:Bond]->{1,1}(b:Pair) RETURN b.y",
        "(a:City {id: 1})-[e:Bond]-{1,2}(b:City) RETURN b.id",
        "p = (a {id: 1})-[e]-{1,3}(b) RETURN PATH_LENGTH(p) AS n",
        "p = TRAIL (a {id: 1})-[e:Road|Track]-{0,3}(b) RETURN TO_JSON(p) AS p",
        "ANY SHORTEST (a:City {id: 1})-[e:Road]->{1,5}(b:City {id: 9}) RETURN ARRAY_LENGTH(e) AS n",
        "ANY (a:City {id: 1})-[e:Road|Track]-{1,5}(b:City {id: 9}) RETURN ARRAY_LENGTH(e) AS n",
        "(a {id: 1})-[e:Road]->{1,3}(b) LET s = SUM(e.km) RETURN s",
        "(a {id: 1})-[@{FORCE_INDEX=RoadsTo} e:Road]->{1,3}(b) RETURN b.id",
        "(a {id: 1})-[e:Road WHERE e.km > 3]->{1,3}(b) RETURN b.id",
        "(a {id: 1})-[e:Short]->{1,3}(b) RETURN b.id",
    ],
)
def test_plan_is_that_of_the_rules(sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    quick = text_of(sql)
    monkeypatch.setattr(path_scan, "plain_lookup", lambda *_: None)
    assert quick == text_of(sql)


def test_no_lookup_is_left_without_a_plan() -> None:
    for sql in (
        "(a {id: 1})-[e]-{1,2}(b) RETURN b.id",
        "ANY SHORTEST (a:City {id: 1})-[e:Road]->+(b:City {id: 9}) RETURN 1 AS x",
    ):
        assert not any(isinstance(lookup, PlainLookup) for lookup in lookups(sql))


def test_step_reads_only_the_columns_that_are_used() -> None:
    (lookup,) = lookups("(a {id: 1})-[e:Road]->{1,3}(b) RETURN COUNT(*) AS n")
    scans = [node for node in walk(lookup.node) if isinstance(node, Scan)]
    assert not any(isinstance(node, Filter) for node in walk(lookup.node))
    read = {scan.table.name: {stored.name for _, stored in scan.outputs} for scan in scans}
    assert read == {"Road": {"a", "b"}, "City": {"id"}}

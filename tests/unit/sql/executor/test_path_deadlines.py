"""Searches of paths in a dense graph end at their deadline, and at their memory budget."""

from __future__ import annotations

import gc

import pytest

from spanemu.base.call import Cancelled
from spanemu.base.clock import SystemClock
from spanemu.base.errors import Code, SpannerError
from spanemu.base.limits import Limits
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import (
    CommitOptions,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.values.mutation import Write, WriteKind
from tests.unit.sql.executor.watch import Watch

NODES = 40
SECONDS_MAX = 0.01  # of processor time after the deadline
BUDGET_SECONDS = 0.2
TRIES = 12
MEMORY_BYTES = 4_000_000

DDL = [
    "CREATE TABLE N (id INT64 NOT NULL, x INT64) PRIMARY KEY (id)",
    "CREATE TABLE E (id INT64 NOT NULL, b INT64 NOT NULL, w INT64) PRIMARY KEY (id, b), "
    "INTERLEAVE IN PARENT N",
    "CREATE PROPERTY GRAPH G NODE TABLES (N) EDGE TABLES (E SOURCE KEY (id) REFERENCES N (id) "
    "DESTINATION KEY (b) REFERENCES N (id))",
]
SEARCHES = {
    "every walk": "MATCH (n)-[e]->{1,60}(m) RETURN COUNT(*) AS n",
    "walks to nowhere": "MATCH (n)-[e]->{1,60}(m WHERE m.x < 0) RETURN m.id",
    "groups": "MATCH (n)-[e]->{1,60}(m) LET w = SUM(e.w) RETURN MAX(w) AS n",
    "paths": "MATCH p = (n)-[e]->{1,60}(m) RETURN COUNT(p) AS n",
    "trails": "MATCH TRAIL (n)-[e]->+(m) RETURN COUNT(*) AS n",
    "acyclic, in any direction": "MATCH ACYCLIC (n)-[e]-+(m) RETURN COUNT(*) AS n",
    "copies of several edges": "MATCH (n)((a)-[]->(b)<-[]-(c) WHERE a.x < c.x){1,20}(m) RETURN m.id",
    "any, by paths": "MATCH ANY (n)((a)-[e]->(b) WHERE a.id != b.id AND a.x < 0){1,60}(m) RETURN m.id",
    "any of two segments": "MATCH ANY (n)-[e]->{1,30}(q)-[f]->{1,30}(m WHERE m.x < 0) RETURN m.id",
    "shortest from everywhere": "MATCH (z), (y), (w), ANY SHORTEST (n)-[e]->{1,60}(m) RETURN m.id",
    "cheapest": "MATCH (z), (y), (w), ANY CHEAPEST (n)-[e COST e.w]->{1,60}(m) RETURN m.id",
}
# Searches that hold every path that they have found.
GREEDY = {
    "any under a condition": "MATCH ANY (n {id: 1})((a)-[]->(b)-[]->(c) WHERE a.id != c.id){2,60}"
    "(m WHERE m.x < 0) RETURN m.id",
    "cheapest under a condition": "MATCH ANY CHEAPEST (n {id: 1})((a)-[e COST e.w]->(b)-[]->(c) "
    "WHERE a.id != c.id){2,60}(m WHERE m.x < 0) RETURN m.id",
}


def session_of(limits: Limits):
    environment = Environment(SystemClock(), limits=limits)
    database = Database.create(
        "projects/p/instances/i/databases/d", environment, GOOGLE_STANDARD_SQL
    )
    database.apply_ddl(DDL)
    session = database.sessions.create({})
    nodes = [[str(n), str(n % 7)] for n in range(NODES)]
    edges = [[str(a), str(b), str(a * 7 % 13 + b + 1)] for a in range(NODES) for b in range(NODES)]
    writes = [
        Write(WriteKind.INSERT, "N", ("id", "x"), nodes),
        Write(WriteKind.INSERT, "E", ("id", "b", "w"), edges),
    ]
    session.commit(SingleUse(ReadWriteOptions()), writes, CommitOptions())
    return session


@pytest.fixture(scope="module")
def session():
    return session_of(Limits())


def longest_interval(session, search: str) -> float:
    watch = Watch(BUDGET_SECONDS)
    gc.disable()
    try:
        with watch:
            for _ in session.execute(StatementRequest(f"GRAPH G {search}"), None).rows:
                pass
    except Cancelled:
        pass
    finally:
        gc.enable()
    return watch.longest


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_a_search_checks_its_deadline_often(session, search):
    longest_interval(session, search)  # The first run compiles the statement.
    longest = []
    while len(longest) < TRIES and (not longest or longest[-1] >= SECONDS_MAX):
        longest.append(longest_interval(session, search))
    assert longest[-1] < SECONDS_MAX, longest


@pytest.mark.parametrize("search", GREEDY.values(), ids=GREEDY)
def test_a_search_ends_at_its_memory_budget(search):
    session = session_of(Limits(statement_memory_bytes=MEMORY_BYTES))
    with pytest.raises(SpannerError) as failure:
        list(session.execute(StatementRequest(f"GRAPH G {search}"), None).rows)
    assert failure.value.code is Code.RESOURCE_EXHAUSTED

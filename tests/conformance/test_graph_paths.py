"""Paths of a graph through the official client: plans, transactions, deadlines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from google.api_core.exceptions import DeadlineExceeded, OutOfRange
from google.cloud.spanner_v1 import ExecuteSqlRequest, KeySet

import spanemu

SCHEMA = (
    "CREATE TABLE Account (Id INT64 NOT NULL) PRIMARY KEY (Id)",
    "CREATE TABLE Transfer (Id INT64 NOT NULL, ToId INT64 NOT NULL, Amount INT64) "
    "PRIMARY KEY (Id, ToId), INTERLEAVE IN PARENT Account",
    "CREATE PROPERTY GRAPH Bank NODE TABLES (Account) EDGE TABLES (Transfer "
    "SOURCE KEY (Id) REFERENCES Account (Id) DESTINATION KEY (ToId) REFERENCES Account (Id))",
)
CHAIN = [(1, 2), (2, 3), (3, 4), (4, 5)]
REACHED = "GRAPH Bank MATCH (a:Account {Id: 1})-[t]->{1,9}(b) RETURN b.Id ORDER BY b.Id"


@pytest.fixture
def bank() -> Iterator[Any]:
    """Yield a database with a chain of five accounts."""
    with spanemu.Emulator() as emulator:
        schema = [f"{each};" for each in SCHEMA]
        database = emulator.create_database("bank", schema=schema).client()
        with database.batch() as batch:
            batch.insert("Account", ("Id",), [(number,) for number in range(1, 6)])
            batch.insert("Transfer", ("Id", "ToId", "Amount"), [(*each, 1) for each in CHAIN])
        yield database


def rows(database: Any, sql: str, **options: Any) -> list[Any]:
    with database.snapshot() as snapshot:
        return list(snapshot.execute_sql(sql, **options))


def plan_of(database: Any, sql: str) -> Any:
    with database.snapshot() as snapshot:
        results = snapshot.execute_sql(sql, query_mode=ExecuteSqlRequest.QueryMode.PLAN)
        assert list(results) == []
        return results.stats.query_plan


def test_a_plan_shows_the_traversal_and_names_the_index_that_edges_lack(bank):
    plan = plan_of(bank, "GRAPH Bank MATCH (a {Id: 5})<-[t]-{1,4}(b) RETURN b.Id")
    assert "Recursive Union" in [node.display_name for node in plan.plan_nodes]
    (advice,) = plan.query_advice.index_advice
    assert [ddl.rpartition(" ON ")[2] for ddl in advice.ddl] == ["Transfer(ToId)"]
    along = plan_of(bank, "GRAPH Bank MATCH (a {Id: 5})-[t]->{1,4}(b) RETURN b.Id")
    assert not along.query_advice.index_advice


def test_paths_follow_rows_of_their_own_transaction(bank):
    def reached(transaction: Any) -> list[Any]:
        transaction.execute_update("INSERT INTO Account (Id) VALUES (6)")
        transaction.execute_update("INSERT INTO Transfer (Id, ToId, Amount) VALUES (5, 6, 1)")
        transaction.execute_update("DELETE FROM Transfer WHERE Id = 2")
        transaction.execute_update("INSERT INTO Transfer (Id, ToId, Amount) VALUES (2, 4, 1)")
        return list(transaction.execute_sql(REACHED))

    assert rows(bank, REACHED) == [[2], [3], [4], [5]]
    assert bank.run_in_transaction(reached) == [[2], [4], [5], [6]]


def test_paths_of_a_stale_read_are_those_of_its_time(bank):
    with bank.snapshot(multi_use=True) as before:
        assert len(list(before.execute_sql(REACHED))) == 4
        with bank.batch() as batch:
            batch.delete("Transfer", KeySet(keys=[(3, 4)]))
        assert len(list(before.execute_sql(REACHED))) == 4
    assert rows(bank, REACHED) == [[2], [3]]


def test_a_traversal_of_a_dense_graph_ends_at_its_deadline(bank):
    with bank.batch() as batch:
        pairs = [(a, b) for a in range(1, 6) for b in range(1, 6) if (a, b) not in CHAIN]
        batch.insert("Transfer", ("Id", "ToId", "Amount"), [(*each, 1) for each in pairs])
    sql = "GRAPH Bank MATCH (a)-[t]->{1,60}(b) RETURN COUNT(*) AS n"
    with pytest.raises(DeadlineExceeded):
        rows(bank, sql, timeout=0.5, retry=None)


def test_a_cost_of_zero_is_out_of_range_only_where_it_is_reached(bank):
    with bank.batch() as batch:
        batch.update("Transfer", ("Id", "ToId", "Amount"), [(3, 4, 0)])
    sql = "GRAPH Bank MATCH ANY CHEAPEST (a {{Id: {}}})-[t COST t.Amount]->{{1,2}}(b) RETURN b.Id"
    assert rows(bank, sql.format(1)) == [[2], [3]]
    with pytest.raises(OutOfRange, match="cost"):
        rows(bank, sql.format(2))


def test_an_edge_that_is_a_value_knows_its_ends(bank):
    sql = (
        "GRAPH Bank MATCH p = (a {Id: 1})-[t]->{2}(b) FOR one IN EDGES(p) FOR other IN NODES(p) "
        "FILTER other IS SOURCE OF one AND a IS NOT SOURCE OF one AND b IS DESTINATION OF one "
        "RETURN other.Id, one.ToId"
    )
    assert rows(bank, sql) == [[2, 3]]


@pytest.mark.parametrize(
    "sql",
    [
        "GRAPH Bank MATCH (a {Id: 1})-[t]->{2}(b) RETURN t NEXT FOR one IN t "
        "RETURN one.ToId, ARRAY_LENGTH(t) AS n, SIGN(ARRAY_LENGTH(t)) AS one",
        "SELECT one.ToId, ARRAY_LENGTH(t) AS n, SIGN(ARRAY_LENGTH(t)) AS one FROM "
        "GRAPH_TABLE(Bank MATCH (a {Id: 1})-[t]->{2}(b) RETURN t), UNNEST(t) AS one",
    ],
    ids=["NEXT", "GRAPH_TABLE"],
)
def test_a_group_variable_is_an_array_in_later_statements(bank, sql):
    assert sorted(rows(bank, sql)) == [[2, 2, 1], [3, 2, 1]]

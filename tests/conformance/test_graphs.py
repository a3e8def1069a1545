"""Graph queries beside everything else: transactions, stale reads, roles, partitions, dbapi."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.api_core.exceptions import FailedPrecondition, InvalidArgument, PermissionDenied
from google.cloud.spanner_dbapi.connection import Connection

import spanemu

SCHEMA = Path(__file__).parents[2] / "fixtures" / "transfers.sql"
TARGETS = (
    "GRAPH Transfers MATCH (:Account {AccountId: 1})-[:Sends]->{1,3}(b) "
    "RETURN b.AccountId ORDER BY b.AccountId"
)
NAMES = "GRAPH Transfers MATCH (p:Person) RETURN p.Name"


@pytest.fixture
def handle():
    with spanemu.Emulator() as emulator:
        handle = emulator.create_database("transfers", SCHEMA)
        with handle.client().batch() as batch:
            batch.insert("Person", ["PersonId", "Name"], [[1, "Ann"]])
            batch.insert("Account", ["AccountId"], [[1], [2], [3]])
            batch.insert("PersonOwnsAccount", ["PersonId", "AccountId"], [[1, 1]])
            batch.insert(
                "AccountSendsMoney",
                ["AccountId", "ToAccountId", "TransferId", "Amount"],
                [[1, 2, 1, 5.0], [2, 3, 1, 7.0]],
            )
        yield handle


@pytest.fixture
def database(handle):
    return handle.client()


def ask(database: Any, sql: str, **bound: Any) -> list[Any]:
    """Return the rows; a row of one column as its value."""
    with database.snapshot(**bound) as snapshot:
        return [row[0] if len(row) == 1 else tuple(row) for row in snapshot.execute_sql(sql)]


def change(database: Any, *statements: str) -> None:
    database.update_ddl(list(statements)).result()


def test_a_transaction_sees_its_own_writes_and_a_stale_read_does_not(database):
    with database.snapshot() as snapshot:
        before = snapshot.execute_sql("SELECT CURRENT_TIMESTAMP()").one()[0]

    def work(transaction: Any) -> list[Any]:
        transaction.insert_or_update("Account", ["AccountId"], [[4]])  # buffered until the commit
        transaction.execute_update(
            "INSERT INTO AccountSendsMoney (AccountId, ToAccountId, TransferId, Amount) "
            "VALUES (3, 1, 1, 1)"
        )
        return [row[0] for row in transaction.execute_sql(TARGETS)]

    assert database.run_in_transaction(work) == [1, 2, 3]
    assert ask(database, TARGETS) == [1, 2, 3]
    assert ask(database, TARGETS, read_timestamp=before) == [2, 3]


def test_a_text_that_ran_follows_the_schema(database):
    cities = "GRAPH Transfers MATCH (p:Person) RETURN p.City"
    assert ask(database, cities) == [None]
    change(
        database,
        "CREATE OR REPLACE PROPERTY GRAPH Transfers NODE TABLES (Person PROPERTIES (Name))",
    )
    with pytest.raises(InvalidArgument, match="City is not defined in PropertyGraph"):
        ask(database, cities)
    assert ask(database, NAMES) == ["Ann"]
    change(database, "DROP PROPERTY GRAPH Transfers")
    with pytest.raises(InvalidArgument, match="Property graph not found: Transfers"):
        ask(database, NAMES)


def test_tables_under_a_graph_stay(database):
    change(database, "DROP INDEX OwnersByAccount")
    with pytest.raises(FailedPrecondition, match="dependent property graphs: Transfers"):
        change(database, "DROP TABLE PersonOwnsAccount")
    change(database, "DROP PROPERTY GRAPH Transfers", "DROP TABLE PersonOwnsAccount")


@pytest.mark.parametrize(
    ("sql", "needs"),
    [
        (NAMES, ""),
        ("GRAPH Transfers MATCH (p:Person) RETURN p.City", "Person"),
        ("GRAPH Transfers MATCH (p:Person) RETURN TO_JSON(p) AS p", "Person"),
        ("GRAPH Transfers MATCH (p:Person)-[:Owns]->() RETURN p.Name", "Account"),
        ("GRAPH Transfers MATCH () RETURN COUNT(*) AS n", "Account"),
    ],
)
def test_a_role_needs_the_columns_behind_the_used_properties(database, sql, needs):
    change(
        database,
        "CREATE ROLE clerk",
        "GRANT SELECT(PersonId, Name) ON TABLE Person TO ROLE clerk",
    )
    clerk = database._instance.database("transfers", database_role="clerk")
    if not needs:
        assert ask(clerk, sql) == ["Ann"]
        return
    with pytest.raises(PermissionDenied, match=f"privileges on table {needs}"):
        ask(clerk, sql)


def test_queries_over_one_table_are_partitioned(database):
    batch = database.batch_snapshot()
    accounts = "GRAPH Transfers MATCH (a:Account) RETURN a.AccountId"
    rows = [
        row[0]
        for part in batch.generate_query_batches(accounts)
        for row in batch.process_query_batch(part)
    ]
    assert sorted(rows) == [1, 2, 3]
    paths = "GRAPH Transfers MATCH p = (:Account)-[:Sends]->{1,2}() RETURN PATH_LENGTH(p) AS n"
    with pytest.raises(InvalidArgument, match="not root partitionable"):
        list(batch.generate_query_batches(paths))


@pytest.mark.parametrize("autocommit", [True, False])
@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    "before", ["", "-- a comment\n", "/* another */ ", "@{USE_ADDITIONAL_PARALLELISM=TRUE} "]
)
def test_dbapi_takes_a_graph_statement_as_a_query(database, autocommit, read_only, before):
    connection = Connection(database._instance, database)
    connection.autocommit, connection.read_only = autocommit, read_only
    cursor = connection.cursor()
    cursor.execute(f"{before}graph Transfers MATCH (p:Person {{Name: %s}}) RETURN p.Name", ("Ann",))
    assert cursor.fetchall() == [("Ann",)]
    connection.close()


@pytest.mark.parametrize(
    "path",
    [
        "ANY (a:Account)",
        "ANY SHORTEST (a:Account)",
        "ALL (a:Account)",
        "TRAIL (a:Account)",
        "ANY SHORTEST (a:Account WHERE a.AccountId < 4)",
    ],
)
def test_a_prefix_of_a_single_node_finds_that_node(database, path):
    match = f"GRAPH Transfers MATCH p = {path} "
    assert ask(database, match + "RETURN a.AccountId AS id ORDER BY id") == [1, 2, 3]
    assert ask(database, match + "RETURN PATH_LENGTH(p) AS edges") == [0, 0, 0]
    result = ask(database, match + "RETURN ARRAY_LENGTH(NODES(p)) AS n, PATH_FIRST(p) = a AS same")
    assert result == [(1, True)] * 3
    joined = match + "MATCH (a)-[:Sends]->(b) RETURN a.AccountId AS a, b.AccountId AS b ORDER BY a"
    assert ask(database, joined) == [(1, 2), (2, 3)]
    assert ask(database, match + "FILTER a.AccountId = 2 RETURN a.AccountId AS id") == [2]

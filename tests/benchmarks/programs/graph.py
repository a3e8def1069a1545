"""Paths in a graph of accounts and transfers, beside SQL, SQLite and DuckDB. Prints JSON.

`graph.py ROUNDS NODES` measures the processor time of each query in milliseconds, the median of
the rounds, through the client of a database in this process. Each account has five transfers; one
more, the hub, has as many as there are accounts. `_first` is the first run of another text, in a
process that has imported what the query needs. SQLite answers with a recursive common table
expression, and so does DuckDB if it is installed. The last number is the planning of a path over a
graph of 30 node tables and 60 edge tables.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from itertools import count
from statistics import median
from time import process_time
from typing import Any

from google.cloud.spanner_v1 import param_types

import spanemu

DEGREE, BATCH = 5, 10_000
WIDE_NODES, WIDE_EDGES = 30, 60  # element tables of the wide graph
START, FAR = 7, 77
Run = Callable[[str], list[Any]]

DDL = [
    "CREATE TABLE Account (id INT64 NOT NULL, name STRING(MAX)) PRIMARY KEY (id)",
    "CREATE TABLE Transfer (id INT64 NOT NULL, to_id INT64 NOT NULL, n INT64 NOT NULL,"
    " amount INT64) PRIMARY KEY (id, to_id, n), INTERLEAVE IN PARENT Account",
    "CREATE INDEX TransfersTo ON Transfer (to_id)",
    "CREATE PROPERTY GRAPH Money NODE TABLES (Account) EDGE TABLES (Transfer"
    " SOURCE KEY (id) REFERENCES Account (id) DESTINATION KEY (to_id) REFERENCES Account (id))",
]
OTHER_DDL = [
    "CREATE TABLE Account (id BIGINT PRIMARY KEY, name TEXT)",
    "CREATE TABLE Transfer (id BIGINT, to_id BIGINT, n BIGINT, amount BIGINT,"
    " PRIMARY KEY (id, to_id, n))",
    "CREATE INDEX TransfersTo ON Transfer (to_id)",
]

_FROM = f"GRAPH Money MATCH (a:Account {{{{id: {START}}}}})"
_ENDS = "(a:Account {{{{id: {}}}}})-[e:Transfer{}]->{{{{1,{}}}}}(b:Account {{{{id: {}}}}})"
GRAPH: Mapping[str, str] = {
    "one_hop": f"{_FROM}-[:Transfer]->(b) RETURN b.id",
    "two_hops": f"{_FROM}-[:Transfer]->()-[:Transfer]->(b) RETURN COUNT(*) AS n",
    "limited": f"{_FROM}-[:Transfer]->{{{{1,4}}}}(b) RETURN b.id LIMIT 100",
    "all": f"{_FROM}-[:Transfer]->{{{{1,4}}}}(b) RETURN b.id",
    "shortest": f"GRAPH Money MATCH p = ANY SHORTEST {_ENDS.format(START, '', 8, FAR)} "
    "RETURN SAFE_TO_JSON(p) AS p",
    "cheapest": f"GRAPH Money MATCH ANY CHEAPEST {_ENDS.format(START, ' COST e.amount', 6, FAR)} "
    "RETURN ARRAY_LENGTH(e) AS n",
    "hub_limited": "GRAPH Money MATCH (a:Account {{id: {hub}}})-[:Transfer]->(b) "
    "RETURN b.id LIMIT 10",
    "hub_counted": "GRAPH Money MATCH (a:Account {{id: {hub}}})-[:Transfer]->(b) "
    "RETURN COUNT(*) AS n",
}
SQL: Mapping[str, str] = {
    "one_hop": "SELECT b.id FROM Account a JOIN Transfer t ON t.id = a.id "
    f"JOIN Account b ON b.id = t.to_id WHERE a.id = {START}",
    "two_hops": "SELECT COUNT(*) AS n FROM Account a JOIN Transfer t ON t.id = a.id "
    "JOIN Account m ON m.id = t.to_id JOIN Transfer u ON u.id = m.id "
    f"JOIN Account b ON b.id = u.to_id WHERE a.id = {START}",
}
_PATHS = (
    f"WITH RECURSIVE p(id, hops) AS (SELECT {START}, 0 UNION ALL SELECT t.to_id, p.hops + 1 "
    "FROM p JOIN Transfer t ON t.id = p.id JOIN Account b ON b.id = t.to_id WHERE p.hops < 4) "
    "SELECT id FROM p WHERE hops > 0"
)
OTHERS: Mapping[str, str] = {
    **SQL,
    "limited": f"{_PATHS} LIMIT 100",
    "all": _PATHS,
    "shortest": f"WITH RECURSIVE p(id, hops) AS (SELECT {START}, 0 UNION SELECT t.to_id, "
    "p.hops + 1 FROM p JOIN Transfer t ON t.id = p.id WHERE p.hops < 8) "
    f"SELECT MIN(hops) FROM p WHERE id = {FAR}",
}


def rows_of(nodes: int) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]]]:
    """Return accounts and transfers; the same ones in every process. The last account is the hub."""
    chance = random.Random(1)
    accounts = [(number, f"account {number}") for number in range(nodes + 1)]
    transfers = [
        (source, chance.randrange(nodes), number, chance.randrange(1, 100))
        for source in range(nodes)
        for number in range(DEGREE)
    ]
    return accounts, transfers + [(nodes, target, 0, 1) for target in range(nodes)]


def engine_of(emulator: Any, nodes: int) -> Run:
    """Load the graph, and return a function that runs a query."""
    database = emulator.create_database("money", schema=DDL).client()
    accounts, transfers = rows_of(nodes)
    loads = (("Account", ("id", "name"), accounts), ("Transfer", _COLUMNS, transfers))
    for table, columns, rows in loads:
        for start in range(0, len(rows), BATCH):
            with database.batch() as batch:
                batch.insert(table, columns, rows[start : start + BATCH])

    def run(sql: str) -> list[Any]:
        with database.snapshot() as snapshot:
            return list(snapshot.execute_sql(sql))

    return run


_COLUMNS = ("id", "to_id", "n", "amount")


def sqlite_of(nodes: int) -> Run:
    """Load the graph into SQLite, in memory."""
    connection = sqlite3.connect(":memory:")
    _load(connection, nodes)
    return lambda sql: connection.execute(sql).fetchall()


def duckdb_of(nodes: int) -> Run:
    """Load the graph into DuckDB, in memory and with one thread."""
    import duckdb  # type: ignore[import-not-found, unused-ignore]

    connection = duckdb.connect(":memory:", config={"threads": 1})
    _load(connection, nodes)
    return lambda sql: list(connection.execute(sql).fetchall())


def _load(connection: Any, nodes: int) -> None:
    for statement in OTHER_DDL:
        connection.execute(statement)
    accounts, transfers = rows_of(nodes)
    connection.executemany("INSERT INTO Account VALUES (?, ?)", accounts)
    connection.executemany("INSERT INTO Transfer VALUES (?, ?, ?, ?)", transfers)


def wide_schema(width: int) -> list[str]:
    """Return a graph with `width` node tables and twice as many edge tables."""
    nodes = [f"N{number}" for number in range(width)]
    edges = {
        f"E{number}": (nodes[number % width], nodes[(number * 7 + 1) % width])
        for number in range(width * WIDE_EDGES // WIDE_NODES)
    }
    declared = ", ".join(
        f"{edge} SOURCE KEY (a) REFERENCES {a} (id) DESTINATION KEY (b) REFERENCES {b} (id)"
        for edge, (a, b) in edges.items()
    )
    return [
        *(f"CREATE TABLE {name} (id INT64 NOT NULL, v INT64) PRIMARY KEY (id)" for name in nodes),
        *(
            f"CREATE TABLE {name} (a INT64 NOT NULL, b INT64 NOT NULL) PRIMARY KEY (a, b)"
            for name in edges
        ),
        f"CREATE PROPERTY GRAPH Wide NODE TABLES ({', '.join(nodes)}) EDGE TABLES ({declared})",
    ]


def milliseconds(run: Callable[[], Any], rounds: int) -> float:
    """Return the median processor time of a call."""
    taken = []
    for _ in range(rounds):
        began = process_time()
        run()
        taken.append(1_000 * (process_time() - began))
    return median(taken)


def measured(run: Run, queries: Mapping[str, str], rounds: int) -> dict[str, float]:
    """Return by name the processor time of each query."""
    return {
        name: milliseconds(lambda text=text: run(text), rounds)  # type: ignore[misc]
        for name, text in queries.items()
    }


def planning(emulator: Any, rounds: int, width: int) -> float:
    """Return the processor time of the first run of a text on a wide graph, without rows."""
    database = emulator.create_database(f"wide-{width}", schema=wide_schema(width)).client()
    text = "GRAPH Wide MATCH p = TRAIL (n)-[]-{0,2}() WHERE n.id = @id RETURN PATH_LENGTH(p) AS n"
    texts: Iterator[str] = (f"{text}{' ' * number}" for number in count())

    def run() -> None:
        with database.snapshot() as snapshot:
            kinds = {"id": param_types.INT64}
            list(snapshot.execute_sql(next(texts), params={"id": 1}, param_types=kinds))

    run()
    return milliseconds(run, rounds)


def main(rounds: int, nodes: int) -> None:
    numbers: dict[str, float] = {}
    with spanemu.Emulator() as emulator:
        run = engine_of(emulator, nodes)
        queries = {name: query.format(hub=nodes) for name, query in GRAPH.items()}
        measured(run, queries, 1)  # A process imports modules for its first statements.
        firsts = measured(run, {name: f"{query} " for name, query in queries.items()}, 1)
        numbers |= {f"{name}_first": taken for name, taken in firsts.items()}
        numbers |= measured(run, queries, rounds)
        in_sql = measured(run, SQL, rounds)
        numbers |= {f"{name}_sql": taken for name, taken in in_sql.items()}
        for label, load in {"sqlite": sqlite_of, "duckdb": duckdb_of}.items():
            if label == "duckdb" and find_spec("duckdb") is None:
                continue
            other = load(nodes)
            taken = measured(other, OTHERS, max(1, rounds // 4))
            numbers |= {f"{name}_{label}": time for name, time in taken.items()}
            assert sorted(other(_PATHS)) == sorted(map(tuple, run(queries["all"]))), label
        numbers["planning"] = planning(emulator, rounds, WIDE_NODES)
        numbers["planning_half"] = planning(emulator, rounds, WIDE_NODES // 2)
    print(json.dumps(numbers))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

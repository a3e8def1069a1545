"""Statements over line items of TPC-H, in the engine and in SQLite in memory, by their shape.

Arguments: rounds, and the number of orders, which have four line items each. Prints for each shape
the processor time in milliseconds of both, the quotient, and whether both gave the same rows. The
engine is measured without a client, whose own time would hide it.
"""

from __future__ import annotations

import gc
import json
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

from spanemu.base.clock import SystemClock
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import CommitOptions, ReadWriteOptions, SingleUse, StatementRequest
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.values.mutation import Write, WriteKind
from tests.benchmarks.programs import tpch

TABLES = ("Customer", "Orders", "Lineitem")
BATCH = 5_000

SHAPES: Mapping[str, str] = {
    "point query": "SELECT l_quantity FROM Lineitem WHERE l_orderkey = 33 AND l_linenumber = 1",
    "COUNT(*)": "SELECT COUNT(*) FROM Lineitem",
    "COUNT(*) of a range": "SELECT COUNT(*) FROM Lineitem WHERE l_orderkey > 1000",
    "filter": "SELECT l_orderkey FROM Lineitem WHERE l_quantity < 3 AND l_shipmode = 'AIR'",
    "LIKE": "SELECT l_orderkey FROM Lineitem WHERE l_comment LIKE '%abc%'",
    "sum": "SELECT SUM(l_extendedprice) FROM Lineitem",
    "aggregates": """
        SELECT COUNT(*), SUM(l_quantity), AVG(l_discount), MIN(l_shipdate), MAX(l_extendedprice)
        FROM Lineitem""",
    "MIN and MAX by group": """
        SELECT l_partkey, MIN(l_extendedprice), MAX(l_shipdate) FROM Lineitem GROUP BY l_partkey""",
    "a few groups": """
        SELECT l_shipmode, COUNT(*), SUM(l_quantity), AVG(l_tax) FROM Lineitem GROUP BY l_shipmode
        """,
    "many groups": """
        SELECT l_partkey, l_suppkey, COUNT(*), SUM(l_quantity), MAX(l_discount) FROM Lineitem
        GROUP BY l_partkey, l_suppkey""",
    "groups in order": """
        SELECT l_orderkey, COUNT(*), SUM(l_quantity), MIN(l_shipdate) FROM Lineitem
        GROUP BY l_orderkey""",
    "DISTINCT": "SELECT DISTINCT l_partkey, l_suppkey FROM Lineitem",
    "top 10": """
        SELECT l_orderkey, l_extendedprice FROM Lineitem ORDER BY l_extendedprice DESC LIMIT 10""",
    "top 100 by two keys": """
        SELECT l_orderkey, l_shipdate FROM Lineitem ORDER BY l_shipdate, l_extendedprice DESC
        LIMIT 100""",
    "sort": "SELECT l_orderkey, l_partkey FROM Lineitem ORDER BY l_extendedprice",
    "IN (subquery)": """
        SELECT o_orderkey, o_totalprice FROM Orders
        WHERE o_orderkey IN (SELECT l_orderkey FROM Lineitem WHERE l_quantity > 25)""",
    "IN (subquery) of few": """
        SELECT o_orderkey, o_totalprice FROM Orders
        WHERE o_orderkey IN (SELECT l_orderkey FROM Lineitem WHERE l_extendedprice > 98000)""",
    "EXISTS": """
        SELECT o_orderkey FROM Orders
        WHERE EXISTS (SELECT 1 FROM Lineitem WHERE l_orderkey = o_orderkey AND l_quantity > 45)""",
    "join": """
        SELECT l_orderkey, l_quantity, o_totalprice FROM Lineitem, Orders
        WHERE l_orderkey = o_orderkey""",
    "join of a part": """
        SELECT o_orderkey, c_name FROM Orders, Customer
        WHERE c_custkey = o_custkey AND o_orderpriority = '1-URGENT'""",
    "self-join": """
        SELECT COUNT(*) FROM Lineitem a, Lineitem b
        WHERE a.l_orderkey = b.l_orderkey AND a.l_partkey = b.l_partkey""",
}


def session_of(rows: Mapping[str, list[Any]]) -> Any:
    """Load the rows into a database of the engine, and return a session."""
    database = Database.create(
        "projects/p/instances/i/databases/d", Environment(SystemClock()), GOOGLE_STANDARD_SQL
    )
    ddl = []
    for table in TABLES:
        columns, keys = tpch.TABLES[table]
        typed = columns.replace("STRING", "STRING(100)").replace(",", " NOT NULL,")
        key = ", ".join(tpch.columns_of(table)[:keys])
        ddl.append(f"CREATE TABLE {table} ({typed} NOT NULL) PRIMARY KEY ({key})")
    database.apply_ddl(ddl)
    session = database.sessions.create({})
    for table in TABLES:
        cells = list(rows[table])
        for start in range(0, len(cells), BATCH):
            values = [
                [str(cell) if isinstance(cell, int) else cell for cell in row]
                for row in cells[start : start + BATCH]
            ]
            write = Write(WriteKind.INSERT, table, tuple(tpch.columns_of(table)), values)
            session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())
    return session


def engine_of(rows: Mapping[str, list[Any]]) -> Callable[[str], list[Any]]:
    session = session_of(rows)
    return lambda sql: list(session.execute(StatementRequest(sql, {}, {}), None).rows)


def sqlite_of(rows: Mapping[str, list[Any]]) -> Callable[[str], list[Any]]:
    connection = sqlite3.connect(":memory:")
    for table in TABLES:
        columns, keys = tpch.TABLES[table]
        typed = columns.replace("INT64", "INTEGER").replace("FLOAT64", "REAL")
        typed = typed.replace("STRING", "TEXT").replace("DATE", "TEXT")
        key = ", ".join(tpch.columns_of(table)[:keys])
        end = " WITHOUT ROWID" if keys > 1 else ""
        connection.execute(f"CREATE TABLE {table} ({typed}, PRIMARY KEY ({key})){end}")
        marks = ", ".join("?" * len(tpch.columns_of(table)))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows[table])
    return lambda sql: connection.execute(sql).fetchall()


def are_equal(ours: list[Any], theirs: list[Any]) -> bool:
    """Return whether two results hold the same rows; sums may be rounded apart."""
    keyed = [sorted(each, key=lambda row: list(map(str, row[:2]))) for each in (ours, theirs)]
    return not theirs or tpch.are_equal(*keyed)


def seconds_of(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main(rounds: int, orders: int) -> dict[str, float]:
    tpch.ORDERS = orders
    rows = tpch.rows_of_tables()
    engine, sqlite = engine_of(rows), sqlite_of(rows)
    gc.freeze()  # as an emulator does
    numbers: dict[str, float] = {}
    for name, sql in SHAPES.items():
        numbers[f"{name}_equal"] = are_equal(engine(sql), sqlite(sql))
        # Not in turns: a scan of either would drive the other's few objects out of the caches.
        ours, theirs = [
            min(seconds_of(lambda: run(sql)) for _ in range(rounds))  # noqa: B023
            for run in (engine, sqlite)
        ]
        numbers[name], numbers[f"{name}_sqlite"] = ours * 1e3, theirs * 1e3
        numbers[f"{name}_ratio"] = ours / theirs
    return numbers


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]))))

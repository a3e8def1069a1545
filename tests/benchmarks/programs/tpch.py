"""Queries like those of TPC-H over 60,000 line items, in the engine and in SQLite in memory.

Prints for each query the processor time in milliseconds of both, the quotient, and whether both
gave the same rows. Tables, keys and rows follow TPC-H at a scale of 1/100; columns that no query
here reads are left out, except those that make a row as wide as it usually is.
"""

from __future__ import annotations

import json
import random
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from math import isclose
from typing import Any

import spanemu

ORDERS, CUSTOMERS, SUPPLIERS = 15_000, 1_500, 100
LINES_MAX = 7  # of an order; four on average
BATCH = 5_000

# By table: its columns and types, and the number of key columns, which come first.
TABLES: Mapping[str, tuple[str, int]] = {
    "Region": ("r_regionkey INT64, r_name STRING", 1),
    "Nation": ("n_nationkey INT64, n_name STRING, n_regionkey INT64", 1),
    "Supplier": ("s_suppkey INT64, s_name STRING, s_nationkey INT64, s_acctbal FLOAT64", 1),
    "Customer": (
        "c_custkey INT64, c_name STRING, c_address STRING, c_nationkey INT64, c_phone STRING,"
        " c_acctbal FLOAT64, c_mktsegment STRING, c_comment STRING",
        1,
    ),
    "Orders": (
        "o_orderkey INT64, o_custkey INT64, o_orderstatus STRING, o_totalprice FLOAT64,"
        " o_orderdate DATE, o_orderpriority STRING, o_shippriority INT64, o_comment STRING",
        1,
    ),
    "Lineitem": (
        "l_orderkey INT64, l_linenumber INT64, l_partkey INT64, l_suppkey INT64,"
        " l_quantity FLOAT64, l_extendedprice FLOAT64, l_discount FLOAT64, l_tax FLOAT64,"
        " l_returnflag STRING, l_linestatus STRING, l_shipdate DATE, l_commitdate DATE,"
        " l_receiptdate DATE, l_shipmode STRING, l_comment STRING",
        2,
    ),
}

QUERIES: Mapping[str, str] = {
    "Q1": """
        SELECT l_returnflag, l_linestatus, SUM(l_quantity), SUM(l_extendedprice),
          SUM(l_extendedprice * (1 - l_discount)),
          SUM(l_extendedprice * (1 - l_discount) * (1 + l_tax)),
          AVG(l_quantity), AVG(l_extendedprice), AVG(l_discount), COUNT(*)
        FROM Lineitem WHERE l_shipdate <= DATE '1998-09-02'
        GROUP BY l_returnflag, l_linestatus ORDER BY l_returnflag, l_linestatus""",
    "Q3": """
        SELECT l_orderkey, SUM(l_extendedprice * (1 - l_discount)) AS revenue, o_orderdate,
          o_shippriority
        FROM Customer, Orders, Lineitem
        WHERE c_mktsegment = 'BUILDING' AND c_custkey = o_custkey AND l_orderkey = o_orderkey
          AND o_orderdate < DATE '1995-03-15' AND l_shipdate > DATE '1995-03-15'
        GROUP BY l_orderkey, o_orderdate, o_shippriority
        ORDER BY revenue DESC, o_orderdate LIMIT 10""",
    "Q5": """
        SELECT n_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue
        FROM Customer, Orders, Lineitem, Supplier, Nation, Region
        WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey AND l_suppkey = s_suppkey
          AND c_nationkey = s_nationkey AND s_nationkey = n_nationkey
          AND n_regionkey = r_regionkey AND r_name = 'ASIA'
          AND o_orderdate >= DATE '1994-01-01' AND o_orderdate < DATE '1995-01-01'
        GROUP BY n_name ORDER BY revenue DESC""",
    "Q6": """
        SELECT SUM(l_extendedprice * l_discount) AS revenue FROM Lineitem
        WHERE l_shipdate >= DATE '1994-01-01' AND l_shipdate < DATE '1995-01-01'
          AND l_discount BETWEEN 0.05 AND 0.07 AND l_quantity < 24""",
    "Q10": """
        SELECT c_custkey, c_name, SUM(l_extendedprice * (1 - l_discount)) AS revenue, c_acctbal,
          n_name, c_address, c_phone, c_comment
        FROM Customer, Orders, Lineitem, Nation
        WHERE c_custkey = o_custkey AND l_orderkey = o_orderkey
          AND o_orderdate >= DATE '1993-10-01' AND o_orderdate < DATE '1994-01-01'
          AND l_returnflag = 'R' AND c_nationkey = n_nationkey
        GROUP BY c_custkey, c_name, c_acctbal, c_phone, n_name, c_address, c_comment
        ORDER BY revenue DESC LIMIT 20""",
    "Q18": """
        SELECT c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice, SUM(l_quantity)
        FROM Customer, Orders, Lineitem
        WHERE o_orderkey IN (
            SELECT l_orderkey FROM Lineitem GROUP BY l_orderkey HAVING SUM(l_quantity) > 270)
          AND c_custkey = o_custkey AND o_orderkey = l_orderkey
        GROUP BY c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
        ORDER BY o_totalprice DESC, o_orderdate LIMIT 100""",
}

_SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
_PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
_MODES = ("AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK")
_REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
_NATIONS = 25
_FIRST, _DAYS = date(1992, 1, 1), 2_406  # days on which orders are made
_TODAY = date(1995, 6, 17)  # in TPC-H's world


def columns_of(table: str) -> list[str]:
    return [column.split()[0] for column in TABLES[table][0].split(", ")]


def rows_of_tables() -> dict[str, list[tuple[Any, ...]]]:
    """Return rows of every table; the same in every process."""
    chance = random.Random(22)
    orders, lines = [], []
    for order in range(1, ORDERS + 1):
        # As in TPC-H, keys of orders have gaps, and a third of the customers has no order.
        key = (order - 1) // 8 * 32 + (order - 1) % 8 + 1
        day = _FIRST + timedelta(chance.randrange(_DAYS))
        own = [
            _line(chance, key, number, day) for number in range(1, chance.randint(1, LINES_MAX) + 1)
        ]
        total = round(sum(line[5] * (1 + line[7]) * (1 - line[6]) for line in own), 2)
        customer = chance.randrange(CUSTOMERS // 3) * 3 + chance.randint(1, 2)
        status = "F" if day < _TODAY - timedelta(121) else "O"
        priority = chance.choice(_PRIORITIES)
        orders.append((key, customer, status, total, day.isoformat(), priority, 0, _text(chance)))
        lines += own
    return {
        "Region": list(enumerate(_REGIONS)),
        "Nation": [(n, f"NATION {n:02}", n % len(_REGIONS)) for n in range(_NATIONS)],
        "Supplier": [
            (n, f"Supplier#{n:09}", chance.randrange(_NATIONS), _money(chance))
            for n in range(1, SUPPLIERS + 1)
        ],
        "Customer": [
            (
                n,
                f"Customer#{n:09}",
                _text(chance),
                chance.randrange(_NATIONS),
                f"{chance.randrange(10**10):010}",
                _money(chance),
                chance.choice(_SEGMENTS),
                _text(chance),
            )
            for n in range(1, CUSTOMERS + 1)
        ],
        "Orders": orders,
        "Lineitem": lines,
    }


def _line(chance: random.Random, order: int, number: int, day: date) -> tuple[Any, ...]:
    shipped = day + timedelta(chance.randint(1, 121))
    committed = day + timedelta(chance.randint(30, 90))
    received = shipped + timedelta(chance.randint(1, 30))
    quantity = float(chance.randint(1, 50))
    price = round(quantity * chance.randint(90_000, 200_000) / 100, 2)
    discount, tax = chance.randint(0, 10) / 100, chance.randint(0, 8) / 100
    flag = chance.choice("AR") if received <= _TODAY else "N"
    return (
        order, number, chance.randint(1, 2_000), chance.randint(1, SUPPLIERS), quantity, price,
        discount, tax, flag, "O" if shipped > _TODAY else "F", shipped.isoformat(),
        committed.isoformat(), received.isoformat(), chance.choice(_MODES), _text(chance),
    )  # fmt: skip


def _money(chance: random.Random) -> float:
    return chance.randint(-99_999, 999_999) / 100


def _text(chance: random.Random) -> str:
    return f"{chance.getrandbits(120):030x}"


def engine_of(emulator: Any, rows: Mapping[str, list[tuple[Any, ...]]]) -> Callable[[str], Any]:
    """Load the rows into a database, and return a function that runs a query."""
    ddl = []
    for table, (columns, keys) in TABLES.items():
        typed = columns.replace("STRING", "STRING(100)").replace(",", " NOT NULL,")
        key = ", ".join(columns_of(table)[:keys])
        ddl.append(f"CREATE TABLE {table} ({typed} NOT NULL) PRIMARY KEY ({key})")
    database = emulator.create_database("tpch", schema=ddl).client()
    for table, cells in rows.items():
        for start in range(0, len(cells), BATCH):
            with database.batch() as batch:
                batch.insert(table, columns_of(table), cells[start : start + BATCH])

    def run(sql: str) -> list[Any]:
        with database.snapshot() as snapshot:
            return list(snapshot.execute_sql(sql))

    return run


def sqlite_of(rows: Mapping[str, list[tuple[Any, ...]]]) -> Callable[[str], list[Any]]:
    """Load the rows into SQLite, with the same keys, and return a function that runs a query."""
    connection = sqlite3.connect(":memory:")
    for table, (columns, keys) in TABLES.items():
        typed = columns.replace("INT64", "INTEGER").replace("FLOAT64", "REAL")
        typed = typed.replace("STRING", "TEXT").replace("DATE", "TEXT")
        # A single INTEGER key is SQLite's own row number, its fastest key.
        key = ", ".join(columns_of(table)[:keys])
        end = " WITHOUT ROWID" if keys > 1 else ""
        connection.execute(f"CREATE TABLE {table} ({typed}, PRIMARY KEY ({key})){end}")
        marks = ", ".join("?" * len(columns_of(table)))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows[table])
    return lambda sql: connection.execute(sql.replace("DATE '", "'")).fetchall()


def are_equal(ours: list[Any], theirs: list[Any]) -> bool:
    """Return whether two results are the same rows in the same order; sums may be rounded apart."""
    return len(ours) == len(theirs) > 0 and all(
        len(mine) == len(row) and all(map(_is_same, mine, row))
        for mine, row in zip(ours, theirs, strict=True)
    )


def _is_same(mine: Any, other: Any) -> bool:
    if isinstance(other, float):
        return isclose(mine, other, rel_tol=1e-11)
    return bool((mine.isoformat() if isinstance(mine, date) else mine) == other)


def seconds_of(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def main(rounds: int) -> dict[str, float]:
    rows = rows_of_tables()
    with spanemu.Emulator() as emulator:
        return measured(engine_of(emulator, rows), sqlite_of(rows), rounds)


def measured(
    engine: Callable[[str], Any], sqlite: Callable[[str], Any], rounds: int
) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for name, sql in QUERIES.items():
        numbers[f"{name}_equal"] = are_equal(engine(sql), sqlite(sql))
        pairs = [
            (seconds_of(lambda: engine(sql)), seconds_of(lambda: sqlite(sql)))  # noqa: B023
            for _ in range(rounds)
        ]
        ours, theirs = (min(taken) for taken in zip(*pairs, strict=True))
        numbers[name], numbers[f"{name}_sqlite"] = ours * 1e3, theirs * 1e3
        numbers[f"{name}_ratio"] = ours / theirs
    return numbers


if __name__ == "__main__":
    print(json.dumps(main(int(sys.argv[1]))))

"""Paths in a graph of 100,000 accounts, beside the same in SQL, SQLite and DuckDB.

`SPANEMU_BENCHMARK_NODES` sets another number of accounts; see the program for rows and queries.
"""

from __future__ import annotations

import os

from rich.console import Console

from tests.benchmarks import anchor
from tests.benchmarks.programs.graph import GRAPH

NODES = 100_000
GOALS = {
    "one_hop": "1.15 times SQL",
    "two_hops": "1.15 times SQL",
    "limited": "< 1.2",
    "all": "< 6",
    "shortest": "< 6",
    "cheapest": "< 40",
    "hub_limited": "< 3",
    "hub_counted": "< 150",
}


def main(rounds: int = 20) -> None:
    nodes = int(os.environ.get("SPANEMU_BENCHMARK_NODES", NODES))
    numbers = anchor.run_in_turns("graph", max(1, rounds // 10), str(rounds), str(nodes))
    known = numbers["now"][0]
    rows = []
    for name in GRAPH:
        label = name.replace("_", " ")
        rows.append((name, f"{label}, ms", ".2f", GOALS[name]))
        rows.append((f"{name}_first", "  its first run", ".1f", "< 25"))
        rows += [
            (f"{name}_{other}", f"  in {shown}", ".2f", "")
            for other, shown in (("sql", "SQL"), ("sqlite", "SQLite"), ("duckdb", "DuckDB"))
            if f"{name}_{other}" in known
        ]
    rows.append(("planning", "first run of a text, 30 and 60 element tables, ms", ".1f", "< 30"))
    rows.append(("planning_half", "  15 and 30 element tables", ".1f", "half of it"))
    title = f"Paths among {nodes:,} accounts with five transfers each; processor time"
    console = Console(width=120)
    console.print(anchor.table(title, numbers, rows))
    if "all_duckdb" not in known:
        console.print("DuckDB is not here: `pip install duckdb` to measure it in the same run.")

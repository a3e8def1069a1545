"""Queries like those of TPC-H, beside SQLite in memory; see the program for tables and rows."""

from __future__ import annotations

from math import prod

from rich.console import Console

from tests.benchmarks import anchor
from tests.benchmarks.programs.tpch import QUERIES

RATIO_MAX, MEAN_MAX = 5, 3


def main(rounds: int = 20) -> None:
    numbers = anchor.run_in_turns("tpch", max(1, rounds // 7), str(rounds))
    for taken in numbers.values():
        for item in taken:
            assert all(item[f"{name}_equal"] for name in QUERIES), "SQLite gives other rows"
            ratios = [item[f"{name}_ratio"] for name in QUERIES]
            item["mean"] = prod(ratios) ** (1 / len(ratios))
    rows = []
    for name in QUERIES:
        rows += [
            (name, f"{name}, ms", ".1f", ""),
            (f"{name}_ratio", "times SQLite", ".1f", f"< {RATIO_MAX}"),
        ]
    rows.append(("mean", "geometric mean of times SQLite", ".1f", f"< {MEAN_MAX}"))
    title = "TPC-H-like queries, 60,000 line items; processor time"
    Console(width=120).print(anchor.table(title, numbers, rows))

"""Shapes of statements that stand out, over 60,000 and 600,000 line items, beside SQLite."""

from __future__ import annotations

import os
from math import prod

from rich.console import Console

from tests.benchmarks import anchor
from tests.benchmarks.programs.shapes import SHAPES

ORDERS = (15_000, 150_000)  # of four line items each
RATIO_MAX, MEAN_MAX, COUNT_MAX = 4, 1.8, 2
_COUNTS = ("COUNT(*)", "COUNT(*) of a range")
_POINT = "point query"


def main(rounds: int = 20) -> None:
    """Print a table for each size; `SPANEMU_BENCHMARK_ROWS` names one size, in line items."""
    given = os.environ.get("SPANEMU_BENCHMARK_ROWS")
    for orders in (int(given) // 4,) if given else ORDERS:
        _print(orders, rounds)


def _print(orders: int, rounds: int) -> None:
    numbers = anchor.run_in_turns("shapes", max(1, rounds // 10), str(rounds // 2), str(orders))
    compared = [name for name in SHAPES if name not in (*_COUNTS, _POINT)]
    for taken in numbers.values():
        for item in taken:
            assert all(item[f"{name}_equal"] for name in SHAPES), "SQLite gives other rows"
            item["mean"] = prod(item[f"{name}_ratio"] for name in compared) ** (1 / len(compared))
            for name in _COUNTS:
                item[f"{name}_points"] = item[name] / item[_POINT]
    rows = [(_POINT, f"{_POINT}, ms", ".3f", "")]
    for name in _COUNTS:
        rows += [
            (name, f"{name}, ms", ".3f", ""),
            (f"{name}_points", "times a point query", ".1f", f"< {COUNT_MAX}"),
        ]
    for name in compared:
        rows += [
            (name, f"{name}, ms", ".1f", ""),
            (f"{name}_ratio", "times SQLite", ".1f", f"< {RATIO_MAX}"),
        ]
    rows.append(("mean", "geometric mean of times SQLite", ".1f", f"< {MEAN_MAX}"))
    title = f"Shapes of statements, {4 * orders:,} line items; processor time"
    Console(width=120).print(anchor.table(title, numbers, rows))

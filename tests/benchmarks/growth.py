"""What grows with the number of tables and of snapshots: times at two sizes, and their ratio."""

from __future__ import annotations

from rich.console import Console

from tests.benchmarks import anchor
from tests.benchmarks.programs.growth import SESSIONS, SNAPSHOTS, TABLES

# The work, its name in the program, the two sizes, and the unit of the sizes.
_WORK = [
    ("columns of one table in INFORMATION_SCHEMA", "columns", TABLES, "tables"),
    ("clone", "clone", TABLES, "tables"),
    ("snapshot, taken and released", "snapshot", SNAPSHOTS, "snapshots"),
    ("page of 100 sessions", "sessions", SESSIONS, "sessions"),
]


def main(rounds: int = 20) -> None:
    numbers = anchor.run_in_turns("growth", max(1, rounds // 7))
    rows = []
    for label, name, (small, large), unit in _WORK:
        for taken in numbers.values():
            for item in taken:
                item[f"{name}_growth"] = item[f"{name}_{large}"] / item[f"{name}_{small}"]
        rows += [
            (f"{name}_{small}", f"{label}, {small:,} {unit}, µs", ",.0f", ""),
            (f"{name}_{large}", f"{label}, {large:,} {unit}, µs", ",.0f", ""),
            (f"{name}_growth", "times", ".1f", "< 2"),
        ]
    Console(width=120).print(anchor.table("Growth; processor time", numbers, rows))

"""A table of a million rows with two indexes: its load, queries, clones and deleted rows.

`SPANEMU_BENCHMARK_ROWS` sets another number of rows.
"""

from __future__ import annotations

import os

from rich.console import Console

from tests.benchmarks import anchor

ROWS = 1_000_000
QUERIES = ("count", "sum", "filter", "group", "like")


def main(rounds: int = 1) -> None:
    rows = int(os.environ.get("SPANEMU_BENCHMARK_ROWS", ROWS))
    turns = max(1, rounds // 20)
    numbers = anchor.run_in_turns("large_table", turns, str(rows))
    steady = anchor.run_in_turns("large_table", turns, str(rows), "steady")
    for name, several in steady.items():
        for item, more in zip(numbers[name], several, strict=True):
            item |= more
    table = anchor.table(
        f"A table of {rows:,} rows without the client's cost; processor time",
        numbers,
        [
            ("load_seconds", "load, s", ".1f", "now / anchor <= 0.5"),
            ("last_to_first_tenth", "last tenth / first, in memory at hand", ".2f", "< 1.2"),
            ("last_to_first_tenth_in_new_memory", "the same in new memory", ".2f", ""),
            ("commit_p50_ms", "commit of 1,000 rows, median, ms", ".1f", ""),
            ("commit_p99_ms", "the same, 99th percentile, ms", ".1f", "< 40"),
            ("commit_max_ms", "the same, longest, ms", ".0f", ""),
            ("bytes_per_row", "memory, bytes a row", ",.0f", "<= 1,300"),
            *((f"{name}_first_ms", f"{name}, first time, ms", ".0f", "") for name in QUERIES),
            *((f"{name}_ms", f"{name}, ms", ".0f", "now / anchor <= 0.67") for name in QUERIES),
            ("clone_first_write_ms", "first write to a clone, ms", ".2f", "< 10"),
            ("source_first_write_ms", "first write to its source, ms", ".2f", "< 10"),
            ("first_past_deleted_ms", "LIMIT 1 past 100,000 deleted rows, ms", ".2f", "< 1"),
            ("again_past_deleted_ms", "the same, repeated, ms", ".2f", "< 1"),
        ],
    )
    Console().print(table)

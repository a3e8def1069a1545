"""The store alone, with a million rows: what leaves of rows cost, and what they save.

`SPANEMU_BENCHMARK_ROWS` sets another number of rows.
"""

from __future__ import annotations

import os

from rich.console import Console

from tests.benchmarks import anchor

ROWS = 1_000_000


def main(rounds: int = 1) -> None:
    rows = int(os.environ.get("SPANEMU_BENCHMARK_ROWS", ROWS))
    numbers = anchor.run_in_turns("storage", max(1, rounds // 10), str(rows))
    table = anchor.table(
        f"The store alone, {rows:,} rows; processor time",
        numbers,
        [
            ("load_us", "load in random order, us a row", ".2f", "now / anchor <= 1.1"),
            ("get_us", "row by key, us", ".2f", "now - anchor <= 0.2"),
            ("get_in_clone_us", "row by key in a written clone, us", ".2f", ""),
            ("update_us", "update of a row, us", ".2f", ""),
            ("first_scan_ns", "scan after updates, ns a row", ".0f", ""),
            ("scan_ns", "scan, ns a row", ".0f", ""),
            ("clone_first_write_ms", "first write to a clone, ms", ".2f", "< 10"),
            ("source_first_write_ms", "first write to its source, ms", ".2f", "< 10"),
            ("first_past_deleted_ms", "first row past 100,000 deleted ones, ms", ".2f", "< 1"),
        ],
    )
    Console().print(table)

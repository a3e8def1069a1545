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
    scan_order(rounds, rows)


def scan_order(rounds: int, rows: int) -> None:
    """Print what a load in random order costs the scans after it."""
    by_order = {
        order: anchor.run_in_turns("scan_order", max(1, rounds // 10), str(rows), order)
        for order in ("key", "random")
    }
    numbers = by_order["random"]
    for name, taken in numbers.items():
        for item, ordered in zip(taken, by_order["key"][name], strict=True):
            item["ratio"] = item["scan_ms"] / ordered["scan_ms"]
            item["key_ms"], item["key_bytes"] = ordered["scan_ms"], ordered["scanned_bytes"]
    table = anchor.table(
        f"Scans that add up a column, {rows:,} rows; processor time",
        numbers,
        [
            ("key_ms", "after a load in the order of keys, ms", ".0f", ""),
            ("first_ms", "after a load in random order, the first, ms", ".0f", ""),
            ("second_ms", "the second, ms", ".0f", ""),
            ("scan_ms", "later ones, ms", ".0f", ""),
            ("ratio", "random / key order", ".2f", "< 1.3"),
            ("key_bytes", "resident bytes of a row, key order", ".0f", ""),
            ("loaded_bytes", "random order, loaded", ".0f", ""),
            ("scanned_bytes", "random order, scanned", ".0f", "now / anchor <= 1"),
        ],
    )
    Console().print(table)

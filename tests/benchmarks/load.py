"""`spanemu load` of CSV with parents, generated columns, indexes, JSON and a change stream.

`--megabytes` sets the size of the files, 1,024 by default. Processor time is that of the server and
of the command together, memory that of the server: what the load adds. Half of the files is loaded
as well: cost that grows with the number of rows shows in the cost of the second half.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from rich.console import Console

from tests.benchmarks import anchor
from tests.benchmarks.programs.load_files import write_files

MEGABYTES = 1_024
GOAL_SECONDS, GOAL_GIGABYTES = 70, 2.8  # of 1,024 megabytes
ROUNDS_PER_TURN = 20


def main(rounds: int = 1) -> None:
    """Measure the load by this checkout, and by the others."""
    megabytes = int(os.environ.get("SPANEMU_BENCHMARK_MEGABYTES", MEGABYTES))
    turns = max(1, rounds // ROUNDS_PER_TURN)
    with tempfile.TemporaryDirectory() as directory:
        whole, half = Path(directory) / "whole", Path(directory) / "half"
        for folder in (whole, half):
            folder.mkdir()
        rows = write_files(whole, megabytes)
        write_files(half, megabytes // 2)
        numbers = anchor.run_in_turns("load", turns, str(whole))
        halves = anchor.run_in_turns("load", turns, str(half))
    for name, taken in numbers.items():
        for item, first in zip(taken, halves[name], strict=True):
            total = item["seconds"] + item["server_seconds"]
            before = first["seconds"] + first["server_seconds"]
            item |= {
                "total": total,
                "row_us": total / rows * 1e6,
                "second_half": (total - before) / before,
                "gigabytes": item["server_bytes"] / 1e9,
                "row_bytes": item["server_bytes"] / rows,
            }
    part = megabytes / MEGABYTES
    table = anchor.table(
        f"A load of {megabytes:,} MB of CSV, {rows:,} rows; processor time",
        numbers,
        [
            ("total", "command and server, s", ".1f", f"< {GOAL_SECONDS * part:.1f}"),
            ("seconds", "command, s", ".1f", ""),
            ("server_seconds", "server, s", ".1f", ""),
            ("row_us", "a row, us", ".1f", ""),
            ("second_half", "second half / first half", ".2f", "< 1.1"),
            ("gigabytes", "memory of the server, GB", ".2f", f"< {GOAL_GIGABYTES * part:.2f}"),
            ("row_bytes", "of a row with its entries, bytes", ",.0f", ""),
        ],
    )
    Console().print(table)

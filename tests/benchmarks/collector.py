"""A load of a million rows and a stream of them: what Python's garbage collector takes of both.

`SPANEMU_BENCHMARK_ROWS` sets another number of rows.
"""

from __future__ import annotations

import os

from rich.console import Console

from tests.benchmarks import anchor

ROWS = 1_000_000


def main(rounds: int = 1) -> None:
    rows = int(os.environ.get("SPANEMU_BENCHMARK_ROWS", ROWS))
    numbers = anchor.run_in_turns("load_and_stream", max(1, rounds // 20), str(rows))
    table = anchor.table(
        f"A load of {rows:,} rows through the client, and a stream; processor time",
        numbers,
        [
            ("load_seconds", "load, s", ".1f", "now / anchor <= 0.5"),
            ("collector_share", "collector in the load", ".1%", "<= 5 %"),
            ("commit_p50_ms", "commit of 1,000 rows, median, ms", ".0f", ""),
            ("commit_p99_ms", "the same, 99th percentile, ms", ".0f", ""),
            ("last_to_first_tenth", "last tenth / first tenth", ".2f", "< 1.2"),
            ("streamed_rows_per_second", "streamed rows a second", ",.0f", ""),
            ("collector_share_of_stream", "collector in the stream", ".1%", ""),
            ("resident_mb", "memory, MB", ",.0f", ""),
        ],
    )
    Console().print(table)

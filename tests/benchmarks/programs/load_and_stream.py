"""Load rows into a table with two indexes through the client, and stream them back.

Prints processor seconds, and the share of them that the garbage collector took. A commit's time is
processor time as well, so that a busy machine does not count.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
from datetime import UTC, datetime
from time import process_time
from typing import Any

import spanemu

ROWS_PER_COMMIT = 1_000
COLUMNS = ("Id", "A", "B", "C", "D", "E", "F", "G", "H", "I")
DDL = [
    "CREATE TABLE T (Id INT64 NOT NULL, A STRING(MAX), B STRING(MAX), C INT64, D FLOAT64, E BOOL, "
    "F TIMESTAMP, G INT64, H STRING(MAX), I BYTES(MAX)) PRIMARY KEY (Id)",
    "CREATE INDEX ByA ON T (A)",
    "CREATE INDEX ByG ON T (G)",
]
FREEZES: dict[str, Any] = {"on": True, "off": False, "auto": "auto"}  # a second argument
SOME_DAY = datetime(2024, 1, 1, tzinfo=UTC)


class CollectorTime:
    """The processor seconds of garbage collections, by a callback of the collector."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._began = 0.0
        gc.callbacks.append(self._count)

    def _count(self, phase: str, _: Any) -> None:
        if phase == "start":
            self._began = process_time()
        else:
            self.seconds += process_time() - self._began


def row(number: int, rows: int) -> tuple[Any, ...]:
    name = f"name {number * 31 % rows}"
    key = number * 7_919 % (10 * rows)
    return (key, name, "b", number, number / 2, number % 2 == 0, SOME_DAY, number * 17 % rows,
            f"h{number}", b"abc")  # fmt: skip


def load(database: Any, rows: int) -> list[float]:
    """Return the processor seconds of each commit."""
    seconds = []
    for start in range(0, rows, ROWS_PER_COMMIT):
        some = [row(number, rows) for number in range(start, start + ROWS_PER_COMMIT)]
        began = process_time()
        with database.batch() as batch:
            batch.insert("T", COLUMNS, some)
        seconds.append(process_time() - began)
    return seconds


def stream(database: Any) -> int:
    with database.snapshot() as snapshot:
        return sum(1 for _ in snapshot.execute_sql("SELECT Id, A, C, D, F FROM T LIMIT 200000"))


def main(rows: int, freeze: dict[str, Any]) -> None:
    collector = CollectorTime()
    with spanemu.Emulator(**freeze) as emulator:
        database = emulator.create_database("bench", schema=DDL).client()
        began = process_time()
        commits = load(database, rows)
        load_seconds, in_load = process_time() - began, collector.seconds
        tenth = max(1, len(commits) // 10)
        began, before = process_time(), collector.seconds
        streamed = stream(database)
        stream_seconds = process_time() - began
        numbers = {
            "load_seconds": load_seconds,
            "collector_share": in_load / load_seconds,
            "commit_p50_ms": 1e3 * sorted(commits)[len(commits) // 2],
            "commit_p99_ms": 1e3 * sorted(commits)[len(commits) * 99 // 100],
            "last_to_first_tenth": sum(commits[-tenth:]) / sum(commits[:tenth]),
            "streamed_rows_per_second": streamed / stream_seconds,
            "collector_share_of_stream": (collector.seconds - before) / stream_seconds,
            "resident_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1_024,
        }
        print(json.dumps(numbers), flush=True)
        os._exit(0)  # Dropping a million rows takes a while.


if __name__ == "__main__":
    main(int(sys.argv[1]), {"gc_freeze": FREEZES[sys.argv[2]]} if sys.argv[2:] else {})

"""Long queries whose clients have stopped waiting: the server must stop working on them."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from google.api_core.exceptions import DeadlineExceeded

SCHEMA = ["CREATE TABLE Many (Id INT64 NOT NULL, N INT64, S STRING(MAX)) PRIMARY KEY (Id)"]
ROWS = 5_000
DEADLINE_SECONDS = 1.0
GRACE_SECONDS = 0.1
WATCHED_SECONDS = 0.5
WASTED_SECONDS_MAX = 0.05  # what a server that has nothing to do may take
QUERIES = {
    "cross join": "SELECT COUNT(*) FROM Many a, Many b, Many c WHERE a.N + b.N + c.N = -1",
    "groups": "SELECT a.N + b.N, COUNT(*) FROM Many a CROSS JOIN Many b GROUP BY 1",
    "sort": "SELECT a.Id FROM Many a, Many b ORDER BY a.N + b.N, a.Id LIMIT 5",
    "exists": "SELECT COUNT(*) FROM Many a WHERE EXISTS "
    "(SELECT 1 FROM Many b, Many c WHERE a.N + b.N + c.N = -1)",
}
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def fill(database: Any) -> None:
    """Insert so many rows that each query would take minutes."""
    with database.batch() as batch:
        rows = [(number, number % 97, "x") for number in range(ROWS)]
        batch.insert("Many", ("Id", "N", "S"), rows)


def seconds_wasted(database: Any, sql: str, pid: int) -> float:
    """Return how long the server process goes on computing once a query's deadline has passed."""
    try:
        with database.snapshot() as snapshot:
            list(snapshot.execute_sql(sql, timeout=DEADLINE_SECONDS, retry=None))
    except DeadlineExceeded:
        time.sleep(GRACE_SECONDS)
        before = _cpu_seconds(pid)
        time.sleep(WATCHED_SECONDS)
        return _cpu_seconds(pid) - before
    raise AssertionError("it was done before its deadline")


def _cpu_seconds(pid: int) -> float:
    """Return what the process has computed so far. Linux only."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS_PER_SECOND

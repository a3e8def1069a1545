"""Calls of a model for 10,000 rows: what a row costs beyond the function and the plain query.

Processor time, the best of some rounds. The goals are those of requests of 100 and of 10 rows; the
hand-over of a request to a thread takes most of the difference.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from spanemu.base.clock import SystemClock
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import (
    CommitOptions,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.database.sessions.session import Session
from spanemu.models.answerers import FunctionAnswers
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.values.mutation import Write, WriteKind

ROWS, ROUNDS_MIN = 10_000, 5
GOALS = {100: 2.0, 10: 6.0}  # rows in a request, and microseconds a row
DDL = [
    "CREATE TABLE T (Id INT64 NOT NULL, X FLOAT64) PRIMARY KEY (Id)",
    "CREATE MODEL M INPUT (X FLOAT64) OUTPUT (Score FLOAT64) REMOTE OPTIONS (endpoint = 'e')",
]
PLAIN = "SELECT 1.0 AS Score, Id, X FROM T"
CALLED = (
    "SELECT Score, Id, X FROM ML.PREDICT(MODEL M, TABLE T) @{{remote_udf_max_rows_per_rpc={size}}}"
)


def score(rows: Sequence[Mapping[str, Any]], _call: object) -> list[dict[str, Any]]:
    return [{"Score": row["X"] * 2} for row in rows]


def main(rounds: int = 20) -> None:
    """Print the cost of a row by the number of rows in a request."""
    environment = Environment(SystemClock())
    environment.models().register("M", FunctionAnswers(score, each=False))
    database = Database.create(
        "projects/p/instances/i/databases/d", environment, GOOGLE_STANDARD_SQL
    )
    assert database.apply_ddl(DDL).failure is None
    session = database.sessions.create({})
    values = [[str(number), number / 7] for number in range(ROWS)]
    write = Write(WriteKind.INSERT, "T", ("Id", "X"), values)
    session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())
    table = Table(title=f"Calls of a model for {ROWS:,} rows")
    for column in ("rows in a request", "a row, µs", "goal"):
        table.add_column(column, justify="right")
    for size, goal in GOALS.items():
        spent = beyond(session, size, max(ROUNDS_MIN, rounds))
        table.add_row(str(size), f"{spent * 1e6 / ROWS:.2f}", f"< {goal:.0f}")
    Console().print(table)


def beyond(session: Session, size: int, rounds: int) -> float:
    """Return the seconds of a query with calls beyond its function and the query without calls."""
    requests = [
        [{"X": number / 7} for number in range(start, start + size)]
        for start in range(0, ROWS, size)
    ]

    def ask(sql: str) -> list[Any]:
        return list(session.execute(StatementRequest(sql), None).rows)

    called = best(lambda: ask(CALLED.format(size=size)), rounds)
    plain = best(lambda: ask(PLAIN), rounds)
    function = best(lambda: [score(rows, None) for rows in requests], rounds)
    return called - plain - function


def best(work: Callable[[], object], rounds: int) -> float:
    """Return the least seconds of processor time of some rounds."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)

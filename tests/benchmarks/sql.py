"""The SQL engine: the shapes that users report as slow, throughput beside SQLite, planning.

Ours is measured inside the engine, the official emulator through its client, where it is
installed. A statement that takes it more than a minute is given up, and larger tables are not
tried then.

How time grows with the table is compared with a control: a plain loop over tuples with one look-up
in a dictionary for each. It is linear, and yet grows by several hundred times when the tuples are a
hundred times as many, since they fit no processor's cache any longer. A shape may grow by n log n,
or by as much as the control. What does not depend on the machine is how many rows its operators
hand on: "rows touched" must grow like n.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from google.api_core.exceptions import DeadlineExceeded, GoogleAPICallError
from google.cloud import spanner
from rich.console import Console
from rich.table import Table

from spanemu.base.clock import SystemClock
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import (
    CommitOptions,
    QueryMode,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.database.sessions.session import Session
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.values.mutation import Write, WriteKind
from spanemu.values.types import INT64
from tests.benchmarks.sql_shapes import (
    COLUMNS,
    DDL,
    NEW_STATEMENT,
    SHAPES,
    THROUGHPUT,
    rows_of,
)
from tests.benchmarks.targets import client_at, free_port, process
from tests.installed import official_binary

SIZES = (1_000, 10_000, 100_000)
OFFICIAL_SIZES = (1_000, 10_000)  # loading more takes it minutes
CAP_SECONDS = 60.0
GOAL_SECONDS = 0.1  # at 10,000 rows
N_LOG_N = 100 * 5 / 3  # growth of n log n from 1,000 to 100,000 rows
BATCH = 5_000

Seconds = float | None  # None: over CAP_SECONDS


def best_seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the least of a few times, of this process alone; others may use the machine."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


# ---------------------------------------------------------------------------- this engine


def loaded(rows: int) -> Session:
    """Return a session of a new database with tables of that size."""
    database = Database.create(
        "projects/p/instances/i/databases/d", Environment(SystemClock()), GOOGLE_STANDARD_SQL
    )
    database.apply_ddl(DDL)
    session = database.sessions.create({})
    for table, cells in rows_of(rows).items():
        for start in range(0, len(cells), BATCH):
            values = [[wire(cell) for cell in row] for row in cells[start : start + BATCH]]
            write = Write(WriteKind.INSERT, table, COLUMNS[table], values)
            session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())
    return session


def wire(cell: Any) -> Any:
    return str(cell) if isinstance(cell, int) else cell


def answer(session: Session, sql: str) -> list[Any]:
    return list(session.execute(StatementRequest(sql, {}, {}), None).rows)


def engine_seconds(rows: int, rounds: int) -> tuple[dict[str, float], dict[str, int]]:
    """Return by shape the seconds and the rows touched."""
    session = loaded(rows)
    seconds = {
        name: best_seconds(lambda sql=sql: answer(session, sql), rounds)  # type: ignore[misc]
        for name, sql in SHAPES.items()
    }
    return seconds, {name: rows_touched(session, sql) for name, sql in SHAPES.items()}


def rows_touched(session: Session, sql: str) -> int:
    """Return how many rows the operators of a statement hand on, all together."""
    stream = session.execute(StatementRequest(sql, {}, {}, QueryMode.PROFILE), None)
    list(stream.rows)
    assert stream.stats is not None
    assert stream.stats.plan is not None
    figures = [node.execution_stats for node in stream.stats.plan.nodes]
    return sum(int(each["rows"]["total"]) for each in figures if each)


def control_seconds(rows: int, rounds: int) -> float:
    """Return a linear loop in plain Python: for each visit the user's name."""
    visits = list(rows_of(rows)["Visits"])
    users = {user[0]: user for user in rows_of(rows)["Users"]}
    return best_seconds(lambda: [(visit[0], users[visit[1]][1]) for visit in visits], rounds)


# ---------------------------------------------------------------------------- the official one


@contextmanager
def official_database(rows: int) -> Iterator[spanner.database.Database]:
    """Yield a new official emulator with tables of that size."""
    port = free_port()
    with process([str(official_binary()), "--host_port", f"127.0.0.1:{port}"], port):
        client = client_at(f"127.0.0.1:{port}")
        config = next(iter(client.list_instance_configs())).name
        instance = client.instance("bench", configuration_name=config, node_count=1)
        instance.create().result(60)
        database = instance.database("bench", ddl_statements=DDL)
        database.create().result(60)
        for table, cells in rows_of(rows).items():
            for start in range(0, len(cells), BATCH):
                with database.batch() as batch:
                    batch.insert(table, COLUMNS[table], cells[start : start + BATCH])
        yield database


def official_seconds(rows: int, names: list[str]) -> dict[str, Seconds]:
    """Return seconds of each statement; a server that was given up on is replaced."""
    result: dict[str, Seconds] = {}
    left = list(names)
    while left:
        with official_database(rows) as database:
            while left:
                name = left.pop(0)
                result[name] = one_official(database, SHAPES[name])
                if result[name] is None:
                    break  # it goes on computing
    return result


def one_official(database: Any, sql: str) -> Seconds:
    began = time.perf_counter()
    try:
        with database.snapshot() as snapshot:
            list(snapshot.execute_sql(sql, timeout=CAP_SECONDS, retry=None))
    except (DeadlineExceeded, GoogleAPICallError):
        return None
    return time.perf_counter() - began


def official_table() -> dict[int, dict[str, Seconds]]:
    """Return figures by size and name; none where the emulator is not installed."""
    result: dict[int, dict[str, Seconds]] = {}
    names = list(SHAPES)
    for rows in OFFICIAL_SIZES if official_binary() else ():
        result[rows] = official_seconds(rows, names)
        names = [name for name in names if result[rows][name] is not None]
    return result


# ---------------------------------------------------------------------------- tables


def table_of(title: str, *columns: str) -> Table:
    table = Table(title=title)
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left")
    return table


def millis(seconds: Seconds, missing: str = f"> {CAP_SECONDS:.0f} s") -> str:
    return missing if seconds is None else f"{seconds * 1e3:,.1f}"


def shapes_table(rounds: int) -> Table:
    measured = {rows: engine_seconds(rows, rounds) for rows in SIZES}
    ours = {rows: seconds for rows, (seconds, _) in measured.items()}
    control = {rows: control_seconds(rows, rounds) for rows in SIZES}
    theirs = official_table()
    headers = [f"{rows:,} rows, ms" for rows in SIZES]
    others = [f"official, {rows:,}" for rows in theirs]
    table = table_of("SQL shapes", "shape", *headers, "time grew", "rows touched", *others, "goal")
    small, middle, large = SIZES
    allowed = max(N_LOG_N, control[large] / control[small])
    for name in SHAPES:
        growth = ours[large][name] / ours[small][name]
        touched = measured[large][1][name] / measured[small][1][name]
        met = ours[middle][name] < GOAL_SECONDS and growth < allowed and touched < N_LOG_N
        table.add_row(
            name,
            *[millis(ours[rows][name]) for rows in SIZES],
            f"{growth:.0f}x",
            f"{touched:.0f}x",
            *[millis(theirs[rows].get(name)) for rows in theirs],
            "met" if met else "MISSED",
        )
    times = [millis(control[rows], "") for rows in SIZES]
    table.add_row("control: a linear loop", *times, f"{control[large] / control[small]:.0f}x")
    return table


def sqlite_of(rows: int) -> sqlite3.Connection:
    """Return the same rows in SQLite, in memory."""
    connection = sqlite3.connect(":memory:")
    for table, cells in rows_of(rows).items():
        columns = COLUMNS[table]
        connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
        marks = ", ".join("?" * len(columns))
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", cells)
    return connection


def throughput_table(rounds: int) -> Table:
    rows = SIZES[-1]
    session, sqlite = loaded(rows), sqlite_of(rows)
    table = table_of(
        f"Throughput over {rows:,} rows", "what", "ms", "rows/s", "SQLite, ms", "ratio", "goal"
    )
    for name, sql in THROUGHPUT.items():
        ours = best_seconds(lambda sql=sql: answer(session, sql), rounds)  # type: ignore[misc]
        theirs = best_seconds(
            lambda sql=sql: sqlite.execute(sql).fetchall(),  # type: ignore[misc]
            rounds,
        )
        table.add_row(
            name,
            millis(ours),
            f"{rows / ours:,.0f}",
            millis(theirs),
            f"{ours / theirs:.1f}",
            "met" if ours / theirs < 10 else "MISSED",
        )
    return table


def planning_table(rounds: int) -> Table:
    """Measure a new text to its first operator, and the same text again to its first row."""
    session = loaded(SIZES[0])

    def start(number: int) -> tuple[float, float]:
        request = StatementRequest(NEW_STATEMENT.format(number), {"id": "7"}, {"id": INT64})
        began = time.process_time()
        result = session.execute(request, None)
        ready = time.process_time() - began
        assert next(iter(result.rows)) is not None
        return ready, time.process_time() - began

    fresh = [start(-number)[0] for number in range(rounds)]
    again = [start(0)[1] for _ in range(rounds * 5)]
    table = table_of("Ten lines, three joins, an aggregate", "what", "median, us", "goal, us")
    table.add_row("a new text, to its first operator", f"{median(fresh) * 1e6:,.0f}", "< 5,000")
    table.add_row("the same again, to its first row", f"{median(again) * 1e6:,.1f}", "< 100")
    return table


def main(rounds: int = 40) -> None:
    console = Console(width=140)
    console.print(planning_table(max(rounds, 10)))
    console.print(throughput_table(max(3, rounds // 10)))
    console.print(shapes_table(max(2, rounds // 10)))


if __name__ == "__main__":
    main()

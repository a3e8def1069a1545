"""The engine without a client: bulk load, growth with the number of rows, restore."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from spanemu.base.clock import SystemClock
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import (
    CommitOptions,
    ReadRequest,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.database.sessions.session import Session
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL
from spanemu.values.mutation import RawKeySet, Write, WriteKind
from spanemu.values.types import INT64

DDL = ["CREATE TABLE Users (Id INT64 NOT NULL, Name STRING(100), Age INT64) PRIMARY KEY (Id)"]
COLUMNS = ("Id", "Name", "Age")
BATCH = 1_000
SMALL, LARGE = 1_000, 100_000


def database_of(rows: int) -> tuple[Database, Session, float]:
    """Return a database with that many rows, loaded in random order; seconds that the load took."""
    database = Database.create(
        "projects/p/instances/i/databases/d", Environment(SystemClock()), GOOGLE_STANDARD_SQL
    )
    database.apply_ddl(DDL)
    session = database.sessions.create({})
    ids = list(range(rows))
    random.Random(7).shuffle(ids)
    began = perf_counter()
    for start in range(0, rows, BATCH):
        values = [[str(n), f"user {n}", str(n % 90)] for n in ids[start : start + BATCH]]
        write(session, values)
    return database, session, perf_counter() - began


def write(session: Session, values: list[list[str]]) -> None:
    kind = WriteKind.INSERT_OR_UPDATE
    session.commit(
        SingleUse(ReadWriteOptions()), [Write(kind, "Users", COLUMNS, values)], CommitOptions()
    )


def microseconds(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        began = perf_counter()
        work()
        times.append((perf_counter() - began) * 1e6)
    return median(times)


def select_of(session: Session, rows: int) -> Callable[[], object]:
    numbers = count(1, 7)

    def work() -> object:
        key = str(next(numbers) % rows)
        request = StatementRequest(
            "SELECT Id, Name FROM Users WHERE Id = @id", {"id": key}, {"id": INT64}
        )
        return list(session.execute(request, None).rows)

    return work


def read_of(session: Session, rows: int) -> Callable[[], object]:
    numbers = count(1, 7)

    def work() -> object:
        key = str(next(numbers) % rows)
        request = ReadRequest("Users", ("Id", "Name"), RawKeySet(keys=[[key]]))
        return list(session.read(request, None).rows)

    return work


def restore_micros(database: Database, session: Session, rounds: int) -> float:
    """Return median time to take back 100 written rows."""
    before = database.snapshot()
    times = []
    for _ in range(rounds):
        write(session, [[str(n * 31), "changed", "1"] for n in range(100)])
        began = perf_counter()
        database.restore(before)
        times.append((perf_counter() - began) * 1e6)
    return median(times)


def main(rounds: int = 40) -> None:
    calls = rounds * 50
    _, small, _ = database_of(SMALL)
    database, large, seconds = database_of(LARGE)
    table = Table(title="Engine, without a client")
    for column in ("what", "value", "goal"):
        table.add_column(column, justify="left" if column == "what" else "right")
    table.add_row("load, rows/s", f"{LARGE / seconds:,.0f}", ">= 30,000")
    for name, make in (("SELECT by key", select_of), ("read by key", read_of)):
        few = microseconds(make(small, SMALL), calls)
        many = microseconds(make(large, LARGE), calls)
        table.add_row(f"{name}, us at {SMALL:,} rows", f"{few:.1f}", "")
        table.add_row(f"{name}, us at {LARGE:,} rows", f"{many:.1f}", "")
        table.add_row(f"{name}, ratio", f"{many / few:.2f}", "< 1.3")
    restore = restore_micros(database, large, rounds)
    table.add_row(f"restore of 100 rows over {LARGE:,}, us", f"{restore:.0f}", "< 1,000")
    Console().print(table)

"""Transactions under load and with much to do, each target by itself, one after another.

    contention        32 clients add to one row, each in transactions of its own
    disjoint rows     1, 4 and 8 clients, each adds to a row of its own
    200 rows          a commit of 200 mutations, and one of 200 DML statements in one batch
    foreign keys      a commit of 100 rows with four references each
    cascade           a commit that deletes a row with 10,000 children

Attempts are told beside commits: what an emulator aborts, its clients do again. Clients use regular
sessions: builds of Google's emulator lose track of concurrent transactions on multiplexed ones.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count
from statistics import median
from time import perf_counter
from typing import Any

from google.cloud.spanner_v1 import KeySet
from rich.console import Console
from rich.table import Table

from tests.benchmarks.targets import embedded, official, standalone

SCHEMA = [
    "CREATE TABLE Counters (Id INT64 NOT NULL, Count INT64 NOT NULL) PRIMARY KEY (Id)",
    "CREATE TABLE Wide (Id INT64 NOT NULL, A INT64, B STRING(MAX), C FLOAT64) PRIMARY KEY (Id)",
    *(f"CREATE TABLE R{n} (Id INT64 NOT NULL) PRIMARY KEY (Id)" for n in range(4)),
    "CREATE TABLE Refs (Id INT64 NOT NULL, "
    + ", ".join(f"R{n} INT64" for n in range(4))
    + "".join(f", FOREIGN KEY (R{n}) REFERENCES R{n} (Id)" for n in range(4))
    + ") PRIMARY KEY (Id)",
    "CREATE TABLE Parents (P INT64 NOT NULL) PRIMARY KEY (P)",
    "CREATE TABLE Children (P INT64 NOT NULL, C INT64 NOT NULL) PRIMARY KEY (P, C), "
    "INTERLEAVE IN PARENT Parents ON DELETE CASCADE",
]
COUNTERS = 64
REFERENCED = 100
CHILDREN = 10_000
CONTENTION_CLIENTS = 32
DISJOINT_CLIENTS = (1, 4, 8)
SECONDS_MAX = 40.0  # after which a client of a contended target stops trying

_ids = count(1)


@dataclass
class Load:
    """The result of some clients together."""

    seconds: float = 0.0
    commits: int = 0
    attempts: int = 0
    failures: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        lost = f", {len(self.failures)} failed" if self.failures else ""
        rate = self.commits / self.seconds if self.seconds else 0.0
        return f"{rate:,.0f}/s ({self.attempts} attempts, {self.commits} commits{lost})"


def add_one(database: Any, key: int, load: Load, mutex: threading.Lock) -> None:
    """Add to a counter in one transaction."""

    def work(transaction: Any) -> None:
        with mutex:
            load.attempts += 1
        rows = transaction.read("Counters", ("Count",), KeySet(keys=[(key,)]))
        ((found,),) = list(rows)
        transaction.update("Counters", ("Id", "Count"), [(key, found + 1)])

    database.run_in_transaction(work, timeout_secs=SECONDS_MAX)
    with mutex:
        load.commits += 1


def clients(database: Any, number: int, item: int, key_of: Callable[[int], int]) -> Load:
    """Run so many transactions in each of so many clients; a barrier starts all at once."""
    load, mutex, barrier = Load(), threading.Lock(), threading.Barrier(number + 1)
    end = perf_counter() + SECONDS_MAX

    def client(position: int) -> None:
        barrier.wait()
        for _ in range(item):
            if perf_counter() > end:
                return
            try:
                add_one(database, key_of(position), load, mutex)
            except Exception as failure:  # whatever it is, it is told
                load.failures.append(type(failure).__name__)

    threads = [threading.Thread(target=client, args=(place,)) for place in range(number)]
    for thread in threads:
        thread.start()
    before = _total(database)
    barrier.wait()
    began = perf_counter()
    for thread in threads:
        thread.join()
    load.seconds = perf_counter() - began
    assert _total(database) - before == load.commits, "counters lost a commit"
    return load


def _total(database: Any) -> int:
    with database.snapshot() as snapshot:
        ((total,),) = list(snapshot.execute_sql("SELECT SUM(Count) FROM Counters"))
    return int(total)


def mutations_200(database: Any) -> None:
    """Commit 200 inserted rows."""
    with database.batch() as batch:
        rows = [(next(_ids), 1, "some text", 0.5) for _ in range(200)]
        batch.insert("Wide", ("Id", "A", "B", "C"), rows)


def statements_200(database: Any) -> None:
    """Run 200 INSERT statements in one batch of a transaction."""
    statements = [f"INSERT INTO Wide (Id, A) VALUES ({next(_ids)}, 1)" for _ in range(200)]
    database.run_in_transaction(lambda transaction: transaction.batch_update(statements))


def references_100(database: Any) -> None:
    """Commit 100 rows with four foreign keys each."""
    with database.batch() as batch:
        rows = [(number, *((number + n) % REFERENCED for n in range(4)))
                for number in (next(_ids) for _ in range(100))]  # fmt: skip
        batch.insert("Refs", ("Id", "R0", "R1", "R2", "R3"), rows)


def cascade(database: Any) -> float:
    """Return milliseconds of a commit that deletes a row with its 10,000 children."""
    with database.batch() as batch:
        batch.insert("Parents", ("P",), [(1,)])
        batch.insert("Children", ("P", "C"), [(1, number) for number in range(CHILDREN)])
    began = perf_counter()
    with database.batch() as batch:
        batch.delete("Parents", KeySet(keys=[(1,)]))
    return (perf_counter() - began) * 1e3


def timed(work: Callable[[Any], None], database: Any, rounds: int) -> float:
    """Return median milliseconds."""
    taken = []
    for _ in range(rounds):
        began = perf_counter()
        work(database)
        taken.append((perf_counter() - began) * 1e3)
    return median(taken)


def measure(database: Any, rounds: int) -> dict[str, str]:
    """Return every row of the table, for one target."""
    result = {}
    for number in DISJOINT_CLIENTS:
        load = clients(database, number, rounds, lambda place: place)
        result[f"disjoint rows, {number} clients"] = str(load)
    load = clients(database, CONTENTION_CLIENTS, max(1, rounds // 4), lambda _: COUNTERS - 1)
    result[f"one row, {CONTENTION_CLIENTS} clients"] = str(load)
    for name, work in (
        ("200 mutations", mutations_200),
        ("200 DML statements", statements_200),
        ("100 rows, 4 foreign keys each", references_100),
    ):
        result[name] = f"{timed(work, database, rounds):,.1f} ms"
    taken = median(cascade(database) for _ in range(max(3, rounds // 5)))
    result["cascade to 10,000 children"] = f"{taken:,.1f} ms"
    return result


@contextmanager
def prepared(target: Callable[[], Any]) -> Iterator[Any]:
    """Yield a target with the tables and rows of this suite; None where it cannot be had."""
    with target() as database:
        if database is not None:
            database.update_ddl(SCHEMA).result(60)
            with database.batch() as batch:
                batch.insert("Counters", ("Id", "Count"), [(n, 0) for n in range(COUNTERS)])
                for n in range(4):
                    batch.insert(f"R{n}", ("Id",), [(number,) for number in range(REFERENCED)])
        yield database


def main(rounds: int = 20) -> None:
    """Print the table."""
    os.environ["GOOGLE_CLOUD_SPANNER_MULTIPLEXED_SESSIONS_FOR_RW"] = "false"
    result: dict[str, dict[str, str]] = {}
    for target in (official, standalone, embedded):
        with ExitStack() as stack:
            database = stack.enter_context(prepared(target))
            if database is not None:
                result[target.__name__] = measure(database, rounds)
    table = Table(title="Transactions through the official client")
    table.add_column("work")
    for name in result:
        table.add_column(name, justify="right")
    for row in next(iter(result.values())):
        table.add_row(row, *(by_row[row] for by_row in result.values()))
    Console(width=200).print(table)


if __name__ == "__main__":
    main()

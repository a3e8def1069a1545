"""Latency through the official client, every target in turn in each round.

The targets take turns inside a round, back and forth, and are compared with each other round by
round: a machine that is half as fast for a second is so for all of them. Of the rounds the median
counts. A turn is long enough for most of its calls to find the processor's caches warm, as they are
for a user whose machine runs one emulator and not five: the first calls of a turn take half as long
again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from statistics import median
from time import perf_counter
from typing import Any

from google.cloud.spanner_v1 import KeySet, param_types
from rich.console import Console
from rich.table import Table

from tests.benchmarks.targets import ROWS, all_targets

_ids = count(1_000_000)
Work = Callable[[Any], None]


def insert_commit(database: Any) -> None:
    with database.batch() as batch:
        batch.insert("Users", ("Id", "Name", "Age"), [(next(_ids), "new", 1)])


def select_1(database: Any) -> None:
    with database.snapshot() as snapshot:
        list(snapshot.execute_sql("SELECT 1"))


def select_by_key(database: Any) -> None:
    with database.snapshot() as snapshot:
        list(
            snapshot.execute_sql(
                "SELECT Id, Name FROM Users WHERE Id = @id",
                params={"id": next(_ids) % ROWS},
                param_types={"id": param_types.INT64},
            )
        )


def read_by_key(database: Any) -> None:
    with database.snapshot() as snapshot:
        list(snapshot.read("Users", ("Id", "Name"), KeySet(keys=[(next(_ids) % ROWS,)])))


def one_dml(database: Any) -> None:
    def work(transaction: Any) -> None:
        transaction.execute_update(
            "UPDATE Users SET Age = Age + 1 WHERE Id = @id",
            params={"id": next(_ids) % ROWS},
            param_types={"id": param_types.INT64},
        )

    database.run_in_transaction(work)


def read_modify_write(database: Any) -> None:
    key = next(_ids) % ROWS

    def work(transaction: Any) -> None:
        list(transaction.read("Users", ("Age",), KeySet(keys=[(key,)])))
        transaction.update("Users", ("Id", "Age"), [(key, 5)])

    database.run_in_transaction(work)


WORK: dict[str, Work] = {
    "insert commit": insert_commit,
    "SELECT 1": select_1,
    "SELECT by key": select_by_key,
    "read by key": read_by_key,
    "one-DML transaction": one_dml,
    "read-modify-write": read_modify_write,
}
CALLS_PER_ROUND = 40
WARM_UP_ROUNDS = 2


# By work and target: microseconds of a call in each round, the median of its turn.
Found = dict[str, dict[str, list[float]]]


def measure(databases: dict[str, Any], rounds: int) -> Found:
    """Run every work on every target, so many rounds."""
    result: Found = {name: {target: [] for target in databases} for name in WORK}
    order = list(databases.items())
    for round_ in range(rounds + WARM_UP_ROUNDS):
        for name, work in WORK.items():
            for target, database in order:
                taken = turn(work, database)
                if round_ >= WARM_UP_ROUNDS:
                    result[name][target].append(taken)
        order.reverse()
    return result


def turn(work: Work, database: Any) -> float:
    """Return microseconds of a call, the median of some."""
    taken = []
    for _ in range(CALLS_PER_ROUND):
        began = perf_counter()
        work(database)
        taken.append(perf_counter() - began)
    return median(taken) * 1e6


def ratio(by_target: dict[str, list[float]], above: str, below: str) -> float:
    """Return how many times as long one target takes as another: the median of the rounds."""
    pairs = zip(by_target[above], by_target[below], strict=True)
    return median(one / other for one, other in pairs)


def main(rounds: int = 20) -> None:
    with all_targets() as databases:
        found = measure(databases, rounds)
    console = Console()
    console.print(_medians(found))
    console.print(_ratios(found))


def _medians(result: Found) -> Table:
    table = Table(title="Latency through the official client, median microseconds")
    table.add_column("work")
    for target in next(iter(result.values())):
        table.add_column(target, justify="right")
    for name, by_target in result.items():
        table.add_row(name, *(f"{median(taken):,.0f}" for taken in by_target.values()))
    return table


# title, numerator, denominator, goal by work (at least, or at most), "*" for all works
_RATIOS: list[tuple[str, str, str, dict[str, str]]] = [
    ("official / embedded", "official", "embedded",
     {"SELECT by key": ">= 6", "read by key": ">= 3", "insert commit": ">= 1.5"}),
    ("embedded / null-channel", "embedded", "null-channel",
     {"insert commit": "<= 1.3", "*": "<= 1.6"}),
    ("standalone / null-server", "standalone", "null-server", {"*": "<= 1.3"}),
    ("official / standalone", "official", "standalone",
     dict.fromkeys(("SELECT 1", "SELECT by key", "one-DML transaction"), "> 1")),
]  # fmt: skip


def _ratios(result: Found) -> Table:
    table = Table(title="Ratios, with the goal where there is one")
    table.add_column("work")
    shown = [each for each in _RATIOS if {each[1], each[2]} <= next(iter(result.values())).keys()]
    for title, *_ in shown:
        table.add_column(title, justify="right")
    for name, by_target in result.items():
        cells = []
        for _, above, below, goals in shown:
            goal = goals.get(name, goals.get("*", ""))
            times = ratio(by_target, above, below)
            cells.append(f"{times:.2f} {f'({goal})' if goal else ''}".strip())
        table.add_row(name, *cells)
    return table

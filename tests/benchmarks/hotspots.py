"""What the detector of hotspots adds to a commit, in CPU time of this process.

Two databases of one emulator take the same rows in turn, some commits at a time, and one of them is
watched; as many commits as the detector looks at together, so that each turn pays its part.
Turns are compared in pairs, for the machine is not equally fast all the time; of the differences
the median counts, and how far it may be off is told with it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from statistics import median, quantiles
from typing import Any

from rich.console import Console
from rich.table import Table

import spanemu
from spanemu.storage.observer import JOURNAL_ROWS

DDL = (
    "CREATE TABLE Users (Id INT64 NOT NULL, Name STRING(100), Age INT64) PRIMARY KEY (Id)",
    "CREATE INDEX UsersByName ON Users(Name)",
)
COLUMNS = ("Id", "Name", "Age")
PAIRS_PER_ROUND = 5
EARLY_COMMITS = 512  # of a detector that has just begun to watch
WARM_UP_TURNS = 2


@dataclass(frozen=True)
class Case:
    """A kind of commit. `rows` are those of a commit, entries of indexes too."""

    name: str
    ddl: tuple[str, ...]
    size: int  # rows of the table in a commit
    rows: int
    pages: int  # that the detector looks at in a turn

    @property
    def taken(self) -> int:
        """The commits of a turn."""
        return self.pages * math.ceil(JOURNAL_ROWS / self.rows)


CASES = (
    Case("insert of a row", DDL[:1], 1, 1, 1),
    Case("insert of a row with an index entry", DDL, 1, 2, 1),
    Case("insert of 20 rows with index entries", DDL, 20, 40, 4),
)


def main(rounds: int = 20) -> None:
    table = Table(title="CPU time of commits, in microseconds; limits: 5 a row, 3 %")
    for column in ("commit", "detector", "not watched", "adds a row", "adds, %"):
        table.add_column(column, justify="left" if column in ("commit", "detector") else "right")
    with spanemu.Emulator() as emulator:
        for case in CASES:
            for name, is_early in (("its first 500 commits", True), ("later", False)):
                plain, added, error = measured(emulator, case, rounds, is_early)
                table.add_row(
                    case.name,
                    name,
                    f"{plain:,.0f}",
                    f"{added / case.rows:.2f} ± {error / case.rows:.2f}",
                    f"{100 * added / plain:+.1f} ± {100 * error / plain:.1f}",
                )
    Console().print(table)


_numbers = count(1)


def measured(
    emulator: spanemu.Emulator, case: Case, rounds: int, is_early: bool
) -> tuple[float, float, float]:
    """Return microseconds of a commit, what watching adds to it, and the error of that."""
    plain, watched = (
        emulator.create_database(f"hot-{next(_numbers)}", schema=list(case.ddl)) for _ in range(2)
    )
    hotspots = emulator.hotspots(watched)
    writers = [writer(handle.client(), case.size) for handle in (plain, watched)]
    for write in writers:
        for _ in range(WARM_UP_TURNS):
            turn(write, case.taken)
    unwatched, added = [], []
    for number in range(PAIRS_PER_ROUND * rounds):
        if is_early and number % (EARLY_COMMITS // case.taken) == 0:
            hotspots.reset()
        first = number % 2  # Whoever is second finds caches as the first one left them.
        taken = {place: turn(writers[place], case.taken) for place in (first, 1 - first)}
        unwatched.append(taken[0])
        added.append(taken[1] - taken[0])
    hotspots.stop()
    return median(unwatched), median(added), median_error(added)


def median_error(values: list[float]) -> float:
    """Return the standard error of a median: 1.25 deviations, which the middle half is 1.35 of."""
    low, _, high = quantiles(values, n=4)
    return 1.25 / 1.35 * (high - low) / math.sqrt(len(values))


def writer(client: Any, size: int) -> Callable[[], None]:
    """Return a function that writes the next commit; the keys are scattered and repeatable."""
    rows: Iterator[tuple[int, str, int]] = (
        (n * 0x9E3779B97F4A7C15 % (1 << 63), f"user {n * 7919 % 10007}", n % 90) for n in count(1)
    )

    def write() -> None:
        with client.batch() as batch:
            batch.insert("Users", COLUMNS, [next(rows) for _ in range(size)])

    return write


def turn(write: Callable[[], None], commits: int) -> float:
    """Return microseconds of CPU time that one of some commits takes."""
    began = time.process_time()
    for _ in range(commits):
        write()
    return (time.process_time() - began) / commits * 1e6

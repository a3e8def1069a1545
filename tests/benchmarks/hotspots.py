"""What the detector of hotspots adds to a commit, in CPU time of this process.

Two databases of one emulator take the same rows in turn, `TAKEN` commits at a time, and one of them
is watched; as many commits as the detector looks at together, so that each turn pays its part. Of
the turns the median is taken, of several medians the smallest: a busy machine adds, and never takes
away.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

import spanemu
from spanemu.stats.detector import PUT_DOWN_MAX as TAKEN

DDL = (
    "CREATE TABLE Users (Id INT64 NOT NULL, Name STRING(100), Age INT64) PRIMARY KEY (Id)",
    "CREATE INDEX UsersByName ON Users(Name)",
)
COLUMNS = ("Id", "Name", "Age")
MEDIANS = 5
EARLY_TURNS = 4  # of a detector that has just begun to watch


@dataclass(frozen=True)
class Case:
    """A kind of commit. `rows` are those of a commit, entries of indexes too."""

    name: str
    ddl: tuple[str, ...]
    size: int  # rows of the table in a commit
    rows: int


CASES = (
    Case("insert of a row", DDL[:1], 1, 1),
    Case("insert of a row with an index entry", DDL, 1, 2),
    Case("insert of 20 rows with index entries", DDL, 20, 40),
)


def main(rounds: int = 20) -> None:
    table = Table(title="CPU time of commits, in microseconds; limits: 5 a row, 3 %")
    for column in ("commit", "detector", "not watched", "adds a row", "adds, %"):
        table.add_column(column, justify="left" if column in ("commit", "detector") else "right")
    with spanemu.Emulator() as emulator:
        for case in CASES:
            for name, is_early in (("its first 500 commits", True), ("later", False)):
                plain, added = measured(emulator, case, rounds, is_early)
                table.add_row(
                    case.name,
                    name,
                    f"{plain:,.0f}",
                    f"{added / case.rows:.2f}",
                    f"{100 * added / plain:+.1f}",
                )
    Console().print(table)


_numbers = count(1)


def measured(
    emulator: spanemu.Emulator, case: Case, rounds: int, is_early: bool
) -> tuple[float, float]:
    """Microseconds of a commit that nobody watches, and what watching adds to one."""
    plain, watched = (
        emulator.create_database(f"hot-{next(_numbers)}", schema=list(case.ddl)) for _ in range(2)
    )
    hotspots = emulator.hotspots(watched)
    writers = [writer(handle.client(), case.size) for handle in (plain, watched)]
    for write in writers:
        turn(write)
        turn(write)
    medians = []
    for _ in range(MEDIANS):
        turns = []
        for number in range(max(EARLY_TURNS, rounds)):
            if is_early and number % EARLY_TURNS == 0:
                hotspots.reset()
            turns.append([turn(write) for write in writers])
        medians.append([median(each) for each in zip(*turns, strict=True)])
    hotspots.stop()
    unwatched, with_detector = (min(each) for each in zip(*medians, strict=True))
    return unwatched, with_detector - unwatched


def writer(client: Any, size: int) -> Callable[[], None]:
    """Writes the next commit; keys are scattered, the same in every database."""
    rows: Iterator[tuple[int, str, int]] = (
        (n * 0x9E3779B97F4A7C15 % (1 << 63), f"user {n * 7919 % 10007}", n % 90) for n in count(1)
    )

    def write() -> None:
        with client.batch() as batch:
            batch.insert("Users", COLUMNS, [next(rows) for _ in range(size)])

    return write


def turn(write: Callable[[], None]) -> float:
    """Microseconds of CPU time that one of some commits takes."""
    began = time.process_time()
    for _ in range(TAKEN):
        write()
    return (time.process_time() - began) / TAKEN * 1e6

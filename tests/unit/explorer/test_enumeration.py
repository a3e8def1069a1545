"""The reduced search meets every outcome that full enumeration meets, on random programs."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from spanemu import Emulator
from spanemu.explorer.exploration import Emulated, Exploration, Settings
from spanemu.explorer.outcomes import Outcome
from spanemu.explorer.run import Plan, Run
from tests.unit.explorer.programs import OPTIMISTIC, REPEATABLE, Actor

SCHEMA = [
    "CREATE TABLE T (Id INT64, A INT64, B INT64) PRIMARY KEY (Id)",
    "CREATE UNIQUE INDEX ByB ON T (B)",
    "CREATE TABLE Child (Id INT64, T INT64, "
    "FOREIGN KEY (T) REFERENCES T (Id) ON DELETE CASCADE) PRIMARY KEY (Id)",
]
KINDS: list[dict[str, Any]] = [{}, {"read_lock_mode": OPTIMISTIC}, {"isolation_level": REPEATABLE}]
SCHEDULES_MAX = 150
SEEDS = range(int(os.environ.get("SPANEMU_EXPLORER_SEEDS", "30")))  # more of them by command


@pytest.fixture(scope="module")
def database() -> Iterator[Any]:
    with Emulator() as emulator:
        handle = emulator.create_database("app", SCHEMA)
        with handle.client().batch() as batch:
            batch.insert("T", ["Id", "A", "B"], [(1, 0, 10), (2, 0, 20)])
            batch.insert("Child", ["Id", "T"], [(1, 1)])
        handle.settle()
        yield handle


Statement = Callable[[Any], Any]


def reading(draw: random.Random) -> Statement:
    """Return a random read, which returns its rows."""
    sql = draw.choice(
        [
            f"SELECT A FROM T WHERE Id = {draw.randint(1, 3)}",
            f"SELECT Id, A FROM T WHERE Id >= {draw.randint(1, 3)}",
            f"SELECT Id FROM T WHERE B = {draw.choice([10, 20, 30])}",
            "SELECT Id, T FROM Child",
            f"SELECT A FROM T WHERE Id = {draw.randint(1, 2)} FOR UPDATE",
        ]
    )
    return lambda work: [list(row) for row in work.execute_sql(sql)]


def writing(draw: random.Random, number: int) -> Statement:
    """Return a random write of a read-write transaction."""
    row, other = draw.randint(1, 3), draw.choice([10, 20, 30])
    sqls = [
        f"UPDATE T SET A = A + {number} WHERE Id = {row}",
        f"UPDATE T SET A = {number} WHERE TRUE",
        f"DELETE FROM T WHERE Id = {row}",
        f"INSERT OR UPDATE INTO T (Id, A, B) VALUES ({row}, {number}, {row}0)",
        f"UPDATE T SET B = {other} WHERE Id = {row}",
        f"INSERT INTO Child (Id, T) VALUES ({number}, {row})",
    ]
    if draw.random() < 0.5:
        sql = draw.choice(sqls)
        return lambda work: work.execute_update(sql)
    if draw.random() < 0.3:
        some = draw.sample(sqls, 2)
        return lambda work: work.batch_update(some)[1]
    return lambda work: work.insert_or_update("T", ["Id", "A"], [(row, number)])


def drawn(draw: random.Random, number: int) -> Actor:
    """Return a random actor of one or two transactions."""
    parts: list[Callable[[Any], Any]] = []
    for _ in range(draw.randint(1, 2)):
        if draw.random() < 0.4:
            read = reading(draw)
            parts.append(lambda database, read=read: in_snapshot(database, read))
        else:
            steps = [draw.choice([reading(draw), writing(draw, number)])]
            steps.append(writing(draw, number))
            options = draw.choice(KINDS)
            parts.append(
                lambda database, steps=steps, options=options: database.run_in_transaction(
                    lambda work: [each(work) for each in steps], **options
                )
            )

    def actor(database: Any) -> Any:
        return [part(database) for part in parts]

    return actor


def in_snapshot(database: Any, read: Statement) -> Any:
    with database.snapshot() as snapshot:
        return read(snapshot)


class Enumerated(Exploration):
    """A search that records every outcome, and accepts all of them."""

    met: set[Outcome]
    runs = 0

    def _is_allowed(self, run: Run, outcome: Outcome) -> bool:
        self.met.add(outcome)
        return True


class Complete(Enumerated):
    """A search of every schedule of requests, without any reduction."""

    def _phases(self) -> None:
        words: list[tuple[int, ...]] = [()]
        while words and self.runs < SCHEDULES_MAX:
            word = words.pop()
            run, outcome = self._run(Plan(word, (0, 1)))
            assert not run.left_plan
            self.met.add(outcome)
            self.runs += 1
            for position in range(len(word), len(run.word)):
                words += [(*run.word[:position], other) for other in run.alternatives[position]]
        self.runs += len(words)


def outcomes(
    kind: type[Enumerated], database: Any, actors: dict[str, Actor]
) -> tuple[set[Outcome], Enumerated]:
    """Return the outcomes that a search of a kind meets, and the search."""
    emulator = database._emulator
    search = kind(
        Emulated(
            database._database(),
            emulator.endpoints,
            emulator.randomness,
            emulator.clock,
            database.client(),
        ),
        actors,
        Settings(faults=(), preemptions=20, seconds=60),
    )
    search.met = set()
    search.result = search.search()  # type: ignore[attr-defined]
    return search.met, search


@pytest.mark.parametrize("seed", SEEDS)
def test_reduction_misses_no_outcome(database: Any, seed: int) -> None:
    draw = random.Random(seed)
    actors = {"x": drawn(draw, 100), "y": drawn(draw, 200)}
    complete, full = outcomes(Complete, database, actors)
    if full.runs > SCHEDULES_MAX:
        pytest.skip("too many schedules for full enumeration")
    reduced, search = outcomes(Enumerated, database, actors)
    assert reduced == complete
    assert not [each for each in search.result.warnings if "followed" in each]  # type: ignore[attr-defined]

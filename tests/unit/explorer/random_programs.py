"""Random programs of two actors, and searches that record all that they run.

    python -m tests.unit.explorer.random_programs FIRST LAST

prints a digest of every run of the searches of some seeds: two processes print the same.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from google.api_core.exceptions import GoogleAPICallError

from spanemu import Emulator
from spanemu.explorer.exploration import Emulated, Exploration, Explored
from spanemu.explorer.judging import Attempt
from spanemu.explorer.outcomes import Outcome
from spanemu.explorer.run import Run
from spanemu.explorer.schedules import Plan
from spanemu.explorer.settings import Settings
from spanemu.explorer.timeline import schedule_text
from tests.unit.explorer.programs import OPTIMISTIC, REPEATABLE, Actor

SCHEMA = [
    "CREATE SEQUENCE Numbers OPTIONS (sequence_kind = 'bit_reversed_positive')",
    "CREATE TABLE T (Id INT64, A INT64, B INT64) PRIMARY KEY (Id)",
    "CREATE UNIQUE INDEX ByB ON T (B)",
    "CREATE TABLE Child (Id INT64, T INT64, "
    "FOREIGN KEY (T) REFERENCES T (Id) ON DELETE CASCADE) PRIMARY KEY (Id)",
    "CREATE TABLE Log (Id INT64 DEFAULT (GET_NEXT_SEQUENCE_VALUE(SEQUENCE Numbers)), "
    "Uid STRING(36) DEFAULT (GENERATE_UUID()), Text STRING(20)) PRIMARY KEY (Id)",
]
KINDS: list[dict[str, Any]] = [{}, {"read_lock_mode": OPTIMISTIC}, {"isolation_level": REPEATABLE}]
SCHEDULES_MAX = 150  # of a full enumeration
Statement = Callable[[Any], Any]


@contextmanager
def random_database() -> Iterator[Any]:
    """Yield a database with the rows that every program begins with, in two splits."""
    with Emulator(seed=7) as emulator:
        handle = emulator.create_database("app", SCHEMA)
        with handle.client().batch() as batch:
            batch.insert("T", ["Id", "A", "B"], [(1, 0, 10), (2, 0, 20)])
            batch.insert("Child", ["Id", "T"], [(1, 1)])
        handle.split_at("T", [2])
        handle.settle()
        yield handle


def reading(draw: random.Random) -> Statement:
    """Return a random read, which returns its rows."""
    sql = draw.choice(
        [
            f"SELECT A FROM T WHERE Id = {draw.randint(1, 3)}",
            f"SELECT Id, A FROM T WHERE Id >= {draw.randint(1, 3)}",
            f"SELECT Id FROM T WHERE B = {draw.choice([10, 20, 30])}",
            "SELECT Id, T FROM Child",
            "SELECT Text FROM Log",
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
        f"INSERT INTO Log (Text) VALUES ('{number}')",
    ]
    if draw.random() < 0.5:
        sql = draw.choice(sqls)
        return lambda work: work.execute_update(sql)
    if draw.random() < 0.3:
        some = draw.sample(sqls, 2)
        return lambda work: work.batch_update(some)[1]
    return lambda work: work.insert_or_update("T", ["Id", "A"], [(row, number)])


def transaction(draw: random.Random, number: int) -> Statement:
    """Return a random transaction of a database."""
    kind = draw.random()
    if kind < 0.35:
        read = reading(draw)
        return lambda database: in_snapshot(database, read)
    if kind < 0.45:
        sql = draw.choice(
            [f"UPDATE T SET A = {number} WHERE Id > 0", "DELETE FROM Child WHERE Id > 0"]
        )
        return lambda database: database.execute_partitioned_dml(sql)
    if kind < 0.55:
        rows = [(draw.randint(1, 3), number + position) for position in range(2)]
        return lambda database: in_groups(database, rows)
    statements = [draw.choice([reading(draw), writing(draw, number)]), writing(draw, number)]
    options = draw.choice(KINDS)
    return lambda database: database.run_in_transaction(
        lambda work: [statement(work) for statement in statements], **options
    )


def in_snapshot(database: Any, read: Statement) -> Any:
    with database.snapshot() as snapshot:
        return read(snapshot)


def in_groups(database: Any, rows: list[tuple[int, int]]) -> list[int]:
    """Write each row in a mutation group of its own; return the status of each group."""
    with database.mutation_groups() as groups:
        for row in rows:
            groups.group().insert_or_update("T", ["Id", "A"], [row])
        return [response.status.code for response in groups.batch_write()]


def drawn(draw: random.Random, number: int, parts_max: int = 2) -> Actor:
    """Return a random actor of some transactions, which goes on after a failed one."""
    parts = [transaction(draw, number) for _ in range(draw.randint(1, parts_max))]

    def actor(database: Any) -> Any:
        return [result_of(part, database) for part in parts]

    return actor


def result_of(part: Statement, database: Any) -> Any:
    try:
        return part(database)
    except GoogleAPICallError as failure:
        return type(failure).__name__


def program(seed: object) -> dict[str, Actor]:
    """Return a random program."""
    draw = random.Random(str(seed))
    return {"x": drawn(draw, 100), "y": drawn(draw, 200)}


def program_of_three(seed: object) -> dict[str, Actor]:
    """Return a random program of three actors with one transaction each."""
    draw = random.Random(f"three {seed}")
    return {name: drawn(draw, number, 1) for name, number in (("x", 100), ("y", 200), ("z", 300))}


class Recorded(Exploration):
    """A search that records each run and each outcome, and accepts all outcomes."""

    met: set[Outcome]
    prints: list[str]

    def _run(self, plan: Plan, *, counts: bool = True) -> tuple[Run, Outcome]:
        run, outcome = super()._run(plan, counts=counts)
        self.prints.append(fingerprint(run, outcome))
        return run, outcome

    def _attempt(self, plan: Plan, *given: Any, **options: Any) -> Attempt:
        attempt = super()._attempt(plan, *given, **options)
        self.met.add(attempt.outcome)
        return attempt._replace(is_failure=attempt.run.livelock)


def fingerprint(run: Run, outcome: Outcome) -> str:
    """Return a digest of what a run has sent and met, and of its outcome."""
    steps = [(step.kind, step.texts, step.notes) for step in run.steps]
    text = repr((schedule_text(run), steps, outcome))
    return f"{schedule_text(run)} {sha256(text.encode()).hexdigest()[:16]}"


class Complete(Recorded):
    """A search of every schedule of requests, without any reduction.

    With a `bound`, of those with so many interruptions at most.
    """

    count = 0
    bound: int | None = None

    def _phases(self) -> None:
        every = tuple(range(len(self._functions)))
        words: list[tuple[int, ...]] = [()]
        while words and self.count < SCHEDULES_MAX:
            word = words.pop()
            run, outcome = self._run(Plan(word, every))
            assert not run.left_plan
            self.met.add(outcome)
            self.count += 1
            for position in range(len(word), len(run.word)):
                words += [
                    (*run.word[:position], other)
                    for other in run.alternatives[position]
                    if self._is_within_bound(run, position, other)
                ]
        self.count += len(words)

    def _is_within_bound(self, run: Run, position: int, other: int) -> bool:
        interrupts = other not in run.free[position]
        return self.bound is None or run.preemptions + interrupts <= self.bound


class Bounded(Complete):
    """A search of every schedule with one interruption at most."""

    bound = 1


def searched(
    kind: type[Recorded], database: Any, actors: dict[str, Actor], **options: Any
) -> tuple[Recorded, Explored]:
    """Run a search of a kind; return it, and its result."""
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
        Settings(**{"faults": (), "preemptions": 20, "seconds": 60.0, **options}),
    )
    search.met, search.prints = set(), []
    return search, search.search()


def main(first: int, last: int) -> None:
    with random_database() as database:
        for seed in range(first, last):
            search, result = searched(Recorded, database, program(seed), faults=("abort",))
            print(seed, result, *search.prints, sep="\n  ")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

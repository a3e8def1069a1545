"""What users do every day: calls of the client, statements, writes that are watched, isolated tests.

Prints JSON. Times are processor time, but for those of whole test runs. The work is that of the
suites `latency`, `engine`, `sql`, `hotspots` and `plugin` of the checkout that is measured.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from statistics import median
from time import process_time

import spanemu
from tests.benchmarks import engine, hotspots, latency, plugin, sql, targets
from tests.benchmarks.sql_shapes import SHAPES, THROUGHPUT

ROUNDS = 8
CALLS = 100
ENGINE_ROWS = 20_000
ENGINE_CALLS = 5_000
SQL_ROWS = 10_000
TESTS = 200


def microseconds(work: Callable[[], object], calls: int) -> float:
    """Return the processor time of one call, the median of some rounds."""
    times = []
    for _ in range(ROUNDS + 1):
        began = process_time()
        for _ in range(calls):
            work()
        times.append((process_time() - began) / calls * 1e6)
    return median(times[1:])


def calls_of_the_client() -> dict[str, float]:
    with targets.embedded() as database:
        return {
            name: microseconds(lambda work=work: work(database), CALLS)  # type: ignore[misc]
            for name, work in latency.WORK.items()
        }


def calls_of_the_engine() -> dict[str, float]:
    began = process_time()
    database, session, _ = engine.database_of(ENGINE_ROWS)
    loaded = process_time() - began
    return {
        "engine: load of a row": loaded / ENGINE_ROWS * 1e6,
        "engine: SELECT by key": microseconds(
            engine.select_of(session, ENGINE_ROWS), ENGINE_CALLS // ROUNDS
        ),
        "engine: read by key": microseconds(
            engine.read_of(session, ENGINE_ROWS), ENGINE_CALLS // ROUNDS
        ),
        "restore of 100 rows": engine.restore_micros(database, session, 10 * ROUNDS),
    }


def queries() -> dict[str, float]:
    session = sql.loaded(SQL_ROWS)
    return {
        f"SQL: {name}": 1e6 * sql.best_seconds(lambda text=text: sql.answer(session, text), ROUNDS)  # type: ignore[misc]
        for name, text in {**SHAPES, **THROUGHPUT}.items()
    }


def watched_writes() -> dict[str, float]:
    numbers = {}
    with spanemu.Emulator() as emulator:
        for number, case in enumerate(hotspots.CASES):
            handle = emulator.create_database(f"watched-{number}", schema=list(case.ddl))
            emulator.hotspots(handle)
            write = hotspots.writer(handle.client(), case.size)
            commits = max(CALLS, case.taken)
            turns = [hotspots.turn(write, commits) for _ in range(ROUNDS + 1)]
            numbers[f"watched {case.name}"] = median(turns[1:])
    return numbers


def isolated_tests() -> dict[str, float]:
    _, seconds = plugin.run(TESTS, beside=TESTS)
    numbers = {
        "fixtures of a test": median(seconds["test_rows"]) * 1e6,
        "a test without fixtures": median(seconds["test_plain"]) * 1e6,
    }
    with tempfile.TemporaryDirectory() as empty:
        os.environ |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": empty}
        numbers["cold run, four workers"] = 1e6 * plugin.run(TESTS, "-n", "4")[0]
    return numbers


def main() -> None:
    parts = (calls_of_the_client, calls_of_the_engine, queries, watched_writes, isolated_tests)
    numbers: dict[str, float] = {}
    for part in parts:
        numbers |= part()
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()

"""What users do every day: calls of the client, statements, writes that are watched, isolated tests.

Prints JSON. Times are processor time, the shortest of some rounds, because a shared machine is slow
for seconds at a time. Those of test runs are elapsed time of the fastest run, and of the tests in a
run those count that took the shortest. The work is that of the suites `latency`, `engine`, `sql`,
`hotspots` and `plugin` of the checkout that is measured.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import quantiles
from time import perf_counter, process_time

import spanemu
from tests.benchmarks import engine, hotspots, latency, plugin, sql, targets
from tests.benchmarks.sql_shapes import SHAPES, THROUGHPUT

ROUNDS = 16
CALLS, CALL_ROUNDS = 60, 64
ENGINE_ROWS = 20_000
ENGINE_CALLS = 500
SQL_ROWS = 10_000
TESTS = 200
TEST_RUNS = 5
COLD_RUNS = 3
PLUGIN = "pytest_spanemu.plugin"
# The plugins of other projects, which the environments of two checkouts may not have in common.
NO_OTHER_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
SCHEMA = "CREATE TABLE T (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id)"
SUITE = """
import pytest

@pytest.mark.parametrize("number", range(200))
def test_rows(spanner_database, number):
    with spanner_database.batch() as batch:
        batch.insert("T", ["Id", "Name"], [(number, "a")])
    with spanner_database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT Name FROM T")) == [["a"]]
"""
CLIENT_SUITE = """
import google.cloud.spanner
import pytest

@pytest.mark.parametrize("number", range(200))
def test_nothing(number):
    pass
"""


def microseconds(work: Callable[[], object], calls: int) -> float:
    """Return the processor time of one call in the fastest of some rounds."""
    times = []
    for _ in range(CALL_ROUNDS + 1):
        began = process_time()
        for _ in range(calls):
            work()
        times.append((process_time() - began) / calls * 1e6)
    return min(times)


def calls_of_the_client() -> dict[str, float]:
    with targets.embedded() as database:
        return {
            name: microseconds(partial(work, database), CALLS)
            for name, work in latency.WORK.items()
        }


def calls_of_the_engine() -> dict[str, float]:
    began = process_time()
    database, session, _ = engine.database_of(ENGINE_ROWS)
    loaded = process_time() - began
    return {
        "engine: load of a row": loaded / ENGINE_ROWS * 1e6,
        "engine: SELECT by key": microseconds(engine.select_of(session, ENGINE_ROWS), ENGINE_CALLS),
        "engine: read by key": microseconds(engine.read_of(session, ENGINE_ROWS), ENGINE_CALLS),
        "restore of 100 rows": min(
            engine.restore_micros(database, session, 10) for _ in range(ROUNDS)
        ),
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
            turns = [hotspots.turn(write, commits) for _ in range(CALL_ROUNDS + 1)]
            numbers[f"watched {case.name}"] = min(turns)
    return numbers


def isolated_tests() -> dict[str, float]:
    os.environ.update(NO_OTHER_PLUGINS)
    runs = [plugin.run(TESTS, "-p", PLUGIN, beside=TESTS)[1] for _ in range(TEST_RUNS)]
    return {
        "fixtures of a test": fastest_tenth(runs, "test_rows") * 1e6,
        "a test without fixtures": fastest_tenth(runs, "test_plain") * 1e6,
        "cold run, four workers": cold_micros(SUITE, PLUGIN, keeps_bytecode=False),
        "the same without spanemu": cold_micros(CLIENT_SUITE, keeps_bytecode=False),
        "cold run that keeps its bytecode": cold_micros(SUITE, PLUGIN, keeps_bytecode=True),
    }


def fastest_tenth(runs: list[dict[str, list[float]]], test: str) -> float:
    """Return the seconds that a tenth of the tests stay under, in the fastest run."""
    return min(quantiles(seconds[test], n=10)[0] for seconds in runs)


def cold_micros(suite: str, *plugins: str, keeps_bytecode: bool) -> float:
    """Return the elapsed time of 200 tests in four workers, the shortest of some runs.

    Nothing is compiled before, as in a new container. Python may write what it compiles, or with
    `PYTHONDONTWRITEBYTECODE` it may not.
    """
    return min(_cold_seconds(suite, plugins, keeps_bytecode) for _ in range(COLD_RUNS)) * 1e6


def _cold_seconds(suite: str, plugins: tuple[str, ...], keeps_bytecode: bool) -> float:
    with tempfile.TemporaryDirectory() as location:
        directory = Path(location)
        (directory / "schema.sql").write_text(SCHEMA)
        (directory / "test_suite.py").write_text(suite)
        (directory / "pytest.ini").write_text("[pytest]\n")
        environ = {
            "PYTHONDONTWRITEBYTECODE": "" if keeps_bytecode else "1",
            "PYTHONPYCACHEPREFIX": f"{directory}/bytecode",
            **NO_OTHER_PLUGINS,
        }
        pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "xdist"]
        began = perf_counter()
        subprocess.run(
            [*pytest, *(f"-p{plugin}" for plugin in plugins), "-n", "4"], cwd=directory,
            env=os.environ | environ, check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        return perf_counter() - began


def main() -> None:
    parts = (calls_of_the_client, calls_of_the_engine, queries, watched_writes, isolated_tests)
    numbers: dict[str, float] = {}
    for part in parts:
        numbers |= part()
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()

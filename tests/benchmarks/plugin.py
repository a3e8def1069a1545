"""A suite of many small tests: what a test's fixtures cost, from the first hundred to the last, and
the same file on Google's emulator with a database made for each test.

100 tables, 50 indexes, 10,000 seeded rows; each test inserts 10 rows and queries them. What fixtures
cost is pytest's set-up and teardown of a test, less that of a test that does the same work on a
database of the session, with no fixture of its own. Between the two is a test with two fixtures
that do nothing: what pytest itself asks for them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from tests.conformance.reference import official_process
from tests.installed import official_binary

ROOT = Path(__file__).parents[2]
TESTS = 1_000
OFFICIAL_TESTS = 5  # each makes a database of all that
TABLES, INDEXES, SEEDED = 100, 50, 10_000
LAST = 100
BESIDE = 300  # tests of each kind that the fixtures' cost is compared with

SUITE = """
import pytest

def work(database, n, first):
    table = f"T{{n % {tables}}}"
    with database.batch() as batch:
        batch.insert(table, ["K", "V", "N"], [[first + k, str(k), n] for k in range(10)])
    with database.snapshot() as snapshot:
        found = list(snapshot.execute_sql(f"SELECT K FROM {{table}} WHERE K >= {{first}}"))
    assert len(found) == 10

@pytest.mark.parametrize("n", range({tests}))
def test_rows(spanner_database, n):
    work(spanner_database, n, 10_000)

@pytest.fixture(scope="session")
def shared(spanner_template):
    return spanner_template.database

@pytest.fixture
def inner(request):
    yield request.getfixturevalue("shared")

@pytest.fixture
def outer(inner):
    return inner

@pytest.mark.parametrize("n", range({beside}))
def test_pair(outer, n):
    work(outer, n, 20_000 + 10 * n)

@pytest.mark.parametrize("n", range({beside}))
def test_plain(shared, n):
    work(shared, n, 50_000 + 10 * n)
"""
CONFTEST = """
import json
import os

seconds = {}

def pytest_runtest_logreport(report):
    if report.when != "call":
        seconds[report.nodeid] = seconds.get(report.nodeid, 0.0) + report.duration

def pytest_sessionfinish():
    with open(os.environ["SUITE_OUT"], "w") as file:
        json.dump(seconds, file)
"""


def write_project(directory: Path, tests: int, beside: int) -> None:
    """Write a schema, seeds and tests."""
    statements = [
        f"CREATE TABLE T{n} (K INT64, V STRING(20), N INT64) PRIMARY KEY (K)" for n in range(TABLES)
    ]
    statements += [f"CREATE INDEX I{n} ON T{n} (V)" for n in range(INDEXES)]
    (directory / "schema.sql").write_text(";\n".join(statements))
    (directory / "seeds").mkdir()
    for n in range(TABLES):
        rows = "".join(f"{k},{k % 7},{k}\n" for k in range(SEEDED // TABLES))
        (directory / "seeds" / f"T{n}.csv").write_text(f"K,V,N\n{rows}")
    (directory / "test_suite.py").write_text(
        SUITE.format(tests=tests, tables=TABLES, beside=beside)
    )
    (directory / "conftest.py").write_text(CONFTEST)


def run(tests: int, *args: str, beside: int = 0) -> tuple[float, dict[str, list[float]]]:
    """Return seconds in all; of set-up and teardown of each test, by the test's name."""
    with tempfile.TemporaryDirectory() as location:
        directory = Path(location)
        write_project(directory, tests, beside)
        paths = [str(ROOT), *filter(None, sys.path)]
        environ = os.environ | {
            "SUITE_OUT": str(directory / "out.json"), "PYTHONPATH": os.pathsep.join(paths),
        }  # fmt: skip
        began = perf_counter()
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args]
        subprocess.run(command, cwd=directory, env=environ, check=True, stdout=subprocess.DEVNULL)
        took = perf_counter() - began
        seconds: dict[str, float] = json.loads((directory / "out.json").read_text())
    result: dict[str, list[float]] = {}
    for name, item in seconds.items():
        result.setdefault(re.sub(r".*::|\[.*", "", name), []).append(item)
    return took, result


@contextmanager
def official_flags() -> Iterator[tuple[str, ...] | None]:
    """Yield how the suite finds Google's emulator, None where there is none."""
    if official_binary() is None:
        yield None
        return
    with official_process() as (client, _):
        host = client._emulator_host
        yield (
            "--spanner-target=external", f"--spanner-host={host}", "--spanner-isolation=recreate",
        )  # fmt: skip


def main(rounds: int = 20) -> None:
    """Measure `rounds` runs of 50 tests each."""
    tests = min(TESTS, rounds * 50)
    took, result = run(tests, beside=BESIDE)
    costs, base = result["test_rows"], median(result["test_plain"])
    table = Table(title=f"{tests} tests, {TABLES} tables, {INDEXES} indexes, {SEEDED:,} rows")
    for column in ("what", "measured", "goal"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for name, several, goal in (
        ("fixtures of a test, ms", costs, "< 1"),
        ("of the first hundred", costs[1 : LAST + 1], "< 1"),
        ("of the last hundred", costs[-LAST:], "< 1"),
        ("two fixtures that do nothing, ms", result["test_pair"], ""),
    ):
        table.add_row(name, f"{(median(several) - base) * 1e3:.2f}", goal)
    table.add_row("a test without fixtures, ms", f"{base * 1e3:.2f}", "")
    item = took / (tests + 2 * BESIDE)
    table.add_row("whole run, ms a test", f"{item * 1e3:.1f}", "")
    with official_flags() as flags:
        if flags is not None:
            took_there, found_there = run(OFFICIAL_TESTS, *flags)
            alone = took_there - found_there["test_rows"][0]  # less the template, made once
            there = alone / max(1, OFFICIAL_TESTS - 1)
            table.add_row("Google's, a database a test, ms a test", f"{there * 1e3:.1f}", "")
            table.add_row("times faster", f"{there / item:.1f}", "> 5")
    Console().print(table)

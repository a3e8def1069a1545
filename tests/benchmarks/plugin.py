"""A suite of many small tests: what a test's fixtures cost, from the first hundred to the last, and
the same file on Google's emulator with a database made for each test.

100 tables, 50 indexes, 10,000 seeded rows; each test inserts 10 rows and queries them. Fixtures'
cost is pytest's set-up and teardown of a test, beside that of a test without fixtures.
"""

from __future__ import annotations

import json
import os
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

from tests.conformance.reference import official_binary, official_process

ROOT = Path(__file__).parents[2]
TESTS = 1_000
OFFICIAL_TESTS = 5  # each makes a database of all that
TABLES, INDEXES, SEEDED = 100, 50, 10_000
LAST = 100

SUITE = """
import pytest

@pytest.mark.parametrize("n", range({tests}))
def test_rows(spanner_database, n):
    table = f"T{{n % {tables}}}"
    with spanner_database.batch() as batch:
        batch.insert(table, ["K", "V", "N"], [[10_000 + k, str(k), n] for k in range(10)])
    with spanner_database.snapshot() as snapshot:
        found = list(snapshot.execute_sql(f"SELECT K FROM {{table}} WHERE K >= 10000"))
    assert len(found) == 10

@pytest.mark.parametrize("n", range({plain}))
def test_plain(n): pass
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


def write_project(directory: Path, tests: int) -> None:
    """Schema, seeds and tests."""
    statements = [
        f"CREATE TABLE T{n} (K INT64, V STRING(20), N INT64) PRIMARY KEY (K)" for n in range(TABLES)
    ]
    statements += [f"CREATE INDEX I{n} ON T{n} (V)" for n in range(INDEXES)]
    (directory / "schema.sql").write_text(";\n".join(statements))
    (directory / "seeds").mkdir()
    for n in range(TABLES):
        rows = "".join(f"{k},{k % 7},{k}\n" for k in range(SEEDED // TABLES))
        (directory / "seeds" / f"T{n}.csv").write_text(f"K,V,N\n{rows}")
    (directory / "test_suite.py").write_text(SUITE.format(tests=tests, tables=TABLES, plain=LAST))
    (directory / "conftest.py").write_text(CONFTEST)


def run(tests: int, *args: str) -> tuple[float, list[float], list[float]]:
    """Seconds in all; of set-up and teardown of each test, with fixtures and without."""
    with tempfile.TemporaryDirectory() as place:
        directory = Path(place)
        write_project(directory, tests)
        paths = [str(ROOT), *filter(None, sys.path)]
        environ = os.environ | {
            "SUITE_OUT": str(directory / "out.json"), "PYTHONPATH": os.pathsep.join(paths),
        }  # fmt: skip
        began = perf_counter()
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *args]
        subprocess.run(command, cwd=directory, env=environ, check=True, stdout=subprocess.DEVNULL)
        took = perf_counter() - began
        seconds: dict[str, float] = json.loads((directory / "out.json").read_text())
    with_them = [each for name, each in seconds.items() if "test_rows" in name]
    without = [each for name, each in seconds.items() if "test_plain" in name]
    return took, with_them, without


@contextmanager
def official_flags() -> Iterator[tuple[str, ...] | None]:
    """How the suite finds Google's emulator, None where there is none."""
    if official_binary() is None:
        yield None
        return
    with official_process() as (client, _):
        host = client._emulator_host
        yield (
            "--spanner-target=external", f"--spanner-host={host}", "--spanner-isolation=recreate",
        )  # fmt: skip


def main(rounds: int = 20) -> None:
    """`rounds` of 50 tests each."""
    tests = min(TESTS, rounds * 50)
    took, costs, plain = run(tests)
    base = median(plain)
    table = Table(title=f"{tests} tests, {TABLES} tables, {INDEXES} indexes, {SEEDED:,} rows")
    for column in ("what", "measured", "goal"):
        table.add_column(column, justify="left" if column == "what" else "right")
    for name, found in (
        ("fixtures of a test, ms", costs),
        ("of the first hundred", costs[1 : LAST + 1]),
        ("of the last hundred", costs[-LAST:]),
    ):
        table.add_row(name, f"{(median(found) - base) * 1e3:.2f}", "< 1")
    table.add_row("a test without fixtures, ms", f"{base * 1e3:.2f}", "")
    table.add_row("whole run, ms a test", f"{took / tests * 1e3:.1f}", "")
    with official_flags() as flags:
        if flags is not None:
            took_there, costs_there, _ = run(OFFICIAL_TESTS, *flags)
            alone = took_there - costs_there[0]  # less the template's, which is made once
            each = alone / max(1, OFFICIAL_TESTS - 1)
            table.add_row("Google's, a database a test, ms a test", f"{each * 1e3:.1f}", "")
            table.add_row("times faster", f"{each / (took / tests):.1f}", "> 5")
    Console().print(table)

"""The first test with a database where nothing has been compiled, as in a fresh container.

Processor seconds of whole processes without bytecode (`PYTHONDONTWRITEBYTECODE`, and an empty cache
in place of what is there): pytest with one test of a database, beside importing the official client
and pytest with a test that needs nothing. Also `spanemu --help`, with bytecode.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

CLIENT = ("-c", "import google.cloud.spanner")
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
HELP = ("-m", "spanemu", "--help")
PLAIN_SUITE = "def test_it(): pass\n"
DATABASE_SUITE = """
def test_it(spanner_database):
    with spanner_database.batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [(1, "a")])
    with spanner_database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT Name FROM Singers")) == [["a"]]
"""
SCHEMA = "CREATE TABLE Singers (SingerId INT64, Name STRING(MAX)) PRIMARY KEY (SingerId)"
WITHOUT_PLUGINS = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def cold_seconds(suite: str, *arguments: str, **environ: str) -> float:
    """Return the processor seconds of Python with these arguments, without any bytecode."""
    with tempfile.TemporaryDirectory() as location:
        directory = Path(location)
        (directory / "schema.sql").write_text(SCHEMA)
        (directory / "test_suite.py").write_text(suite)
        (directory / "pytest.ini").write_text("[pytest]\n")
        environ |= {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": f"{directory}/bytecode"}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *arguments], cwd=directory, env=os.environ | environ, check=True,
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def help_seconds(tries: int) -> float:
    """Return the wall seconds of `spanemu --help` with bytecode, as after an installation."""
    environ = {name: each for name, each in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    seconds = []
    with tempfile.TemporaryDirectory() as cache:
        environ["PYTHONPYCACHEPREFIX"] = cache
        for _ in range(tries + 1):
            began = perf_counter()
            command = [sys.executable, *HELP]
            subprocess.run(command, env=environ, check=True, stdout=subprocess.DEVNULL)
            seconds.append(perf_counter() - began)
    return median(seconds[1:])


def main(rounds: int = 20) -> None:
    """Measure the three processes in turns, so that a busy machine slows all of them."""
    tries = max(3, rounds // 4)
    measured = [
        (
            cold_seconds(PLAIN_SUITE, *CLIENT),
            cold_seconds(PLAIN_SUITE, *PYTEST, **WITHOUT_PLUGINS),
            cold_seconds(DATABASE_SUITE, *PYTEST, "-p", "pytest_spanemu.plugin", **WITHOUT_PLUGINS),
            cold_seconds(DATABASE_SUITE, *PYTEST),
        )
        for _ in range(tries)
    ]
    client, plain, alone, first = (median(column) for column in zip(*measured, strict=True))
    table = Table(title="Without bytecode, processor seconds")
    for column in ("what", "seconds", "goal"):
        table.add_column(column, justify="left" if column == "what" else "right")
    goal = f"< {1.2 * (client + plain):.2f}"
    table.add_row("import google.cloud.spanner", f"{client:.2f}", "")
    table.add_row("pytest without plugins, a test that needs nothing", f"{plain:.2f}", "")
    table.add_row("a test with a database, no other plugin", f"{alone:.2f}", goal)
    table.add_row("the same beside all plugins that are installed", f"{first:.2f}", "")
    table.add_row("times the client and pytest", f"{alone / (client + plain):.2f}", "< 1.2")
    table.add_row("spanemu --help with bytecode, wall", f"{help_seconds(tries):.2f}", "< 0.25")
    Console().print(table)

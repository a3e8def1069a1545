"""From process start to ready, and to the first query, beside what importing the client costs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from tests.benchmarks import anchor

FIRST_QUERY_ROWS = [
    ("client_ms", "import google.cloud.spanner", ".0f", ""),
    ("start_ms", "import spanemu, Emulator(), a database", ".0f", ""),
    ("first_calls_ms", "the first commit and query", ".0f", ""),
    ("ours_ms", "both together", ".0f", "<= 120"),
    ("share", "as a share of the client's import", ".2f", ""),
    ("help_ms", "spanemu --help, elapsed", ".0f", "<= 150"),
]


def import_seconds() -> float:
    began = perf_counter()
    subprocess.run([sys.executable, "-c", "import google.cloud.spanner_v1.types"], check=True)
    return perf_counter() - began


def plugin_seconds(tries: int) -> float:
    """Return what the plugin adds to a pytest run that uses none of it: the import's time, with
    bytecode in place as it is after an installation.
    """
    code = (
        "import sys, time, pytest; began = time.process_time(); "
        "import pytest_spanemu.plugin, pytest_spanemu.session_fixtures, pytest_spanemu.fixtures; "
        "print(time.process_time() - began); "
        "assert not {'google', 'grpc', 'faker'} & set(sys.modules)"
    )
    environ = {name: each for name, each in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as cache:
        environ["PYTHONPYCACHEPREFIX"] = cache
        result = [
            float(subprocess.check_output([sys.executable, "-c", code], env=environ))
            for _ in range(tries + 1)
        ]
    return median(result[1:])


def serve_seconds() -> tuple[float, float]:
    """Return seconds until the ready line, and from SIGTERM to the end."""
    began = perf_counter()
    command = [sys.executable, "-m", "spanemu", "serve", "--host-port", "127.0.0.1:0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    for line in server.stdout:
        if "gRPC server listening" in line:
            break
    ready = perf_counter() - began
    began = perf_counter()
    server.send_signal(signal.SIGTERM)
    assert server.wait(10) == 0
    return ready, perf_counter() - began


def first_query(tries: int) -> None:
    """Print the time to the first query, with bytecode as after an installation, and without."""
    with tempfile.TemporaryDirectory() as cache:
        with_bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{cache}/full"}
        anchor.run_in_turns("first_query", 1, environ=with_bytecode)  # writes the bytecode
        without = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPYCACHEPREFIX": f"{cache}/empty"}
        for title, environ in (("with bytecode", with_bytecode), ("without bytecode", without)):
            numbers = anchor.run_in_turns("first_query", tries, environ=environ)
            title = f"To the first query {title}, milliseconds of the processor"
            Console().print(anchor.table(title, numbers, FIRST_QUERY_ROWS))


def main(rounds: int = 40) -> None:
    tries = max(3, rounds // 8)
    first_query(tries)
    imports = median(import_seconds() for _ in range(tries))
    served = [serve_seconds() for _ in range(tries)]
    ready = median(ready for ready, _ in served)
    table = Table(title="Start and stop, seconds")
    for column in ("what", "seconds", "goal"):
        table.add_column(column, justify="left" if column == "what" else "right")
    table.add_row("import google.cloud.spanner_v1.types", f"{imports:.2f}", "")
    table.add_row("process start to ready", f"{ready:.2f}", "")
    table.add_row("ready beyond the import", f"{ready - imports:.2f}", "< 1")
    table.add_row("SIGTERM to end", f"{median(end for _, end in served):.2f}", "< 2")
    loaded = plugin_seconds(tries)
    table.add_row("import of the pytest plugin, processor", f"{loaded:.3f}", "< 0.020")
    Console().print(table)

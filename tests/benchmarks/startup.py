"""From process start to ready, beside what importing the client's wire types costs."""

from __future__ import annotations

import signal
import subprocess
import sys
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table


def import_seconds() -> float:
    began = perf_counter()
    subprocess.run([sys.executable, "-c", "import google.cloud.spanner_v1.types"], check=True)
    return perf_counter() - began


def serve_seconds() -> tuple[float, float]:
    """Until the ready line, and from SIGTERM to the end."""
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


def main(rounds: int = 40) -> None:
    tries = max(3, rounds // 8)
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
    Console().print(table)

"""A map of one insert and of one SELECT: where the processor time of a call goes, stage by stage.

From the official client for Go, from Python embedded, and from Python with a server, whose time is
measured without a clock in any stage as well. The tables are Markdown, for
docs/architecture/map-of-a-call.md.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from tests.benchmarks import anchor, go_client, latency, targets
from tests.benchmarks.stages import CONVERSION, ORDER, OUTSIDE, PARSING

RPCS = {"insert": "Commit", "SELECT by key": "ExecuteStreamingSql"}
WORK = {"insert": latency.insert_commit, "SELECT by key": latency.select_by_key}
ROUNDS_PER_TURN = 4
CALLS = 1_000
GO_SECONDS = "0.5"
CLIENT = "client"
SERVER = "server, without a clock in its stages"
REST = "rest of the server"

# By work: the microseconds of each stage, and of client and server.
Figures = dict[str, dict[str, float]]


def main(rounds: int = 20) -> None:
    turns = max(1, rounds // ROUNDS_PER_TURN)
    columns = {
        "Go": from_go(turns),
        "Python, embedded": embedded(),
        "Python, server": from_python(turns),
    }
    print(markdown(columns))


# ---------------------------------------------------------------------------- measurements


def from_go(turns: int) -> Figures:
    """Return the figures of the client for Go and of the server."""
    with tempfile.TemporaryDirectory() as scratch:
        program = go_client.built(Path(scratch))

        def run(server: go_client.Server, *arguments: str) -> dict[str, dict[str, float]]:
            printed: dict[str, dict[str, float]] = json.loads(
                go_client.call(program, server, "-server", str(server.pid), *arguments)
            )
            return printed

        figures: Figures = {}
        with server_process() as server:
            go_client.call(program, server, "create")
            for work in RPCS:
                taken = [run(server, "-work", work, "1", GO_SECONDS)[work] for _ in range(turns)]
                client, served = (median(one[key] for one in taken) for key in (CLIENT, "server"))
                figures[work] = {CLIENT: client, SERVER: served}

        def calls(server: go_client.Server) -> None:
            go_client.call(program, server, "create")
            for work in RPCS:
                run(server, "-work", work, "1", GO_SECONDS)

        return with_stages(figures, calls)


def from_python(turns: int) -> Figures:
    """Return the figures of the client for Python and of the server."""
    figures: Figures = {}
    with server_process() as server:
        database = targets.fresh_database(targets.client_at(f"127.0.0.1:{server.port}"))
        for work, call in WORK.items():
            call(database)
            client, served = [], []
            for _ in range(turns):
                own, theirs = process_time(), server.processor_seconds()
                repeat(call, database)
                client.append(process_time() - own)
                served.append(server.processor_seconds() - theirs)
            figures[work] = {
                CLIENT: median(client) / CALLS * 1e6,
                SERVER: median(served) / CALLS * 1e6,
            }

    def calls(server: go_client.Server) -> None:
        database = targets.fresh_database(targets.client_at(f"127.0.0.1:{server.port}"))
        for call in WORK.values():
            repeat(call, database)

    return with_stages(figures, calls)


def embedded() -> Figures:
    """Return the figures of a process that has both the client for Python and the emulator."""
    printed = subprocess.check_output(
        [sys.executable, "-P", str(anchor.PROGRAMS / "floor_embedded.py"), str(CALLS)],
        env={**os.environ, "PYTHONPATH": str(anchor.HERE)},
        timeout=go_client.RUN_SECONDS_MAX,
    )
    by_rpc: dict[str, dict[str, float]] = json.loads(printed)
    figures: Figures = {}
    for work, rpc in RPCS.items():
        stages = by_rpc[rpc]
        client = stages.pop(OUTSIDE)
        figures[work] = {CLIENT: client, **stages}
    return figures


def repeat(call: Callable[[Any], None], database: Any) -> None:
    for _ in range(CALLS):
        call(database)


@contextmanager
def server_process(*command: str) -> Iterator[go_client.Server]:
    """Yield a server, by default `spanemu serve`."""
    port = targets.free_port()
    arguments = ["serve", "--rest-host-port", "off", "--host-port", f"127.0.0.1:{port}"]
    program = command or (sys.executable, "-P", "-m", "spanemu")
    environ = {"PYTHONPATH": str(anchor.HERE)}
    with targets.process([*program, *arguments], port, environ) as running:
        yield go_client.Server(running.pid, port)


def with_stages(figures: Figures, calls: Callable[[go_client.Server], None]) -> Figures:
    """Add the stages of a server to the figures of calls."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "stages.json"
        program = str(anchor.PROGRAMS / "floor_server.py")
        with server_process(sys.executable, "-P", program, str(report)) as server:
            calls(server)
        by_rpc: dict[str, dict[str, float]] = json.loads(report.read_text())
    for work, rpc in RPCS.items():
        stages = by_rpc[rpc]
        del stages[OUTSIDE]
        figures[work] |= stages
        figures[work][REST] = figures[work][SERVER] - sum(stages.values())
    return figures


# ---------------------------------------------------------------------------- the tables


def markdown(columns: dict[str, Figures]) -> str:
    """Return a table for each work: stages by rows, clients by columns."""
    return "\n\n".join(_table(work, columns) for work in RPCS)


def _table(work: str, columns: dict[str, Figures]) -> str:
    stages = [CLIENT]
    for stage in ORDER:
        stages.append(stage)
        if stage == "endpoint":
            stages += [PARSING, CONVERSION]
    stages.append(REST)
    lines = [f"| {work}, microseconds | {' | '.join(columns)} |", "|---|" + "---:|" * len(columns)]
    for stage in stages:
        cells = [figures[work].get(stage) for figures in columns.values()]
        if any(cell is not None and abs(cell) >= 0.05 for cell in cells):
            shown = ("" if cell is None else f"{cell:.1f}" for cell in cells)
            lines.append(f"| {stage} | {' | '.join(shown)} |")
    totals = (
        sum(figures[work].get(stage, 0.0) for stage in stages) for figures in columns.values()
    )
    lines.append(f"| **in all** | {' | '.join(f'**{total:.0f}**' for total in totals)} |")
    return "\n".join(lines)

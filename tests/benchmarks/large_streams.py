"""100 MB streamed by the official clients for Go, Java and Node from `spanemu serve`.

Each client runs in a process of its own, and streams from this checkout's server and, with
`--anchor`, from that of another one in turns. A client whose toolchain is not installed is left
out. The memory is the most that a server took, with the streams of all clients.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from statistics import median

import pytest
from rich.console import Console
from rich.table import Table

from tests.benchmarks import anchor, go_client, targets
from tests.benchmarks.go_client import Server
from tests.clients.test_clients import CLIENTS, Client, shell

STREAMS = 3  # of a turn
ROUNDS_PER_TURN = 4
GO_SECONDS = "1"
_RUN_SECONDS_MAX = 300
_PROGRAMS = {"java": (" Tour", " Stream {streams}"), "node": ("tour.mjs", "stream.mjs {streams}")}

# Streams from a server, and returns milliseconds of each stream, and of the server for all.
Run = Callable[[Server], list[float]]
# By client and server: milliseconds of a stream, and of the server's processor for a stream.
Times = dict[str, dict[str, list[tuple[float, float]]]]


def main(rounds: int = 20) -> None:
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        runs = dict(_runs(scratch))
        servers = {}
        for name, checkout in anchor.checkouts().items():
            command, environ = go_client.serve_command(checkout, "--rest-host-port", "off")
            port = targets.free_port()
            running = stack.enter_context(
                targets.process([*command, f"127.0.0.1:{port}"], port, environ)
            )
            servers[name] = Server(running.pid, port)
            targets.fresh_database(targets.client_at(f"127.0.0.1:{port}"), rows=0)
        times = _measure(runs, servers, max(3, rounds // ROUNDS_PER_TURN))
        Console(width=120).print(_table(times))
        for name, server in servers.items():
            print(f"most memory of the server, {name}: {_peak_mebibytes(server):,.0f} MiB")


def _runs(scratch: Path) -> Iterator[tuple[str, Run]]:
    """Yield each client that can be had here, built."""
    if shutil.which("go"):
        program, prepared = go_client.built(scratch), set[int]()

        def go(server: Server) -> list[float]:
            if server.port not in prepared:  # The program has a database of its own.
                prepared.add(server.port)
                go_client.call(program, server, "create")
            printed = go_client.call(program, server, "-work", "100 MB", "1", GO_SECONDS)
            return [go_client.figures(printed)["100 MB"]["microseconds"] / 1e3]

        yield "Go", go
    for client in CLIENTS:
        if client.language in _PROGRAMS:
            other = replace(client, run=client.run.replace(*_PROGRAMS[client.language]))
            try:
                other.make(scratch / client.language)
            except pytest.skip.Exception as reason:
                print(f"without {client.language}: {reason}")
            else:
                yield client.language.capitalize(), _run_of(other, scratch / client.language)


def _run_of(client: Client, out: Path) -> Run:
    def run(server: Server) -> list[float]:
        places = {"streams": STREAMS}
        ran = shell(client.run, out, _RUN_SECONDS_MAX, f"127.0.0.1:{server.port}", places)
        if ran.returncode:
            raise RuntimeError(ran.stderr)
        return [int(line) / 1e3 for line in ran.stdout.split()]

    return run


def _measure(runs: dict[str, Run], servers: dict[str, Server], turns: int) -> Times:
    times: Times = defaultdict(lambda: defaultdict(list))
    order = list(servers.items())
    for _ in range(turns):
        for client, run in runs.items():
            for name, server in order:
                before = server.processor_seconds()
                taken = run(server)
                served = (server.processor_seconds() - before) / len(taken)
                times[client][name].append((median(taken), served * 1e3))
        order.reverse()
    return times


def _table(times: Times) -> Table:
    """Return the medians; with an anchor, the medians of the turns' ratios to it as well."""
    table = Table(title="100 MB through the official clients, milliseconds")
    table.add_column("client")
    table.add_column("measure")
    names = list(anchor.checkouts())
    for column in (*names, *(["now / anchor"] if "anchor" in names else [])):
        table.add_column(column, justify="right")
    for client, by_server in times.items():
        for column_number, measure in enumerate(("a stream", "processor time of the server")):
            columns = [[turn[column_number] for turn in by_server[name]] for name in names]
            cells = [f"{median(column):,.0f}" for column in columns]
            if "anchor" in names:
                ratios = (now / then for now, then in zip(*columns, strict=True))
                cells.append(f"{median(ratios):.2f}")
            table.add_row(client, measure, *cells)
    return table


def _peak_mebibytes(server: Server) -> float:
    """Return the most memory that a server took; 0 where Linux does not say."""
    status = Path(f"/proc/{server.pid}/status")
    if not status.exists():
        return 0.0
    peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
    return int(peak.split()[1]) / 1024

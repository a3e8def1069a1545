"""Calls of the official Go client to `spanemu serve` with each of its gRPC servers, in turns.

Google's emulator takes part where it is installed, and `--anchor` adds `serve` of another checkout.
A server in Go that does nothing shows what the client, gRPC and the machine take, whoever answers.
On a busy machine, the processor time that the server takes for a call says more than how long the
client waits.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tests.benchmarks import anchor
from tests.benchmarks.targets import free_port, process
from tests.clients.test_clients import STAY_HERE
from tests.installed import official_binary

SOURCE = Path(__file__).parents[1] / "clients" / "go"
SECONDS = "0.5"  # of each work in a turn
CLIENTS = ("1", "8")
BUILD_SECONDS_MAX = 600
RUN_SECONDS_MAX = 600  # Google's emulator scans a table that grows with each round.
OWN = ("grpcio", "h2")
# The numbers that the program prints for each work, with their labels.
MEASURES = {
    "microseconds": "median of a call",
    "calls": "calls a second",
    "client": "client's processor time",
    "server": "server's processor time",
}

# By clients, work and measure, and by server: the numbers of the rounds.
Found = dict[tuple[str, str, str], dict[str, list[float]]]


def main(rounds: int = 20) -> None:
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        program, nothing = built(Path(scratch)), built(Path(scratch), "nothing")
        servers = {}
        for name, (command, environ) in {**_commands(), "nothing": ([str(nothing)], {})}.items():
            port = free_port()
            running = stack.enter_context(process([*command, f"127.0.0.1:{port}"], port, environ))
            servers[name] = Server(running.pid, port)
            if name != "nothing":
                call(program, servers[name], "create")
        Console(width=120).print(_table(_measure(program, servers, rounds)))


def built(scratch: Path, name: str = "benchmark") -> Path:
    """Return a program in Go, built in a directory: by default the one that calls a server."""
    program = scratch / name
    build = ["go", "build", "-mod=readonly", "-buildvcs=false", "-o", str(program)]
    subprocess.run([*build, f"./{name}"], cwd=SOURCE, check=True, timeout=BUILD_SECONDS_MAX)
    return program


class Server(NamedTuple):
    """A server that runs."""

    pid: int
    port: int

    def processor_seconds(self) -> float:
        """Return the processor time that the server took so far; 0 where Linux does not say."""
        stat = Path(f"/proc/{self.pid}/stat")
        if not stat.exists():
            return 0.0
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _commands() -> dict[str, tuple[list[str], dict[str, str]]]:
    """Return what starts each server, less its port, and in which environment."""
    checkouts = anchor.checkouts()
    options = {kind: ["--rest-host-port", "off", "--grpc-server", kind] for kind in OWN}
    commands = {kind: serve_command(checkouts["now"], *options[kind]) for kind in OWN}
    if (binary := official_binary()) is not None:
        commands["official"] = [str(binary), "--host_port"], {}
    if "anchor" in checkouts:
        commands["anchor"] = serve_command(checkouts["anchor"])
    return commands


def serve_command(checkout: Path, *options: str) -> tuple[list[str], dict[str, str]]:
    """Return what starts the server of a checkout, less its port, and in which environment."""
    python = [anchor.python_of(checkout), "-P", "-m", "spanemu"]
    return [*python, "serve", *options, "--host-port"], {"PYTHONPATH": str(checkout)}


def _measure(program: Path, servers: dict[str, Server], rounds: int) -> Found:
    result: Found = defaultdict(lambda: defaultdict(list))
    order = list(servers.items())
    for _ in range(rounds):
        for clients in CLIENTS:
            for name, server in order:
                pid = str(server.pid)
                printed = call(program, server, "-server", pid, clients, SECONDS)
                for work, numbers in figures(printed).items():
                    for measure, number in numbers.items():
                        result[clients, work, MEASURES[measure]][name].append(number)
        order.reverse()
    return result


def call(program: Path, server: Server, *arguments: str) -> str:
    """Run the program, and return what it prints."""
    environ = {**os.environ, **STAY_HERE, "SPANNER_EMULATOR_HOST": f"127.0.0.1:{server.port}"}
    return subprocess.check_output(
        [program, *arguments], env=environ, text=True, timeout=RUN_SECONDS_MAX
    )


def figures(printed: str) -> dict[str, dict[str, float]]:
    """Return the numbers that the program printed for each work."""
    taken: dict[str, dict[str, float]] = json.loads(printed)
    return taken


def _table(result: Found) -> Table:
    table = Table(title="The official Go client, microseconds and calls a second; h2 is faster")
    servers = list(next(iter(result.values())))
    others = [each for each in servers if each in ("grpcio", "anchor")]
    for column in ("clients", "work", "measure"):
        table.add_column(column)
    for column in (*servers, *(f"than {each}" for each in others)):
        table.add_column(column, justify="right")
    for (clients, work, measure), numbers in result.items():
        cells = (f"{median(numbers[each]):,.0f}" for each in servers)
        faster = (f"{_times_faster(numbers['h2'], numbers[each], measure):.2f}" for each in others)
        table.add_row(clients, work, measure, *cells, *faster)
    return table


def _times_faster(now: list[float], then: list[float], measure: str) -> float:
    is_rate = measure == MEASURES["calls"]
    pairs = zip(now, then, strict=True) if is_rate else zip(then, now, strict=True)
    return median(more / less if less else 1.0 for more, less in pairs)

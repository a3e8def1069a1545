"""Calls of the official Go client to `spanemu serve` with each of its gRPC servers, in turns.

Google's emulator takes part where it is installed. On a busy machine, the processor time that the
server takes for a call says more than how long the client waits.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

from tests.benchmarks.targets import free_port, process
from tests.clients.test_clients import STAY_HERE
from tests.installed import official_binary

SOURCE = Path(__file__).parents[1] / "clients" / "go"
SECONDS = "0.5"  # of each work in a turn
CLIENTS = ("1", "8")
BUILD_SECONDS_MAX = 600
RUN_SECONDS_MAX = 120
OWN = ("grpcio", "h2")
SERVER_TIME = "server's microseconds"

# By clients, work and measure, and by server: the numbers of the rounds.
Found = dict[tuple[str, str, str], dict[str, list[float]]]


def main(rounds: int = 20) -> None:
    with tempfile.TemporaryDirectory() as scratch, ExitStack() as stack:
        program = Path(scratch) / "benchmark"
        build = ["go", "build", "-mod=readonly", "-buildvcs=false", "-o", str(program)]
        subprocess.run([*build, "./benchmark"], cwd=SOURCE, check=True, timeout=BUILD_SECONDS_MAX)
        servers = {}
        for name, command in _commands().items():
            port = free_port()
            running = stack.enter_context(process([*command, f"127.0.0.1:{port}"], port))
            servers[name] = Server(running.pid, port)
            _call(program, servers[name], "create")
        Console().print(_table(_measure(program, servers, rounds)))


class Server(NamedTuple):
    """A server that runs."""

    pid: int
    port: int

    def cpu_seconds(self) -> float:
        """Return the processor time that the server took so far; 0 where Linux does not say."""
        stat = Path(f"/proc/{self.pid}/stat")
        if not stat.exists():
            return 0.0
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _commands() -> dict[str, list[str]]:
    serve = [sys.executable, "-m", "spanemu", "serve", "--rest-host-port", "off"]
    commands = {kind: [*serve, "--grpc-server", kind, "--host-port"] for kind in OWN}
    binary = official_binary()
    return commands if binary is None else commands | {"official": [str(binary), "--host_port"]}


def _measure(program: Path, servers: dict[str, Server], rounds: int) -> Found:
    found: Found = defaultdict(lambda: defaultdict(list))
    order = list(servers.items())
    for _ in range(rounds):
        for clients in CLIENTS:
            for name, server in order:
                before = server.cpu_seconds()
                taken = json.loads(_call(program, server, clients, SECONDS))
                count = sum(each["calls"] for each in taken.values()) * float(SECONDS)
                taken["all"] = {SERVER_TIME: (server.cpu_seconds() - before) / count * 1e6}
                for work, numbers in taken.items():
                    for measure, number in numbers.items():
                        found[clients, work, measure][name].append(number)
        order.reverse()
    return found


def _call(program: Path, server: Server, *arguments: str) -> str:
    environ = {**os.environ, **STAY_HERE, "SPANNER_EMULATOR_HOST": f"127.0.0.1:{server.port}"}
    return subprocess.check_output(
        [program, *arguments], env=environ, text=True, timeout=RUN_SECONDS_MAX
    )


def _table(found: Found) -> Table:
    table = Table(title="The official Go client: medians of a call, and calls a second")
    servers = list(next(iter(found.values())))
    for column in ("clients", "work", "measure", *servers, "h2 faster by"):
        table.add_column(column, justify="right" if column in servers else "left")
    for (clients, work, measure), by_server in found.items():
        pairs: Any = zip(by_server["grpcio"], by_server["h2"], strict=True)
        is_time = measure != "calls"
        faster = median(then / now if is_time else now / then for then, now in pairs)
        cells = (f"{median(by_server[each]):,.0f}" for each in servers)
        table.add_row(clients, work, measure, *cells, f"{faster:.2f}")
    return table

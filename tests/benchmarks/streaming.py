"""A table streamed through the official client from every target, and by the client alone.

The targets take turns; of each the best turn counts, which a busy machine changes least. Processor
time is that of this process, which is the client, and the emulator too where it is embedded. Of a
server it is given separately.

A replay is the client alone: it gets messages that were recorded before, those of embedded spanemu
as they were, and the same rows in messages of a mebibyte. `--anchor` adds the server of another
checkout, and a replay of that checkout's messages in a process of its own (`programs/replay.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any, NamedTuple

from google.cloud.spanner_v1.types import PartialResultSet
from rich.console import Console
from rich.table import Table

import spanemu
from tests.benchmarks import anchor, targets
from tests.benchmarks.programs.replay import (
    COLUMNS,
    ROWS,
    fill,
    recorded,
    replaying,
    stream,
)
from tests.installed import official_binary

LARGE_BYTES = 1024 * 1024
PROCESSES = 5  # of each checkout, that stream and replay


class Target(NamedTuple):
    """A database of the client, and the process id of its server if it has one."""

    database: Any
    server: int | None = None


class Turn(NamedTuple):
    """The seconds of a turn: elapsed, and of the processor in this process and in the server."""

    elapsed: float
    client: float
    server: float


def joined(messages: list[bytes]) -> list[bytes]:
    """Return the same rows in messages of a mebibyte."""
    kind = PartialResultSet.pb()
    whole, size = [kind()], 0
    for data in messages:
        if size + len(data) > LARGE_BYTES:
            whole.append(kind())
            size = 0
        whole[-1].MergeFromString(data)
        size += len(data)
    return [message.SerializeToString() for message in whole]


@contextmanager
def server(command: list[str], environ: dict[str, str] | None = None) -> Iterator[Target]:
    """Yield a server with the table."""
    port = targets.free_port()
    arguments = [each.replace("PORT", str(port)) for each in command]
    with targets.process(arguments, port, environ) as running:
        database = targets.fresh_database(targets.client_at(f"127.0.0.1:{port}"), rows=0)
        yield Target(fill(database), running.pid)


@contextmanager
def all_targets() -> Iterator[dict[str, Target]]:
    """Yield every target that can be had here, all up at once."""
    serve = [sys.executable, "-P", "-m", "spanemu", "serve", "--host-port", "127.0.0.1:PORT"]
    official = official_binary()
    with ExitStack() as stack:
        result: dict[str, Target] = {}
        if official is not None:
            command = [str(official), "--host_port", "127.0.0.1:PORT"]
            result["official"] = stack.enter_context(server(command))
        for name, checkout in anchor.checkouts().items():
            environ = {"PYTHONPATH": str(checkout)}
            result[f"standalone, {name}"] = stack.enter_context(server(serve, environ))
        emulator = stack.enter_context(spanemu.Emulator())
        embedded = fill(emulator.create_database("streaming").client())
        result["embedded"] = Target(embedded)
        messages = recorded(embedded)
        for name, some in (("replay", messages), ("replay, 1 MiB", joined(messages))):
            result[name] = Target(stack.enter_context(replaying(some)))
        yield result


def turn(target: Target) -> Turn:
    """Stream the table once."""
    client, server = process_time(), _server_seconds(target)
    elapsed = stream(target.database)
    return Turn(elapsed, process_time() - client, _server_seconds(target) - server)


def _server_seconds(target: Target) -> float:
    """Return the processor time of a server so far; 0 where the system does not tell."""
    status = Path(f"/proc/{target.server}/stat")
    if target.server is None or not status.exists():
        return 0.0
    user, system = status.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def measure(result: dict[str, Target], rounds: int) -> dict[str, Turn]:
    """Return the best of each figure of each target."""
    turns: dict[str, list[Turn]] = {name: [] for name in result}
    order = list(result)
    for _ in range(rounds):
        for name in order:
            turns[name].append(turn(result[name]))
        order.reverse()
    return {name: Turn(*map(min, zip(*some, strict=True))) for name, some in turns.items()}


def main(rounds: int = 20) -> None:
    with all_targets() as result:
        best = measure(result, max(3, rounds // 2))
    table = Table(title=f"{ROWS:,} rows of {len(COLUMNS)} columns through the official client")
    table.add_column("target")
    for column in ("rows a second", "client, µs a row", "server, µs a row"):
        table.add_column(column, justify="right")
    for name, taken in best.items():
        server = f"{taken.server / ROWS * 1e6:.1f}" if result[name].server else ""
        table.add_row(
            name, f"{ROWS / taken.elapsed:,.0f}", f"{taken.client / ROWS * 1e6:.1f}", server
        )
    Console().print(table)
    for above, below, goal in _RATIOS:
        if above in best and below in best:
            times = best[below].elapsed / best[above].elapsed
            print(f"rows a second, {above} / {below}: {times:.2f} ({goal})")
    alone = anchor.run_in_turns("replay", PROCESSES)
    rows = [("embedded", "embedded", ",.0f", ""), ("replay", "the client alone", ",.0f", "")]
    Console().print(anchor.table("In one process, rows a second", alone, rows))
    if "anchor" in alone:
        times = median(
            now["embedded"] / then["replay"]
            for now, then in zip(alone["now"], alone["anchor"], strict=True)
        )
        print(f"rows a second, embedded now / the client alone at the anchor: {times:.2f} (>= 1)")


# numerator, denominator, goal
_RATIOS = [
    ("embedded", "official", ">= 1.29"),
    ("embedded", "replay, 1 MiB", ">= 1"),
    ("standalone, now", "standalone, anchor", ">= 1.3"),
]

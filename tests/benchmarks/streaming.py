"""A table streamed through the official client, and the client's own share of the time.

A replay gives the client messages that were recorded before: those of embedded spanemu as they
were, and the same rows in messages of a mebibyte. The targets take turns; of each the best turn
counts, which a busy machine changes least. Processor time is that of this process, which is the
client, and the emulator too where it is embedded. Of a server it is given separately.

`--anchor` adds the server of another checkout.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from time import perf_counter, process_time
from typing import Any, NamedTuple

from google.cloud.spanner_v1.types import ExecuteSqlRequest, PartialResultSet
from rich.console import Console
from rich.table import Table

import spanemu
from tests.benchmarks import anchor, null, targets
from tests.installed import official_binary

ROWS, ROWS_PER_COMMIT = 50_000, 1_000
COLUMNS = ("Id", "A", "C", "D", "F")
DDL = (
    "CREATE TABLE T (Id INT64 NOT NULL, A STRING(MAX), C INT64, D FLOAT64, F TIMESTAMP) "
    "PRIMARY KEY (Id)"
)
QUERY = f"SELECT {', '.join(COLUMNS)} FROM T"
METHOD = "/google.spanner.v1.Spanner/ExecuteStreamingSql"
LARGE_BYTES = 1024 * 1024
SOME_DAY = datetime(2024, 1, 1, tzinfo=UTC)


class Target(NamedTuple):
    """A database of the client, and the process id of its server if it has one."""

    database: Any
    server: int | None = None


class Turn(NamedTuple):
    """The seconds of a turn: elapsed, and of the processor in this process and in the server."""

    elapsed: float
    client: float
    server: float


def fill(database: Any) -> Any:
    """Create the table and its rows, and return the database."""
    database.update_ddl([DDL]).result(60)
    for start in range(0, ROWS, ROWS_PER_COMMIT):
        rows = [
            (number, f"name {number * 31 % ROWS}", number * 7, number / 2,
             SOME_DAY + timedelta(seconds=number))
            for number in range(start, start + ROWS_PER_COMMIT)
        ]  # fmt: skip
        with database.batch() as batch:
            batch.insert("T", COLUMNS, rows)
    return database


def recorded(database: Any) -> list[bytes]:
    """The messages of the query, as the channel gives them."""
    api = database.spanner_api
    session = api.create_session(database=database.name)
    call = api.transport.grpc_channel.unary_stream(METHOD, ExecuteSqlRequest.serialize)
    return list(call(ExecuteSqlRequest(session=session.name, sql=QUERY)))


def joined(messages: list[bytes]) -> list[bytes]:
    """The same rows in messages of a mebibyte."""
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
    """A server with the table."""
    port = targets.free_port()
    arguments = [each.replace("PORT", str(port)) for each in command]
    with targets.process(arguments, port, environ) as running:
        database = targets.fresh_database(targets.client_at(f"127.0.0.1:{port}"), rows=0)
        yield Target(fill(database), running.pid)


@contextmanager
def all_targets() -> Iterator[dict[str, Target]]:
    """Every target that can be had here, all up at once."""
    serve = [sys.executable, "-P", "-m", "spanemu", "serve", "--host-port", "127.0.0.1:PORT"]
    official = official_binary()
    with ExitStack() as stack:
        found: dict[str, Target] = {}
        if official is not None:
            command = [str(official), "--host_port", "127.0.0.1:PORT"]
            found["official"] = stack.enter_context(server(command))
        for name, checkout in anchor.checkouts().items():
            environ = {"PYTHONPATH": str(checkout)}
            found[f"standalone, {name}"] = stack.enter_context(server(serve, environ))
        emulator = stack.enter_context(spanemu.Emulator())
        embedded = fill(emulator.create_database("streaming").client())
        found["embedded"] = Target(embedded)
        messages = recorded(embedded)
        for name, some in (("replay", messages), ("replay, 1 MiB", joined(messages))):
            channel = partial(null.ReplayChannel, some)
            found[name] = Target(stack.enter_context(targets.null_channel(channel)))
        yield found


def turn(target: Target) -> Turn:
    """Stream the table once."""
    began, client, server = perf_counter(), process_time(), _server_seconds(target)
    with target.database.snapshot() as snapshot:
        rows = sum(1 for _ in snapshot.execute_sql(QUERY))
    assert rows == ROWS
    elapsed = perf_counter() - began
    return Turn(elapsed, process_time() - client, _server_seconds(target) - server)


def _server_seconds(target: Target) -> float:
    """The processor time of a server so far; 0 where the system does not tell."""
    status = Path(f"/proc/{target.server}/stat")
    if target.server is None or not status.exists():
        return 0.0
    user, system = status.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def measure(found: dict[str, Target], rounds: int) -> dict[str, Turn]:
    """The best of each figure of each target."""
    turns: dict[str, list[Turn]] = {name: [] for name in found}
    order = list(found)
    for _ in range(rounds):
        for name in order:
            turns[name].append(turn(found[name]))
        order.reverse()
    return {name: Turn(*map(min, zip(*some, strict=True))) for name, some in turns.items()}


def main(rounds: int = 20) -> None:
    with all_targets() as found:
        best = measure(found, max(3, rounds // 2))
    table = Table(title=f"{ROWS:,} rows of {len(COLUMNS)} columns through the official client")
    table.add_column("target")
    for column in ("rows a second", "client, µs a row", "server, µs a row"):
        table.add_column(column, justify="right")
    for name, taken in best.items():
        server = f"{taken.server / ROWS * 1e6:.1f}" if found[name].server else ""
        table.add_row(
            name, f"{ROWS / taken.elapsed:,.0f}", f"{taken.client / ROWS * 1e6:.1f}", server
        )
    Console().print(table)
    for above, below, goal in _RATIOS:
        if above in best and below in best:
            times = best[below].elapsed / best[above].elapsed
            print(f"rows a second, {above} / {below}: {times:.2f} ({goal})")


# numerator, denominator, goal
_RATIOS = [
    ("embedded", "official", ">= 1.29"),
    ("embedded", "replay, 1 MiB", ">= 1"),
    ("standalone, now", "standalone, anchor", ">= 1.3"),
]

"""Readers of change streams that wait: what they cost a commit, in threads, and to cancel.

Three servers run side by side: without readers, with one, and with 2,000. Commits alternate between
them, of rows that no reader waits for, of one partition, and of all partitions. The readers are in
a process of their own, which reads whatever comes.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import grpc
from google.cloud.spanner_v1 import CommitRequest, ExecuteSqlRequest, PartialResultSet
from google.cloud.spanner_v1.types import CommitResponse
from rich.console import Console
from rich.table import Table

import spanemu

STREAMS, PARTITIONS, READERS = 10, 10, 20
CHANNELS = 20
COMMITS_PER_ROUND = 25
RECORDS = 20_000
RECORDS_PER_COMMIT = 20
PARTITION_KEYS = 1_000_000
SECONDS = 300.0
_SERVICE = "/google.spanner.v1.Spanner/"
_processes = multiprocessing.get_context("spawn")
_ids = count(1)

Commit = Callable[[], None]


class _Server:
    """A server process with watched tables, and with Users, which nothing watches."""

    def __init__(self) -> None:
        tables = [
            f"CREATE TABLE T{n} (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id)"
            for n in range(STREAMS)
        ]
        streams = [f"CREATE CHANGE STREAM S{n} FOR T{n}" for n in range(STREAMS)]
        self.emulator = spanemu.Emulator.subprocess()
        users = "CREATE TABLE Users (Id INT64, Name STRING(MAX)) PRIMARY KEY (Id)"
        self.database = self.emulator.create_database("bench", schema=[users, *tables, *streams])
        for n in range(STREAMS):
            for part in range(1, PARTITIONS):
                self.database.split_at(f"T{n}", (part * PARTITION_KEYS,))
        self.client = self.database.client()
        self.session = self.client.session()
        self.session.create()
        self._channel = grpc.insecure_channel(self.emulator.uri)

    def now(self) -> str:
        with self.client.snapshot() as snapshot:
            ((at,),) = snapshot.execute_sql("SELECT STRING(CURRENT_TIMESTAMP(), 'UTC')")
        return str(at)

    def request(self, stream: int, start: str, end: str, token: str) -> bytes:
        """Return the request that reads a partition."""
        sql = f"SELECT ChangeRecord FROM READ_S{stream}('{start}', {end}, {token}, 300000)"
        request = ExecuteSqlRequest(session=self.session.name, sql=sql)
        return bytes(ExecuteSqlRequest.serialize(request))

    def read(self, stream: int, start: str, end: str, token: str) -> Any:
        """Return the replies of a query."""
        call = self._channel.unary_stream(
            f"{_SERVICE}ExecuteStreamingSql", None, PartialResultSet.pb().FromString
        )
        return call(self.request(stream, start, end, token), timeout=SECONDS)

    def tokens(self, stream: int, start: str) -> list[str]:
        replies = list(self.read(stream, start, "NULL", "NULL"))
        (record,) = replies[0].values
        children = record.list_value.values[0].list_value.values[2].list_value.values[0]
        return [
            child.list_value.values[0].string_value
            for child in children.list_value.values[2].list_value.values
        ]

    def commit(self, rows: Sequence[tuple[str, int]]) -> Commit:
        """Return a function that commits one row in each of some partitions of tables."""
        send = self._channel.unary_unary(f"{_SERVICE}Commit", None, CommitResponse.pb().FromString)

        def commit() -> None:
            mutations = [
                {
                    "insert": {
                        "table": table,
                        "columns": ["Id", "Name"],
                        "values": [[str(part * PARTITION_KEYS + next(_ids)), "new"]],
                    }
                }
                for table, part in rows
            ]
            request = CommitRequest(
                session=self.session.name,
                single_use_transaction={"read_write": {}},
                mutations=mutations,
            )
            send(CommitRequest.serialize(request), timeout=SECONDS)

        return commit

    def active_queries(self) -> int:
        with self.client.snapshot() as snapshot:
            sql = "SELECT ACTIVE_COUNT FROM SPANNER_SYS.ACTIVE_QUERIES_SUMMARY"
            ((active,),) = snapshot.execute_sql(sql)
        return int(active)

    def threads(self) -> int:
        process = self.emulator._process
        assert process is not None
        return len(list(Path(f"/proc/{process._process.pid}/task").iterdir()))


class _Readers:
    """Queries that wait, in a process that reads their replies."""

    def __init__(self, server: _Server, requests: Sequence[bytes]) -> None:
        self._ready, self._stop = _processes.Event(), _processes.Event()
        arguments = (server.emulator.uri, requests, self._ready, self._stop)
        self._process = _processes.Process(target=_read_all, args=arguments, daemon=True)
        self._process.start()
        assert self._ready.wait(SECONDS)

    def cancel(self) -> None:
        """Cancel all queries; the process ends."""
        self._stop.set()

    def join(self) -> None:
        self._process.join(SECONDS)


def _read_all(uri: str, requests: Sequence[bytes], ready: Any, stop: Any) -> None:
    asyncio.run(_read(uri, requests, ready, stop))


async def _read(uri: str, requests: Sequence[bytes], ready: Any, stop: Any) -> None:
    options = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(uri, options=options) for _ in range(CHANNELS)]
    calls = [
        channels[number % CHANNELS].unary_stream(f"{_SERVICE}ExecuteStreamingSql")(
            request, timeout=10 * SECONDS
        )
        for number, request in enumerate(requests)
    ]
    for call in calls:
        await call.read()
    ready.set()
    readers = [asyncio.ensure_future(_discard(call)) for call in calls]
    await asyncio.get_running_loop().run_in_executor(None, stop.wait)
    for call in calls:
        call.cancel()
    await asyncio.gather(*readers, return_exceptions=True)
    for channel in channels:
        await channel.close()


async def _discard(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


def main(rounds: int) -> None:
    console = Console()
    servers = {"none": _Server(), "one": _Server(), "2,000": _Server()}
    single, many = servers["one"], servers["2,000"]
    start = single.now()
    first = single.request(0, start, "NULL", f"'{single.tokens(0, start)[0]}'")
    readers = [_Readers(single, [first])]
    unwatched = [("Users", 0)]
    _latencies(console, servers, "before the 2,000 readers, which is the noise", unwatched, rounds)
    start, threads = many.now(), many.threads()
    requests = [
        many.request(n, start, "NULL", f"'{token}'")
        for n in range(STREAMS)
        for token in many.tokens(n, start) * READERS
    ]
    began = perf_counter()
    readers.append(_Readers(many, requests))
    console.print(f"{len(requests)} readers wait after {perf_counter() - began:.1f} s")
    console.print(f"threads of the server: {threads} before, {many.threads()} with them")
    sleep(1)
    everywhere = [(f"T{n}", part) for n in range(STREAMS) for part in range(PARTITIONS)]
    _latencies(console, servers, "a commit to another table", unwatched, 3 * rounds)
    _latencies(console, servers, "a commit to one partition", [("T0", 0)], rounds)
    _latencies(console, servers, "the same, a second apart", [("T0", 0)], rounds, pause=1.0)
    _latencies(console, servers, "a commit to all partitions", everywhere, rounds, pause=1.0)
    began = perf_counter()
    for item in readers:
        item.cancel()
    while many.active_queries() > 1:  # the query that asks
        sleep(0.01)
    console.print(f"all are gone {perf_counter() - began:.2f} s after cancel")
    for item in readers:
        item.join()
    _reading(console, servers["none"])
    for server in servers.values():
        server.emulator.close()


def _latencies(
    console: Console,
    servers: dict[str, _Server],
    title: str,
    rows: Sequence[tuple[str, int]],
    rounds: int,
    pause: float = 0.0,
) -> None:
    """Print how long a commit takes; with a pause, each round has one commit."""
    commits = {name: server.commit(rows) for name, server in servers.items()}
    seconds: dict[str, list[float]] = {name: [] for name in servers}
    for number in range(rounds):
        order = list(commits)[:: -1 if number % 2 else 1]
        for name in order:
            for _ in range(1 if pause else COMMITS_PER_ROUND):
                before = perf_counter()
                commits[name]()
                seconds[name].append(perf_counter() - before)
        sleep(pause)
    table = Table("readers", "p50, ms", "p99, ms", "p50, ratio", "p99, ratio", title=title)
    base = [_percentile(seconds["none"], share) for share in (0.5, 0.99)]
    for name, times in seconds.items():
        result = [_percentile(times, share) for share in (0.5, 0.99)]
        ratios = [f"{value / before:.3f}" for value, before in zip(result, base, strict=True)]
        table.add_row(name, *(f"{value * 1e3:.2f}" for value in result), *ratios)
    console.print(table)


def _percentile(times: Sequence[float], share: float) -> float:
    return sorted(times)[int(len(times) * share)]


def _reading(console: Console, server: _Server) -> None:
    start, commit = server.now(), server.commit([("T1", 0)] * RECORDS_PER_COMMIT)
    for _ in range(RECORDS // RECORDS_PER_COMMIT):
        commit()
    end = server.now()
    began = perf_counter()
    for token in server.tokens(1, start):
        for _ in server.read(1, start, f"'{end}'", f"'{token}'"):
            pass
    rate = RECORDS / (perf_counter() - began)
    console.print(f"a client reads {rate:,.0f} changed rows a second")

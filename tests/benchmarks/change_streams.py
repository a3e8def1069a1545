"""Readers of change streams that wait: what they cost a commit, in threads, and to cancel.

Two servers run side by side, one of them with waiting readers, and commits alternate between them.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter, sleep
from typing import Any

import grpc
from google.cloud.spanner_v1 import CommitRequest, ExecuteSqlRequest, PartialResultSet
from google.cloud.spanner_v1.types import CommitResponse
from rich.console import Console

import spanemu

STREAMS, PARTITIONS, READERS = 10, 10, 20
CHANNELS = 20
COMMITS_PER_ROUND = 40
RECORDS = 20_000
RECORDS_PER_COMMIT = 20
_SERVICE = "/google.spanner.v1.Spanner/"
_ids = count(1)


class _Server:
    """A server process with a database of watched tables and a table that nothing watches."""

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
                self.database.split_at(f"T{n}", (part * 1_000_000,))
        self.client = self.database.client()
        self.session = self.client.session()
        self.session.create()
        host = self.emulator.uri
        self.channels = [
            grpc.insecure_channel(host, options=[("grpc.use_local_subchannel_pool", 1)])
            for _ in range(CHANNELS)
        ]

    def now(self) -> str:
        with self.client.snapshot() as snapshot:
            ((at,),) = snapshot.execute_sql("SELECT STRING(CURRENT_TIMESTAMP(), 'UTC')")
        return str(at)

    def query(self, stream: int, start: str, end: str, token: str, channel: int = 0) -> Any:
        """Begin to read a partition; the replies are an iterator."""
        sql = f"SELECT ChangeRecord FROM READ_S{stream}('{start}', {end}, {token}, 300000)"
        request = ExecuteSqlRequest.serialize(ExecuteSqlRequest(session=self.session.name, sql=sql))
        call = self.channels[channel % CHANNELS].unary_stream(
            f"{_SERVICE}ExecuteStreamingSql", None, PartialResultSet.pb().FromString
        )
        return call(request, timeout=3_000)

    def tokens(self, stream: int, start: str) -> list[str]:
        replies = list(self.query(stream, start, "NULL", "NULL"))
        (record,) = replies[0].values
        children = record.list_value.values[0].list_value.values[2].list_value.values[0]
        return [
            child.list_value.values[0].string_value
            for child in children.list_value.values[2].list_value.values
        ]

    def commit_call(self) -> Any:
        """Return a function that commits a row of the table."""
        send = self.channels[0].unary_unary(
            f"{_SERVICE}Commit", None, CommitResponse.pb().FromString
        )

        def commit(table: str = "Users", rows: int = 1) -> None:
            values = [[str(next(_ids)), "new"] for _ in range(rows)]
            request = CommitRequest(
                session=self.session.name,
                single_use_transaction={"read_write": {}},
                mutations=[
                    {"insert": {"table": table, "columns": ["Id", "Name"], "values": values}}
                ],
            )
            send(CommitRequest.serialize(request))

        return commit

    def active_queries(self) -> int:
        with self.client.snapshot() as snapshot:
            sql = "SELECT ACTIVE_COUNT FROM SPANNER_SYS.ACTIVE_QUERIES_SUMMARY"
            ((active,),) = snapshot.execute_sql(sql)
        return int(active)

    def threads(self) -> int:
        pid = self.emulator._process._process.pid
        return len(list(Path(f"/proc/{pid}/task").iterdir()))


def main(rounds: int) -> None:
    console = Console()
    idle, busy = _Server(), _Server()
    commits = idle.commit_call(), busy.commit_call()
    for commit in commits:
        commit()
    start = busy.now()
    threads_before = busy.threads()
    began = perf_counter()
    calls = [
        busy.query(n, start, "NULL", f"'{token}'", number)
        for n in range(STREAMS)
        for number, token in enumerate(busy.tokens(n, start) * READERS)
    ]
    for call in calls:
        next(call)
    console.print(f"{len(calls)} readers wait after {perf_counter() - began:.1f} s")
    console.print(f"threads of the server: {threads_before} before, {busy.threads()} with them")
    sleep(1)
    ratios = []
    for number in range(rounds):
        seconds = [0.0, 0.0]
        for which in (0, 1, 1, 0) if number % 2 else (1, 0, 0, 1):
            before = perf_counter()
            for _ in range(COMMITS_PER_ROUND):
                commits[which]()
            seconds[which] += perf_counter() - before
        ratios.append(seconds[1] / seconds[0])
    console.print(f"a commit beside them takes {median(ratios):.3f} times as long")
    commits[1]("T0")
    next(calls[0])
    began = perf_counter()
    for call in calls:
        call.cancel()
    while busy.active_queries() > 1:  # the query that asks
        sleep(0.01)
    console.print(f"all are gone {perf_counter() - began:.2f} s after cancel")
    _reading(console, idle)
    for server in (idle, busy):
        server.emulator.close()


def _reading(console: Console, server: _Server) -> None:
    start, commit = server.now(), server.commit_call()
    for _ in range(RECORDS // RECORDS_PER_COMMIT):
        commit("T1", RECORDS_PER_COMMIT)
    end = server.now()
    began = perf_counter()
    for token in server.tokens(1, start):
        for _ in server.query(1, start, f"'{end}'", f"'{token}'"):
            pass
    rate = RECORDS / (perf_counter() - began)
    console.print(f"a client reads {rate:,.0f} changed rows a second")

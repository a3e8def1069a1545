"""A large table without the client's cost: commits, queries, clones, deleted rows. Prints JSON.

The requests are made before they are measured, and sent over the emulator's channel.
All times are processor time, so that a busy machine counts less.

`large_table.py ROWS steady` compares the last tenth of a load with the first: a second process
loads the first tenth meanwhile, commit by commit in turns with the last and on the same core,
because a core of a shared machine is slower at some times than at others. Both processes take their
memory before: memory that is new to a process counts as the load's time, and on a virtual machine a
page of it can take four times as long once the host has to find it.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from statistics import median
from time import process_time
from typing import Any

from google.cloud.spanner_v1.types import (
    CommitRequest,
    CommitResponse,
    ExecuteSqlRequest,
    ResultSet,
)

import spanemu

ROWS_PER_COMMIT = 1_000
DELETED = 100_000
ROW_BYTES = 1_500  # at least what a row takes
WARM_UP_COMMITS = 20
BLOCK_BYTES = 470  # nearly the largest objects that Python puts into its arenas
ARENA_BLOCKS = 400  # fewer than an arena holds
COLUMNS = ("Id", "A", "B", "C", "D", "E", "F", "G", "H", "I")
DDL = [
    "CREATE TABLE T (Id INT64 NOT NULL, A STRING(MAX), B STRING(MAX), C INT64, D FLOAT64, E BOOL, "
    "F TIMESTAMP, G INT64, H STRING(MAX), I BYTES(MAX)) PRIMARY KEY (Id)",
    "CREATE INDEX ByA ON T (A)",
    "CREATE INDEX ByG ON T (G)",
]
QUERIES = {
    "count": "SELECT COUNT(*) FROM T",
    "sum": "SELECT SUM(C) FROM T",
    "filter": "SELECT COUNT(*) FROM T WHERE C > 10 AND E",
    "group": "SELECT E, COUNT(*), MAX(C) FROM T GROUP BY E",
    "like": "SELECT COUNT(*) FROM T WHERE H LIKE '%77%'",
}
FIRST_ROW = "SELECT Id FROM T@{FORCE_INDEX=_BASE_TABLE} ORDER BY Id LIMIT 1"
SERVICE = "/google.spanner.v1.Spanner/"


class Connection:
    """One session of a database, with requests and replies as messages of protobuf."""

    def __init__(self, database: Any) -> None:
        client = database.client()
        self._channel = client.spanner_api.transport.grpc_channel
        self.session = client.spanner_api.create_session(database=client.name).name
        self._commit = self._method("Commit", CommitRequest, CommitResponse)
        self._execute = self._method("ExecuteSql", ExecuteSqlRequest, ResultSet)

    def _method(self, name: str, request: Any, reply: Any) -> Callable[..., Any]:
        method: Callable[..., Any] = self._channel.unary_unary(
            SERVICE + name,
            request_serializer=request.pb().SerializeToString,
            response_deserializer=reply.pb().FromString,
        )
        return method

    def commit_request(self, rows: Iterable[tuple[Any, ...]]) -> Any:
        message = CommitRequest.pb()(session=self.session)
        message.single_use_transaction.read_write.SetInParent()
        insert = message.mutations.add().insert_or_update
        insert.table = "T"
        insert.columns.extend(COLUMNS)
        for row in rows:
            insert.values.add().extend(row)
        return message

    def delete_request(self, keys: Iterable[int]) -> Any:
        message = CommitRequest.pb()(session=self.session)
        message.single_use_transaction.read_write.SetInParent()
        delete = message.mutations.add().delete
        delete.table = "T"
        for key in keys:
            delete.key_set.keys.add().extend([str(key)])
        return message

    def commit(self, message: Any) -> None:
        self._commit(message)

    def query(self, sql: str) -> None:
        self._execute(ExecuteSqlRequest.pb()(session=self.session, sql=sql))


def row(number: int, rows: int) -> tuple[Any, ...]:
    """Return a row on the wire; the keys are in random order, and so are the indexed columns."""
    key = number * 7_919 % rows
    return (str(key), f"name {number * 31 % rows}", "b", str(number), number / 2, number % 2 == 0,
            "2024-01-01T00:00:00Z", str(number * 17 % rows), f"h{number}", "YWJj")  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    began = process_time()
    work()
    return process_time() - began


def resident_bytes() -> int:
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def load(connection: Connection, rows: int, first: int, end: int) -> list[float]:
    """Load some of so many rows; return the processor seconds of each commit."""
    commits = []
    for start in range(first, end, ROWS_PER_COMMIT):
        some = [row(number, rows) for number in range(start, start + ROWS_PER_COMMIT)]
        message = connection.commit_request(some)
        commits.append(seconds(lambda message=message: connection.commit(message)))  # type: ignore[misc]
    return commits


def last_to_first_tenth(commits: list[float]) -> float:
    tenth = max(1, len(commits) // 10)
    return sum(commits[-tenth:]) / sum(commits[:tenth])


def memory_at_hand(size: int) -> list[bytes]:
    """Take so many bytes of memory; return objects that keep it in the process, nearly all free."""
    blocks = [bytes(BLOCK_BYTES) for _ in range(size // BLOCK_BYTES)]
    return blocks[::ARENA_BLOCKS]


def connection_to_load(emulator: spanemu.Emulator, rows: int) -> Connection:
    """Return a connection to an empty table, after a first load of another one."""
    database = emulator.create_database("first", schema=DDL)
    load(Connection(database), rows, 0, WARM_UP_COMMITS * ROWS_PER_COMMIT)
    database.drop()
    connection = Connection(emulator.create_database("bench", schema=DDL))
    connection.query(QUERIES["count"])
    gc.collect()
    return connection


def steady(rows: int) -> None:
    """Print how much longer the last tenth of a load takes than the first."""
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    command = [sys.executable, "-P", __file__, str(rows), "first"]
    with (
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as other,
        spanemu.Emulator() as emulator,
    ):
        assert other.stdin is not None
        assert other.stdout is not None
        kept = memory_at_hand(rows * ROW_BYTES)
        connection = connection_to_load(emulator, rows)
        first_of_last_tenth = rows - rows // 10
        load(connection, rows, 0, first_of_last_tenth)
        last, first = [], []
        for start in range(first_of_last_tenth, rows, ROWS_PER_COMMIT):
            last += load(connection, rows, start, start + ROWS_PER_COMMIT)
            print(start - first_of_last_tenth, file=other.stdin, flush=True)
            first.append(float(other.stdout.readline()))
        print(json.dumps({"last_to_first_tenth": sum(last) / sum(first)}), flush=True)
        del kept
        other.kill()
        os._exit(0)


def first_tenth(rows: int) -> None:
    """Commit the rows from each number that is read; print the seconds it took."""
    with spanemu.Emulator() as emulator:
        kept = memory_at_hand(rows * ROW_BYTES // 10)
        connection = connection_to_load(emulator, rows)
        for line in sys.stdin:
            start = int(line)
            print(*load(connection, rows, start, start + ROWS_PER_COMMIT), flush=True)
        del kept


def main(rows: int) -> None:
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("bench", schema=DDL)
        connection = Connection(database)
        connection.query(QUERIES["count"])
        gc.collect()
        before = resident_bytes()
        commits = load(connection, rows, 0, rows)
        numbers = {
            "load_seconds": sum(commits),
            "commit_p50_ms": 1e3 * median(commits),
            "commit_p99_ms": 1e3 * sorted(commits)[len(commits) * 99 // 100],
            "commit_max_ms": 1e3 * max(commits),
            "last_to_first_tenth_in_new_memory": last_to_first_tenth(commits),
            "bytes_per_row": (resident_bytes() - before) / rows,
        }
        for name, sql in QUERIES.items():
            times = [seconds(lambda sql=sql: connection.query(sql)) for _ in range(3)]  # type: ignore[misc]
            numbers[f"{name}_first_ms"], numbers[f"{name}_ms"] = 1e3 * times[0], 1e3 * min(times)

        clone = Connection(database.clone("clone"))
        for name, side in (("clone", clone), ("source", connection)):
            message = side.commit_request([row(5, rows)])
            numbers[f"{name}_first_write_ms"] = 1e3 * seconds(lambda: side.commit(message))  # noqa: B023

        for _ in range(10):
            connection.query(FIRST_ROW)
        for start in range(0, min(DELETED, rows // 2), ROWS_PER_COMMIT):
            connection.commit(connection.delete_request(range(start, start + ROWS_PER_COMMIT)))
        times = [seconds(lambda: connection.query(FIRST_ROW)) for _ in range(4)]
        numbers["first_past_deleted_ms"] = 1e3 * times[0]
        numbers["again_past_deleted_ms"] = 1e3 * min(times[1:])
        print(json.dumps(numbers), flush=True)
        os._exit(0)  # Dropping a million rows takes a while.


if __name__ == "__main__":
    {"steady": steady, "first": first_tenth}.get(sys.argv[-1], main)(int(sys.argv[1]))

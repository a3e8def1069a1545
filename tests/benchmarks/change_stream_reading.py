"""The reading of change streams in the engine: from the change log to the messages of a reply.

The figures are processor time in the best round, which a busy machine changes least.
"""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from google.cloud.spanner_v1 import ExecuteSqlRequest
from rich.console import Console
from rich.table import Table

from spanemu.base.clock import SystemClock
from spanemu.base.live import LiveRows
from spanemu.change_streams.tracking import histories_of
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import (
    CommitOptions,
    ReadOnly,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from spanemu.frontend.convert.resume import resumable_chunks
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from spanemu.values.mutation import Write, WriteKind
from spanemu.values.timestamp import format_utc

RECORDS = 20_000
COLUMNS = ("id", "name", "age", "city")
GOOGLESQL_DDL = (
    "CREATE TABLE users (id INT64, name STRING(MAX), age INT64, city STRING(MAX)) PRIMARY KEY (id)",
    "CREATE CHANGE STREAM s FOR ALL",
)
POSTGRESQL_DDL = (
    "CREATE TABLE users (id bigint PRIMARY KEY, name text, age bigint, city text)",
    "CREATE CHANGE STREAM s FOR ALL",
)
GOOGLESQL_QUERY = "SELECT ChangeRecord FROM READ_s('{start}', '{end}', '{token}', 10000)"
POSTGRESQL_QUERY = "SELECT * FROM spanner.read_json_s('{start}', '{end}', '{token}', 10000, NULL)"


class _Stream:
    """A change stream with RECORDS records in one partition."""

    def __init__(
        self, dialect: DatabaseDialect, ddl: tuple[str, str], query: str, mode: str
    ) -> None:
        name, environment = "projects/p/instances/i/databases/d", Environment(SystemClock())
        self._database = Database.create(name, environment, dialect)
        clause = "WITH" if dialect is POSTGRESQL else "OPTIONS"
        table, stream = ddl
        self._database.apply_ddl([table, f"{stream} {clause} (partition_mode = '{mode}')"])
        self._session = self._database.sessions.create({})
        store = self._database._core.store
        (partition,) = histories_of(store)["s"].current.partitions
        start = store.clock.now()
        for number in range(RECORDS):
            self._write([str(number % 100), f"user {number}", str(number % 90), "Zürich"])
        times = {"start": format_utc(start), "end": format_utc(store.clock.now())}
        self._sql = query.format(token=partition.token, **times)

    def _write(self, row: list[str]) -> None:
        write = Write(WriteKind.INSERT_OR_UPDATE, "users", COLUMNS, [row])
        self._session.commit(SingleUse(ReadWriteOptions()), [write], CommitOptions())

    def read(self) -> int:
        """Read all records; return the size of the messages."""
        statement = StatementRequest(self._sql)
        result = self._session.execute(statement, SingleUse(ReadOnly()))
        request: Any = ExecuteSqlRequest.pb(ExecuteSqlRequest(sql=self._sql))
        size = 0
        for message in resumable_chunks(request, result, None):
            if isinstance(message, LiveRows):
                message.wait()
            else:
                size += len(message)
        return size


def streams() -> dict[str, Callable[[], int]]:
    """Return functions that read a stream of each format."""
    mutable, immutable = "MUTABLE_KEY_RANGE", "IMMUTABLE_KEY_RANGE"
    google, postgresql = (
        (GOOGLE_STANDARD_SQL, GOOGLESQL_DDL, GOOGLESQL_QUERY),
        (POSTGRESQL, POSTGRESQL_DDL, POSTGRESQL_QUERY),
    )
    proto = POSTGRESQL_QUERY.replace("read_json", "read_proto_bytes")
    return {
        "structs": _Stream(*google, immutable).read,
        "messages": _Stream(*google, mutable).read,
        "JSONB": _Stream(*postgresql, immutable).read,
        "messages, PostgreSQL": _Stream(*postgresql[:2], proto, mutable).read,
    }


def main(rounds: int) -> None:
    readers = streams()
    seconds: dict[str, list[float]] = {name: [] for name in readers}
    sizes = {}
    for _ in range(rounds):
        for name, read in readers.items():
            began = process_time()
            sizes[name] = read()
            seconds[name].append(process_time() - began)
    table = Table(
        "records as", "records a second", "µs a record", "bytes a record", title="Reading"
    )
    for name, times in seconds.items():
        item = min(times) / RECORDS
        table.add_row(name, f"{1 / item:,.0f}", f"{item * 1e6:.1f}", f"{sizes[name] / RECORDS:.0f}")
    Console().print(table)

"""Reads a change stream by its partition protocol, with Spanner's official client.

python docs/change_stream_reader.py runs it with an emulator in this process, or with the one that
SPANNER_EMULATOR_HOST names.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from google.api_core.datetime_helpers import DatetimeWithNanoseconds
from google.auth.credentials import AnonymousCredentials
from google.cloud import spanner
from google.cloud.spanner_admin_database_v1 import DatabaseDialect
from google.cloud.spanner_v1 import Type, TypeCode, param_types
from google.cloud.spanner_v1.database import Database

import spanemu

MICROSECOND = timedelta(microseconds=1)  # the unit of commit timestamps
ARGUMENTS = {
    "start": param_types.TIMESTAMP,
    "end": param_types.TIMESTAMP,
    "token": param_types.STRING,
    "heartbeat": param_types.INT64,
}
Record = dict[str, Any]  # with the fields of the documentation, such as commit_timestamp and mods


@dataclass(frozen=True)
class Partition:
    """A key range of the stream, from `start` on. None is the token of the initial query."""

    token: str | None
    start: datetime
    parents: tuple[str, ...] = ()


class ChangeStreamReader:
    """A reader of one change stream of a database of either dialect."""

    def __init__(self, database: Database, stream: str, heartbeat_milliseconds: int = 1000) -> None:
        self._database = database
        self._is_postgresql = database.database_dialect == DatabaseDialect.POSTGRESQL
        self._sql = (
            f'SELECT * FROM "spanner"."read_json_{stream}"($1, $2, $3, $4, NULL)'
            if self._is_postgresql
            else f"SELECT ChangeRecord FROM READ_{stream}(@start, @end, @token, @heartbeat)"
        )
        self._heartbeat_milliseconds = heartbeat_milliseconds
        self.read_until: datetime | None = None  # by the last heartbeat

    def read(self, start: datetime, end: datetime) -> Iterator[Record]:
        """Yield the data change records of a period, its bounds included.

        The records of a row come in the order of the row's commits: a partition is read when all
        of its parents have been read. If `end` is in the future, the server waits until then.
        """
        ready = deque([Partition(None, start)])
        waiting: dict[str, Partition] = {}
        finished: set[str | None] = set()
        while ready:
            partition = ready.popleft()
            for kind, record in self._query(partition, end):
                if kind == "data_change_record":
                    yield record
                elif kind == "heartbeat_record":
                    self.read_until = record["timestamp"]
                else:  # Both parents of a merge name the same child.
                    for child in _children(record):
                        waiting[child.token] = child
            finished.add(partition.token)
            for child in list(waiting.values()):
                if finished.issuperset(child.parents):
                    ready.append(waiting.pop(child.token))

    def follow(self, start: datetime, window: timedelta = timedelta(seconds=1)) -> Iterator[Record]:
        """Yield the records from `start` on, for ever."""
        while True:
            end = start + window
            yield from self.read(start, end)
            start = end + MICROSECOND

    def _query(self, partition: Partition, end: datetime) -> Iterator[tuple[str, Record]]:
        """Yield the records of a partition, each with its kind."""
        values = (partition.start, end, partition.token, self._heartbeat_milliseconds)
        names = [f"p{n}" for n in range(1, 5)] if self._is_postgresql else list(ARGUMENTS)
        with self._database.snapshot() as snapshot:
            rows = snapshot.execute_sql(
                self._sql,
                params=dict(zip(names, values, strict=True)),
                param_types=dict(zip(names, ARGUMENTS.values(), strict=True)),
            )
            for (value,) in rows:
                if self._is_postgresql:  # {"heartbeat_record": {...}}
                    yield from _with_times(value).items()
                    continue
                (change,) = _as_dicts(value, rows.fields[0].type_)
                for kind, records in change.items():  # One of the three arrays has one record.
                    for record in records:
                        yield kind, record


def _children(record: Record) -> Iterator[Any]:
    for child in record["child_partitions"]:
        parents = tuple(child["parent_partition_tokens"])
        yield Partition(child["token"], record["start_timestamp"], parents)


def _as_dicts(value: Any, type_: Type) -> Any:
    """Return a value of the client with its structs as dicts."""
    if value is None:
        return None
    if type_.code == TypeCode.ARRAY:
        return [_as_dicts(each, type_.array_element_type) for each in value]
    if type_.code == TypeCode.STRUCT:
        named = zip(type_.struct_type.fields, value, strict=True)
        return {field.name: _as_dicts(each, field.type_) for field, each in named}
    return value


def _with_times(value: Any) -> Any:
    """Return a record of a PostgreSQL database, which is JSON, with its timestamps as datetimes."""
    times = ("commit_timestamp", "start_timestamp", "timestamp")
    return {
        kind: {
            name: DatetimeWithNanoseconds.from_rfc3339(each) if name in times else each
            for name, each in record.items()
        }
        for kind, record in value.items()
    }


# ---------------------------------------------------------------------------- an outbox

SCHEMA = [
    "CREATE TABLE Outbox (Id INT64 NOT NULL, Topic STRING(99), Payload JSON) PRIMARY KEY (Id)",
    "CREATE CHANGE STREAM OutboxChanges FOR Outbox OPTIONS (value_capture_type = 'NEW_ROW')",
]


def messages(records: Iterator[Record]) -> Iterator[tuple[str, str]]:
    """Yield the topic and payload of each message that was inserted into the outbox."""
    for record in records:
        if record["mod_type"] == "INSERT":
            for mod in record["mods"]:
                yield mod["new_values"]["Topic"], mod["new_values"]["Payload"]


def publish(client: spanner.Client) -> None:
    """Write messages to an outbox, and print what a reader of its change stream publishes."""
    config = next(iter(client.list_instance_configs())).name
    instance = client.instance("shop", configuration_name=config, node_count=1)
    instance.create().result(60)
    database = instance.database("outbox", ddl_statements=SCHEMA)
    database.create().result(60)

    with database.batch() as first:
        first.insert("Outbox", ("Id", "Topic", "Payload"), [(1, "orders", '{"order": 7}')])
    with database.batch() as second:
        second.delete("Outbox", spanner.KeySet(keys=[(1,)]))  # The message was sent.
        second.insert("Outbox", ("Id", "Topic", "Payload"), [(2, "stock", '{"sku": "A"}')])

    reader = ChangeStreamReader(database, "OutboxChanges")
    for topic, payload in messages(reader.read(first.committed, second.committed)):
        print(topic, payload)


if __name__ == "__main__":
    if "SPANNER_EMULATOR_HOST" in os.environ:
        publish(spanner.Client(project="test", credentials=AnonymousCredentials()))
    else:
        with spanemu.Emulator() as emulator:
            publish(emulator.client())

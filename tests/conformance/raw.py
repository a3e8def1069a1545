"""Spanner's data API with no client library in between: one call, one request message.

    raw             a fresh database of a test, at one emulator
    └── Session     its requests, in raw protobuf

Cells are given as Python values (an int travels as a string, as INT64 does) and come back as they
travel: INT64 as text. `on_both` runs a test against Google's emulator too, where it is installed;
only what that emulator and real Spanner agree on is marked so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import grpc
import pytest
from google.api_core import exceptions
from google.cloud.spanner_v1 import types
from google.cloud.spanner_v1.services.spanner import SpannerClient
from google.cloud.spanner_v1.services.spanner.transports import SpannerGrpcTransport
from google.protobuf.struct_pb2 import ListValue, Struct

AB = exceptions.Aborted
AE = exceptions.AlreadyExists
DE = exceptions.DeadlineExceeded
FP = exceptions.FailedPrecondition
PD = exceptions.PermissionDenied
IA = exceptions.InvalidArgument
NF = exceptions.NotFound
OOR = exceptions.OutOfRange
UNIMPLEMENTED = exceptions.MethodNotImplemented

refused = pytest.raises
on_both = pytest.mark.parametrize(
    "raw", ["spanemu", pytest.param("official", marks=pytest.mark.reference)], indirect=True
)

SCHEMA = (
    """CREATE TABLE Users (
      Id INT64 NOT NULL, Name STRING(20), Age INT64, Note STRING(MAX)
    ) PRIMARY KEY (Id)""",
    """CREATE TABLE Posts (
      Id INT64 NOT NULL, PostId INT64 NOT NULL, Title STRING(MAX)
    ) PRIMARY KEY (Id, PostId DESC), INTERLEAVE IN PARENT Users ON DELETE CASCADE""",
    "CREATE TABLE Pairs (A INT64, B INT64, C INT64) PRIMARY KEY (A, B DESC)",
    "CREATE INDEX UsersByName ON Users (Name) STORING (Age)",
    "CREATE NULL_FILTERED INDEX UsersByAge ON Users (Age DESC)",
    "CREATE UNIQUE INDEX PairsByC ON Pairs (C)",
)

RW = {"read_write": {}}
PDML = {"partitioned_dml": {}}
RO = {"read_only": {"strong": True}}
REPEATABLE = {"read_write": {}, "isolation_level": "REPEATABLE_READ"}
OPTIMISTIC = {"read_write": {"read_lock_mode": "OPTIMISTIC"}}
ALL = {"all_": True}

_numbers = count(1)


def read_only(**bound: Any) -> dict[str, Any]:
    """Return options of a read-only transaction; a number is in nanoseconds."""
    return {"read_only": {name: _time(value) for name, value in bound.items()}}


def repeated(session_options: dict[str, Any], previous: bytes) -> dict[str, Any]:
    """Return options of a transaction that runs an aborted one again on a multiplexed session."""
    mode = {
        **session_options["read_write"],
        "multiplexed_session_previous_transaction_id": previous,
    }
    return {**session_options, "read_write": mode}


def cells(*values: Any) -> ListValue:
    """Return a row, or a key."""
    made = ListValue()
    made.extend([_cell(value) for value in values])
    return made


def keys(*wanted: Any) -> dict[str, Any]:
    """Return a key set of points; a key of one part needs no tuple."""
    return {"keys": [cells(*(key if isinstance(key, tuple) else (key,))) for key in wanted]}


def key_range(**endpoints: Sequence[Any]) -> dict[str, Any]:
    """Return a key set of one range, with two of start_open, start_closed, end_open, end_closed."""
    return {"ranges": [{side: cells(*key) for side, key in endpoints.items()}]}


def writes(kind: str, table: str, columns: str, *rows: Sequence[Any]) -> dict[str, Any]:
    """Return a mutation that writes rows."""
    values = [cells(*row) for row in rows]
    return {kind: {"table": table, "columns": columns.split(), "values": values}}


def insert(table: str, columns: str, *rows: Sequence[Any]) -> dict[str, Any]:
    """Return a mutation that inserts rows."""
    return writes("insert", table, columns, *rows)


def update(table: str, columns: str, *rows: Sequence[Any]) -> dict[str, Any]:
    """Return a mutation that updates rows."""
    return writes("update", table, columns, *rows)


def delete(table: str, key_set: dict[str, Any]) -> dict[str, Any]:
    """Return a mutation that deletes rows."""
    return {"delete": {"table": table, "key_set": key_set}}


def rows_of(result: Any) -> list[list[Any]]:
    """Return the rows of a ResultSet."""
    return [[_plain(cell) for cell in row.values] for row in result.rows]


def nanos_of(timestamp: Any) -> int:
    """Return a Timestamp in nanoseconds."""
    return int(timestamp.seconds * 1_000_000_000 + timestamp.nanos)


def info_of(error: pytest.ExceptionInfo[Any], kind: str) -> Any:
    """Return the detail of a failure with that message name."""
    found = [one for one in error.value.details if type(one).__name__ == kind]
    assert len(found) == 1, error.value.details
    return found[0]


class Session:
    """One session. A transaction is given by its id, or as a TransactionSelector."""

    def __init__(self, raw: Raw, name: str) -> None:
        self.raw = raw
        self.name = name
        self._seqnos = count(1)

    # ------------------------------------------------------------------ transactions

    def begin(self, options: dict[str, Any] = RW, **fields: Any) -> Any:
        """Call BeginTransaction."""
        return self._call("begin_transaction", "BeginTransactionRequest", options=options, **fields)

    def commit(self, transaction: Any = None, *mutations: Any, **fields: Any) -> Any:
        """Commit, by itself without a transaction's id."""
        if transaction is None:
            fields["single_use_transaction"] = RW
        elif isinstance(transaction, bytes):
            fields["transaction_id"] = transaction
        return self._call("commit", "CommitRequest", mutations=mutations, **fields)

    def rollback(self, transaction: bytes) -> Any:
        """Call Rollback."""
        return self._call("rollback", "RollbackRequest", transaction_id=transaction)

    # ------------------------------------------------------------------ requests

    def sql(self, sql: str, transaction: Any = None, **fields: Any) -> Any:
        """Call ExecuteSql."""
        return self._call("execute_sql", "ExecuteSqlRequest", **_sql(sql, transaction, fields))

    def dml(self, sql: str, transaction: Any, **fields: Any) -> Any:
        """Call ExecuteSql with the next sequence number of the session."""
        return self.sql(sql, transaction, **{"seqno": next(self._seqnos), **fields})

    def stream_sql(self, sql: str, transaction: Any = None, **fields: Any) -> list[Any]:
        """Call ExecuteStreamingSql; return all its replies."""
        return self._stream(
            "execute_streaming_sql", "ExecuteSqlRequest", **_sql(sql, transaction, fields)
        )

    def batch(self, transaction: Any, *statements: str, **fields: Any) -> Any:
        """Call ExecuteBatchDml."""
        return self._call(
            "execute_batch_dml",
            "ExecuteBatchDmlRequest",
            statements=[{"sql": one} for one in statements],
            **{"seqno": next(self._seqnos), **_in(transaction), **fields},
        )

    def read(self, table: str, columns: str, key_set: Any = ALL, **fields: Any) -> Any:
        """Read."""
        return self._call("read", "ReadRequest", **_read(table, columns, key_set, fields))

    def stream_read(self, table: str, columns: str, key_set: Any = ALL, **fields: Any) -> list[Any]:
        """Call StreamingRead; return all its replies."""
        return self._stream(
            "streaming_read", "ReadRequest", **_read(table, columns, key_set, fields)
        )

    def rows(self, table: str, columns: str, key_set: Any = ALL, **fields: Any) -> list[list[Any]]:
        """Return the rows of a Read."""
        return rows_of(self.read(table, columns, key_set, **fields))

    def select(self, sql: str, transaction: Any = None, **fields: Any) -> list[list[Any]]:
        """Return the rows of a query."""
        return rows_of(self.sql(sql, transaction, **fields))

    def partition_read(self, table: str, columns: str, key_set: Any = ALL, **fields: Any) -> Any:
        """Call PartitionRead."""
        return self._call(
            "partition_read", "PartitionReadRequest", **_read(table, columns, key_set, fields)
        )

    def partition_query(self, sql: str, transaction: Any = None, **fields: Any) -> Any:
        """Call PartitionQuery."""
        return self._call(
            "partition_query", "PartitionQueryRequest", **_sql(sql, transaction, fields)
        )

    def batch_write(self, *groups: Sequence[Any], **fields: Any) -> list[Any]:
        """Call BatchWrite; return all its replies."""
        return self._stream(
            "batch_write",
            "BatchWriteRequest",
            mutation_groups=[{"mutations": list(group)} for group in groups],
            **fields,
        )

    # ------------------------------------------------------------------ the session itself

    def get(self) -> Any:
        """Call GetSession."""
        return self.raw.call("get_session", "GetSessionRequest", name=self.name)

    def delete(self) -> None:
        """Call DeleteSession."""
        self.raw.call("delete_session", "DeleteSessionRequest", name=self.name)

    def _call(self, method: str, message: str, **fields: Any) -> Any:
        return self.raw.call(method, message, session=self.name, **fields)

    def _stream(self, method: str, message: str, **fields: Any) -> list[Any]:
        return self.raw.stream(method, message, session=self.name, **fields)


class Raw:
    """One database at one emulator. `home` is the handle on it when the emulator is ours."""

    def __init__(self, api: SpannerClient, admin: Any, name: str, home: Any = None) -> None:
        self.api = api
        self.admin = admin
        self.name = name
        self.home = home

    @property
    def clock(self) -> Any:
        """Return what the emulator's clock is made of, when it is ours: sessions age by it too."""
        return self.home._emulator.clock.source

    def session(self, *, multiplexed: bool = False, **fields: Any) -> Session:
        """Call CreateSession."""
        wanted = {"multiplexed": multiplexed, **fields}
        made = self.call(
            "create_session", "CreateSessionRequest", database=self.name, session=wanted
        )
        return Session(self, made.name)

    def ddl(self, *statements: str, protos: bytes = b"") -> None:
        """Change the schema; `protos` is a FileDescriptorSet of the types it speaks of."""
        wanted = {"database": self.name, "statements": statements, "proto_descriptors": protos}
        operation = self.admin.update_database_ddl(request=wanted)
        operation.result(timeout=60)

    def call(self, method: str, message: str, **fields: Any) -> Any:
        """Send one unary request from its fields; return the raw reply."""
        reply = self._invoke(method, message, fields)
        reply = getattr(reply, "_response", reply)  # The client wraps pages; one is enough.
        return None if reply is None else type(reply).pb(reply)

    def stream(self, method: str, message: str, **fields: Any) -> list[Any]:
        """Send one streaming request from its fields; return the raw replies."""
        return [type(reply).pb(reply) for reply in self._invoke(method, message, fields)]

    def replies(self, method: str, message: str, **fields: Any) -> Iterator[Any]:
        """Return the raw replies of one streaming request, as they arrive."""
        return _Replies(self._invoke(method, message, fields))

    def _invoke(self, method: str, message: str, fields: dict[str, Any]) -> Any:
        timeout = fields.pop("timeout", 20.0)
        kind = getattr(types, message)
        request = kind.pb(kind())
        request.MergeFrom(type(request)(**fields))
        return getattr(self.api, method)(request=request, retry=None, timeout=timeout)


class _Replies:
    """The replies of a streaming request, which can be cancelled."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self.cancel = stream.cancel

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        reply = next(self._stream)
        return type(reply).pb(reply)


class Emulators:
    """The emulators of tests of raw requests; each makes fresh databases of `SCHEMA`."""

    def __init__(self, client: Any, emulator: Any = None) -> None:
        self._client = client
        self._emulator = emulator
        self._template: Any = None
        self._instance: Any = None
        if emulator is None:
            config = f"{client.project_name}/instanceConfigs/emulator-config"
            self._instance = client.instance("raw", configuration_name=config)
            self._instance.create().result(timeout=60)
        else:
            self._template = emulator.create_database("raw-template", schema=SCHEMA)
            self._instance = client.instance(emulator.instance)
        # As in the client library when it talks to Google, replies may be of any size.
        options = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
        channel = grpc.insecure_channel(client._emulator_host, options=options)
        self._api = SpannerClient(transport=SpannerGrpcTransport(channel=channel))

    @contextmanager
    def database(self) -> Iterator[Raw]:
        """Yield a fresh database for one test."""
        name = f"raw-{next(_numbers)}"
        admin = self._client.database_admin_api
        if self._template is not None:
            home = self._template.clone(name)
            yield Raw(self._api, admin, home.name, home)
            home.drop()
            return
        created = self._instance.database(name, ddl_statements=SCHEMA)
        created.create().result(timeout=60)
        yield Raw(self._api, admin, created.name)
        created.drop()


def params(**values: Any) -> Struct:
    """Query parameters."""
    made = Struct()
    made.update({name: _cell(value) for name, value in values.items()})
    return made


def user(*ids: int) -> dict[str, Any]:
    """Return a mutation that inserts users with nothing but a name."""
    return insert("Users", "Id Name", *((one, f"user {one}") for one in ids))


def merged(replies: Iterable[Any]) -> list[Any]:
    """Return the values of a stream, joined where they were cut."""
    values: list[Any] = []
    chunked = False
    for reply in replies:
        result = [_plain(cell) for cell in reply.values]
        if chunked:
            values[-1] = _joined(values[-1], result.pop(0))
        values.extend(result)
        chunked = reply.chunked_value
    assert not chunked
    return values


def _joined(first: Any, second: Any) -> Any:
    if isinstance(first, str):
        return first + second
    if (
        first
        and second
        and type(first[-1]) is type(second[0])
        and isinstance(first[-1], str | list)
    ):
        return [*first[:-1], _joined(first[-1], second[0]), *second[1:]]
    return first + second


def _sql(sql: str, transaction: Any, fields: dict[str, Any]) -> dict[str, Any]:
    return {"sql": sql, **_in(transaction), **fields}


def _read(table: str, columns: str, key_set: Any, fields: dict[str, Any]) -> dict[str, Any]:
    made = {"table": table, "columns": columns.split(), **fields}
    if key_set is not None:
        made["key_set"] = key_set
    return {**made, **_in(made.pop("transaction", None))}


def _in(transaction: Any) -> dict[str, Any]:
    if transaction is None:
        return {}
    if isinstance(transaction, bytes):
        return {"transaction": {"id": transaction}}
    return {"transaction": transaction}


def _time(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    return {"seconds": value // 1_000_000_000, "nanos": value % 1_000_000_000}


def _cell(value: Any) -> Any:
    return str(value) if type(value) is int else value


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "null_value":
        return None
    if kind == "list_value":
        return [_plain(one) for one in value.list_value.values]
    return getattr(value, kind)

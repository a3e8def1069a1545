"""A database as dump and load see it, over a gRPC channel and messages in wire form.

Any Spanner server will do: an emulator in this process or another, Google's emulator, or Spanner.
Cells stay in wire form, because conversions to Python's types would cost most of the time and lose
the nanoseconds of timestamps. Rows are read a column at a time, and written as bytes: a Python call
for each cell of a message would take longer than everything else that a dump and a load do.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import grpc

from spanemu.api.calls import RemoteFailure
from spanemu.api.tls import open_channel
from spanemu.base.errors import Code
from spanemu.base.limits import REQUEST_SECONDS_MAX
from spanemu.ddl.api import schema_of
from spanemu.frontend import wire
from spanemu.frontend.convert.types import types_from_descriptors
from spanemu.interchange.connection import Batch, Cell, Row
from spanemu.interchange.errors import StatementRefused
from spanemu.schema.dialect import DATABASE_DIALECTS, GOOGLE_STANDARD_SQL, DatabaseDialect
from spanemu.schema.schema import Schema
from spanemu.schema_source import quoted_database
from spanemu.values.types import API_CODES, TypeCode
from spanemu.values.value_bytes import field, lists_text, raw_pieces

_SPANNER = "/google.spanner.v1.Spanner/"
_DATABASES = "/google.spanner.admin.database.v1.DatabaseAdmin/"
_INSTANCES = "/google.spanner.admin.instance.v1.InstanceAdmin/"
_OPERATIONS = "/google.longrunning.Operations/"
_OPTIONS = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
_POLL_SECONDS = 0.05

# Google's emulator leaves the dialect out of GetDatabase.
DIALECT_QUERY = """
    SELECT option_value FROM information_schema.database_options
    WHERE option_name = 'database_dialect'
"""
_ATTEMPTS_MAX = 10  # of a transaction that the server aborts

# The numbers of fields: Mutation.insert, and table, columns and values of Mutation.Write.
_INSERT, _TABLE, _COLUMNS = 1, 1, 2
_VALUES = 0x1A


@contextmanager
def data_connection(uri: str, name: str, tls_ca: str | None = None) -> Iterator[DataConnection]:
    """Yield a connection to the database `name` of the server at `uri`.

    `tls_ca` is the file of certificates to trust, None for a server without TLS.
    """
    with open_channel(uri, tls_ca, _OPTIONS) as channel:
        connection = DataConnection(channel, name)
        try:
            yield connection
        finally:
            connection.close()


class DataConnection:
    """A connection to one database, an `interchange.connection.Connection`.

    `descriptors` are the types of protocol buffers for schema statements that come without any.
    """

    descriptors = b""

    def __init__(self, channel: Any, name: str) -> None:
        self._channel = channel
        self._name = name
        self._opened_session: str | None = None
        self._dialect: DatabaseDialect | None = None

    @property
    def name(self) -> str:
        """The full name of the database."""
        return self._name

    @property
    def database_id(self) -> str:
        """The last part of the name of the database."""
        return self._name.rpartition("/")[2]

    def close(self) -> None:
        """Delete the session."""
        if self._opened_session is not None:
            request = wire.DeleteSessionRequest(name=self._opened_session)
            with suppress(RemoteFailure):
                self._call(f"{_SPANNER}DeleteSession", request, wire.Empty)

    # ------------------------------------------------------------------ schema

    def create(self, dialect: DatabaseDialect = GOOGLE_STANDARD_SQL) -> None:
        """Create the database, empty, and its instance if there is none. Raises SpannerError."""
        instance = self._name.partition("/databases/")[0]
        request = wire.CreateDatabaseRequest(
            parent=instance,
            create_statement=f"CREATE DATABASE {quoted_database(self.database_id, dialect)}",
            database_dialect=dialect.number,
        )
        try:
            operation = self._call(f"{_DATABASES}CreateDatabase", request, wire.Operation)
        except RemoteFailure as failure:
            if failure.code is not Code.NOT_FOUND:
                raise
            self._create_instance(instance)
            operation = self._call(f"{_DATABASES}CreateDatabase", request, wire.Operation)
        self._wait(operation)

    def _create_instance(self, name: str) -> None:
        project, _, instance_id = name.partition("/instances/")
        listed = self._call(
            f"{_INSTANCES}ListInstanceConfigs",
            wire.ListInstanceConfigsRequest(parent=project),
            wire.ListInstanceConfigsResponse,
        )
        config = listed.instance_configs[0].name
        instance = wire.Instance(name=name, config=config, display_name=instance_id, node_count=1)
        request = wire.CreateInstanceRequest(
            parent=project, instance_id=instance_id, instance=instance
        )
        self._wait(self._call(f"{_INSTANCES}CreateInstance", request, wire.Operation))

    def schema(self) -> Schema:
        """Return the current schema. Raises SpannerError."""
        ddl = self._call(
            f"{_DATABASES}GetDatabaseDdl",
            wire.GetDatabaseDdlRequest(database=self._name),
            wire.GetDatabaseDdlResponse,
        )
        types = types_from_descriptors(ddl.proto_descriptors)
        return schema_of(list(ddl.statements), types=types, dialect=self.dialect())

    def dialect(self) -> DatabaseDialect:
        """Return the dialect of the database. Raises SpannerError."""
        if self._dialect is None:
            request = wire.GetDatabaseRequest(name=self._name)
            database = self._call(f"{_DATABASES}GetDatabase", request, wire.Database)
            number = database.database_dialect
            self._dialect = DATABASE_DIALECTS[number] if number else self._declared_dialect()
        return self._dialect

    def _declared_dialect(self) -> DatabaseDialect:
        with self.snapshot() as snapshot:
            return dialect_declared(snapshot.value(DIALECT_QUERY))

    def run_ddl(self, statements: Sequence[str], descriptors: bytes = b"") -> None:
        """Run schema statements and wait for the end of the operation. Raises SpannerError."""
        request = wire.UpdateDatabaseDdlRequest(
            database=self._name,
            statements=statements,
            proto_descriptors=descriptors or self.descriptors,
        )
        self._wait(self._call(f"{_DATABASES}UpdateDatabaseDdl", request, wire.Operation))

    def _wait(self, operation: Any) -> None:
        pause = threading.Event()
        while not operation.done:
            pause.wait(_POLL_SECONDS)
            request = wire.GetOperationRequest(name=operation.name)
            operation = self._call(f"{_OPERATIONS}GetOperation", request, wire.Operation)
        if operation.HasField("error"):
            raise RemoteFailure(Code(operation.error.code), operation.error.message)

    # ------------------------------------------------------------------ rows

    @contextmanager
    def snapshot(self) -> Iterator[DataSnapshot]:
        """Yield the database at the current time."""
        read_only = wire.TransactionOptions.ReadOnly(strong=True)
        request = wire.BeginTransactionRequest(
            session=self._session, options=wire.TransactionOptions(read_only=read_only)
        )
        began = self._call(f"{_SPANNER}BeginTransaction", request, wire.Transaction)
        yield DataSnapshot(self, wire.TransactionSelector(id=began.id))

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Insert rows in one commit. Raises SpannerError."""
        by_column = [list(cells) for cells in zip(*rows, strict=True)]
        self.insert_groups(table, {tuple(columns): by_column})

    def insert_groups(self, table: str, groups: Mapping[tuple[str, ...], Batch]) -> None:
        """Insert rows in one commit, by the names of their columns. Raises SpannerError."""
        commit = wire.CommitRequest(session=self._session, single_use_transaction=_READ_WRITE)
        mutations = [
            field(_MUTATIONS, insertion(table, columns, batch)) for columns, batch in groups.items()
        ]
        request = b"".join([commit.SerializeToString(), *mutations])
        self._retried(lambda: self._send(f"{_SPANNER}Commit", request, wire.CommitResponse))

    def run_dml(self, statements: Sequence[str]) -> None:
        """Run DML statements in one transaction. Raises SpannerError or StatementRefused."""
        self._retried(lambda: self._run_dml(statements))

    def _run_dml(self, statements: Sequence[str]) -> None:
        request = wire.ExecuteBatchDmlRequest(
            session=self._session,
            transaction=wire.TransactionSelector(begin=_READ_WRITE),
            statements=[wire.ExecuteBatchDmlRequest.Statement(sql=sql) for sql in statements],
            seqno=1,
        )
        reply = self._call(f"{_SPANNER}ExecuteBatchDml", request, wire.ExecuteBatchDmlResponse)
        transaction = reply.result_sets[0].metadata.transaction.id if reply.result_sets else b""
        if reply.status.code:
            if transaction:
                request = wire.RollbackRequest(session=self._session, transaction_id=transaction)
                self._call(f"{_SPANNER}Rollback", request, wire.Empty)
            failure = RemoteFailure(Code(reply.status.code), reply.status.message)
            if failure.code is Code.ABORTED:
                raise failure
            raise StatementRefused(len(reply.result_sets), failure)
        commit = wire.CommitRequest(session=self._session, transaction_id=transaction)
        self._call(f"{_SPANNER}Commit", commit, wire.CommitResponse)

    def _retried(self, attempt: Any) -> None:
        for left in range(_ATTEMPTS_MAX, 0, -1):
            try:
                attempt()
                return
            except RemoteFailure as failure:
                if failure.code is not Code.ABORTED or left == 1:
                    raise

    # ------------------------------------------------------------------ calls

    @property
    def _session(self) -> str:
        if self._opened_session is None:
            request = wire.CreateSessionRequest(database=self._name)
            session = self._call(f"{_SPANNER}CreateSession", request, wire.Session)
            self._opened_session = session.name
        return self._opened_session

    def _call(self, method: str, request: Any, reply: Any) -> Any:
        return self._send(method, request.SerializeToString(), reply)

    def _send(self, method: str, request: bytes, reply: Any) -> Any:
        call = self._channel.unary_unary(method, None, reply.FromString)
        try:
            return call(request, metadata=self._metadata, timeout=REQUEST_SECONDS_MAX)
        except grpc.RpcError as failure:
            raise _failure(failure) from None

    def _stream(self, method: str, request: Any) -> Iterator[Any]:
        call = self._channel.unary_stream(
            method, type(request).SerializeToString, wire.PartialResultSet.FromString
        )
        try:
            yield from call(request, metadata=self._metadata, timeout=REQUEST_SECONDS_MAX)
        except grpc.RpcError as failure:
            raise _failure(failure) from None

    @property
    def _metadata(self) -> tuple[tuple[str, str], ...]:
        return (("google-cloud-resource-prefix", self._name),)


class DataSnapshot:
    """A database at one read timestamp, an `interchange.connection.Snapshot`."""

    def __init__(self, connection: DataConnection, transaction: Any) -> None:
        self._connection = connection
        self._transaction = transaction

    def batches(self, table: str, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the rows of a table in the order of its key. Raises SpannerError."""
        request = wire.ReadRequest(
            session=self._connection._session,
            transaction=self._transaction,
            table=table,
            columns=columns,
            key_set=wire.KeySet(all_=True),
        )
        return batches_of(self._connection._stream(f"{_SPANNER}StreamingRead", request))

    def value(self, sql: str) -> Cell:
        """Return the first cell of the first row of a query. Raises SpannerError."""
        request = wire.ExecuteSqlRequest(
            session=self._connection._session, transaction=self._transaction, sql=sql
        )
        result = self._connection._call(f"{_SPANNER}ExecuteSql", request, wire.ResultSet)
        return cell_of(result.rows[0].values[0])


def dialect_declared(name: Cell) -> DatabaseDialect:
    """Return the dialect with the name that DATABASE_OPTIONS shows."""
    return next(each for each in DATABASE_DIALECTS.values() if each.name == name)


_MUTATIONS = 4  # the number of the field of CommitRequest
_READ_WRITE = wire.TransactionOptions(read_write=wire.TransactionOptions.ReadWrite())


def _failure(failure: Any) -> RemoteFailure:
    return RemoteFailure(Code(failure.code().value[0]), failure.details() or "")


def batches_of(results: Iterator[Any]) -> Iterator[Batch]:
    """Yield the rows of partial results, whose last value may continue in the next result."""
    readers: list[Callable[[list[Any]], list[Cell]]] = []
    values: list[Any] = []
    is_open = False  # while the last value continues
    for result in results:
        if not readers:
            fields = result.metadata.row_type.fields
            readers = [_READERS.get(each.type_.code, _texts) for each in fields]
        added = list(result.values)
        if is_open and added:
            values[-1] = _merged(values[-1], added.pop(0))
        values += added
        is_open = result.chunked_value
        width = len(readers)
        whole = len(values) - 1 if is_open else len(values)
        whole -= whole % width
        if whole:
            yield [read(values[place:whole:width]) for place, read in enumerate(readers)]
            del values[:whole]


def _merged(first: Any, second: Any) -> Any:
    """Return a value that was divided into two: text, or a list whose last element is divided."""
    if first.WhichOneof("kind") == "list_value":
        joined = list(first.list_value.values)
        rest = list(second.list_value.values)
        if joined and rest and _is_divisible(joined[-1], rest[0]):
            joined[-1] = _merged(joined[-1], rest.pop(0))
        merged = wire.Value()
        merged.list_value.values.extend([*joined, *rest])
        return merged
    return wire.Value(string_value=first.string_value + second.string_value)


def _is_divisible(first: Any, second: Any) -> bool:
    kind = first.WhichOneof("kind")
    return kind in ("string_value", "list_value") and second.WhichOneof("kind") == kind


def _texts(values: list[Any]) -> list[Cell]:
    return [value.string_value or cell_of(value) for value in values]


def _numbers(values: list[Any]) -> list[Cell]:
    return [value.number_value or cell_of(value) for value in values]


def _bools(values: list[Any]) -> list[Cell]:
    return [value.bool_value or cell_of(value) for value in values]


def _lists(values: list[Any]) -> list[Cell]:
    return [cell_of(value) for value in values]


_READERS: Mapping[int, Callable[[list[Any]], list[Cell]]] = {
    API_CODES[TypeCode.ARRAY][0]: _lists,
    API_CODES[TypeCode.BOOL][0]: _bools,
    API_CODES[TypeCode.FLOAT32][0]: _numbers,
    API_CODES[TypeCode.FLOAT64][0]: _numbers,
}


def cell_of(value: Any) -> Cell:
    """Return the cell of a message google.protobuf.Value."""
    kind = value.WhichOneof("kind")
    if kind == "string_value":
        return value.string_value  # type: ignore[no-any-return]
    if kind == "null_value":
        return None
    if kind == "number_value":
        return value.number_value  # type: ignore[no-any-return]
    if kind == "bool_value":
        return value.bool_value  # type: ignore[no-any-return]
    return [each.string_value or cell_of(each) for each in value.list_value.values]


def insertion(table: str, columns: Sequence[str], batch: Batch) -> bytes:
    """Return the bytes of a Mutation that inserts rows."""
    parts = [field(_TABLE, table.encode())]
    parts += [field(_COLUMNS, column.encode()) for column in columns]
    pieces = [piece for cells in batch for piece in raw_pieces(cells)]
    rows = list(map("".join, zip(*pieces, strict=True)))
    content = lists_text(_VALUES, rows).encode("latin-1")
    return field(_INSERT, b"".join([*parts, content]))

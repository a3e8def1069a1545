"""Answers without work behind them: what the client and gRPC cost by themselves.

The answers have the fields that Spanner's have, no more and no fewer, for the client works on each:
the read timestamp of a snapshot, or the id of a transaction that begins and its precommit token;
columns for a query, and for a statement that changes rows their number.

`python -m tests.benchmarks.null PORT` serves them; `NullChannel` answers inside the process.
"""

from __future__ import annotations

import sys
from concurrent import futures
from typing import Any

import grpc
from google.cloud.spanner_v1.types import commit_response, result_set, spanner, transaction
from google.cloud.spanner_v1.types import type as types

SERVICE = "google.spanner.v1.Spanner"
SESSION = "projects/bench/instances/bench/databases/bench/sessions/s"


_TOKEN = transaction.MultiplexedSessionPrecommitToken(precommit_token=b"1:1", seq_num=1)


def _rows(*, in_read_write: bool = False) -> Any:
    """A row, read at a snapshot, or by the request that begins a read-write transaction."""
    field = types.StructType.Field
    row_type = types.StructType(
        fields=[
            field(name="Id", type_=types.Type(code=types.TypeCode.INT64)),
            field(name="Name", type_=types.Type(code=types.TypeCode.STRING)),
        ]
    )
    metadata = result_set.ResultSetMetadata(row_type=row_type)
    raw = result_set.PartialResultSet.pb(result_set.PartialResultSet(metadata=metadata, last=True))
    raw.values.add().string_value = "7"
    raw.values.add().string_value = "user 7"
    if in_read_write:
        raw.metadata.transaction.id = b"1"
        raw.precommit_token.CopyFrom(transaction.MultiplexedSessionPrecommitToken.pb(_TOKEN))
    else:
        raw.metadata.transaction.read_timestamp.GetCurrentTime()
    return raw


def _result_set() -> Any:
    """What a DML statement gets that begins a transaction: it has no columns."""
    answer = result_set.ResultSet.pb(result_set.ResultSet())
    answer.metadata.row_type.SetInParent()
    answer.metadata.transaction.id = b"1"
    answer.stats.row_count_exact = 1
    answer.precommit_token.CopyFrom(transaction.MultiplexedSessionPrecommitToken.pb(_TOKEN))
    return answer


def _commit() -> Any:
    answer = commit_response.CommitResponse.pb(commit_response.CommitResponse())
    answer.commit_timestamp.GetCurrentTime()
    return answer


def _session() -> Any:
    return spanner.Session.pb(spanner.Session(name=SESSION, multiplexed=True))


def _batch_sessions() -> Any:
    answer = spanner.BatchCreateSessionsResponse.pb(spanner.BatchCreateSessionsResponse())
    answer.session.add().CopyFrom(_session())
    return answer


# Of a read that begins a read-write transaction; the others read at a snapshot.
READ_IN_READ_WRITE = _rows(in_read_write=True)


def _begins_read_write(request: Any) -> bool:
    """Whether a request is such a read."""
    raw = getattr(request, "_pb", request)
    return bool(raw.transaction.begin.HasField("read_write"))


# method -> (request class, streams, answer)
METHODS: dict[str, tuple[Any, bool, Any]] = {
    "CreateSession": (spanner.CreateSessionRequest.pb(), False, _session()),
    "BatchCreateSessions": (spanner.BatchCreateSessionsRequest.pb(), False, _batch_sessions()),
    "GetSession": (spanner.GetSessionRequest.pb(), False, _session()),
    "BeginTransaction": (
        spanner.BeginTransactionRequest.pb(),
        False,
        transaction.Transaction.pb(transaction.Transaction(id=b"1")),
    ),
    "Commit": (spanner.CommitRequest.pb(), False, _commit()),
    "ExecuteSql": (spanner.ExecuteSqlRequest.pb(), False, _result_set()),
    "ExecuteStreamingSql": (spanner.ExecuteSqlRequest.pb(), True, _rows()),
    "StreamingRead": (spanner.ReadRequest.pb(), True, _rows()),
}


def serve(port: int) -> None:
    """Serve until killed."""
    handlers: dict[str, grpc.RpcMethodHandler] = {}
    for name, (request, streams, answer) in METHODS.items():
        make = (
            grpc.unary_stream_rpc_method_handler if streams else grpc.unary_unary_rpc_method_handler
        )
        result = [answer] if streams else answer
        instead = [READ_IN_READ_WRITE] if name == "StreamingRead" else None
        handlers[name] = make(
            lambda request, _context, result=result, instead=instead: (
                iter(instead)
                if instead and _begins_read_write(request)
                else iter(result)
                if isinstance(result, list)
                else result
            ),
            request_deserializer=request.FromString,
            response_serializer=type(answer).SerializeToString,
        )
    server = grpc.server(futures.ThreadPoolExecutor(16))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    server.wait_for_termination()


class _Done(grpc.Call, grpc.Future):  # type: ignore[misc]
    """A call that is over: what interceptors and api_core look at."""

    def __init__(self, answers: list[Any]) -> None:
        self._answers = iter(answers)

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        return next(self._answers)

    def result(self, timeout: Any = None) -> Any:
        return next(self._answers)

    def code(self) -> grpc.StatusCode:
        return grpc.StatusCode.OK

    def initial_metadata(self) -> tuple[()]:
        return ()

    trailing_metadata = initial_metadata

    def details(self) -> str:
        return ""

    def exception(self, timeout: Any = None) -> None:
        return None

    def traceback(self, timeout: Any = None) -> None:
        return None

    def is_active(self) -> bool:
        return False

    def done(self) -> bool:
        return True

    def cancel(self) -> bool:
        return False

    def cancelled(self) -> bool:
        return False

    def running(self) -> bool:
        return False

    def time_remaining(self) -> None:
        return None

    def add_callback(self, callback: Any) -> bool:
        return False

    def add_done_callback(self, callback: Any) -> None:
        callback(self)


class _NullUnary(grpc.UnaryUnaryMultiCallable):  # type: ignore[misc]
    """Answers the same every time."""

    def __init__(self, answer: bytes, codec: tuple[Any, Any]) -> None:
        self._answer = answer
        self._serialize, self._parse = codec

    def __call__(self, request: Any, *rest: Any, **more: Any) -> Any:
        self._serialize(request)
        return self._parse(self._answer)

    def with_call(self, request: Any, *rest: Any, **more: Any) -> Any:
        return self(request), _Done([])

    def future(self, request: Any, *rest: Any, **more: Any) -> Any:
        return _Done([self(request)])


class _NullStream(grpc.UnaryStreamMultiCallable):  # type: ignore[misc]
    """Streams the same message every time, or `instead` to requests that begin a transaction.

    The client wraps what streams in a way of its own, and tells it by its class.
    """

    def __init__(self, answer: bytes, codec: tuple[Any, Any], instead: bytes | None) -> None:
        self._answer, self._instead = answer, instead
        self._serialize, self._parse = codec

    def __call__(self, request: Any, *rest: Any, **more: Any) -> Any:
        self._serialize(request)
        instead = self._instead
        other = instead is not None and _begins_read_write(request)
        return _Done([self._parse(instead if other else self._answer)])


class NullChannel(grpc.Channel):  # type: ignore[misc]
    """A channel that never leaves the process and asks nobody."""

    def _callable(self, method: str, serializer: Any, deserializer: Any) -> Any:
        found = METHODS.get(method.rsplit("/", 1)[-1])
        codec = serializer, deserializer
        if found is None:
            return _NullUnary(b"", codec)
        _, streams, answer = found
        if not streams:
            return _NullUnary(answer.SerializeToString(), codec)
        instead = (
            READ_IN_READ_WRITE.SerializeToString() if method.endswith("StreamingRead") else None
        )
        return _NullStream(answer.SerializeToString(), codec, instead)

    def unary_unary(
        self,
        method: str,
        request_serializer: Any = None,
        response_deserializer: Any = None,
        _registered_method: bool = False,
    ) -> Any:
        return self._callable(method, request_serializer, response_deserializer)

    unary_stream = stream_unary = stream_stream = unary_unary

    def subscribe(self, callback: Any, try_to_connect: bool = False) -> None:
        """Always connected."""

    def unsubscribe(self, callback: Any) -> None:
        """Nothing to undo."""

    def close(self) -> None:
        """Nothing to close."""

    def __enter__(self) -> NullChannel:
        return self

    def __exit__(self, *failure: object) -> None:
        return None


if __name__ == "__main__":
    serve(int(sys.argv[1]))

"""Answers without work behind them: what the client, gRPC and the messages cost by themselves.

A request is parsed, and answered with what any server must answer: the timestamp of a snapshot that
asks for it, from the clock; the id of a transaction that begins, and its precommit token; the row
of the key in the request, with columns; the number of rows of a statement that changes rows; the
number of mutations if the commit asks for it. Nothing is stored, locked, compiled or looked up.

`python -m tests.benchmarks.null PORT` serves them; `NullChannel` answers inside the process.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from concurrent import futures
from itertools import count
from time import time_ns
from typing import Any

import grpc
from google.cloud.spanner_v1.types import commit_response, result_set, spanner, transaction
from google.cloud.spanner_v1.types import type as types

SERVICE = "google.spanner.v1.Spanner"
SESSION = "projects/bench/instances/bench/databases/bench/sessions/s"
NANOS_PER_SECOND = 1_000_000_000

_Partial = result_set.PartialResultSet.pb()
_ResultSet = result_set.ResultSet.pb()
_CommitResponse = commit_response.CommitResponse.pb()
_Transaction = transaction.Transaction.pb()

_transaction_ids = count(1)


def _columns(**codes: types.TypeCode) -> Any:
    """Return the metadata of a result with these columns."""
    fields = [
        types.StructType.Field(name=name, type_=types.Type(code=code))
        for name, code in codes.items()
    ]
    metadata = result_set.ResultSetMetadata(row_type=types.StructType(fields=fields))
    return result_set.ResultSetMetadata.pb(metadata)


_USER = _columns(Id=types.TypeCode.INT64, Name=types.TypeCode.STRING)
_NUMBER = _columns(**{"": types.TypeCode.INT64})


def _set_now(timestamp: Any) -> None:
    timestamp.seconds, timestamp.nanos = divmod(time_ns(), NANOS_PER_SECOND)


def _describe(options: Any, described: Any) -> bool:
    """Fill in what a transaction's options ask for; whether it is a read-write transaction."""
    if options.HasField("read_write"):
        return True
    if options.read_only.return_read_timestamp:
        _set_now(described.read_timestamp)
    return False


def _add_transaction(request: Any, answer: Any) -> None:
    """Describe the transaction that a request begins or uses once."""
    selector = request.transaction
    if selector.HasField("begin"):
        described = answer.metadata.transaction
        described.id = b"%d" % next(_transaction_ids)
        if _describe(selector.begin, described):
            answer.precommit_token.precommit_token = described.id
            answer.precommit_token.seq_num = 1
    elif selector.HasField("single_use"):
        options = selector.single_use
        if options.read_only.return_read_timestamp:
            _describe(options, answer.metadata.transaction)


def _row(request: Any, columns: Any, *cells: str) -> Any:
    """Return a result of one row."""
    answer = _Partial(metadata=columns, last=True)
    _add_transaction(request, answer)
    for cell in cells:
        answer.values.add().string_value = cell
    return answer


def _query(request: Any) -> Any:
    if not request.params.fields:
        return _row(request, _NUMBER, "1")
    key = request.params.fields["id"].string_value
    return _row(request, _USER, key, f"user {key}")


def _read(request: Any) -> Any:
    key = request.key_set.keys[0].values[0].string_value
    return _row(request, _USER, key, f"user {key}")


def _dml(request: Any) -> Any:
    """Return the answer of a statement that changes a row: it has no columns."""
    answer = _ResultSet()
    answer.metadata.row_type.SetInParent()
    answer.stats.row_count_exact = 1
    _add_transaction(request, answer)
    return answer


def _begin(request: Any) -> Any:
    answer = _Transaction(id=b"%d" % next(_transaction_ids))
    _describe(request.options, answer)
    return answer


def _commit(request: Any) -> Any:
    answer = _CommitResponse()
    _set_now(answer.commit_timestamp)
    if request.return_commit_stats:
        answer.commit_stats.mutation_count = 1
    return answer


def _session(_request: Any) -> Any:
    return spanner.Session.pb(spanner.Session(name=SESSION, multiplexed=True))


def _batch_sessions(request: Any) -> Any:
    answer = spanner.BatchCreateSessionsResponse.pb(spanner.BatchCreateSessionsResponse())
    answer.session.add().CopyFrom(_session(request))
    return answer


# method -> (request class, streams, function from the request to its only answer)
METHODS: dict[str, tuple[Any, bool, Callable[[Any], Any]]] = {
    "CreateSession": (spanner.CreateSessionRequest.pb(), False, _session),
    "BatchCreateSessions": (spanner.BatchCreateSessionsRequest.pb(), False, _batch_sessions),
    "GetSession": (spanner.GetSessionRequest.pb(), False, _session),
    "BeginTransaction": (spanner.BeginTransactionRequest.pb(), False, _begin),
    "Commit": (spanner.CommitRequest.pb(), False, _commit),
    "ExecuteSql": (spanner.ExecuteSqlRequest.pb(), False, _dml),
    "ExecuteStreamingSql": (spanner.ExecuteSqlRequest.pb(), True, _query),
    "StreamingRead": (spanner.ReadRequest.pb(), True, _read),
}


def serve(port: int) -> None:
    """Serve until killed."""
    handlers: dict[str, grpc.RpcMethodHandler] = {}
    for name, (request, streams, answer) in METHODS.items():
        make = (
            grpc.unary_stream_rpc_method_handler if streams else grpc.unary_unary_rpc_method_handler
        )
        handlers[name] = make(
            lambda request, _context, answer=answer, streams=streams: (
                iter((answer(request),)) if streams else answer(request)
            ),
            request_deserializer=request.FromString,
            response_serializer=lambda message: message.SerializeToString(),
        )
    server = grpc.server(futures.ThreadPoolExecutor(16))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    server.wait_for_termination()


class _Done(grpc.Call, grpc.Future):  # type: ignore[misc]
    """A call that is over: what interceptors and api_core look at."""

    def __init__(self, answers: Iterable[Any]) -> None:
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


class _NullMethod:
    """A method that answers in this process: from request bytes to reply bytes, and back."""

    def __init__(self, method: str, codec: tuple[Any, Any]) -> None:
        request, _, self._answer = METHODS[method]
        self._read = request.FromString
        self._serialize, self._parse = codec

    def _reply(self, request: Any) -> Any:
        answer = self._answer(self._read(self._serialize(request)))
        return self._parse(answer.SerializeToString())


class _NullUnary(_NullMethod, grpc.UnaryUnaryMultiCallable):  # type: ignore[misc]
    """A method that answers with one message."""

    def __call__(self, request: Any, *rest: Any, **more: Any) -> Any:
        return self._reply(request)

    def with_call(self, request: Any, *rest: Any, **more: Any) -> Any:
        return self._reply(request), _Done([])

    def future(self, request: Any, *rest: Any, **more: Any) -> Any:
        return _Done([self._reply(request)])


class _NullStream(_NullMethod, grpc.UnaryStreamMultiCallable):  # type: ignore[misc]
    """A method that streams one message.

    The client wraps what streams in a way of its own, and tells it by its class.
    """

    def __call__(self, request: Any, *rest: Any, **more: Any) -> Any:
        return _Done([self._reply(request)])


class _Missing(grpc.UnaryUnaryMultiCallable):  # type: ignore[misc]
    """A method that no benchmark calls."""

    def __call__(self, request: Any, *rest: Any, **more: Any) -> Any:
        raise NotImplementedError

    with_call = future = __call__


class NullChannel(grpc.Channel):  # type: ignore[misc]
    """A channel that answers within the process."""

    def unary_unary(
        self,
        method: str,
        request_serializer: Any = None,
        response_deserializer: Any = None,
        _registered_method: bool = False,
    ) -> Any:
        name, codec = method.rsplit("/", 1)[-1], (request_serializer, response_deserializer)
        if name not in METHODS:
            return _Missing()
        return (_NullStream if METHODS[name][1] else _NullUnary)(name, codec)

    unary_stream = stream_unary = stream_stream = unary_unary

    def subscribe(self, callback: Any, try_to_connect: bool = False) -> None:
        """Do nothing: the channel is always connected."""

    def unsubscribe(self, callback: Any) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""

    def __enter__(self) -> NullChannel:
        return self

    def __exit__(self, *failure: object) -> None:
        return None


if __name__ == "__main__":
    serve(int(sys.argv[1]))

"""Sends bombs to a server, without the retries of a client library."""

from __future__ import annotations

from typing import Any

import grpc
from google.cloud.spanner_v1 import types
from google.cloud.spanner_v1.services.spanner import SpannerClient
from google.cloud.spanner_v1.services.spanner.transports import SpannerGrpcTransport
from google.protobuf.struct_pb2 import ListValue, Struct, Value

from tests.stress.statements.bombs import OK, Bomb

_OPTIONS = [("grpc.max_receive_message_length", -1)]


class BombSession:
    """A session of a database, on a channel of its own."""

    def __init__(self, target: str, database: str) -> None:
        channel = grpc.insecure_channel(target, options=_OPTIONS)
        self._client = SpannerClient(transport=SpannerGrpcTransport(channel=channel))
        session = self._client.create_session(
            types.CreateSessionRequest(database=database), timeout=60, retry=None
        )
        self._session = session.name

    def send(self, bomb: Bomb, seconds: float) -> str:
        """Return the name of the code that answers a bomb; OK if all of its rows arrive."""
        try:
            return _HOW[bomb.how](self, bomb, seconds)
        except grpc.RpcError as failure:
            return str(failure.code().name)
        except Exception as failure:
            code = getattr(failure, "grpc_status_code", None)
            if code is None:
                raise
            return str(code.name)

    def select_one(self, seconds: float) -> None:
        """Run `SELECT 1`. Raises what the server answers instead."""
        request = types.ExecuteSqlRequest(session=self._session, sql="SELECT 1")
        self._client.execute_sql(request, timeout=seconds, retry=None)

    def query(self, bomb: Bomb, seconds: float) -> str:
        for _ in self._client.execute_streaming_sql(
            self._request(bomb), timeout=seconds, retry=None
        ):
            pass
        return OK

    def dml(self, bomb: Bomb, seconds: float) -> str:
        begin = types.TransactionSelector(begin={"read_write": {}})
        request = self._request(bomb, transaction=begin, seqno=1)
        self._client.execute_sql(request, timeout=seconds, retry=None)
        return OK

    def batch(self, bomb: Bomb, seconds: float) -> str:
        request = types.ExecuteBatchDmlRequest(
            session=self._session,
            transaction=types.TransactionSelector(begin={"read_write": {}}),
            statements=[{"sql": bomb.sql}] * 3,
            seqno=1,
        )
        reply = self._client.execute_batch_dml(request, timeout=seconds, retry=None)
        return _code_name(reply.status.code)

    def partitioned(self, bomb: Bomb, seconds: float) -> str:
        options = types.TransactionOptions(partitioned_dml={})
        transaction = self._client.begin_transaction(
            types.BeginTransactionRequest(session=self._session, options=options),
            timeout=seconds,
            retry=None,
        )
        selector = types.TransactionSelector(id=transaction.id)
        for _ in self._client.execute_streaming_sql(
            self._request(bomb, transaction=selector), timeout=seconds, retry=None
        ):
            pass
        return OK

    def _request(self, bomb: Bomb, **fields: Any) -> types.ExecuteSqlRequest:
        parameters, parameter_types = Struct(), {}
        for name, (element, items) in bomb.parameters.items():
            cells = ListValue(values=[Value(string_value=str(item)) for item in items])
            parameters.fields[name].list_value.CopyFrom(cells)
            array = types.TypeCode.ARRAY
            parameter_types[name] = types.Type(
                code=array, array_element_type=types.Type(code=types.TypeCode[element])
            )
        return types.ExecuteSqlRequest(
            session=self._session,
            sql=bomb.sql,
            params=parameters,
            param_types=parameter_types,
            **fields,
        )


def _code_name(number: int) -> str:
    return next(code.name for code in grpc.StatusCode if code.value[0] == number)


_HOW = {
    "query": BombSession.query,
    "dml": BombSession.dml,
    "batch": BombSession.batch,
    "partitioned": BombSession.partitioned,
}

"""A table streamed from an embedded emulator, and the client alone, which gets recorded messages.

Prints rows a second, of the fastest turn: a shared machine is slow at times. The replay gives the
client the messages that the embedded emulator of the same checkout streams.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from time import perf_counter
from typing import Any
from unittest.mock import patch

import grpc
from google.cloud.spanner_v1.types import ExecuteSqlRequest

import spanemu
from tests.benchmarks import null, targets

TURNS = 12
ROWS, ROWS_PER_COMMIT = 50_000, 1_000
COLUMNS = ("Id", "A", "C", "D", "F")
DDL = (
    "CREATE TABLE T (Id INT64 NOT NULL, A STRING(MAX), C INT64, D FLOAT64, F TIMESTAMP) "
    "PRIMARY KEY (Id)"
)
QUERY = f"SELECT {', '.join(COLUMNS)} FROM T"
METHOD = "/google.spanner.v1.Spanner/ExecuteStreamingSql"
SOME_DAY = datetime(2024, 1, 1, tzinfo=UTC)


def fill(database: Any) -> Any:
    """Create the table and its rows, and return the database."""
    database.update_ddl([DDL]).result(60)
    for start in range(0, ROWS, ROWS_PER_COMMIT):
        rows = [
            (number, f"name {number * 31 % ROWS}", number * 7, number / 2,
             SOME_DAY + timedelta(seconds=number))
            for number in range(start, start + ROWS_PER_COMMIT)
        ]  # fmt: skip
        with database.batch() as batch:
            batch.insert("T", COLUMNS, rows)
    return database


def recorded(database: Any) -> list[bytes]:
    """Return the messages of the query, as the channel gives them."""
    api = database.spanner_api
    session = api.create_session(database=database.name)
    call = api.transport.grpc_channel.unary_stream(METHOD, ExecuteSqlRequest.serialize)
    return list(call(ExecuteSqlRequest(session=session.name, sql=QUERY)))


class ReplayChannel(null.NullChannel):
    """A channel whose queries stream recorded messages."""

    def __init__(self, messages: Sequence[bytes]) -> None:
        self._messages = messages

    def unary_stream(
        self,
        method: str,
        request_serializer: Any = None,
        response_deserializer: Any = None,
        _registered_method: bool = False,
    ) -> Any:
        codec = request_serializer, response_deserializer
        if method != METHOD:
            return self.unary_unary(method, *codec)
        return _Replay(self._messages, *codec)


class _Replay(grpc.UnaryStreamMultiCallable):  # type: ignore[misc]
    def __init__(self, messages: Sequence[bytes], serialize: Any, parse: Any) -> None:
        self._messages, self._serialize, self._parse = messages, serialize, parse

    def __call__(self, request: Any, *rest: Any, **more: Any) -> Any:
        self._serialize(request)
        return null._Done(map(self._parse, self._messages))


@contextmanager
def replaying(messages: Sequence[bytes]) -> Iterator[Any]:
    """Yield a database whose queries stream recorded messages."""
    with (
        patch.object(null, "NullChannel", partial(ReplayChannel, messages)),
        targets.null_channel() as database,
    ):
        yield database


def stream(database: Any) -> float:
    """Stream the table once, and return the seconds."""
    began = perf_counter()
    with database.snapshot() as snapshot:
        rows = sum(1 for _ in snapshot.execute_sql(QUERY))
    assert rows == ROWS
    return perf_counter() - began


def main() -> None:
    with spanemu.Emulator() as emulator:
        embedded = fill(emulator.create_database("streaming").client())
        with replaying(recorded(embedded)) as replay:
            turns = [(stream(embedded), stream(replay)) for _ in range(TURNS)]
    seconds = dict(zip(("embedded", "replay"), map(min, zip(*turns, strict=True)), strict=True))
    print(json.dumps({name: ROWS / each for name, each in seconds.items()}))


if __name__ == "__main__":
    main()

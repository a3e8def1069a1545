"""A read or query whose stream breaks is taken up again where its last resume token stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from google.cloud.spanner_v1 import KeySet

import spanemu
from spanemu.base.errors import Code, SpannerError
from spanemu.frontend.dispatch import ServedCall

ROWS = [[number, "x" * 40_000] for number in range(120)]


class Broken(SpannerError):
    """The failure of a network."""

    code = Code.UNAVAILABLE
    prose = "broken"


STREAMS = ("/StreamingRead", "/ExecuteStreamingSql")


class BreaksOnce:
    """An interceptor that fails the reply of a number, once."""

    def __init__(self, reply: int) -> None:
        self.left = reply
        self.streams = 0

    def started(self, call: ServedCall, _request: object) -> None:
        self.streams += call.path.endswith(STREAMS)

    def replied(self, call: ServedCall, _reply: bytes) -> None:
        if call.path.endswith(STREAMS):
            self.left -= 1
            if self.left == 0:
                raise Broken()

    def ended(self, call: ServedCall, error: Exception | None) -> None:
        """Do nothing."""


@pytest.fixture(scope="module", params=[True, False], ids=["embedded", "port"])
def emulator(request: pytest.FixtureRequest) -> Iterator[spanemu.Emulator]:
    with spanemu.Emulator(embedded_channel=request.param) as emulator:
        yield emulator


def by_read(snapshot: Any) -> Any:
    return snapshot.read("T", ["Id", "Text"], KeySet(all_=True))


def by_query(snapshot: Any) -> Any:
    return snapshot.execute_sql("SELECT Id, Text FROM T ORDER BY Id")


@pytest.mark.parametrize("reply", [1, 2, 3, 4])
@pytest.mark.parametrize("request_rows", [by_read, by_query])
def test_a_broken_stream_resumes_without_repeating_rows(
    emulator: spanemu.Emulator, request_rows: Callable[[Any], Any], reply: int
) -> None:
    schema = "CREATE TABLE T (Id INT64 NOT NULL, Text STRING(MAX)) PRIMARY KEY (Id)"
    name = f"{request_rows.__name__.replace('_', '-')}-{reply}"
    client = emulator.create_database(name, schema=[schema]).client()
    with client.batch() as batch:
        batch.insert("T", ["Id", "Text"], ROWS)
    watcher = BreaksOnce(reply)
    emulator.endpoints.watchers.append(watcher)
    try:
        with client.snapshot() as snapshot:
            rows = list(request_rows(snapshot))
    finally:
        emulator.endpoints.watchers.remove(watcher)
    assert rows == ROWS
    assert watcher.streams == 2

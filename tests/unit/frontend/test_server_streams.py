"""Streams of gRPC's own server: each keeps a thread to its end, and they are limited."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import grpc
import pytest
from google.protobuf.wrappers_pb2 import BytesValue

from spanemu.base.clock import SystemClock, monotonic
from spanemu.base.errors import Unsupported
from spanemu.base.live import LiveReaders, LiveRow, LiveRows
from spanemu.frontend.dispatch import Endpoints, Method, ServedCall, Service
from spanemu.frontend.server import Server

SECONDS = 60.0
STREAMS = 4
CLOCK = SystemClock()
MEBIBYTE = 1 << 20


class Words(LiveRows):
    """Words that a test says one after another."""

    def __init__(self, readers: LiveReaders) -> None:
        super().__init__(CLOCK, readers)
        self._said: list[bytes] = []
        self._over = False
        self.taken = 0

    def say(self, *words: bytes, over: bool = False) -> None:
        self._said += words
        self._over = over
        self.wake()

    def available(self) -> tuple[Sequence[LiveRow], bool]:
        count = len(self._said)
        said, self._said = self._said[:count], self._said[count:]
        self.taken += count
        return [LiveRow((word,)) for word in said], self._over


class World:
    """The words that clients listen to, in the order in which they began."""

    def __init__(self) -> None:
        self.readers = LiveReaders()
        self.words: list[Words] = []

    def begun(self, count: int) -> list[Words]:
        wait_for(lambda: len(self.words) >= count)
        return self.words


def hear(world: World, _request: Any) -> Iterator[Any]:
    words = Words(world.readers)
    world.words.append(words)
    return replies(words)


def replies(words: Words) -> Iterator[Any]:
    try:
        for row in words.steps():
            yield row if isinstance(row, LiveRows) else BytesValue(value=row.cells[0])
    finally:
        words.close()


METHODS = (
    Method("Hear", BytesValue, BytesValue, hear, streams=True),
    Method("Echo", BytesValue, BytesValue, lambda _world, request: request),
)


def wait_for(seen: Any) -> None:
    end = monotonic() + SECONDS
    while not seen():
        assert monotonic() < end, "it did not happen in time"
        threading.Event().wait(0.002)


class Served:
    def __init__(self, world: World) -> None:
        self.endpoints = Endpoints((Service("s.S", METHODS),), world)
        self.server = Server(self.endpoints, workers_max=STREAMS + 2, waiting_max=STREAMS)
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.server.start()}")
        self.hear = self.channel.unary_stream(
            "/s.S/Hear",
            BytesValue.SerializeToString,
            lambda data: BytesValue.FromString(data).value,
        )

        self.echo = self.channel.unary_unary(
            "/s.S/Echo", BytesValue.SerializeToString, BytesValue.FromString
        )

    def call(self, timeout: float | None = SECONDS) -> Any:
        return self.hear(BytesValue(), timeout=timeout)


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def served(world: World) -> Iterator[Served]:
    served = Served(world)
    yield served
    served.channel.close()
    served.server.stop()


def test_replies_arrive_as_rows_appear(world: World, served: Served) -> None:
    call = served.call()
    (words,) = world.begun(1)
    words.say(b"a")
    assert next(call) == b"a"
    words.say(b"b", b"c", over=True)
    assert list(call) == [b"b", b"c"]
    assert call.code() is grpc.StatusCode.OK


def test_streams_beyond_the_limit_are_refused(world: World, served: Served) -> None:
    calls = [served.call() for _ in range(STREAMS)]
    world.begun(STREAMS)
    refused = served.call()
    with pytest.raises(grpc.RpcError):
        next(refused)
    assert refused.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert f"{STREAMS} requests wait" in refused.details()
    for words in world.words:
        words.say(b"x", over=True)
    assert [list(call) for call in calls] == [[b"x"]] * STREAMS
    wait_for(lambda: not len(world.readers))
    later = served.call()
    world.begun(STREAMS + 1)[-1].say(b"me", over=True)
    assert list(later) == [b"me"]


def test_a_failure_is_the_status(world: World, served: Served) -> None:
    call = served.call()
    (words,) = world.begun(1)
    words.fail(Unsupported("Hearing"))
    with pytest.raises(grpc.RpcError):
        next(call)
    assert call.code() is grpc.StatusCode.UNIMPLEMENTED
    assert "Hearing" in call.details()


def test_a_deadline_ends_a_waiting_stream(world: World, served: Served) -> None:
    call = served.call(timeout=0.1)
    with pytest.raises(grpc.RpcError):
        next(call)
    assert call.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    wait_for(lambda: not len(world.readers))


def test_the_end_of_the_server_ends_waiting_streams(world: World, served: Served) -> None:
    call = served.call()
    world.begun(1)
    served.server.stop()
    with pytest.raises(grpc.RpcError):
        next(call)
    wait_for(lambda: not len(world.readers))


def test_clients_that_do_not_read_leave_threads_for_others(world: World, served: Served) -> None:
    stalled = [served.call() for _ in range(STREAMS)]
    for words in world.begun(STREAMS):
        words.say(*[bytes(MEBIBYTE)] * 40)
    wait_for(lambda: all(words.taken for words in world.words))
    assert served.echo(BytesValue(value=b"me"), timeout=SECONDS).value == b"me"
    for item in stalled:
        item.cancel()
    wait_for(lambda: not len(world.readers))


def test_watchers_see_the_replies_and_the_end(world: World, served: Served) -> None:
    seen: list[Any] = []

    class Watcher:
        def started(self, call: ServedCall, request: Any) -> None:
            seen.append("started")

        def replied(self, call: ServedCall, reply: bytes) -> None:
            seen.append(BytesValue.FromString(reply).value)

        def ended(self, call: ServedCall, error: Exception | None) -> None:
            seen.append(type(error).__name__)

    served.endpoints.watchers.append(Watcher())
    call = served.call()
    (words,) = world.begun(1)
    words.say(b"a")
    assert next(call) == b"a"
    call.cancel()
    wait_for(lambda: len(seen) == 3)
    assert seen[:2] == ["started", b"a"]
    # Cancelled while it waits for a row, or abandoned before it asks for one.
    assert seen[2] in ("Cancelled", "NoneType")

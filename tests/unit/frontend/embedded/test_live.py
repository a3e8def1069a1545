"""Embedded channels wait for rows that do not exist yet, and stop waiting when the call ends."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.wrappers_pb2 import StringValue

from spanemu.base.clock import SystemClock
from spanemu.base.live import LiveReaders, LiveRow, LiveRows
from spanemu.frontend.dispatch import Endpoints, Method, Service
from spanemu.frontend.embedded import aio_calls
from spanemu.frontend.embedded.aio_channel import AioEmbeddedChannel
from spanemu.frontend.embedded.channel import EmbeddedChannel

CLOCK = SystemClock()


class Words(LiveRows):
    """Words that a test says one after another."""

    def __init__(self, readers: LiveReaders) -> None:
        super().__init__(CLOCK, readers)
        self._said: list[str] = []
        self._over = False

    def say(self, *words: str, over: bool = False) -> None:
        self._said += words
        self._over = over
        self.wake()

    def available(self) -> tuple[Sequence[LiveRow], bool]:
        said, self._said = self._said, []
        return [LiveRow((word,)) for word in said], self._over


class World:
    def __init__(self) -> None:
        self.readers = LiveReaders()
        self.begun = threading.Semaphore(0)
        self.words: list[Words] = []


def hear(world: World, _request: Any) -> Iterator[Any]:
    words = Words(world.readers)
    world.words.append(words)
    try:
        for row in words.steps():
            if isinstance(row, LiveRows):
                world.begun.release()
                yield row
            else:
                yield StringValue(value=row.cells[0])
    finally:
        words.close()


HEAR = Service("s.S", (Method("Hear", StringValue, StringValue, hear, streams=True),))


@pytest.fixture
def world() -> World:
    return World()


def hearing(channel: Any) -> Any:
    return channel.unary_stream(
        "/s.S/Hear", StringValue.SerializeToString, lambda data: StringValue.FromString(data).value
    )


def embedded(world: World) -> EmbeddedChannel:
    endpoints = Endpoints([HEAR], world)
    return EmbeddedChannel(lambda: endpoints)


def test_iterating_waits_for_the_next_row(world: World) -> None:
    def say() -> None:
        world.begun.acquire()
        world.words[0].say("a", "b", over=True)

    threading.Thread(target=say).start()
    with embedded(world) as channel:
        assert list(hearing(channel)(StringValue())) == ["a", "b"]
    assert not len(world.readers)


def test_cancelling_ends_the_wait_of_another_thread(world: World) -> None:
    with embedded(world) as channel:
        call = hearing(channel)(StringValue())

        def cancel() -> None:
            world.begun.acquire()
            call.cancel()

        threading.Thread(target=cancel).start()
        with pytest.raises(grpc.RpcError):
            next(call)
        assert call.code() is grpc.StatusCode.CANCELLED
    assert not len(world.readers)


def test_a_deadline_ends_the_wait(world: World) -> None:
    with embedded(world) as channel:
        call = hearing(channel)(StringValue(), timeout=0.05)
        with pytest.raises(grpc.RpcError):
            next(call)
        assert call.code() is grpc.StatusCode.DEADLINE_EXCEEDED


def test_asynchronous_calls_wait_without_threads(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoints = Endpoints([HEAR], world)
    two = ThreadPoolExecutor(2)
    monkeypatch.setattr(aio_calls, "workers", lambda: two)

    async def main() -> None:
        channel = AioEmbeddedChannel(lambda: endpoints)
        calls = [hearing(channel)(StringValue()) for _ in range(100)]
        first = [asyncio.ensure_future(call.read()) for call in calls]
        for _ in calls:
            await asyncio.to_thread(world.begun.acquire)
        for words in world.words:
            words.say("a")
        assert await asyncio.gather(*first) == ["a"] * 100
        second = [asyncio.ensure_future(call.read()) for call in calls[:2]]
        for _ in second:
            await asyncio.to_thread(world.begun.acquire)
        calls[0].cancel()
        second[1].cancel()
        for reading in second:
            with pytest.raises(asyncio.CancelledError):
                await reading
        await channel.close()

    asyncio.run(main())
    two.shutdown()
    assert not len(world.readers)


def test_an_asynchronous_deadline_ends_the_wait(world: World) -> None:
    endpoints = Endpoints([HEAR], world)

    async def main() -> None:
        channel = AioEmbeddedChannel(lambda: endpoints)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await hearing(channel)(StringValue(), timeout=0.05).read()
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED

    asyncio.run(main())
    assert not len(world.readers)

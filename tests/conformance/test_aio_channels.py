"""The scenarios of `test_channels` for `grpc.aio` channels."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import grpc
import grpc.aio
import pytest
from google.api_core import exceptions, grpc_helpers_async
from google.cloud.spanner_v1.services.spanner import SpannerAsyncClient
from google.cloud.spanner_v1.services.spanner.transports import SpannerGrpcAsyncIOTransport
from google.protobuf.wrappers_pb2 import Int64Value, StringValue

from tests.conformance.echo_service import TRANSPORTS, Target, method, served

TIMEOUT = 60.0
Scenario = Callable[[grpc.aio.Channel, Target], Awaitable[None]]


@pytest.fixture(params=TRANSPORTS)
def run(request: pytest.FixtureRequest) -> Callable[[Scenario], None]:
    """Run a scenario against a channel, each time in an event loop of its own."""

    def run(scenario: Scenario, interceptors: list[object] | None = None) -> None:
        async def main(target: Target) -> None:
            async with grpc.aio.insecure_channel(
                target.address, interceptors=interceptors
            ) as channel:
                await asyncio.wait_for(scenario(channel, target), TIMEOUT)

        with served(request.param) as target:
            asyncio.run(main(target))

    return run


def text(value: str = "") -> StringValue:
    return StringValue(value=value)


async def until(event) -> None:
    await asyncio.get_running_loop().run_in_executor(None, event.wait, TIMEOUT)


def test_unary(run) -> None:
    async def scenario(channel, _place) -> None:
        call = method(channel, "Echo")(text("hello"), timeout=TIMEOUT)
        assert isinstance(call, grpc.aio.UnaryUnaryCall)
        assert await call == text("hello")
        assert await call == text("hello")
        assert await call.code() is grpc.StatusCode.OK
        assert call.done()
        assert not call.cancelled()
        assert tuple(await call.trailing_metadata()) == ()

    run(scenario)


def test_failure(run) -> None:
    async def scenario(channel, _place) -> None:
        call = method(channel, "Fail")(text("north"), timeout=TIMEOUT)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND
        assert caught.value.details() == "Shelf not found: north"
        assert "google.rpc.retryinfo-bin" in dict(caught.value.trailing_metadata())
        assert await call.code() is grpc.StatusCode.NOT_FOUND

    run(scenario)


def test_stream(run) -> None:
    async def scenario(channel, _place) -> None:
        call = method(channel, "Count")(Int64Value(value=4), timeout=TIMEOUT)
        assert [reply.value async for reply in call] == [0, 1, 2, 3]
        assert await call.code() is grpc.StatusCode.OK

    run(scenario)


def test_stream_by_reading(run) -> None:
    async def scenario(channel, _place) -> None:
        call = method(channel, "Count")(Int64Value(value=2), timeout=TIMEOUT)
        assert [(await call.read()).value, (await call.read()).value] == [0, 1]
        assert await call.read() is grpc.aio.EOF

    run(scenario)


def test_broken_stream(run) -> None:
    async def scenario(channel, _place) -> None:
        call = method(channel, "BreakOff")(Int64Value(value=1), timeout=TIMEOUT)
        replies = aiter(call)
        assert [(await anext(replies)).value, (await anext(replies)).value] == [1, 2]
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await anext(replies)
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND

    run(scenario)


def test_deadline(run) -> None:
    async def scenario(channel, _place) -> None:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await method(channel, "Wait")(text(), timeout=0.05)
        assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED

    run(scenario)


def test_cancelled_call(run) -> None:
    async def scenario(channel, target) -> None:
        call = method(channel, "Wait")(text(), timeout=TIMEOUT)
        task = asyncio.ensure_future(call.code())
        await until(target.world.started)
        assert call.cancel()
        assert await task is grpc.StatusCode.CANCELLED
        assert call.cancelled()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(target.world.cancelled)

    run(scenario)


def test_cancelled_task_cancels_its_call(run) -> None:
    async def scenario(channel, target) -> None:
        async def caller() -> None:
            await method(channel, "Wait")(text(), timeout=TIMEOUT)

        task = asyncio.create_task(caller())
        await until(target.world.started)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(target.world.cancelled)

    run(scenario)


def test_cancelled_stream(run) -> None:
    async def scenario(channel, target) -> None:
        call = method(channel, "Count")(Int64Value(value=1_000_000), timeout=TIMEOUT)
        assert (await call.read()).value == 0
        assert call.cancel()
        assert call.cancelled()
        with pytest.raises(asyncio.CancelledError):
            await call.read()
        await until(target.world.closed)

    run(scenario)


def test_wait_for_connection(run) -> None:
    async def scenario(channel, _place) -> None:
        call = method(channel, "Count")(Int64Value(value=2), timeout=TIMEOUT)
        await call.wait_for_connection()
        assert [reply.value async for reply in call] == [0, 1]
        await channel.channel_ready()

    run(scenario)


def test_the_client_library_wraps_the_channel(run) -> None:
    async def scenario(channel, _place) -> None:
        count = grpc_helpers_async.wrap_errors(method(channel, "Count"))
        stream = await count(Int64Value(value=3), timeout=TIMEOUT)
        assert [reply.value async for reply in stream] == [0, 1, 2]
        fail = grpc_helpers_async.wrap_errors(method(channel, "Fail"))
        with pytest.raises(exceptions.NotFound):
            await fail(text("x"), timeout=TIMEOUT)

    run(scenario)


def test_generated_clients_add_interceptors_of_their_own(run) -> None:
    async def scenario(channel, _place) -> None:
        client = SpannerAsyncClient(transport=SpannerGrpcAsyncIOTransport(channel=channel))
        with pytest.raises(exceptions.MethodNotImplemented):
            await client.get_session(name="s")

    run(scenario)


def test_many_waiting_calls_do_not_block_others(run) -> None:
    async def scenario(channel, target) -> None:
        waiting = [method(channel, "Wait")(text("w"), timeout=TIMEOUT) for _ in range(24)]
        codes = [asyncio.ensure_future(call.code()) for call in waiting]
        await until(target.world.started)
        await method(channel, "Release")(text(), timeout=TIMEOUT)
        assert set(await asyncio.gather(*codes)) == {grpc.StatusCode.OK}

    run(scenario)


class Tagging(grpc.aio.UnaryUnaryClientInterceptor):
    async def intercept_unary_unary(self, continuation, details, request):
        metadata = grpc.aio.Metadata(*(details.metadata or ()), ("x-tag", "blue"))
        return await continuation(details._replace(metadata=metadata), request)


class Answering(grpc.aio.UnaryUnaryClientInterceptor):
    async def intercept_unary_unary(self, continuation, details, request):
        if details.method.endswith(b"/Echo"):
            return text("intercepted")
        return await continuation(details, request)


class Odd(grpc.aio.UnaryStreamClientInterceptor):
    async def intercept_unary_stream(self, continuation, details, request):
        call = await continuation(details, request)

        async def odd():
            async for reply in call:
                if reply.value % 2:
                    yield reply

        return odd()


def test_interceptors(run) -> None:
    async def scenario(channel, _place) -> None:
        reply = await method(channel, "Metadata")(text("x-"), timeout=TIMEOUT)
        assert reply.value == "x-tag='blue'"
        assert await method(channel, "Echo")(text("x"), timeout=TIMEOUT) == text("intercepted")
        failing = method(channel, "Fail")(text(), timeout=TIMEOUT)
        assert await failing.code() is grpc.StatusCode.NOT_FOUND
        with pytest.raises(grpc.aio.AioRpcError):
            await failing
        stream = method(channel, "Count")(Int64Value(value=6), timeout=TIMEOUT)
        assert [reply.value async for reply in stream] == [1, 3, 5]

    run(scenario, [Tagging(), Answering(), Odd()])

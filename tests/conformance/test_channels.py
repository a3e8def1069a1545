"""Clients cannot tell an embedded channel from a port: they observe the same in each scenario."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import grpc
import pytest
from google.api_core import exceptions
from google.protobuf.wrappers_pb2 import Int64Value, StringValue
from google.rpc.error_details_pb2 import ResourceInfo, RetryInfo
from grpc_status import rpc_status

from tests.conformance.echo_service import SERVICE, TRANSPORTS, Target, method, served

TIMEOUT = 60.0


@pytest.fixture(params=TRANSPORTS)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    with served(request.param) as target:
        yield target


@pytest.fixture
def channel(target: Target) -> Iterator[grpc.Channel]:
    with target.channel() as channel:
        yield channel


def text(value: str = "") -> StringValue:
    return StringValue(value=value)


# ---------------------------------------------------------------------------- success


def test_unary(channel: grpc.Channel) -> None:
    assert method(channel, "Echo")(text("hello"), timeout=TIMEOUT) == text("hello")


def test_with_call_returns_the_reply_and_an_ended_call(channel: grpc.Channel) -> None:
    response, call = method(channel, "Echo").with_call(text("hello"), timeout=TIMEOUT)
    assert response == text("hello")
    assert call.code() is grpc.StatusCode.OK
    assert call.details() == ""
    assert not call.is_active()
    assert tuple(call.trailing_metadata()) == ()
    assert call.result() == text("hello")
    assert call.exception() is None
    assert not call.cancel()


def test_unary_future(channel: grpc.Channel) -> None:
    future = method(channel, "Echo").future(text("later"), timeout=TIMEOUT)
    assert future.result(TIMEOUT) == text("later")
    assert future.done()
    assert not future.cancelled()
    assert future.exception() is None
    assert future.code() is grpc.StatusCode.OK
    seen: list[object] = []
    future.add_done_callback(seen.append)
    assert seen == [future]


def test_messages_are_copies(channel: grpc.Channel) -> None:
    sent = text("a")
    received = method(channel, "Echo")(sent, timeout=TIMEOUT)
    received.value = "b"
    assert sent.value == "a"


def test_stream(channel: grpc.Channel) -> None:
    call = method(channel, "Count")(Int64Value(value=5), timeout=TIMEOUT)
    assert [reply.value for reply in call] == [0, 1, 2, 3, 4]
    assert call.code() is grpc.StatusCode.OK
    assert not call.is_active()
    with pytest.raises(StopIteration):
        next(call)


def test_empty_stream(channel: grpc.Channel) -> None:
    assert list(method(channel, "Count")(Int64Value(), timeout=TIMEOUT)) == []


def test_large_message(channel: grpc.Channel) -> None:
    reply = method(channel, "Large")(Int64Value(value=3_000_000), timeout=TIMEOUT)
    assert len(reply.value) == 3_000_000


def test_message_over_the_default_limit(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        method(channel, "Large")(Int64Value(value=5_000_000), timeout=TIMEOUT)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_limit_lifted_by_options(target: Target) -> None:
    with target.channel(("grpc.max_receive_message_length", -1)) as channel:
        reply = method(channel, "Large")(Int64Value(value=5_000_000), timeout=TIMEOUT)
    assert len(reply.value) == 5_000_000


def test_metadata_reaches_handlers(channel: grpc.Channel) -> None:
    sent = (("x-one", "1"), ("x-two-bin", b"\x00\xff"), ("x-one", "again"))
    reply = method(channel, "Metadata")(text("x-"), timeout=TIMEOUT, metadata=sent)
    assert reply.value == "x-one='1' x-one='again' x-two-bin=b'\\x00\\xff'"


def test_user_agent_reaches_handlers(channel: grpc.Channel) -> None:
    reply = method(channel, "Metadata")(text("user-agent"), timeout=TIMEOUT)
    assert reply.value.startswith(f"user-agent='grpc-python/{grpc.__version__}")


def test_metadata_of_invalid_key(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        method(channel, "Echo")(text(), timeout=TIMEOUT, metadata=(("Not Lower", "1"),))
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert caught.value.details() == "Invalid metadata"


# ---------------------------------------------------------------------------- failure


def test_failure_with_details(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        method(channel, "Fail")(text("north"), timeout=TIMEOUT)
    error = caught.value
    assert error.code() is grpc.StatusCode.NOT_FOUND
    assert error.details() == "Shelf not found: north"
    trailers = dict(error.trailing_metadata())
    assert ResourceInfo.FromString(trailers["google.rpc.resourceinfo-bin"]) == ResourceInfo(
        resource_type="type.example/Shelf",
        resource_name="north",
        description="Shelf does not exist.",
    )
    retry = RetryInfo.FromString(trailers["google.rpc.retryinfo-bin"])
    assert retry.retry_delay.ToNanoseconds() == 1_500_000_000
    status = rpc_status.from_call(error)
    assert status is not None
    assert [detail.TypeName() for detail in status.details] == [
        "google.rpc.ResourceInfo",
        "google.rpc.RetryInfo",
    ]


def test_failure_as_the_client_library_sees_it(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        method(channel, "Fail")(text("north"), timeout=TIMEOUT)
    mapped = exceptions.from_grpc_error(caught.value)
    assert isinstance(mapped, exceptions.NotFound)
    assert mapped.message == "Shelf not found: north"
    assert {type(detail) for detail in mapped.details} == {ResourceInfo, RetryInfo}


def test_failure_is_a_call_and_a_future(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        method(channel, "Fail")(text(), timeout=TIMEOUT)
    error = caught.value
    assert isinstance(error, grpc.Call)
    assert isinstance(error, grpc.Future)
    assert error.done()
    assert error.exception() is error
    with pytest.raises(grpc.RpcError):
        error.result()


def test_failure_of_a_future(channel: grpc.Channel) -> None:
    future = method(channel, "Fail").future(text("x"), timeout=TIMEOUT)
    assert future.exception(TIMEOUT).code() is grpc.StatusCode.NOT_FOUND
    with pytest.raises(grpc.RpcError):
        future.result()


def test_failure_in_a_stream_comes_after_its_replies(channel: grpc.Channel) -> None:
    call = method(channel, "BreakOff")(Int64Value(value=7), timeout=TIMEOUT)
    assert [next(call).value, next(call).value] == [1, 2]
    with pytest.raises(grpc.RpcError) as caught:
        next(call)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    assert call.code() is grpc.StatusCode.NOT_FOUND
    assert call.details() == "Shelf not found: 7"
    assert "google.rpc.retryinfo-bin" in dict(call.trailing_metadata())


def test_an_internal_error_has_status_internal(
    channel: grpc.Channel, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        method(channel, "Bug")(text("k"), timeout=TIMEOUT)
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    (record,) = [one for one in caplog.records if one.name == "spanemu"]
    assert record.exc_info is not None
    assert record.exc_info[0] is KeyError
    assert str(record.args[0]) in caught.value.details()  # type: ignore[index]


def test_unimplemented(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        method(channel, "Missing")(text(), timeout=TIMEOUT)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert "Missing" in caught.value.details()


def test_no_such_method(channel: grpc.Channel) -> None:
    call = channel.unary_unary(f"/{SERVICE}/Nothing")
    with pytest.raises(grpc.RpcError) as caught:
        call(b"", timeout=TIMEOUT)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_unreadable_request(channel: grpc.Channel) -> None:
    call = channel.unary_unary(f"/{SERVICE}/Echo")
    with pytest.raises(grpc.RpcError) as caught:
        call(b"\x0a\x02\xff\xfe", timeout=TIMEOUT)  # A string that is not UTF-8.
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_unserializable_request(channel: grpc.Channel) -> None:
    call = channel.unary_unary(f"/{SERVICE}/Echo", request_serializer=lambda _: 1 // 0)
    with pytest.raises(grpc.RpcError) as caught:
        call(b"", timeout=TIMEOUT)
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert caught.value.details() == "Exception serializing request!"


# ---------------------------------------------------------------------------- deadlines


def test_deadline_of_a_unary_call(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        method(channel, "Wait")(text(), timeout=0.05)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert caught.value.details() == "Deadline Exceeded"


def test_a_passed_deadline_fails_at_once(channel: grpc.Channel, target: Target) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        method(channel, "Wait")(text(), timeout=-1.0)
    assert caught.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    assert not target.world.started.is_set()


def stream_that_began(channel: grpc.Channel) -> grpc.Call:
    """Return a stream that has replied before its deadline, however slow the machine is."""
    for timeout in (0.1, 1.0):
        call = method(channel, "WaitInStream")(text(), timeout=timeout)
        with suppress(grpc.RpcError):
            assert next(call) == text("first")
            return call
    call = method(channel, "WaitInStream")(text(), timeout=TIMEOUT)
    assert next(call) == text("first")
    return call


def test_deadline_of_a_stream(channel: grpc.Channel) -> None:
    call = stream_that_began(channel)
    with pytest.raises(grpc.RpcError):
        next(call)
    assert call.code() is grpc.StatusCode.DEADLINE_EXCEEDED


def test_deadline_of_a_future(channel: grpc.Channel) -> None:
    future = method(channel, "Wait").future(text(), timeout=0.05)
    assert future.exception(TIMEOUT).code() is grpc.StatusCode.DEADLINE_EXCEEDED


def test_a_future_raises_a_timeout(channel: grpc.Channel, target: Target) -> None:
    future = method(channel, "Wait").future(text("x"), timeout=TIMEOUT)
    with pytest.raises(grpc.FutureTimeoutError):
        future.result(0.01)
    target.world.released.set()
    assert future.result(TIMEOUT) == text("x")


# ---------------------------------------------------------------------------- cancellation


def test_cancelled_future(channel: grpc.Channel, target: Target) -> None:
    future = method(channel, "Wait").future(text(), timeout=TIMEOUT)
    assert target.world.started.wait(TIMEOUT)
    assert future.cancel()
    assert future.cancelled()
    with pytest.raises(grpc.FutureCancelledError):
        future.result(TIMEOUT)
    assert future.code() is grpc.StatusCode.CANCELLED
    assert target.world.cancelled.wait(TIMEOUT)


def test_cancelled_stream(channel: grpc.Channel, target: Target) -> None:
    call = method(channel, "Count")(Int64Value(value=1_000_000), timeout=TIMEOUT)
    next(call)
    assert call.is_active()
    assert call.cancel()
    with pytest.raises(grpc.RpcError) as caught:
        next(call)
    assert caught.value.code() is grpc.StatusCode.CANCELLED
    assert call.details() == "Locally cancelled by application!"
    assert target.world.closed.wait(TIMEOUT)


def test_stream_cancelled_while_another_thread_waits(channel: grpc.Channel, target: Target) -> None:
    call = method(channel, "WaitInStream")(text(), timeout=TIMEOUT)
    next(call)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(next, call)
        assert target.world.started.wait(TIMEOUT)
        call.cancel()
        error = waiting.exception(TIMEOUT)
    assert isinstance(error, grpc.RpcError)
    assert call.code() is grpc.StatusCode.CANCELLED
    assert target.world.cancelled.wait(TIMEOUT)


def test_abandoned_stream_is_closed(channel: grpc.Channel, target: Target) -> None:
    call = method(channel, "Count")(Int64Value(value=1_000_000), timeout=TIMEOUT)
    next(call)
    del call
    assert target.world.closed.wait(TIMEOUT)


def test_callbacks_of_a_stream(channel: grpc.Channel) -> None:
    call = method(channel, "Count")(Int64Value(value=3), timeout=TIMEOUT)
    done = threading.Event()
    assert call.add_callback(done.set)
    assert call.time_remaining() <= TIMEOUT
    list(call)
    assert done.wait(TIMEOUT)
    assert not call.add_callback(done.set)


def test_closed_channel(target: Target) -> None:
    channel = target.channel()
    echo = method(channel, "Echo")
    waiting = method(channel, "Wait").future(text(), timeout=TIMEOUT)
    assert target.world.started.wait(TIMEOUT)
    channel.close()
    assert waiting.code() is grpc.StatusCode.CANCELLED
    assert waiting.details() == "Channel closed!"
    with pytest.raises(ValueError, match="closed channel"):
        echo(text(), timeout=TIMEOUT)


# ---------------------------------------------------------------------------- the rest of a channel


def test_channel_ready(channel: grpc.Channel) -> None:
    grpc.channel_ready_future(channel).result(TIMEOUT)


def test_requests_as_a_stream(channel: grpc.Channel) -> None:
    unary = channel.stream_unary(f"/{SERVICE}/Echo", text().__class__.SerializeToString)
    assert unary(iter([text("one")]), timeout=TIMEOUT) == text("one").SerializeToString()
    stream = channel.stream_stream(f"/{SERVICE}/Count", Int64Value.SerializeToString)
    assert len(list(stream(iter([Int64Value(value=2)]), timeout=TIMEOUT))) == 2


class Tagging(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    """An interceptor that adds metadata to every call and remembers how each one went."""

    def __init__(self) -> None:
        self.codes: list[grpc.StatusCode] = []

    def intercept_unary_unary(self, continuation, details, request):
        tagged = grpc.ClientCallDetails()
        tagged.method, tagged.timeout = details.method, details.timeout
        tagged.metadata = [*(details.metadata or ()), ("x-tag", "blue")]
        call = continuation(tagged, request)
        self.codes.append(call.code())
        return call

    def intercept_unary_stream(self, continuation, details, request):
        return (reply for reply in continuation(details, request) if reply.value % 2)


def test_interceptors(channel: grpc.Channel) -> None:
    tagging = Tagging()
    intercepted = grpc.intercept_channel(channel, tagging)
    assert method(intercepted, "Metadata")(text("x-"), timeout=TIMEOUT).value == "x-tag='blue'"
    with pytest.raises(grpc.RpcError) as caught:
        method(intercepted, "Fail")(text(), timeout=TIMEOUT)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    assert tagging.codes == [grpc.StatusCode.OK, grpc.StatusCode.NOT_FOUND]
    odd = method(intercepted, "Count")(Int64Value(value=6), timeout=TIMEOUT)
    assert [reply.value for reply in odd] == [1, 3, 5]


def test_threads(channel: grpc.Channel) -> None:
    echo, count = method(channel, "Echo"), method(channel, "Count")

    def work(worker: int) -> bool:
        return all(
            echo(text(f"{worker}"), timeout=TIMEOUT).value == f"{worker}"
            and len(list(count(Int64Value(value=3), timeout=TIMEOUT))) == 3
            for _ in range(20)
        )

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(8)))


def test_a_waiting_call_does_not_block_others(channel: grpc.Channel, target: Target) -> None:
    waiting = [method(channel, "Wait").future(text("w"), timeout=TIMEOUT) for _ in range(12)]
    assert target.world.started.wait(TIMEOUT)
    method(channel, "Release")(text(), timeout=TIMEOUT)
    assert [one.result(TIMEOUT) for one in waiting] == [text("w")] * 12

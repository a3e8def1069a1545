"""The server under clients that wait, compute, do not read, break off, or mean harm."""

from __future__ import annotations

import errno
import gzip
import socket
import ssl
import threading
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.wrappers_pb2 import Int64Value, StringValue
from grpc_reflection.v1alpha import reflection_pb2

from spanemu.base.call import Signal, current
from spanemu.base.clock import monotonic
from spanemu.base.errors import Code
from spanemu.frontend.dispatch import Endpoints, Method, Service
from spanemu.http2 import account as account_module
from spanemu.http2 import client as client_module
from spanemu.http2 import connection as connection_module
from spanemu.http2 import conversation as conversation_module
from spanemu.http2 import frames, loop
from spanemu.http2 import messages as messages_module
from spanemu.http2 import server as server_module
from spanemu.http2.errors import ErrorCode
from spanemu.http2.server import Http2Server
from tests.certificates import write_certificate
from tests.unit.http2.raw_client import SECONDS, RawClient

CHUNK = "x" * 50_000
LEAST_BYTES = client_module.CONNECTION_BYTES + client_module.ADVANCE_BYTES  # of a connection
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"


class World:
    """The state that the handlers of a server share with its test."""

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self.release = threading.Event()
        self.waiting: list[Signal] = []
        self.yielded = 0
        self.closed = threading.Event()
        self.cancelled = threading.Event()
        self.metadata: dict[str, Any] = {}
        self.peer = ""

    def end_waits(self) -> None:
        """Let all requests end, and those that come."""
        self.release.set()
        for signal in self.waiting:
            signal.set()

    def wait_entered(self, count: int = 1) -> None:
        for _ in range(count):
            assert self.entered.acquire(timeout=SECONDS)


def echo(world: World, request: Any) -> Any:
    call: Any = current()
    world.metadata, world.peer = dict(call.metadata), call.peer
    return request


def wait(world: World, request: Any) -> Any:
    """Wait as all requests do: for a signal, which cancellation sets as well."""
    call = current()
    signal = call.signal()
    world.waiting.append(signal)
    world.entered.release()
    if not world.release.is_set():
        signal.wait(SECONDS)
    if call.is_cancelled:
        world.cancelled.set()
    call.check()
    return request


def compute(world: World, request: Any) -> Any:
    """Work for a long time without waiting for anything."""
    world.entered.release()
    end = monotonic() + SECONDS
    while not world.release.is_set() and monotonic() < end:
        pass
    return request


def check(world: World, request: Any) -> Any:
    """Work for a long time, with checks of the deadline."""
    world.entered.release()
    while not world.release.is_set():
        current().check()
    return request


def chunks(world: World, request: Any) -> Iterator[Any]:
    try:
        for _ in range(request.value):
            world.yielded += 1
            yield StringValue(value=CHUNK)
    finally:
        world.closed.set()


def endless(world: World, _request: Any) -> Iterator[Any]:
    """Send replies until the test releases the stream."""
    while not world.release.is_set():
        world.yielded += 1
        yield StringValue(value=CHUNK)


METHODS = (
    Method("Echo", StringValue, StringValue, echo, mutations=True),  # of any size
    Method("Wait", StringValue, StringValue, wait),
    Method("Compute", StringValue, StringValue, compute),
    Method("Check", StringValue, StringValue, check),
    Method("Chunks", Int64Value, StringValue, chunks, streams=True),
    Method("Endless", StringValue, StringValue, endless, streams=True),
)
TEXT = StringValue(value="hello")
ECHO = ("/s.S/Echo", TEXT.SerializeToString())


class Served:
    """A server with its world, and a channel to it."""

    def __init__(self, waiting_max: int = 32, **settings: Any) -> None:
        self.world = World()
        self.server = Http2Server(Endpoints((Service("s.S", METHODS),), self.world), waiting_max)
        self.port = self.server.start(**settings)
        self.address = f"127.0.0.1:{self.port}"
        self.channel = grpc.insecure_channel(self.address)

    def method(self, name: str) -> Any:
        serialize: Any = StringValue.SerializeToString
        return self.channel.unary_unary(f"/s.S/{name}", serialize, StringValue.FromString)

    def echo(self) -> Any:
        return self.method("Echo")(TEXT, timeout=SECONDS)

    def chunks(self, count: int, timeout: float = SECONDS) -> Any:
        serialize: Any = Int64Value.SerializeToString
        stub = self.channel.unary_stream("/s.S/Chunks", serialize, StringValue.FromString)
        return stub(Int64Value(value=count), timeout=timeout)

    def close(self) -> None:
        self.world.end_waits()
        self.channel.close()
        self.server.stop()


@pytest.fixture
def served() -> Iterator[Served]:
    served = Served()
    yield served
    served.close()


@pytest.fixture(scope="module")
def shared() -> Iterator[Served]:
    served = Served()
    yield served
    served.close()


@pytest.fixture
def raw(shared: Served) -> Iterator[RawClient]:
    with RawClient(shared.port) as client:
        yield client


def waiting_count(served: Served) -> int:
    """Return the number of requests that wait."""
    assert served.server._loop is not None
    return served.server._loop.waiting_count


def wait_for(seen: Any) -> None:
    end = monotonic() + SECONDS
    while not seen():
        assert monotonic() < end, "it did not happen in time"
        threading.Event().wait(0.002)


# ---------------------------------------------------------------------------- threads


@pytest.mark.parametrize("name", ["Wait", "Compute"])
def test_a_long_request_does_not_delay_others(served: Served, name: str) -> None:
    lasting = [served.method(name).future(TEXT, timeout=SECONDS) for _ in range(3)]
    served.world.wait_entered(3)
    assert served.echo() == TEXT
    served.world.end_waits()
    assert [each.result(SECONDS) for each in lasting] == [TEXT] * 3


@pytest.mark.parametrize("name", ["Wait", "Compute"])
def test_a_reply_does_not_wait_for_the_next_one_of_its_client(served: Served, name: str) -> None:
    with RawClient(served.port) as raw:
        message = TEXT.SerializeToString()
        raw.send(raw.request(1, *ECHO) + raw.request(3, f"/s.S/{name}", message))
        assert raw.reply(1)[0]["grpc-status"] == "0"
        served.world.end_waits()
        assert raw.reply(3)[0]["grpc-status"] == "0"


def test_waiting_beyond_the_limit_is_refused() -> None:
    served = Served(waiting_max=3)
    try:
        lasting = [served.method("Wait").future(TEXT, timeout=SECONDS) for _ in range(8)]
        served.world.wait_entered(8)
        wait_for(lambda: sum(each.done() for each in lasting) == 5)
        refused = [each for each in lasting if each.done()]
        assert {each.code() for each in refused} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        assert "3 requests wait for locks, rows or time" in refused[0].details()
        assert served.echo() == TEXT
        served.world.end_waits()
        assert [each.result(SECONDS) for each in lasting if each not in refused] == [TEXT] * 3
        assert served.echo() == TEXT
    finally:
        served.close()


def test_requests_that_wait_are_resumed_together() -> None:
    served = Served(waiting_max=1_500)
    try:
        lasting = [served.method("Wait").future(TEXT, timeout=SECONDS) for _ in range(1_100)]
        served.world.wait_entered(1_100)
        assert served.echo() == TEXT
        served.world.end_waits()
        assert served.echo() == TEXT
        assert [each.result(SECONDS) for each in lasting] == [TEXT] * 1_100
    finally:
        served.close()


def test_a_deadline_ends_a_wait(served: Served) -> None:
    late = served.method("Wait").future(TEXT, timeout=0.2)
    assert late.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    wait_for(lambda: waiting_count(served) == 0)
    assert served.echo() == TEXT


@pytest.mark.parametrize("at_once", [256, 7])
def test_requests_that_wait_end_with_their_connection(
    served: Served, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(client_module, "ENDED_AT_ONCE", at_once)
    path = "/s.S/Wait"
    with RawClient(served.port) as raw:
        for stream_id in range(1, 60, 2):
            raw.send(raw.request(stream_id, path, TEXT.SerializeToString()))
        served.world.wait_entered(30)
        wait_for(lambda: waiting_count(served) == 30)
    wait_for(lambda: waiting_count(served) == 0)
    assert served.world.cancelled.wait(SECONDS)
    assert served.echo() == TEXT
    wait_for(lambda: is_idle(served))


def test_a_wait_is_refused_when_the_system_has_no_thread(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert served.echo() == TEXT
    start = threading.Thread.start

    def fail(thread: threading.Thread) -> None:
        if thread.name == "spanemu-rpc":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", fail)
    lasting = [served.method("Wait").future(TEXT, timeout=SECONDS) for _ in range(8)]
    served.world.wait_entered(8)
    wait_for(lambda: sum(each.done() for each in lasting) + waiting_count(served) == 8)
    refused = [each for each in lasting if each.done()]
    assert {each.code() for each in refused} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
    assert served.echo() == TEXT
    monkeypatch.undo()
    served.world.end_waits()
    assert [each.result(SECONDS) for each in lasting if each not in refused]
    assert served.method("Wait")(TEXT, timeout=SECONDS) == TEXT


def test_requests_that_wait_end_with_the_server() -> None:
    before = threading.active_count()
    served = Served()
    lasting = [served.method("Wait").future(TEXT, timeout=SECONDS) for _ in range(10)]
    served.world.wait_entered(10)
    served.server.stop()
    assert {each.code() for each in lasting} == {grpc.StatusCode.UNAVAILABLE}
    served.channel.close()
    wait_for(lambda: threading.active_count() <= before + 1)  # and that of timers


def test_threads_end_with_the_server_and_without_work(served: Served) -> None:
    before = threading.active_count()
    lasting = [served.method("Wait").future(TEXT, timeout=SECONDS) for _ in range(20)]
    served.world.wait_entered(20)
    served.world.end_waits()
    for item in lasting:
        item.result(SECONDS)
    wait_for(lambda: threading.active_count() <= before + loop.SPARE_THREADS + 1)


def test_many_clients_at_once(served: Served) -> None:
    def work(_: int) -> int:
        with grpc.insecure_channel(served.address, [("grpc.use_local_subchannel_pool", 1)]) as own:
            serialize: Any = StringValue.SerializeToString
            stub = own.unary_unary("/s.S/Echo", serialize, StringValue.FromString)
            return sum(stub(TEXT, timeout=SECONDS) == TEXT for _ in range(50))

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(work, range(4))) == [50] * 4


# ---------------------------------------------------------------------------- requests


def test_metadata_and_peer(shared: Served) -> None:
    sent = (("x-text", "a, b"), ("x-bytes-bin", b"\x00\xff"))
    shared.method("Echo")(TEXT, timeout=SECONDS, metadata=sent)
    seen = shared.world.metadata
    assert (seen["x-text"], seen["x-bytes-bin"]) == ("a, b", b"\x00\xff")
    assert seen["user-agent"].startswith("grpc-python")
    assert not {name for name in seen if name.startswith(":")}
    assert shared.world.peer == "127.0.0.1"


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate])
def test_compressed_requests(shared: Served, compression: Any) -> None:
    text = StringValue(value="hello " * 10_000)
    assert shared.method("Echo")(text, timeout=SECONDS, compression=compression) == text


STATUSES = {
    "an unknown method": (Code.UNIMPLEMENTED, "/s.S/Other", b"", 0, {}),
    "an unknown encoding": (Code.UNIMPLEMENTED, "/s.S/Echo", b"", 1, {"grpc_encoding": "br"}),
    "compression without an encoding": (Code.INTERNAL, "/s.S/Echo", b"a", 1, {}),
    "what is not compressed": (Code.INTERNAL, "/s.S/Echo", b"a", 1, {"grpc_encoding": "gzip"}),
    "what is cut off": (
        Code.INTERNAL,
        "/s.S/Echo",
        gzip.compress(b"a" * 100)[:-9],
        1,
        {"grpc_encoding": "gzip"},
    ),
    "a malformed deadline": (Code.INTERNAL, "/s.S/Echo", b"", 0, {"grpc_timeout": "1 day"}),
    "a deadline without a number": (Code.INTERNAL, "/s.S/Echo", b"", 0, {"grpc_timeout": "S"}),
    "a deadline in the past": (Code.DEADLINE_EXCEEDED, "/s.S/Echo", b"", 0, {"grpc_timeout": "0n"}),
    "an unreadable message": (Code.INVALID_ARGUMENT, "/s.S/Echo", b"\xff", 0, {}),
}


@pytest.mark.parametrize("case", STATUSES)
def test_requests_that_fail(raw: RawClient, case: str) -> None:
    code, path, message, flag, more = STATUSES[case]
    raw.send(raw.request(1, path, message, flag, **more))
    fields, body = raw.reply(1)
    assert (fields[":status"], fields["grpc-status"], body) == ("200", str(code.value), b"")
    raw.send(raw.request(3, *ECHO))
    assert raw.reply(3)[0]["grpc-status"] == "0"


@pytest.mark.parametrize(
    "data", [b"", b"\0\0\0\0", b"\0\0\0\0\x05ab", b"\0\0\0\0\0\0\0\0\0\0"], ids=len
)
def test_a_request_has_one_message(raw: RawClient, data: bytes) -> None:
    raw.send(raw.headers(1, "/s.S/Echo") + frames.frame(frames.DATA, 1, 1, data))
    assert raw.reply(1)[0]["grpc-status"] == str(Code.UNIMPLEMENTED.value)


def test_a_message_in_many_parts(raw: RawClient) -> None:
    raw.send(raw.headers(1, "/s.S/Echo"))
    message = StringValue(value="hello").SerializeToString()
    for byte in b"\0\0\0\0" + bytes((len(message),)) + message:
        raw.send(frames.frame(frames.DATA, 0, 1, bytes((byte,))))
    raw.send(frames.frame(frames.DATA, 1, 1))
    assert raw.reply(1)[1][5:] == message


def test_other_protocols_on_a_stream_are_refused(raw: RawClient) -> None:
    raw.send(raw.headers(1, "/", content_type="text/html") + frames.frame(frames.DATA, 1, 1, b"a"))
    fields, body = raw.reply(1)
    assert (fields[":status"], body) == ("415", b"This port serves gRPC.\n")
    raw.send(raw.headers(3, "/s.S/Echo", last=True, te="gzip"))
    assert raw.reply(3)[0]["reset"] == str(ErrorCode.PROTOCOL_ERROR.value)


@pytest.mark.parametrize("kind", ["application/grpc", "text/html"])
@pytest.mark.parametrize("length", ["4", "6", "five"])
def test_a_body_has_its_declared_length(raw: RawClient, kind: str, length: str) -> None:
    raw.send(raw.headers(1, "/s.S/Echo", content_type=kind, content_length=length))
    raw.send(frames.frame(frames.DATA, 1, 1, b"\0" * 5))
    assert raw.reply(1)[0]["reset"] == str(ErrorCode.PROTOCOL_ERROR.value)


def test_messages_beyond_the_limit(raw: RawClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages_module, "MESSAGE_BYTES_MAX", 1_000)
    large = messages_module.PREFIX.pack(0, 1_001)
    raw.send(raw.headers(1, "/s.S/Echo") + frames.frame(frames.DATA, 0, 1, large))
    assert raw.reply(1)[0]["grpc-status"] == str(Code.RESOURCE_EXHAUSTED.value)
    bomb = zlib.compress(b"a" * 100_000)
    raw.send(raw.request(3, "/s.S/Echo", bomb, 1, grpc_encoding="deflate"))
    assert raw.reply(3)[0]["grpc-status"] == str(Code.RESOURCE_EXHAUSTED.value)


def test_the_client_that_holds_most_is_disconnected(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its incomplete requests are too much; the client that has one of them stays.
    monkeypatch.setattr(account_module, "HELD_BYTES_MAX", 200_000)
    part = messages_module.PREFIX.pack(0, 1 << 20) + b"a" * 15_000
    account = served.server.account
    assert served.echo() == TEXT
    idle_bytes = LEAST_BYTES  # of the channel
    wait_for(lambda: account.total_bytes == idle_bytes)
    with RawClient(served.port) as small, RawClient(served.port) as large:
        for client, count in ((small, 1), (large, 20)):
            with suppress(ConnectionError):
                for number in range(count):
                    data = frames.frame(frames.DATA, 0, 2 * number + 1, part)
                    client.send(client.headers(2 * number + 1, "/s.S/Echo") + data)
        with pytest.raises((EOFError, ConnectionError)):
            large.reply(39)
        small.send(small.request(3, *ECHO))
        assert small.reply(3)[0]["grpc-status"] == "0"
        assert account.held_bytes > idle_bytes + 15_000
    wait_for(lambda: account.total_bytes == idle_bytes)
    assert served.echo() == TEXT


def is_idle(served: Served) -> bool:
    """Return whether the server keeps nothing but its connections."""
    count = len(served.server._clients)
    return served.server.account.total_bytes == count * LEAST_BYTES


def test_large_messages_are_received_in_turns(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # More than the server has room for at a time, beside clients that send parts and stop.
    monkeypatch.setattr(account_module, "RESERVED_BYTES_MAX", 20 << 20)
    monkeypatch.setattr(account_module, "LOOK_SECONDS", 0.05)
    unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    text = StringValue(value="x" * (9 << 20))
    peaks: list[int] = []
    began = account_module.Account._admit

    def admit(self: account_module.Account) -> None:
        began(self)
        peaks.append(self.reserved_bytes)

    monkeypatch.setattr(account_module.Account, "_admit", admit)

    def load(_: int) -> bool:
        own = [*unlimited, ("grpc.use_local_subchannel_pool", 1)]
        with grpc.insecure_channel(served.address, own) as channel:
            serialize: Any = StringValue.SerializeToString
            stub = channel.unary_unary("/s.S/Echo", serialize, StringValue.FromString)
            return bool(stub(text, timeout=SECONDS) == text)

    part = frames.frame(frames.DATA, 0, 1, messages_module.PREFIX.pack(0, 9 << 20) + b"a" * 9_000)
    stopped = [RawClient(served.port) for _ in range(6)]
    for client in stopped:
        client.send(client.headers(1, "/s.S/Echo") + part)
    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(load, range(8)))
    assert max(peaks) <= 20 << 20
    for client in stopped:
        client.__exit__()
    wait_for(lambda: is_idle(served))


def test_a_compressed_message_is_inflated_up_to_the_limit_of_its_method(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Part by part, counted, and no further.
    sizes: list[int] = []
    step = messages_module.Inflation.step

    def recorded(self: messages_module.Inflation) -> None:
        before = self.size
        step(self)
        sizes.append(self.size - before)

    monkeypatch.setattr(messages_module.Inflation, "step", recorded)
    bomb = zlib.compress(b"a" * (14 << 20), 9)
    with RawClient(served.port) as raw:
        raw.send(raw.request(1, "/s.S/Compute", bomb, 1, grpc_encoding="deflate"))
        assert raw.reply(1)[0]["grpc-status"] == str(Code.INVALID_ARGUMENT.value)
    assert sum(sizes) < 12 << 20
    assert max(sizes) < 2 << 20
    wait_for(lambda: is_idle(served))


def test_a_length_of_many_digits_is_refused(raw: RawClient) -> None:
    raw.send(raw.headers(1, "/s.S/Echo", last=True, content_length="9" * 5_000))
    assert raw.reply(1)[0]["reset"] == str(ErrorCode.PROTOCOL_ERROR.value)
    raw.send(raw.request(3, *ECHO))
    assert raw.reply(3)[0]["grpc-status"] == "0"


def test_a_refused_request_takes_no_more_data(served: Served) -> None:
    # The refusal waits for its window; data that come meanwhile are neither kept nor answered.
    with RawClient(served.port) as raw:
        wait_for(lambda: served.server._clients)
        (client,) = served.server._clients
        client.connection.is_congested = True
        two = messages_module.PREFIX.pack(0, 0) * 2
        data = frames.frame(frames.DATA, 0, 1, two)
        raw.send(raw.headers(1, "/s.S/Echo") + data * 1_000)
        raw.send(frames.frame(frames.PING, 0, 0, b"12345678"))
        while raw.frame()[:2] != (frames.PING, frames.ACK):
            pass
        assert client.held_bytes < LEAST_BYTES + 10_000


def test_large_messages(shared: Served) -> None:
    unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    text = StringValue(value="x" * (5 << 20))
    with grpc.insecure_channel(shared.address, unlimited) as channel:
        serialize: Any = StringValue.SerializeToString
        stub = channel.unary_unary("/s.S/Echo", serialize, StringValue.FromString)
        assert stub(text, timeout=SECONDS) == text


# ---------------------------------------------------------------------------- slow and gone clients


def test_a_stream_is_computed_as_the_client_takes_it(served: Served) -> None:
    with RawClient(served.port) as raw:  # with a window of 64 KiB
        raw.send(raw.request(1, "/s.S/Chunks", Int64Value(value=1_000).SerializeToString()))
        wait_for(lambda: served.world.yielded == 2)
        assert served.echo() == TEXT
        assert served.world.yielded == 2
        raw.send(frames.reset(1, ErrorCode.CANCEL))
        assert served.world.closed.wait(SECONDS)


def test_a_client_that_does_not_read_is_waited_for(served: Served) -> None:
    # However much the system's buffers take: beyond them, the server keeps a few chunks.
    window = (1 << 31) - 1
    with RawClient(served.port, {frames.INITIAL_WINDOW_SIZE: window}) as raw:
        raw.send(frames.window_update(0, window - frames.WINDOW_DEFAULT))
        raw.send(raw.request(1, "/s.S/Endless", b""))
        wait_for(lambda: served.world.yielded)
        clients = tuple(served.server._clients)
        wait_for(lambda: any(each.connection.is_congested for each in clients))
        for _ in range(50):
            assert served.echo() == TEXT
            assert sum(map(held_bytes, clients)) < 10 * len(CHUNK)
        served.world.end_waits()
        fields, body = raw.reply(1)
        assert fields["grpc-status"] == "0"
        message = StringValue(value=CHUNK).SerializeToString()
        assert (
            body == (messages_module.PREFIX.pack(0, len(message)) + message) * served.world.yielded
        )


def held_bytes(client: client_module.Client) -> int:
    """Return the bytes that the server keeps until the client's socket takes them."""
    connection = client.connection
    output = tuple(connection.output)
    return len(client._unsent) + sum(map(len, output)) + connection.queued_bytes


def test_unread_replies_delay_further_requests(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "QUEUED_BYTES_MAX", 1_000)
    with RawClient(served.port, {frames.INITIAL_WINDOW_SIZE: 0}) as raw:
        message = StringValue(value="x" * 3_000).SerializeToString()
        raw.send(raw.request(1, "/s.S/Echo", message))
        while raw.frame()[0] != frames.HEADERS:
            pass
        raw.send(raw.request(3, "/s.S/Wait", message))
        raw.send(frames.frame(frames.PING, 0, 0, b"12345678"))
        while raw.frame()[:2] != (frames.PING, frames.ACK):
            pass
        assert not served.world.entered.acquire(blocking=False)
        raw.send(frames.window_update(1, 10_000))
        served.world.wait_entered()


FAILURES = {
    "no such method": ("/s.S/Other", b""),
    "no message": ("/s.S/Echo", b"\xff"),
    "no reflection": (REFLECTION, b"\xff"),
    "a stream": ("/s.S/Chunks", b"\xff"),
}


@pytest.mark.parametrize("case", FAILURES)
def test_replies_to_requests_that_fail_are_bounded(
    served: Served, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    # A client that reads nothing gets no more replies, and then no more streams.
    streams_max, requests = 50, 1_000

    def send_nothing(client: client_module.Client, data: bytes | memoryview) -> None:
        client._unsent, client.connection.is_congested = memoryview(data), True

    monkeypatch.setattr(connection_module, "STREAMS_MAX", streams_max)
    monkeypatch.setattr(client_module.Client, "_send", send_nothing)
    monkeypatch.setattr(client_module.Client, "_send_rest", send_nothing)
    with RawClient(served.port) as raw:
        wait_for(lambda: served.server._clients)
        (client,) = served.server._clients
        for number in range(requests):
            raw.send(raw.request(2 * number + 1, *FAILURES[case]))
        wait_for(lambda: client.connection.last_id == 2 * requests - 1)
        refusals = (
            (requests - streams_max) * 2 * len(frames.reset(1, 7))
        )  # one for its DATA as well
        assert held_bytes(client) < refusals + streams_max * 250 + 1_000
        assert len(client.connection.streams) == streams_max


def test_a_broken_connection_cancels_its_requests(served: Served) -> None:
    with RawClient(served.port) as raw:
        raw.send(raw.request(1, "/s.S/Wait", b""))
        served.world.wait_entered()
    assert served.world.cancelled.wait(SECONDS)


def test_a_deadline_ends_a_stream_that_waits_for_its_client(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RawClient(served.port) as raw:
        message = Int64Value(value=100).SerializeToString()
        raw.send(raw.request(1, "/s.S/Chunks", message, grpc_timeout="1H"))
        wait_for(lambda: served.world.yielded == 2)
        monkeypatch.setattr(server_module, "monotonic", lambda: monotonic() + 7_200)
        assert raw.reply(1)[0]["grpc-status"] == str(Code.DEADLINE_EXCEEDED.value)
    assert served.world.closed.is_set()


def test_many_requests_of_a_client_let_others_have_their_turns(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The server reads no more of a client than it can serve soon.
    lengths: list[int] = []
    serve = loop.Loop._serve

    def recorded(self: loop.Loop) -> bool:
        lengths.append(self.due.count)
        return serve(self)

    monkeypatch.setattr(loop.Loop, "_serve", recorded)
    requests = 4_000
    with RawClient(served.port) as raw:
        data = b"".join(raw.request(2 * number + 1, *ECHO) for number in range(requests))
        sender = threading.Thread(target=raw.send, args=(data,), daemon=True)
        sender.start()
        assert raw.reply(2 * requests - 1)[0]["grpc-status"] == "0"
        sender.join(SECONDS)
    smallest = len(data) // requests
    assert max(lengths) < 2 * client_module.CROWD_BYTES // smallest


def test_requests_that_are_reset_at_once(served: Served) -> None:
    with RawClient(served.port) as raw:
        flood = b"".join(
            raw.request(stream_id, *ECHO) + frames.reset(stream_id, ErrorCode.CANCEL)
            for stream_id in range(1, 4_001, 2)
        )
        reader = threading.Thread(target=lambda: list(raw.frames()), daemon=True)
        reader.start()
        raw.send(flood)
        assert served.echo() == TEXT
        raw.socket.shutdown(2)
        reader.join(SECONDS)
    assert served.echo() == TEXT


# ---------------------------------------------------------------------------- connections


def test_other_protocols_are_refused(shared: Served) -> None:
    with RawClient(shared.port) as raw:
        raw.send(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assert raw.goodbye() in (ErrorCode.PROTOCOL_ERROR, ErrorCode.FRAME_SIZE_ERROR)
    assert shared.echo() == TEXT


def test_a_client_that_never_begins_is_disconnected(
    shared: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "HANDSHAKE_SECONDS", 0.0)
    with socket.create_connection(("127.0.0.1", shared.port), SECONDS) as silent:
        while silent.recv(1_000):  # the server's settings, then the end
            pass


def test_a_new_connection_takes_the_place_of_the_longest_silent(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "SOCKETS_MAX", 2)
    with RawClient(served.port) as first, RawClient(served.port) as second:
        for client in (first, second):
            client.send(client.request(1, *ECHO))
            assert client.reply(1)[0]["grpc-status"] == "0"
        first.send(first.request(3, *ECHO))
        assert first.reply(3)[0]["grpc-status"] == "0"
        with RawClient(served.port) as third:
            third.send(third.request(1, *ECHO))
            assert third.reply(1)[0]["grpc-status"] == "0"
            assert second.goodbye() == ErrorCode.NO_ERROR
            first.send(first.request(5, *ECHO))
            assert first.reply(5)[0]["grpc-status"] == "0"


def test_an_unfinished_request_keeps_no_connection(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "SOCKETS_MAX", 1)
    with RawClient(served.port) as slow:
        slow.send(slow.headers(1, ECHO[0]))
        wait_for(lambda: any(each.connection.streams for each in served.server._clients))
        with RawClient(served.port) as other:
            other.send(other.request(1, *ECHO))
            assert other.reply(1)[0]["grpc-status"] == "0"


def test_connections_beyond_the_limit_wait_for_those_that_are_served(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "SOCKETS_MAX", 1)
    with RawClient(served.port) as first:
        first.send(first.request(1, "/s.S/Wait", ECHO[1]))
        served.world.wait_entered()
        with RawClient(served.port) as second:
            second.send(second.request(1, *ECHO))
            wait_for(lambda: served.server._is_full)
            assert len(served.server._clients) == 1
            first.socket.shutdown(socket.SHUT_RDWR)
            assert second.reply(1)[0]["grpc-status"] == "0"


class Exhausted:
    """A listener that finds no descriptor until there is one."""

    def __init__(self, listener: Any, has_room: Any) -> None:
        self.fileno, self.close = listener.fileno, listener.close
        self._listener = listener
        self._has_room = has_room

    def accept(self) -> Any:
        if not self._has_room():
            raise OSError(errno.EMFILE, "Too many open files")
        return self._listener.accept()


def test_a_process_without_descriptors_takes_connections_later(served: Served) -> None:
    server, has_room = served.server, threading.Event()
    server._listener = Exhausted(server._listener, has_room.is_set)  # type: ignore[assignment]
    with RawClient(served.port) as late:
        wait_for(lambda: server._is_full)
        has_room.set()
        late.send(late.request(1, *ECHO))
        assert late.reply(1)[0]["grpc-status"] == "0"


def test_a_silent_client_gives_its_descriptor_to_another(served: Served) -> None:
    server = served.server
    with RawClient(served.port) as silent, RawClient(served.port) as waiting:
        silent.send(silent.request(1, *ECHO))
        assert silent.reply(1)[0]["grpc-status"] == "0"
        waiting.send(waiting.request(1, "/s.S/Wait", ECHO[1]))
        served.world.wait_entered()
        exhausted: Any = Exhausted(server._listener, lambda: len(server._clients) < 2)
        server._listener = exhausted
        with RawClient(served.port) as late:
            late.send(late.request(1, *ECHO))
            assert late.reply(1)[0]["grpc-status"] == "0"
            assert silent.goodbye() == ErrorCode.NO_ERROR
            served.world.end_waits()
            assert waiting.reply(1)[0]["grpc-status"] == "0"


def test_frequent_pings_close_no_connection(shared: Served) -> None:
    options = [
        ("grpc.keepalive_time_ms", 1),
        ("grpc.keepalive_timeout_ms", 20_000),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.keepalive_permit_without_calls", 1),
    ]
    with grpc.insecure_channel(shared.address, options) as channel:
        stub = channel.unary_unary("/s.S/Echo")
        for _ in range(20):
            assert stub(TEXT.SerializeToString(), timeout=SECONDS)


def test_tls(tmp_path: Path) -> None:
    certificate, key = write_certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    served = Served(tls=context)
    try:
        credentials = grpc.ssl_channel_credentials(certificate.read_bytes())
        text = StringValue(value="x" * 1_000_000).SerializeToString()
        with grpc.secure_channel(f"localhost:{served.port}", credentials) as channel:
            assert channel.unary_unary("/s.S/Echo")(text, timeout=SECONDS) == text
            stub = channel.unary_stream("/s.S/Chunks")
            replies = stub(Int64Value(value=50).SerializeToString(), timeout=SECONDS)
            assert len(list(replies)) == 50
        with RawClient(served.port) as plain:
            plain.socket.settimeout(SECONDS)
            with pytest.raises((EOFError, OSError)):
                plain.reply(1)
    finally:
        served.close()


def test_a_stop_lets_requests_finish_in_their_time() -> None:
    served = Served()
    lasting = served.method("Wait").future(TEXT, timeout=SECONDS)
    served.world.wait_entered()
    stopping = threading.Thread(target=served.server.stop, args=(SECONDS,), daemon=True)
    stopping.start()
    served.world.end_waits()
    assert lasting.result(SECONDS) == TEXT
    stopping.join(SECONDS)
    assert not stopping.is_alive()
    served.close()


def test_a_stop_without_grace_fails_requests() -> None:
    served = Served()
    lasting = served.method("Wait").future(TEXT, timeout=SECONDS)
    served.world.wait_entered()
    served.server.stop()
    assert lasting.exception(SECONDS).code() is grpc.StatusCode.UNAVAILABLE
    assert served.world.cancelled.wait(SECONDS)
    served.close()


# ---------------------------------------------------------------------------- reflection


def reflection(served: Served) -> Any:
    return served.channel.stream_stream(
        REFLECTION,
        reflection_pb2.ServerReflectionRequest.SerializeToString,
        reflection_pb2.ServerReflectionResponse.FromString,
    )


def test_reflection_answers_each_request(shared: Served) -> None:
    received = threading.Semaphore(1)

    def requests() -> Iterator[Any]:
        for name in ("s.S", "google.protobuf.StringValue", "s.Other"):
            assert received.acquire(timeout=SECONDS)  # the reply to the request before
            yield reflection_pb2.ServerReflectionRequest(file_containing_symbol=name)

    kinds = []
    for reply in reflection(shared)(requests(), timeout=SECONDS):
        kinds.append(reply.WhichOneof("message_response"))
        received.release()
    described = "file_descriptor_response"
    assert kinds == [described, described, "error_response"]


def nothing_to_ask() -> Iterator[Any]:
    threading.Event().wait(SECONDS)
    yield from ()


def test_a_conversation_can_be_cancelled(shared: Served) -> None:
    replies = reflection(shared)(nothing_to_ask(), timeout=SECONDS)
    replies.cancel()
    assert shared.echo() == TEXT


def test_reflection_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_services: Any) -> None:
        raise ModuleNotFoundError("No module named 'grpc_reflection'")

    monkeypatch.setattr(server_module.reflection, "reflect", missing)
    served = Served()
    try:
        with pytest.raises(grpc.RpcError) as caught:
            list(reflection(served)(iter([reflection_pb2.ServerReflectionRequest()])))
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
        assert "spanemu[reflection]" in caught.value.details()
    finally:
        served.close()


def test_messages_of_a_conversation_are_small_and_counted(served: Served) -> None:
    message = messages_module.PREFIX.pack(0, 10_000) + b"\x3a\x00" * 5_000
    with RawClient(served.port, {frames.INITIAL_WINDOW_SIZE: 0}) as raw:
        raw.send(raw.headers(1, REFLECTION))
        for _ in range(20):
            raw.send(frames.frame(frames.DATA, 0, 1, message))
        wait_for(lambda: served.server.account.held_bytes > 19 * len(message))
        raw.send(frames.reset(1, ErrorCode.CANCEL))
        wait_for(lambda: is_idle(served))
    with RawClient(served.port) as raw:
        large = messages_module.PREFIX.pack(0, 100 << 20)
        raw.send(raw.headers(1, REFLECTION) + frames.frame(frames.DATA, 0, 1, large))
        assert raw.reply(1)[0]["grpc-status"] == str(Code.RESOURCE_EXHAUSTED.value)


def test_unreadable_and_endless_conversations_are_refused(
    raw: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw.send(raw.request(1, REFLECTION, b"\xff"))
    assert raw.reply(1)[0]["grpc-status"] == str(Code.INVALID_ARGUMENT.value)
    monkeypatch.setattr(conversation_module, "UNANSWERED_MAX", 10)
    empty = messages_module.PREFIX.pack(0, 0)
    raw.send(raw.headers(3, REFLECTION) + frames.frame(frames.DATA, 0, 3, empty * 1_000))
    assert raw.reply(3)[0]["grpc-status"] == str(Code.RESOURCE_EXHAUSTED.value)


def test_requests_that_compute_pause_for_each_other(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    monkeypatch.setattr(loop, "sleep", slept.append)
    busy = [served.method("Check").future(TEXT, timeout=SECONDS) for _ in range(3)]
    served.world.wait_entered(3)
    wait_for(lambda: slept)
    assert served.echo() == TEXT
    served.world.end_waits()
    for item in busy:
        assert item.result() == TEXT
    assert served.server._loop is not None
    assert not served.server._loop.is_crowded
    assert not served.server._loop._busy


# ---------------------------------------------------------------------------- measurements

PING = frames.frame(frames.PING, 0, 0, b"12345678")
IS_PING_ACK = (frames.PING, frames.ACK, 0, b"12345678")


def kinds_until_end(raw: RawClient, stream_id: int) -> list[tuple[int, int]]:
    """Return the type and the stream of each frame, up to the end of a reply."""
    seen = []
    for kind, flags, stream, _ in raw.frames():
        seen.append((kind, stream))
        if kind == frames.HEADERS and stream == stream_id and flags & frames.END_STREAM:
            break
    return seen


@pytest.fixture
def outputs(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Return the outputs of all clients from now on, in the order in which they are sent."""
    sent: list[bytes] = []
    send = client_module.Client._send

    def recorded(client: client_module.Client, output: bytes) -> None:
        sent.append(output)
        send(client, output)

    monkeypatch.setattr(client_module.Client, "_send", recorded)
    return sent


@pytest.mark.parametrize(
    ("message", "sent"),
    [(TEXT.SerializeToString(), 1), (StringValue(value="x" * 2_000).SerializeToString(), 3)],
    ids=["short", "long"],
)
def test_short_replies_to_requests_that_came_together_are_sent_together(
    raw: RawClient, outputs: list[bytes], message: bytes, sent: int
) -> None:
    raw.send(raw.request(1, *ECHO))
    raw.reply(1)
    outputs.clear()
    raw.send(b"".join(raw.request(number, "/s.S/Echo", message) for number in (3, 5, 7)))
    for number in (3, 5, 7):
        assert raw.reply(number)[0]["grpc-status"] == "0"
    assert len(outputs) == sent


@pytest.mark.parametrize(
    ("path", "message", "is_apart"),
    [
        (*ECHO, False),
        ("/s.S/Chunks", Int64Value(value=1).SerializeToString(), True),
        ("/s.S/Echo", StringValue(value="x" * 8_000).SerializeToString(), True),
    ],
    ids=["quick", "stream", "long"],
)
def test_an_answer_to_a_ping_waits_for_a_quick_reply_only(
    raw: RawClient, outputs: list[bytes], path: str, message: bytes, is_apart: bool
) -> None:
    raw.send(raw.request(1, *ECHO))
    raw.reply(1)
    outputs.clear()
    ack = frames.frame(frames.PING, frames.ACK, 0, b"12345678")
    raw.send(raw.request(3, path, message) + frames.frame(frames.PING, 0, 0, b"12345678"))
    assert raw.reply(3)[0]["grpc-status"] == "0"
    assert outputs[0].startswith(ack)
    assert (outputs[0] == ack) is is_apart


def test_an_answer_to_a_ping_waits_beside_short_replies_but_not_a_long_one(
    raw: RawClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "HELD_SECONDS", SECONDS)
    raw.send(raw.request(1, *ECHO))
    raw.reply(1)
    raw.send(PING)
    raw.send(raw.request(3, *ECHO))
    assert kinds_until_end(raw, 3) == [(frames.HEADERS, 3), (frames.DATA, 3), (frames.HEADERS, 3)]
    path, _ = ECHO
    long_text = StringValue(value="x" * 10_000).SerializeToString()
    raw.send(raw.request(5, path, long_text))
    kinds = kinds_until_end(raw, 5)
    assert kinds == [(frames.PING, 0), (frames.HEADERS, 5), (frames.DATA, 5), (frames.HEADERS, 5)]


def test_an_answer_to_a_ping_is_sent_without_a_next_reply(raw: RawClient) -> None:
    raw.send(raw.request(1, *ECHO))
    raw.reply(1)
    raw.send(PING)
    assert raw.frame() == IS_PING_ACK


def test_a_ping_is_answered_while_a_request_waits(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "HELD_SECONDS", SECONDS)
    with RawClient(served.port) as raw:
        raw.send(raw.request(1, *ECHO))
        raw.reply(1)
        raw.send(raw.request(3, "/s.S/Wait", TEXT.SerializeToString()))
        served.world.wait_entered()
        raw.send(PING)
        assert raw.frame() == IS_PING_ACK


def test_a_ping_of_a_silent_client_is_answered_at_once(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loop, "HELD_SECONDS", SECONDS)
    with RawClient(served.port) as raw:
        raw.send(raw.request(1, *ECHO))
        raw.reply(1)
        (client,) = served.server._clients
        wait_for(lambda: not client.connection.may_be_measured)  # The next sweep has come.
        raw.send(PING)
        assert raw.frame() == IS_PING_ACK


def test_a_client_that_leaves_with_an_answer_held_back_is_forgotten(served: Served) -> None:
    with RawClient(served.port) as raw:
        raw.send(raw.request(1, *ECHO))
        raw.reply(1)
        raw.send(PING)
    wait_for(lambda: not served.server._clients)
    assert served.server._loop is not None
    wait_for(lambda: not served.server._loop._late)
    assert served.echo() == TEXT

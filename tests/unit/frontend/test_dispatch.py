from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from google.protobuf.wrappers_pb2 import Int64Value, StringValue

from spanemu.base.call import Cancelled, Metadata, current
from spanemu.base.errors import Unsupported
from spanemu.frontend.dispatch import (
    SMALL_REQUEST_BYTES,
    Endpoints,
    Method,
    ServedCall,
    Service,
    unimplemented,
)
from spanemu.frontend.errors import UnreadableRequest


def double(_world, request):
    return Int64Value(value=2 * request.value)


def raw(_world, request) -> bytes:
    return Int64Value(value=-request.value).SerializeToString()


def count(world: list[object], request) -> Iterator[Int64Value]:
    try:
        for number in range(request.value):
            world.append(current())
            yield Int64Value(value=number)
    finally:
        world.append("closed")


def collects(_world, request) -> Int64Value:
    """Return whether garbage may be collected meanwhile."""
    if request.value < 0:
        raise Unsupported("Negative")
    return Int64Value(value=int(gc.isenabled()))


def halve_even(_world, data: bytes | bytearray) -> bytes | None:
    """Return half of an even number; leave odd ones to the handler, which doubles."""
    number = Int64Value.FromString(bytes(data)).value
    return None if number % 2 else Int64Value(value=number // 2).SerializeToString()


METHODS = (
    Method("Halve", Int64Value, Int64Value, double, small=halve_even),
    Method("Double", Int64Value, Int64Value, double),
    Method("Raw", Int64Value, Int64Value, raw),
    Method("Collects", Int64Value, Int64Value, collects),
    Method("Count", Int64Value, Int64Value, count, streams=True),
    *unimplemented({"Later": "Later"}, Int64Value),
)


@pytest.fixture
def world() -> list[object]:
    return []


@pytest.fixture
def endpoints(world: list[object]) -> Endpoints:
    return Endpoints((Service("s.S", METHODS),), world)


class KnownCall(ServedCall):
    @property
    def metadata(self) -> Metadata:
        return (("k", "v"),)


def call(patience: float | None = None) -> ServedCall:
    return KnownCall("/s.S/X", patience)


def ask(endpoints: Endpoints, name: str, value: int, served: ServedCall | None = None) -> int:
    endpoint = endpoints.find(f"/s.S/{name}")
    assert endpoint is not None
    data = endpoint.unary(Int64Value(value=value).SerializeToString(), served or call())
    return Int64Value.FromString(data).value


def test_replies_are_messages_or_bytes(endpoints: Endpoints) -> None:
    assert ask(endpoints, "Double", 4) == 8
    assert ask(endpoints, "Raw", 4) == -4


def test_no_such_path(endpoints: Endpoints) -> None:
    assert endpoints.find("/s.S/Nothing") is None
    assert {endpoint.path for endpoint in endpoints} == {f"/s.S/{one.name}" for one in METHODS}


@pytest.mark.parametrize(("padding", "collects"), [(0, True), (SMALL_REQUEST_BYTES, False)])
def test_no_garbage_is_collected_during_a_large_request(
    endpoints: Endpoints, padding: int, collects: bool
) -> None:
    endpoint = endpoints.find("/s.S/Collects")
    assert endpoint is not None
    unknown_field = StringValue(value="x" * padding).SerializeToString().replace(b"\n", b"\x12", 1)
    data = Int64Value(value=1).SerializeToString() + unknown_field
    assert Int64Value.FromString(endpoint.unary(data, call())).value == collects
    with pytest.raises(Unsupported):
        endpoint.unary(Int64Value(value=-1).SerializeToString() + unknown_field, call())
    assert gc.isenabled()


def test_unimplemented_names_itself(endpoints: Endpoints) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(endpoints, "Later", 1)
    assert caught.value.feature == "Later"


def test_unreadable(endpoints: Endpoints) -> None:
    endpoint = endpoints.find("/s.S/Double")
    assert endpoint is not None
    with pytest.raises(UnreadableRequest):
        endpoint.unary(b"\xff", call())


def test_cancelled_before_it_begins(endpoints: Endpoints) -> None:
    served = call()
    served.cancel()
    with pytest.raises(Cancelled):
        ask(endpoints, "Double", 1, served)


def test_call_is_current_during_steps_only(endpoints: Endpoints, world: list[object]) -> None:
    endpoint, served, outside = endpoints.find("/s.S/Count"), call(), current()
    assert endpoint is not None
    for _ in endpoint.stream(Int64Value(value=2).SerializeToString(), served):
        assert current() is outside
    assert world == [served, served, "closed"]


def test_closing_a_stream_closes_the_handler(endpoints: Endpoints, world: list[object]) -> None:
    endpoint = endpoints.find("/s.S/Count")
    assert endpoint is not None
    replies = endpoint.stream(Int64Value(value=9).SerializeToString(), call())
    next(replies)
    replies.close()  # type: ignore[attr-defined]
    assert world[-1] == "closed"


class RecordingWatcher:
    """A watcher that records its events, and fails on demand."""

    def __init__(self, fail_at: str = "") -> None:
        self.lines: list[str] = []
        self._fail_at = fail_at

    def started(self, served: ServedCall, request: Int64Value) -> None:
        self._note("started", f"started {request.value} {dict(served.metadata)['k']}")

    def replied(self, served: ServedCall, reply: bytes) -> None:
        self._note("replied", f"replied {Int64Value.FromString(reply).value}")

    def ended(self, served: ServedCall, error: Exception | None) -> None:
        self.lines.append(f"ended {type(error).__name__}")

    def _note(self, event: str, line: str) -> None:
        self.lines.append(line)
        if event == self._fail_at:
            raise Unsupported(event)


def test_a_small_handler_answers_what_it_knows(endpoints: Endpoints) -> None:
    assert [ask(endpoints, "Halve", number) for number in (8, 7)] == [4, 14]


def test_a_small_handler_gets_no_request_that_is_watched_or_intercepted(
    endpoints: Endpoints,
) -> None:
    endpoints.watchers.append(RecordingWatcher())
    assert ask(endpoints, "Halve", 8) == 16
    endpoints.watchers.clear()
    endpoints.intercept(lambda method: method.handler)
    assert ask(endpoints, "Halve", 8) == 16
    endpoints.intercept(None)
    assert ask(endpoints, "Halve", 8) == 4


def test_a_small_handler_gets_no_large_request(endpoints: Endpoints) -> None:
    data = Int64Value(value=8).SerializeToString()
    unknown = b"\x7a\xff\xff\x01" + bytes(SMALL_REQUEST_BYTES - 1)
    endpoint = endpoints.find("/s.S/Halve")
    assert endpoint is not None
    assert Int64Value.FromString(endpoint.unary(data + unknown, call())).value == 16


def test_watchers_of_a_unary_method(endpoints: Endpoints) -> None:
    watcher = RecordingWatcher()
    endpoints.watchers.append(watcher)
    assert ask(endpoints, "Double", 4) == 8
    assert watcher.lines == ["started 4 v", "replied 8", "ended NoneType"]


def test_watchers_of_a_stream(endpoints: Endpoints) -> None:
    watcher = RecordingWatcher()
    endpoints.watchers.append(watcher)
    endpoint = endpoints.find("/s.S/Count")
    assert endpoint is not None
    list(endpoint.stream(Int64Value(value=2).SerializeToString(), call()))
    assert watcher.lines == ["started 2 v", "replied 0", "replied 1", "ended NoneType"]


@pytest.mark.parametrize(
    ("event", "lines"),
    [
        ("started", ["started 4 v", "ended Unsupported"]),
        ("replied", ["started 4 v", "replied 8", "ended Unsupported"]),
    ],
)
def test_watchers_may_make_a_call_fail(endpoints: Endpoints, event, lines) -> None:
    watcher = RecordingWatcher(fail_at=event)
    endpoints.watchers.append(watcher)
    with pytest.raises(Unsupported):
        ask(endpoints, "Double", 4)
    assert watcher.lines == lines


def test_the_watchers_of_a_stream_are_fixed_when_it_is_created(endpoints: Endpoints) -> None:
    # A watcher added before the first reply sees nothing, rather than an incomplete stream.
    endpoint, watcher = endpoints.find("/s.S/Count"), RecordingWatcher()
    assert endpoint is not None
    replies = endpoint.stream(Int64Value(value=2).SerializeToString(), call())
    endpoints.watchers.append(watcher)
    assert len(list(replies)) == 2
    assert watcher.lines == []


@pytest.mark.parametrize("event", ["started", "replied", "ended"])
def test_a_watcher_that_removes_itself_does_not_affect_the_next(
    endpoints: Endpoints, event: str
) -> None:
    class Leaving(RecordingWatcher):
        def _note(self, happened: str, line: str) -> None:
            super()._note(happened, line)
            if happened == event:
                endpoints.watchers.remove(self)

        def ended(self, served: ServedCall, error: Exception | None) -> None:
            self._note("ended", "ended")

    watcher = RecordingWatcher()
    endpoints.watchers.extend([Leaving(), watcher])
    assert ask(endpoints, "Double", 4) == 8
    assert watcher.lines == ["started 4 v", "replied 8", "ended NoneType"]

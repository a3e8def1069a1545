"""A small service with one method for each way in which an RPC can go, and places to serve it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import grpc
from google.protobuf.wrappers_pb2 import BytesValue, Int64Value, StringValue

from spanemu.base.call import Call, Cancelled, current
from spanemu.base.errors import Code, Detail, ResourceInfo, RetryInfo, SpannerError
from spanemu.frontend.dispatch import Endpoints, Method, ServedCall, Service, unimplemented
from spanemu.frontend.embedded import EmbeddedRegistry
from spanemu.frontend.server import Server
from spanemu.http2.server import Http2Server

SERVICE = "spanemu.test.Echo"


@dataclass(eq=False)
class ShelfGone(SpannerError):
    """An error with every kind of detail that clients look for."""

    code = Code.NOT_FOUND
    prose = "Shelf not found: {shelf}"
    shelf: str

    def details(self) -> tuple[Detail, ...]:
        return (
            ResourceInfo("type.example/Shelf", self.shelf, "Shelf does not exist."),
            RetryInfo(1_500_000_000),
        )


@dataclass
class World:
    """The world of handlers: how a test follows what happens on their side."""

    started: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    cancelled: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)


def echo(_world, request):
    return StringValue(value=request.value)


def fail(_world, request):
    raise ShelfGone(request.value)


def bug(_world, request):
    return {}[request.value]


def wait(world: World, request):
    """Wait until released, cancelled or late, as a lock wait does."""
    call, cancelled = current(), threading.Event()
    world.started.set()
    call.on_cancel(cancelled.set)
    while not (world.released.wait(0.005) or cancelled.is_set() or call.seconds_left() == 0.0):
        pass
    try:
        call.check()
    except Cancelled:
        world.cancelled.set()
        raise
    return StringValue(value=request.value)


def release(world: World, _request):
    world.released.set()
    return StringValue()


def metadata(_world, request):
    call: Call = current()
    assert isinstance(call, ServedCall)
    wanted = [f"{key}={value!r}" for key, value in call.metadata if key.startswith(request.value)]
    return StringValue(value=" ".join(sorted(wanted)))


def large(_world, request):
    return BytesValue(value=bytes(request.value))


def count(world: World, request) -> Iterator[Int64Value]:
    try:
        for number in range(request.value):
            yield Int64Value(value=number)
    finally:
        world.closed.set()


def break_off(_world, request) -> Iterator[Int64Value]:
    yield Int64Value(value=1)
    yield Int64Value(value=2)
    raise ShelfGone(str(request.value))


def wait_in_stream(world: World, request) -> Iterator[StringValue]:
    yield StringValue(value="first")
    yield wait(world, request)


METHODS = (
    Method("Echo", StringValue, StringValue, echo),
    Method("Fail", StringValue, StringValue, fail),
    Method("Bug", StringValue, StringValue, bug),
    Method("Wait", StringValue, StringValue, wait),
    Method("Release", StringValue, StringValue, release),
    Method("Metadata", StringValue, StringValue, metadata),
    Method("Large", Int64Value, BytesValue, large),
    Method("Count", Int64Value, Int64Value, count, streams=True),
    Method("BreakOff", Int64Value, Int64Value, break_off, streams=True),
    Method("WaitInStream", StringValue, StringValue, wait_in_stream, streams=True),
    *unimplemented({"Missing": "Missing"}, StringValue),
)
KINDS = {method.name: method for method in METHODS}


@dataclass
class Target:
    """An address where the service is served, and the world behind it."""

    address: str
    world: World

    def channel(self, *options: tuple[str, object]) -> grpc.Channel:
        return grpc.insecure_channel(self.address, options)


TRANSPORTS = ("grpcio", "h2", "embedded")


@contextmanager
def served(transport: str) -> Iterator[Target]:
    """Yield the service on a port of either server, or reached without the port."""
    world = World()
    endpoints = Endpoints((Service(SERVICE, METHODS),), world)
    kind = Http2Server if transport == "h2" else Server
    server, registry = kind(endpoints), EmbeddedRegistry()
    address = f"127.0.0.1:{server.start()}"
    if transport == "embedded":
        registry.register(address, endpoints)
    try:
        yield Target(address, world)
    finally:
        registry.unregister(address)
        server.stop()


def method(channel, name: str):
    """Return the multicallable of a method, on a channel of either kind, synchronous or not."""
    kind = KINDS[name]
    open_ = channel.unary_stream if kind.streams else channel.unary_unary
    return open_(
        f"/{SERVICE}/{name}",
        request_serializer=kind.request.SerializeToString,
        response_deserializer=kind.response.FromString,
        _registered_method=True,
    )

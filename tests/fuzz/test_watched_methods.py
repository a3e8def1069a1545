"""Every RPC while requests are recorded, faults are installed and hotspots are watched."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from typing import Any

import pytest
from google.protobuf.message import Message

from tests.fuzz.valid import BUILDERS
from tests.fuzz.world import METHODS, SPANNER, World, small_world

REQUESTS_EACH = 4


@contextmanager
def recording(world: World) -> Iterator[list[Any]]:
    """Record both databases."""
    with ExitStack() as stack:
        names = (world.main.name, world.scratch)
        yield [stack.enter_context(world.emulator.record(name)) for name in names]


@contextmanager
def faults(world: World) -> Iterator[None]:
    """Install faults whose selectors read every part of a request, and that change nothing."""
    installed = world.emulator.faults
    installed.delay(None, 0.0, table="Singers", every=1)
    installed.delay(None, 0.0, sql="SELECT", every=1)
    installed.delay(None, 0.0, tag="app=fuzz", transaction_tag="t", every=1)
    installed.abort(None, table="NoSuchTable")
    installed.lose_response(None, client="no such client")
    installed.session_lost(None, table="NoSuchTable")
    yield
    installed.clear()


@contextmanager
def hotspots(world: World) -> Iterator[None]:
    """Watch what is written to both databases, and what is read by key."""
    with ExitStack() as stack:
        for name in (world.main.name, world.scratch):
            stack.enter_context(world.emulator.hotspots(name).watch(operations="rw"))
        yield


def requests(path: str, world: World) -> Iterator[Message]:
    """Yield valid requests for a method, an empty one, and one that only names where it goes."""
    for number in range(REQUESTS_EACH):
        yield BUILDERS[path][0](Random(number), world)
    kind = METHODS[path].request
    yield kind()
    session = kind.DESCRIPTOR.fields_by_name.get("session")
    if session is not None and session.type == session.TYPE_STRING:
        yield kind(session=world.session)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with small_world(embedded=True) as made:
        yield made


@pytest.mark.parametrize("watch", [recording, faults, hotspots])
@pytest.mark.parametrize("path", sorted(BUILDERS))
def test_a_watched_method_is_served_as_any_other(world: World, watch: Any, path: str) -> None:
    with watch(world):
        for request in requests(path, world):
            reply = world.send(path, request.SerializeToString())
            assert reply.code.name not in ("INTERNAL", "UNKNOWN"), f"{request}{reply.details}"
            world.forget_all()


def test_partition_requests_are_recorded(world: World) -> None:
    read = BUILDERS[SPANNER + "PartitionRead"][0](Random(0), world)
    query = BUILDERS[SPANNER + "PartitionQuery"][0](Random(0), world)
    query.sql = "SELECT SingerId FROM Singers"
    with recording(world) as (recorded, _):
        world.ask(SPANNER + "PartitionRead", read)
        world.ask(SPANNER + "PartitionQuery", query)
    assert recorded.rpcs == {"PartitionRead": 1, "PartitionQuery": 1}
    assert [each.kind for each in recorded.queries] == ["read", "query"]
    assert recorded.queries[0].tables == (read.table,)

from __future__ import annotations

import socket
from collections.abc import Iterator
from math import inf
from selectors import EVENT_READ, EVENT_WRITE

import pytest

from spanemu.http2.sockets import Ready, Sockets, new_sockets

Pair = tuple[socket.socket, socket.socket]


class Owner:
    """An owner of a socket, which does nothing."""

    used_seconds = 0.0

    def ready(self, events: int) -> None:
        """Do nothing."""


@pytest.fixture(params=[Sockets, new_sockets], ids=["of selectors", "of the system"])
def sockets(request: pytest.FixtureRequest) -> Iterator[Sockets]:
    made: Sockets = request.param()
    yield made
    made.close()


@pytest.fixture
def pair() -> Iterator[Pair]:
    first, second = socket.socketpair()
    first.setblocking(False)
    yield first, second
    first.close()
    second.close()


def test_no_socket_is_ready_without_an_event(sockets: Sockets, pair: Pair) -> None:
    assert sockets.wait(0.0) == []
    sockets.register(pair[0], EVENT_READ, Owner())
    assert sockets.wait(0.0) == []


def test_the_owner_of_a_ready_socket_is_returned(sockets: Sockets, pair: Pair) -> None:
    owner: Ready = Owner()
    sockets.register(pair[0], EVENT_READ, owner)
    pair[1].send(b"x")
    assert sockets.wait(inf) == [(owner, EVENT_READ)]


def test_a_socket_is_watched_for_the_events_that_were_last_asked_for(
    sockets: Sockets, pair: Pair
) -> None:
    owner = Owner()
    sockets.register(pair[0], EVENT_READ, owner)
    sockets.modify(pair[0], EVENT_READ | EVENT_WRITE)
    assert sockets.wait(inf) == [(owner, EVENT_WRITE)]
    pair[1].send(b"x")
    assert sockets.wait(inf) == [(owner, EVENT_READ | EVENT_WRITE)]
    sockets.modify(pair[0], EVENT_READ)
    assert sockets.wait(inf) == [(owner, EVENT_READ)]


def test_the_end_of_a_connection_can_be_read(sockets: Sockets, pair: Pair) -> None:
    owner = Owner()
    sockets.register(pair[0], EVENT_READ, owner)
    pair[1].close()
    ((ready, events),) = sockets.wait(inf)
    assert ready is owner
    assert events & EVENT_READ


def test_a_socket_that_is_unregistered_is_not_watched(sockets: Sockets, pair: Pair) -> None:
    sockets.register(pair[0], EVENT_READ, Owner())
    pair[1].send(b"x")
    sockets.unregister(pair[0])
    assert sockets.wait(0.0) == []
    with pytest.raises(KeyError):
        sockets.unregister(pair[0])


def test_all_sockets_that_are_ready_are_returned_at_once(sockets: Sockets, pair: Pair) -> None:
    owners = Owner(), Owner()
    for watched, owner in zip(pair, owners, strict=True):
        sockets.register(watched, EVENT_WRITE, owner)
    assert {owner for owner, _ in sockets.wait(inf)} == set(owners)

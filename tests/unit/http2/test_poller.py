"""Pollers tell the owners of the sockets that are ready."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from selectors import EVENT_READ, EVENT_WRITE
from socket import SHUT_RDWR, socket, socketpair

import pytest

from spanemu.http2.poller import Poller, SelectorPoller, new_poller

KINDS = [SelectorPoller, new_poller]


@pytest.fixture(params=KINDS)
def poller(request: pytest.FixtureRequest) -> Iterator[Poller]:
    poller: Poller = request.param()
    yield poller
    poller.close()


@pytest.fixture
def pair() -> Iterator[tuple[socket, socket]]:
    ours, theirs = socketpair()
    yield ours, theirs
    ours.close()
    theirs.close()


def test_epoll_is_used_where_there_is_one() -> None:
    poller = new_poller()
    poller.close()
    assert isinstance(poller, SelectorPoller) == (sys.platform != "linux")


def test_owners_of_ready_sockets(poller: Poller, pair: tuple[socket, socket]) -> None:
    ours, theirs = pair
    poller.register(ours, EVENT_READ, "ours")
    assert poller.wait(0.0) == []
    theirs.send(b"a")
    assert poller.wait(None) == [("ours", EVENT_READ)]
    poller.modify(ours, EVENT_READ | EVENT_WRITE, "ours")
    assert poller.wait(0.0) == [("ours", EVENT_READ | EVENT_WRITE)]
    poller.modify(ours, EVENT_WRITE, "ours")
    assert poller.wait(0.0) == [("ours", EVENT_WRITE)]


def test_several_sockets(poller: Poller, pair: tuple[socket, socket]) -> None:
    for number, each in enumerate(pair):
        poller.register(each, EVENT_READ | EVENT_WRITE, number)
    assert sorted(poller.wait(0.0)) == [(0, EVENT_WRITE), (1, EVENT_WRITE)]


def test_a_hang_up_can_be_read(poller: Poller, pair: tuple[socket, socket]) -> None:
    ours, theirs = pair
    poller.register(ours, EVENT_READ, "ours")
    theirs.shutdown(SHUT_RDWR)
    ((owner, events),) = poller.wait(0.0)
    assert owner == "ours"
    assert events & EVENT_READ


def test_a_socket_that_was_removed(poller: Poller, pair: tuple[socket, socket]) -> None:
    ours, theirs = pair
    poller.register(ours, EVENT_READ, "ours")
    theirs.send(b"a")
    poller.unregister(ours)
    assert poller.wait(0.0) == []
    with pytest.raises((KeyError, ValueError)):
        poller.unregister(ours)
    poller.register(ours, EVENT_READ, "again")
    assert poller.wait(0.0) == [("again", EVENT_READ)]

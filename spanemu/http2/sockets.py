"""The sockets of a server, and which of them are ready.

On Linux, epoll is asked directly: the module `selectors`, which serves elsewhere, makes objects for
each look, and most looks find one socket with one request.
"""

from __future__ import annotations

import select
from contextlib import suppress
from math import inf
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector, SelectSelector
from socket import socket
from typing import Protocol

# Windows has nothing but select, which takes 512 sockets: two are the server's own.
SOCKETS_MAX = 500 if issubclass(DefaultSelector, SelectSelector) else 1_000_000


class Ready(Protocol):
    """An owner of a socket. `used_seconds` says how much of the leader's time it had, fairly."""

    used_seconds: float

    def ready(self, events: int) -> None:
        """Read or write as much as is possible without waiting. Raises nothing."""
        ...


class Sockets:
    """Sockets with their owners, and the events (of `selectors`) for which each owner waits."""

    def __init__(self) -> None:
        self._selector = DefaultSelector()

    def register(self, watched: socket, events: int, owner: Ready) -> None:
        """Watch a socket. Raises OSError and ValueError."""
        self._selector.register(watched, events, owner)

    def modify(self, watched: socket, events: int) -> None:
        """Watch a socket for other events."""
        self._selector.modify(watched, events, self._selector.get_key(watched).data)

    def unregister(self, watched: socket) -> None:
        """Watch a socket no more. Raises KeyError or ValueError if it was not watched."""
        self._selector.unregister(watched)

    def wait(self, seconds: float) -> list[tuple[Ready, int]]:
        """Return the owners of the sockets that are ready, with the events; wait for the first."""
        ready = self._selector.select(None if seconds == inf else seconds)
        return [(key.data, events) for key, events in ready]

    def close(self) -> None:
        """Watch nothing any more."""
        self._selector.close()


class _EpollSockets(Sockets):
    """The same with epoll."""

    def __init__(self) -> None:
        assert hasattr(select, "epoll")
        self._epoll = select.epoll()
        self._owners: dict[int, Ready] = {}

    def register(self, watched: socket, events: int, owner: Ready) -> None:
        self._epoll.register(watched.fileno(), _MASKS[events])
        self._owners[watched.fileno()] = owner

    def modify(self, watched: socket, events: int) -> None:
        self._epoll.modify(watched.fileno(), _MASKS[events])

    def unregister(self, watched: socket) -> None:
        number = watched.fileno()
        del self._owners[number]
        with suppress(OSError):  # The socket may be closed.
            self._epoll.unregister(number)

    def wait(self, seconds: float) -> list[tuple[Ready, int]]:
        owners = self._owners
        polled = self._epoll.poll(-1 if seconds == inf else seconds, len(owners) or 1)
        if len(polled) == 1:  # as nearly always
            number, mask = polled[0]
            return [(owners[number], _EVENTS[mask])] if number in owners else []
        return [(owners[number], _EVENTS[mask]) for number, mask in polled if number in owners]

    def close(self) -> None:
        self._owners.clear()
        self._epoll.close()


# The numbers of epoll, on Linux: EPOLLIN is 1, EPOLLOUT 4; others mean errors and ends, which
# concern whoever reads or writes.
_IN, _OUT = 1, 4
_MASKS = {EVENT_READ: _IN, EVENT_WRITE: _OUT, EVENT_READ | EVENT_WRITE: _IN | _OUT}
_EVENTS = tuple(
    (EVENT_READ if mask & ~_OUT else 0) | (EVENT_WRITE if mask & ~_IN else 0) for mask in range(64)
)


def new_sockets() -> Sockets:
    """Return an empty set of sockets, as the system watches them best."""
    return _EpollSockets() if hasattr(select, "epoll") else Sockets()

"""The sockets of a server, and which of them are ready.

On Linux, epoll is asked directly: the module `selectors`, which serves elsewhere, makes objects for
each look, and most looks find one socket with one request.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from math import inf
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector, SelectSelector
from socket import socket
from typing import Protocol

if sys.platform == "linux":
    from select import EPOLLIN, EPOLLOUT, epoll

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


if sys.platform == "linux":

    class _EpollSockets(Sockets):
        """The same with epoll."""

        def __init__(self) -> None:
            self._epoll = epoll()
            self._owners: dict[int, Ready] = {}

        def register(self, watched: socket, events: int, owner: Ready) -> None:
            self._epoll.register(watched.fileno(), _mask(events))
            self._owners[watched.fileno()] = owner

        def modify(self, watched: socket, events: int) -> None:
            self._epoll.modify(watched.fileno(), _mask(events))

        def unregister(self, watched: socket) -> None:
            number = watched.fileno()
            del self._owners[number]
            with suppress(OSError):  # The socket may be closed.
                self._epoll.unregister(number)

        def wait(self, seconds: float) -> list[tuple[Ready, int]]:
            owners = self._owners
            found = self._epoll.poll(-1 if seconds == inf else seconds, len(owners) or 1)
            return [(owners[number], _EVENTS[mask]) for number, mask in found if number in owners]

        def close(self) -> None:
            self._owners.clear()
            self._epoll.close()

    def _mask(events: int) -> int:
        """Return epoll's numbers of events."""
        return (EPOLLIN if events & EVENT_READ else 0) | (EPOLLOUT if events & EVENT_WRITE else 0)

    def _events(mask: int) -> int:
        """Return the events of a mask of epoll. Errors concern whoever reads or writes."""
        reads = EVENT_READ if mask & ~EPOLLOUT else 0
        return reads | (EVENT_WRITE if mask & ~EPOLLIN else 0)

    _EVENTS = tuple(map(_events, range(64)))  # of the masks with IN, PRI, OUT, ERR and HUP


def new_sockets() -> Sockets:
    """Return an empty set of sockets, as the system watches them best."""
    return _EpollSockets() if sys.platform == "linux" else Sockets()

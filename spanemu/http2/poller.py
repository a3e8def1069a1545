"""The sockets for which the leader waits, with their owners.

`selectors` looks up a key and makes a tuple for each socket that is ready. The leader needs nothing
but the owner, and waits several times for each call. So it asks epoll itself where there is one.
"""

from __future__ import annotations

import select
import sys
from contextlib import suppress
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector, SelectSelector
from typing import Any, Protocol

# Windows has nothing but select, which takes 512 sockets: two are the server's own.
SOCKETS_MAX = 500 if issubclass(DefaultSelector, SelectSelector) else 1_000_000


class Source(Protocol):
    """A socket."""

    def fileno(self) -> int:
        """Return the descriptor, -1 of a closed socket."""
        ...


class Poller(Protocol):
    """Registered sockets. Events are those of `selectors`."""

    def register(self, source: Source, events: int, owner: Any) -> None:
        """Add a socket."""
        ...

    def modify(self, source: Source, events: int, owner: Any) -> None:
        """Change the events for which the leader waits."""
        ...

    def unregister(self, source: Source) -> None:
        """Remove a socket. Raises KeyError or ValueError if it is not registered."""
        ...

    def wait(self, seconds: float | None) -> list[tuple[Any, int]]:
        """Return the owners of the sockets that are ready, and their events; None: no limit."""
        ...

    def close(self) -> None:
        """Release what the system has of it."""
        ...


class SelectorPoller:
    """A poller on top of the best selector that the system has."""

    def __init__(self) -> None:
        self._selector = DefaultSelector()
        self.register = self._selector.register
        self.modify = self._selector.modify
        self.unregister = self._selector.unregister
        self.close = self._selector.close

    def wait(self, seconds: float | None) -> list[tuple[Any, int]]:
        """Return the owners of the sockets that are ready, and their events."""
        return [(key.data, events) for key, events in self._selector.select(seconds)]


if sys.platform == "linux":

    class EpollPoller:
        """A poller on top of epoll."""

        def __init__(self) -> None:
            self._epoll = select.epoll()
            self._owners: dict[int, Any] = {}
            self.close = self._epoll.close

        def register(self, source: Source, events: int, owner: Any) -> None:
            """Add a socket."""
            descriptor = source.fileno()
            self._epoll.register(descriptor, _FLAGS[events])
            self._owners[descriptor] = owner

        def modify(self, source: Source, events: int, owner: Any) -> None:
            """Change the events for which the leader waits."""
            self._epoll.modify(source.fileno(), _FLAGS[events])

        def unregister(self, source: Source) -> None:
            """Remove a socket. Raises KeyError if it is not registered."""
            descriptor = source.fileno()
            del self._owners[descriptor]
            with suppress(OSError):  # It may be closed.
                self._epoll.unregister(descriptor)

        def wait(self, seconds: float | None) -> list[tuple[Any, int]]:
            """Return the owners of the sockets that are ready, and their events."""
            owners = self._owners
            ready = self._epoll.poll(seconds, len(owners) or 1)
            if len(ready) == 1 and ready[0][1] == select.EPOLLIN:  # nearly always
                return [(owners[ready[0][0]], EVENT_READ)]
            return [(owners[descriptor], _events(flags)) for descriptor, flags in ready]

    _FLAGS = {
        EVENT_READ: select.EPOLLIN,
        EVENT_WRITE: select.EPOLLOUT,
        EVENT_READ | EVENT_WRITE: select.EPOLLIN | select.EPOLLOUT,
    }

    def _events(flags: int) -> int:
        """Return the events of flags; an error or a hang-up is both."""
        readable = EVENT_READ if flags & ~select.EPOLLOUT else 0
        writable = EVENT_WRITE if flags & ~select.EPOLLIN else 0
        return readable | writable

    def new_poller() -> Poller:
        """Return a poller of the best kind that the system has."""
        return EpollPoller()

else:

    def new_poller() -> Poller:
        """Return a poller of the best kind that the system has."""
        return SelectorPoller()

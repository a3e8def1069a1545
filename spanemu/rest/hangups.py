"""Clients that go away while their request is in progress.

The thread of a request waits for locks or rows and does not look at its socket, so one thread of
the server looks at the sockets of all requests that take longer than a moment.
"""

from __future__ import annotations

import select
import selectors
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_LOOK_SECONDS = 0.2

Wake = Callable[[], None]


class Watched:
    """A request in progress, with the functions to call when its client goes away."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.is_old = False  # Requests that just began are not looked at.
        self._wakes: list[Wake] | None = []
        self._mutex = threading.Lock()  # Guards the list.

    def add(self, wake: Wake) -> None:
        """Call `wake` when the client goes away, or at once if it has."""
        with self._mutex:
            if self._wakes is not None:
                self._wakes.append(wake)
                return
        wake()

    def hang_up(self) -> None:
        """Call the functions, once."""
        with self._mutex:
            wakes, self._wakes = self._wakes or [], None
        for wake in wakes:
            wake()


class Hangups:
    """The requests in progress of a server, and the thread that looks at their sockets."""

    def __init__(self) -> None:
        self._watched: set[Watched] = set()  # Each thread adds and removes only its own.
        self._work = threading.Event()
        self._stopped = threading.Event()
        threading.Thread(target=self._run, name="spanemu-rest-hangups", daemon=True).start()

    @contextmanager
    def watching(self, connection: socket.socket) -> Iterator[Watched]:
        """Watch a connection during a request."""
        watched = Watched(connection)
        self._watched.add(watched)
        if not self._work.is_set():
            self._work.set()
        try:
            yield watched
        finally:
            self._watched.discard(watched)

    def stop(self) -> None:
        """End the thread, after reporting every client as disconnected."""
        self._stopped.set()
        self._work.set()
        for watched in self._watched.copy():
            watched.hang_up()

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._work.wait()
            if self._stopped.wait(_LOOK_SECONDS):
                return
            present = self._watched.copy()
            for watched in _gone([watched for watched in present if watched.is_old]):
                watched.hang_up()
            for watched in present:
                watched.is_old = True
            if not present:
                self._work.clear()
                if self._watched:  # A request began between the two steps.
                    self._work.set()


def _gone(watched: list[Watched]) -> list[Watched]:
    """Return the requests whose sockets have been closed on the other side."""
    if not watched:
        return []
    with selectors.DefaultSelector() as selector:
        for request in watched:
            with suppress(ValueError, OSError):  # Closed here meanwhile.
                selector.register(request.connection, selectors.EVENT_READ, request)
        return [key.data for key, _ in selector.select(0) if _is_closed(key.data.connection)]


def _is_closed(connection: socket.socket) -> bool:
    """Return whether a readable socket has nothing more to read."""
    if isinstance(connection, ssl.SSLSocket):
        return _is_closed_below(connection)
    try:
        return not connection.recv(1, socket.MSG_PEEK)
    except TimeoutError:
        return False
    except OSError:
        return True


def _is_closed_below(connection: ssl.SSLSocket) -> bool:
    """Return whether the client has closed its side of a connection with TLS.

    Its last record, which says so, may not have been read. Where the system cannot tell, a client
    that went away is noticed when the response is sent.
    """
    hang_up = getattr(select, "POLLRDHUP", 0)
    if not hang_up:
        return False
    poll = select.poll()
    poll.register(connection, hang_up)
    return bool(poll.poll(0))

"""The server: methods behind a port, without gRPC's own library.

It offers what `frontend.server` offers, in the same way.
"""

from __future__ import annotations

import errno
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from selectors import EVENT_READ
from typing import Any

from spanemu.base.clock import monotonic
from spanemu.base.deferred import Once
from spanemu.base.errors import Code
from spanemu.base.process import descriptors
from spanemu.frontend import reflection
from spanemu.frontend.boundary import Failure, log
from spanemu.frontend.dispatch import Endpoint, Endpoints
from spanemu.frontend.listening import (
    NO_REFLECTION,
    REFLECTION_PATHS,
    listen_at,
)
from spanemu.http2 import account as accounts
from spanemu.http2 import client as clients
from spanemu.http2 import conversation as conversations
from spanemu.http2 import errors
from spanemu.http2.loop import SWEEP_SECONDS, WAITING_MAX, Loop
from spanemu.http2.sockets import SOCKETS_MAX

STOP_SECONDS = 5.0
_ACCEPTS_MAX = 64  # connections in a row, before the others have their turn
_DESCRIPTORS_SHARE = 0.6  # of those of the process
_STOP_SWEEP_SECONDS = 0.05
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_STOPPING = Failure(Code.UNAVAILABLE, "The server is stopping.")


class Http2Server:
    """A gRPC server for endpoints on a port."""

    def __init__(self, endpoints: Endpoints, waiting_max: int = WAITING_MAX) -> None:
        self._methods = _Methods(endpoints)
        self._waiting_max = waiting_max
        self._loop: Loop | None = None
        self._clients: set[clients.Client] = set()
        self.used_seconds = 0.0
        self._tls: ssl.SSLContext | None = None
        self._is_stopping = False
        self._descriptors = descriptors(_DESCRIPTORS_SHARE)
        self._is_full = False  # No more connections are taken: they wait in the system.
        self._has_made_room = False  # since a connection was last taken
        self._ended = threading.Event()  # All requests have ended, while the server stops.

    def start(self, host_port: str = "127.0.0.1:0", tls: ssl.SSLContext | None = None) -> int:
        """Listen, and return the port: a free port if asked for port 0.

        `tls` is None for plain text. Raises PortTaken, and CannotListen for a host that is not an
        address of this machine.
        """
        host, _, port = host_port.rpartition(":")
        # The host "localhost" means IPv4 only, so that a taken port is noticed.
        host = "127.0.0.1" if host in ("", "localhost") else host.strip("[]")
        listener = listen_at(host, int(port), host_port, is_dual=True)
        listener.setblocking(False)
        self._tls = tls
        self._listener = listener
        self._loop = Loop(self._waiting_max, self._sweep)
        self.account = self._loop.account
        self._loop.sockets.register(listener, EVENT_READ, self)
        self._loop.start()
        return int(listener.getsockname()[1])

    def stop(self, grace_seconds: float = 0.0) -> None:
        """Stop listening immediately, and cancel running RPCs after `grace_seconds`."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        loop.post(lambda: self._begin_stop(loop))
        self._ended.wait(grace_seconds)
        closed = threading.Event()
        loop.post(lambda: self._end_stop(closed))
        closed.wait(STOP_SECONDS)
        loop.stop()

    def _begin_stop(self, loop: Loop) -> None:
        self._is_stopping = True
        if not self._is_full:
            loop.sockets.unregister(self._listener)
        self._listener.close()
        loop.sweep_every(_STOP_SWEEP_SECONDS)
        for client in tuple(self._clients):
            client.go_away()
        self._check_ended()

    def _end_stop(self, closed: threading.Event) -> None:
        for client in tuple(self._clients):
            client.fail_streams(_STOPPING)
            client.close()
        closed.set()

    def _check_ended(self) -> None:
        if self._is_stopping and not any(each.connection.streams for each in self._clients):
            self._ended.set()

    def _sweep(self) -> bool:
        """Close clients that exceed a time limit; return whether there are clients."""
        now = monotonic()
        for client in tuple(self._clients):
            try:
                client.sweep(now)
            except Exception:
                log.exception("a connection failed")
                client.close()
        self._check_ended()
        self._resume_accepting()
        self._look_at_turns()
        self.account.return_memory()
        return bool(self._clients)

    def _look_at_turns(self) -> None:
        """Check the turns of large messages more often while a client waits for its turn."""
        if (loop := self._loop) is not None and not self._is_stopping:
            has_line = self.account.has_line
            if has_line:
                self.account.look()
            loop.sweep_seconds = accounts.LOOK_SECONDS if has_line else SWEEP_SECONDS

    def ready(self, events: int) -> None:
        """Accept the connections that wait in the listening socket."""
        clients_max = min(SOCKETS_MAX, self._descriptors)
        if len(self._clients) >= clients_max:
            self._make_room()
        for number in range(_ACCEPTS_MAX):
            if len(self._clients) >= clients_max:
                return
            try:
                connected, address = self._listener.accept()
                self._has_made_room = False
            except BlockingIOError:
                return
            except OSError as problem:
                if problem.errno in _EXHAUSTED:
                    if not number:  # Otherwise perhaps no connection is left.
                        self._make_room()
                    return
                continue  # The client left.
            try:
                self._add_client(connected, str(address[0]).removeprefix("::ffff:"))
            except OSError:
                connected.close()

    def _make_room(self) -> None:
        """Close the connection whose client has been silent longest, or take no more for a while.

        No request is in progress on such a connection, and gRPC's clients connect again.
        """
        waiting = (client for client in self._clients if client.is_waited_for())
        silent = min(waiting, key=lambda client: client.heard_at, default=None)
        if silent is None or self._has_made_room:  # in vain
            self._pause_accepting()
        else:
            self._has_made_room = True
            silent.go_away()
            silent.close()

    def _pause_accepting(self) -> None:
        """Accept no connection until one is closed, or until the next sweep."""
        if (loop := self._loop) is not None:
            self._is_full = True
            loop.sockets.unregister(self._listener)
            loop.sweep_soon()

    def _resume_accepting(self) -> None:
        """Accept connections again, after a pause."""
        if self._is_full and not self._is_stopping and (loop := self._loop) is not None:
            self._is_full = self._has_made_room = False
            loop.sockets.register(self._listener, EVENT_READ, self)

    def _remove(self, client: clients.Client) -> None:
        """Remove a client whose connection is closed: there is room for another one."""
        self._clients.discard(client)
        self._resume_accepting()
        self.account.return_memory()

    def _add_client(self, connected: socket.socket, peer: str) -> None:
        connected.setblocking(False)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._tls is not None:
            connected = self._tls.wrap_socket(
                connected, server_side=True, do_handshake_on_connect=False
            )
        loop = self._loop
        if loop is None:
            connected.close()
            return
        client = clients.Client(connected, peer, self._methods, loop, self._remove)
        self._clients.add(client)
        loop.sweep_soon()
        if self._tls is None:
            with suppress(OSError):
                client.flush()


class _Found(dict[bytes, Endpoint | None]):
    """The endpoints of a server by their paths, as requests name them."""

    def __init__(self, endpoints: Endpoints) -> None:
        self._find = endpoints.find

    def __missing__(self, path: bytes) -> Endpoint | None:
        """Return the endpoint at a path, and remember it if there is one."""
        endpoint = self._find(path.decode("latin-1"))
        if endpoint is not None:
            self[path] = endpoint
        return endpoint


class _Methods:
    """The methods that a server offers, by the paths of requests.

    Server reflection is a conversation, of which each request is answered by itself.
    """

    def __init__(self, endpoints: Endpoints) -> None:
        # Returns the endpoint at a path, None if there is none.
        self.find: Callable[[bytes], Endpoint | None] = _Found(endpoints).__getitem__
        self._reflect: Callable[[], Callable[[Iterator[bytes], Any], Iterator[bytes]]] = Once(
            lambda: reflection.reflect(endpoints.all_services)
        )
        self._conversations = {path.encode(): self._answer for path in REFLECTION_PATHS}

    def conversation(self, path: bytes) -> conversations.Converse | None:
        """Return what answers each message of a conversation, None if there is none at a path."""
        return self._conversations.get(path)

    def _answer(self, message: bytes | bytearray) -> Iterator[bytes]:
        """Yield the replies to a request for reflection.

        Raises RefusedRequest and UnreadableRequest.
        """
        try:
            yield from self._reflect()(iter((bytes(message),)), None)
        except ModuleNotFoundError:
            raise errors.RefusedRequest(Code.UNIMPLEMENTED, NO_REFLECTION) from None

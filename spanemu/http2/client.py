"""A client of the server: its socket, its connection, and the events that they wait for.

Only the thread that leads (`loop`) touches a client. Nothing here waits: what the socket does not
take is kept, and while it is much, the replies wait in their queues and further requests in a row.
"""

from __future__ import annotations

import socket
import ssl
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any, Protocol

from spanemu.base.clock import monotonic
from spanemu.frontend.boundary import Failure, log
from spanemu.frontend.dispatch import Endpoint
from spanemu.http2 import frames
from spanemu.http2.connection import Connection
from spanemu.http2.conversation import Conversation, Converse
from spanemu.http2.errors import ConnectionFailure, ErrorCode
from spanemu.http2.exchange import Exchange
from spanemu.http2.loop import Loop
from spanemu.http2.request_body import RequestBody
from spanemu.http2.sending import RESUMED_MAX, Stream
from spanemu.http2.tasks import Task

READ_BYTES = 256 * 1024
# Who sends many requests at once is read in small parts, so that other clients have their turns.
CROWD = 16  # requests in a part
CROWD_BYTES = 8 * 1024
ENDED_AT_ONCE = 256  # requests of a closed connection
_DATA_SHARE = 0.9  # of what arrives, in frames that are not small
QUEUED_BYTES_MAX = 64 * 1024 * 1024  # beyond which further requests wait
CONNECTION_BYTES = 16 * 1024  # that a connection takes besides its requests and replies
# Of requests, that each connection is counted for in advance: a short request changes no account.
ADVANCE_BYTES = 12 * 1024
JAMMED_BYTES_MAX = 1024 * 1024  # likewise, while there is more to send than the client reads
HANDSHAKE_SECONDS = 20.0
_LINGER_SECONDS = 2.0
_SHORT_OUTPUT_BYTES = 1024  # which may be sent with the next reply
_WAITS = (BlockingIOError, InterruptedError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class Methods(Protocol):
    """The methods that a server offers, by the paths of requests."""

    @property
    def find(self) -> Callable[[bytes], Endpoint | None]:
        """The function that returns the endpoint at a path, None if there is none."""
        ...

    def conversation(self, path: bytes) -> Converse | None:
        """Return what answers each message of a conversation, None if there is none at a path."""
        ...


class Lifetime:
    """The state of a connection, for those who must not keep the client."""

    __slots__ = ("_is_open",)

    def __init__(self) -> None:
        self._is_open = True

    def is_open(self) -> bool:
        """Return whether the client is still connected."""
        return self._is_open

    def end(self) -> None:
        """Record that the client is no longer connected."""
        self._is_open = False


class Client:
    """A client that is connected. `peer` is its IP address."""

    def __init__(
        self,
        connected: socket.socket,
        peer: str,
        methods: Methods,
        loop: Loop,
        closed: Callable[[Client], object],
    ) -> None:
        self._socket = connected
        self.peer = peer
        self._methods = methods
        self.find = methods.find
        self._closed = closed
        self.loop = loop
        self.account = loop.account
        self.held_bytes = 0  # as the account has it
        # Of the connection and of what may be kept for it without a look; 0 once it is closed.
        self._least_bytes = CONNECTION_BYTES + ADVANCE_BYTES
        self.uploads = 0
        self.used_seconds = 0.0
        self.tasks: deque[Task] = deque()
        self.lifetime = Lifetime()
        self.connection = Connection(partial(Exchange, self))
        self.heard_at = monotonic()
        self._handshake_ends = self.heard_at + HANDSHAKE_SECONDS
        self._has_tls = isinstance(connected, ssl.SSLSocket)
        self._is_secured = not self._has_tls
        self._unsent = memoryview(b"")
        self._holds_back = False  # `flush_late` will be called.
        self._events = EVENT_READ
        self._read_bytes = CROWD_BYTES
        self._deferred: dict[RequestBody, None] = {}
        self._is_failed = False  # The connection ends when the last bytes were sent.
        self._ended_bytes = 0  # of the requests of a closed connection
        self._is_ending = False  # The connection is closed, and has requests to cancel.
        loop.sockets.register(connected, EVENT_READ, self)
        self.account.open(self)

    # ------------------------------------------------------------------ requests

    def new_conversation(self, beginning: RequestBody, path: bytes) -> Stream | None:
        """Return the stream of a conversation in place of `beginning`; None for an unknown path."""
        converse = self._methods.conversation(path)
        if converse is None:
            return None
        return Conversation(beginning, path.decode("latin-1"), converse)

    def defers(self, exchange: RequestBody) -> bool:
        """Return whether a request has to wait until the client has taken earlier replies."""
        connection = self.connection
        limit = JAMMED_BYTES_MAX if connection.is_jammed() else QUEUED_BYTES_MAX
        if connection.queued_bytes <= limit:
            return False
        self._deferred[exchange] = None
        return True

    def undefer(self, exchange: RequestBody) -> None:
        """Forget a request that has ended while it had to wait."""
        self._deferred.pop(exchange, None)

    def is_waited_for(self) -> bool:
        """Return whether the client has to send or to read something before anything happens."""
        return not any(stream.is_served() for stream in self.connection.streams.values())

    # ------------------------------------------------------------------ the account

    def settle(self) -> None:
        """Update the account with the bytes held for the client."""
        if self._is_ending:
            return
        connection = self.connection
        kept_bytes = connection.kept_bytes + connection.queued_bytes + connection.output_bytes
        kept_bytes += len(self._unsent) - ADVANCE_BYTES
        held_bytes = self._least_bytes + max(kept_bytes, 0)
        if held_bytes != self.held_bytes:
            self.account.change(self, held_bytes)

    def has_input(self) -> bool:
        """Return whether unread input of the client exists."""
        try:
            return bool(socket.socket.recv(self._socket, 1, socket.MSG_PEEK))
        except OSError:
            return False

    def evict(self) -> None:
        """Close the connection, because the client holds most."""
        log.warning(
            "The server keeps too much: a client at %s, for which it kept %d MiB, is disconnected.",
            self.peer,
            self.held_bytes >> 20,
        )
        self.close()

    # ------------------------------------------------------------------ the socket

    def ready(self, events: int) -> None:
        """Read and write as much as is possible without waiting."""
        try:
            if not self._is_secured:
                self._secure()
                return
            if events & EVENT_READ:
                self._read()
            connection = self.connection
            if connection.output:
                self.flush_reply()
            elif (
                events != EVENT_READ
                or connection.kept_bytes > ADVANCE_BYTES
                or self.held_bytes != self._least_bytes
            ):
                self.flush()
        except OSError:
            self.close()
        except Exception:  # A bug must not end the thread, on which all clients depend.
            log.exception("a connection failed")
            self.close()

    def _secure(self) -> None:
        """Continue the handshake of TLS."""
        assert isinstance(self._socket, ssl.SSLSocket)
        try:
            self._socket.do_handshake()
        except ssl.SSLWantReadError:
            self._listen(EVENT_READ)
        except ssl.SSLWantWriteError:
            self._listen(EVENT_WRITE)
        else:
            self._is_secured = True
            self._listen(EVENT_READ)
            self.flush()
            self._read()

    def _read(self) -> None:
        """Handle what has arrived. Raises OSError."""
        connected: Any = self._socket
        if len(self.tasks) > CROWD:  # The others have their turns before more is read.
            return
        try:
            while True:
                data = connected.recv(self._read_bytes)
                if not data:
                    self.close()
                    return
                if self._is_failed:
                    return
                self.heard_at = monotonic()
                connection = self.connection
                if len(data) < CROWD_BYTES:
                    connection.receive(data)
                    self._read_bytes = CROWD_BYTES
                else:
                    self._receive_much(data)
                if connection.held_ack is not None and not self._holds_back:
                    self._hold_back()
                if not self._has_tls or not connected.pending():
                    return
        except _WAITS:
            return
        except ConnectionFailure as failure:
            self._fail(failure)

    def _receive_much(self, data: bytes) -> None:
        """Handle a large part of what has arrived, and decide how much to read next."""
        connection = self.connection
        begun, data_bytes = connection.last_id, connection.data_bytes
        connection.receive(data)
        is_crowd = connection.last_id - begun > 2 * CROWD  # Ids of streams are odd.
        # Many small frames are as much work as many requests.
        is_data = connection.data_bytes - data_bytes > _DATA_SHARE * len(data)
        self._read_bytes = READ_BYTES if is_data and not is_crowd else CROWD_BYTES

    def flush(self) -> None:
        """Send pending output, as far as the socket accepts it."""
        connection = self.connection
        output = connection.output
        if self._unsent:
            self._send_rest(self._unsent)
        elif output:
            data = output[0] if len(output) == 1 else b"".join(output)
            output.clear()
            connection.output_bytes = 0
            self._send(data)
            if not self._unsent:
                connection.control_bytes = 0
        # Does something wait until output is sent?
        if connection.queued_bytes or connection.is_congested or self._deferred or self._is_failed:
            self._sent()
            self.settle()
        elif connection.kept_bytes > ADVANCE_BYTES or self.held_bytes != self._least_bytes:
            self.settle()

    def _hold_back(self) -> None:
        """Hold the answer to a PING back for a moment, unless output waits for the socket."""
        if self._unsent:
            self.connection.release_ack()
        else:
            self._holds_back = True
            self.loop.flush_later(self)

    def flush_late(self) -> None:
        """Send the answer to a PING that was held back for long enough."""
        self._holds_back = False
        self.connection.release_ack()
        self.flush()

    def _sent(self) -> None:
        """Continue with what waits, if all output has been sent."""
        if self._unsent or not self.lifetime.is_open():
            return
        connection = self.connection
        if not connection.output:
            connection.control_bytes = 0
        connection.is_congested = False
        connection.may_resume = RESUMED_MAX
        connection.resume()
        if connection.output or connection.has_backlog():
            self.loop.flush_soon(self)
        if self._deferred and connection.queued_bytes <= QUEUED_BYTES_MAX:
            for exchange in self._deferred:
                self.loop.due.append(exchange)
            self._deferred.clear()
        if self._is_failed and not connection.output:
            self._linger()

    def flush_soon(self) -> None:
        """Send pending output before the leader waits."""
        self.loop.flush_soon(self)

    def flush_reply(self) -> None:
        """Send pending output: with the client's next reply, if that takes a moment only.

        To send takes a sixth of the time of a short request, however little is sent.
        """
        due = self.loop.due
        if due.count and 0 < self.connection.output_bytes <= _SHORT_OUTPUT_BYTES:
            task = due.next_of(self)
            if task is not None and task.is_quick():
                self.loop.flush_soon(self)
                return
        self.flush()

    def _send(self, output: bytes | memoryview) -> None:
        """Send output, of which nothing was sent before."""
        try:
            sent = self._socket.send(output)
            if sent == len(output) and self._events == EVENT_READ:  # as nearly always
                return
        except _WAITS:
            sent = 0
        except OSError:
            self.close()
            return
        self._send_rest(memoryview(output)[sent:])

    def _send_rest(self, data: memoryview) -> None:
        """Send what is left of the output, as far as the socket takes it."""
        try:
            while data:
                data = data[self._socket.send(data) :]
        except _WAITS:
            pass
        except OSError:
            self.close()
            return
        self._unsent = data
        self._listen(EVENT_READ | EVENT_WRITE if data else EVENT_READ)
        if data:
            self.connection.is_congested = True

    def _listen(self, events: int) -> None:
        if events != self._events and self.lifetime.is_open():
            self._events = events
            self.loop.sockets.modify(self._socket, events)

    # ------------------------------------------------------------------ the end

    def _fail(self, failure: ConnectionFailure) -> None:
        """Send the reason why the connection ends; a sweep closes it if the client does not."""
        self.end_streams()
        frame = frames.goaway(self.connection.last_id, failure.code, str(failure))
        self.connection.emit(frame)
        self._is_failed = True
        self._handshake_ends = monotonic() + _LINGER_SECONDS
        self.flush()

    def _linger(self) -> None:
        """Send nothing more; the client closes, or a sweep does."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def end_streams(self, streams_max: int | None = None) -> bool:
        """Cancel all requests, or a number of them; return whether none is left."""
        self._deferred.clear()
        return self.connection.close(streams_max)

    def fail_streams(self, failure: Failure) -> None:
        """End all requests with a failure."""
        for stream in tuple(self.connection.streams.values()):
            if isinstance(stream, Exchange):
                stream.fail(failure)
        self.flush()

    def go_away(self) -> None:
        """Make the client send further requests elsewhere."""
        self.connection.is_going = True
        self.connection.emit(frames.goaway(self.connection.last_id, ErrorCode.NO_ERROR))
        self.flush()

    def sweep(self, now: float) -> None:
        """Close a connection that takes too long to begin, and end requests past their deadline."""
        if now >= self._handshake_ends and (self._is_failed or not self.connection.has_settings):
            self.close()
            return
        self.connection.may_be_measured = False  # The PING of a silent client is no measurement.
        for stream in tuple(self.connection.streams.values()):
            if isinstance(stream, Exchange):
                stream.expire(now)
        self.flush()

    def close(self) -> None:
        """Close the connection at once."""
        if not self.lifetime.is_open():
            return
        self.lifetime.end()
        self._least_bytes = 0
        self._unsent = memoryview(b"")
        self.connection.output.clear()
        self.connection.output_bytes = 0
        self.account.close(self)
        self.loop.forget_later(self)
        with suppress(KeyError, ValueError):
            self.loop.sockets.unregister(self._socket)
        with suppress(OSError):  # A forked child may hold the socket open.
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._end_some()
        self._closed(self)

    def _end_some(self) -> None:
        """Cancel the requests of a closed connection: many of them while others are served.

        The account counts none of them from the beginning, since all go within a moment.
        """
        self._is_ending = not self.end_streams(ENDED_AT_ONCE)
        if self._is_ending:
            self._ended_bytes += self.held_bytes
            self.account.change(self, 0)
            self.loop.post(self._end_some)
        else:
            self.settle()
            # Most of it was freed after `_closed` had let memory be returned.
            self.account.freed(self._ended_bytes)

"""The message of a request as it arrives: counted, received in its turn, decompressed in parts."""

from __future__ import annotations

from collections import deque
from typing import Protocol

from spanemu.frontend.dispatch import Endpoint
from spanemu.frontend.listening import MESSAGE_BYTES_MAX
from spanemu.http2.account import Account
from spanemu.http2.call import Caller
from spanemu.http2.connection import Connection
from spanemu.http2.messages import Inflation
from spanemu.http2.sending import Sender, Stream
from spanemu.http2.tasks import Task

GROWN_WINDOW = 1024 * 1024  # of the stream of a message that does not fit into the first window
UPLOAD_BYTES = 4 * 1024 * 1024  # beyond which a message needs its turn
HEAVY_BYTES = 64 * 1024
QUICK_BYTES = 4 * 1024
INFLATED_BYTES = 1024 * 1024  # beyond which it needs one to be decompressed


class Host(Caller, Protocol):
    """The client of an exchange, and what serves it."""

    connection: Connection
    account: Account
    held_bytes: int
    uploads: int
    used_seconds: float
    tasks: deque[Task]

    def find(self, path: bytes) -> Endpoint | None:
        """Return the endpoint at a path, None if there is none."""
        ...

    def new_conversation(self, beginning: RequestBody, path: bytes) -> Stream | None:
        """Return the stream of a conversation in place of `beginning`; None for an unknown path."""
        ...

    def defers(self, exchange: RequestBody) -> bool:
        """Return whether a request has to wait until the client has taken earlier replies."""
        ...

    def undefer(self, exchange: RequestBody) -> None:
        """Forget a request that has ended while it had to wait."""
        ...

    def settle(self) -> None:
        """Update the account with the bytes held for the client."""
        ...

    def has_input(self) -> bool:
        """Return whether unread input of the client exists."""
        ...

    def evict(self) -> None:
        """Close the connection, because the client holds most."""
        ...

    def flush(self) -> None:
        """Send pending output, as far as the socket accepts it."""
        ...

    def flush_soon(self) -> None:
        """Send pending output before the leader waits."""
        ...

    def flush_reply(self) -> None:
        """Send pending output, if need be with the client's next reply."""
        ...


class RequestBody(Stream):
    """The message of a request; a derived class serves the request.

    `body_bytes` are kept of the message, as it came and decompressed.
    """

    endpoint: Endpoint | None = None
    encoding = b""
    body: bytes | bytearray = b""
    body_bytes = 0
    inflation: Inflation | None = None
    is_paused = False  # The message is decompressed further when it has its turn.
    has_lined_up = False
    has_turn = False
    is_running = False  # A step of the request is at work.

    def __init__(self, client: Host, connection: Sender, stream_id: int) -> None:
        # As in `Stream`, whose method is not called: this one runs for each request.
        self.connection = connection
        self.id = stream_id
        self.client = client

    def is_heavy(self) -> bool:
        """Return whether the next step may well take long: there is much to convert."""
        return len(self.body) > HEAVY_BYTES

    def is_quick(self) -> bool:
        """Return whether the next step takes a moment only: the request is short and no query."""
        endpoint = self.endpoint
        return len(self.body) <= QUICK_BYTES and endpoint is not None and not endpoint.streams

    def starts(self) -> bool:
        """Return whether to take the next step now."""
        raise NotImplementedError

    def run(self) -> None:
        """Take the next step of the request."""
        raise NotImplementedError

    def deliver(self) -> bool:
        """Send what the step produced; return whether the next step comes before other tasks."""
        raise NotImplementedError

    @property
    def holder(self) -> Host:
        """The client, as the account sees it."""
        return self.client

    @property
    def arrived_bytes(self) -> int:
        """The bytes of the message that have arrived."""
        return self.body_bytes

    def count(self, size: int) -> None:
        """Count bytes of the message."""
        self.body_bytes += size
        if not self.has_turn:
            self.kept_bytes += size
            self.connection.kept_bytes += size

    def line_up(self, size: int) -> None:
        self.has_lined_up = True
        self.client.account.line_up(self, size)

    def turn_began(self) -> None:
        """Let the client send the rest of the message, or decompress it."""
        self.has_turn = True
        self.keep(-self.body_bytes)
        if self.is_paused:
            self.is_paused = False
            self.client.loop.due.append(self)
        elif not self.has_ended:
            self.allowance = GROWN_WINDOW
            self.client.connection.grant(self)
            self.client.flush_soon()

    def turn_lost(self) -> None:
        """Keep the received bytes, and stop reading from the client."""
        self.has_turn = False
        self.keep(self.body_bytes)
        self.allowance = 0
        self.client.flush_soon()

    def release(self) -> None:
        """Forget the request, unless a step is still at work with it."""
        if not self.is_running:
            if self.has_lined_up:
                self.drop_body()
            self.body, self.inflation, self.body_bytes = b"", None, 0
            self.connection.kept_bytes -= self.kept_bytes
            self.kept_bytes = 0

    def drop_body(self) -> None:
        """Forget the message."""
        if self.body_bytes:
            self.body, self.inflation = b"", None
            self.count(-self.body_bytes)
        if self.has_lined_up:
            self.has_lined_up = self.has_turn = False
            self.client.account.leave(self)

    def plain_bytes_max(self) -> int:
        """Return how large a compressed message may become."""
        assert self.endpoint is not None
        return min(int(min(self.endpoint.bytes_max, MESSAGE_BYTES_MAX)) + 1, MESSAGE_BYTES_MAX)

    def inflated_message(self, inflation: Inflation) -> bytes | bytearray:
        """Return the decompressed message, which is not kept any more."""
        assert inflation.message is not None
        self.inflation = None
        return inflation.message

    def go_on_inflating(self, inflation: Inflation) -> None:
        """Count what has been decompressed, and make the next step due, if need be with a turn."""
        if inflation.message is not None:
            self.body = b""
            self.count(inflation.size - self.body_bytes)
        else:
            self.count(len(self.body) + inflation.size - self.body_bytes)
        if inflation.message is None and inflation.size > INFLATED_BYTES and not self.has_lined_up:
            self.is_paused = True
            self.line_up(self.plain_bytes_max())
        else:
            self.client.loop.due.append(self)
        self.client.settle()

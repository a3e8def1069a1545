"""An exchange of several requests and replies on one stream, which the client ends."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from spanemu.base.errors import Code
from spanemu.frontend.boundary import failure_from
from spanemu.http2.errors import RefusedRequest
from spanemu.http2.exchange import Exchange
from spanemu.http2.messages import (
    PREFIX,
    Inflation,
    declared_size,
    is_compressed,
    only_message,
    too_large,
)
from spanemu.http2.request_body import RequestBody

Converse = Callable[[bytes | bytearray], Iterable[bytes]]  # from a message to the replies

UNANSWERED_MAX = 1_000  # messages of a client that sends without reading
MESSAGE_BYTES_MAX = 64 * 1024  # They are names.


class Conversation(Exchange):
    """An exchange whose messages are each answered by themselves, in their order."""

    def __init__(self, beginning: RequestBody, path: str, converse: Converse) -> None:
        super().__init__(beginning.client, beginning.connection, beginning.id)
        self.encoding = beginning.encoding
        self._path = path
        self._converse = converse
        self._inbox: deque[bytes] = deque()
        self._answered_bytes = 0
        self._is_due = False
        self.connection.streams[self.id] = self

    def _take_part(self) -> None:
        """Move the complete messages into the inbox. Raises RefusedRequest."""
        body = self.body
        if not isinstance(body, bytearray):
            self.body = body = bytearray(body)
        while len(body) >= PREFIX.size:
            size = declared_size(body, MESSAGE_BYTES_MAX)
            if len(body) < size:
                break
            self._inbox.append(bytes(body[:size]))
            del body[:size]
        if len(self._inbox) > UNANSWERED_MAX:
            raise RefusedRequest(Code.RESOURCE_EXHAUSTED, "Too many messages are unanswered.")
        self._make_due()

    def end(self) -> None:
        """Answer the remaining requests, and end the reply."""
        if not self.is_done:
            self.take_part()

    def drained(self) -> None:
        """Answer the next message."""
        self._make_due()

    def _make_due(self) -> None:
        is_needed = self._inbox or (self.has_ended and not self.is_over)
        if is_needed and not self._is_due and not self.queue:
            self._is_due = True
            self.client.loop.due.append(self)

    def run(self) -> None:
        """Answer the next message."""
        self.is_running = True
        try:
            if self._inbox:
                body = self._inbox.popleft()
                self._answered_bytes += len(body)
                self.messages += tuple(self._converse(self._message(body)))
            else:
                self.is_done = True
        except RefusedRequest as refusal:
            self.failure, self.is_done = refusal.failure, True
        except Exception as error:
            self.failure, self.is_done = failure_from(error, self._path), True

    def _message(self, body: bytes) -> bytes | bytearray:
        """Return the message of a body. Raises RefusedRequest."""
        if not is_compressed(body):
            return only_message(body)
        inflation = Inflation(body, self.encoding, MESSAGE_BYTES_MAX)
        inflation.step()
        if inflation.message is None or inflation.size > MESSAGE_BYTES_MAX:
            raise too_large(inflation.size, MESSAGE_BYTES_MAX)
        return inflation.message

    def served(self) -> None:
        """Forget the message that was answered."""
        self.count(-self._answered_bytes)
        self._answered_bytes = 0

    def release(self) -> None:
        """Forget the messages that are not answered."""
        self._inbox.clear()
        super().release()

    def deliver(self) -> bool:
        """Send the replies."""
        self._is_due = False
        super().deliver()
        if not self.is_over:
            self._make_due()
        return False

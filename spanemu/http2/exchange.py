"""The gRPC protocol on a stream of HTTP/2: a message in, messages and a status out.

    header fields, data  ->  message  ->  steps of an endpoint  ->  messages, trailers

`run` takes a step, on the thread that leads or on one that waits (`loop`); all other methods run on
the leader's thread, which sends what a step produced (`deliver`). The next step of a streaming
reply is due when the client has taken what there was. To decompress a part of a message is a step,
too. A large message is received, or decompressed, when it has its turn (`account`).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator

from spanemu.base.call import DeadlineExceeded
from spanemu.base.errors import Code
from spanemu.base.live import LiveRows
from spanemu.frontend.boundary import Failure, failure_from, log
from spanemu.http2 import header_block as headers
from spanemu.http2.call import RpcCall, timeout_seconds
from spanemu.http2.errors import ErrorCode, RefusedRequest
from spanemu.http2.header_block import Field, indexed, literal
from spanemu.http2.messages import (
    ENCODINGS,
    PREFIX,
    Inflation,
    check_encoding,
    declared_size,
    escaped,
    is_compressed,
)
from spanemu.http2.request_body import GROWN_WINDOW, UPLOAD_BYTES, Host, RequestBody
from spanemu.http2.sending import STREAM_WINDOW, Stream

SUSPENDED_BYTES = 24 * 1024  # that a reply keeps between its steps, besides its content
SUSPENDED_COPIES = 5  # of the content
_LENGTH_DIGITS_MAX = 15

REPLY_HEAD = (
    indexed(b":status", b"200")
    + literal(b"content-type", b"application/grpc")
    + literal(b"grpc-accept-encoding", ENCODINGS)
)
_OK = literal(b"grpc-status", b"0")
_NOT_GRPC_HEAD = literal(b":status", b"415") + literal(b"content-type", b"text/plain")
_NOT_GRPC = b"This port serves gRPC.\n"
_ALL_PSEUDO = 1 << headers.METHOD | 1 << headers.SCHEME | 1 << headers.PATH
_REQUIRED = _ALL_PSEUDO | 1 << headers.CONTENT_TYPE


class Exchange(RequestBody):
    """A request of gRPC and its reply."""

    __slots__ = (
        "_declared_bytes",
        "_has_begun",
        "_is_listening",
        "_live",
        "_replies",
        "_steps",
        "_suspended_bytes",
        "call",
        "failure",
        "is_done",
        "messages",
    )

    def __init__(self, client: Host, stream_id: int) -> None:
        super().__init__(client, stream_id)
        self._declared_bytes: int | None = None
        self.call: RpcCall | None = None
        self._replies: Iterator[bytes | LiveRows] | None = None
        self._live: LiveRows | None = None
        # What a step produced: messages, and the end of the reply if it is done.
        self.messages: list[bytes] = []
        self.failure: Failure | None = None
        self.is_done = False
        self._is_listening = False  # The next step is due when there are rows.
        self._has_begun = False  # The head of the reply was sent.
        self._steps = 0
        self._suspended_bytes = 0

    # ------------------------------------------------------------------ the request

    def begin(self, fields: list[Field] | None) -> Stream:
        """Take the header fields of the request; return the receiver of its body."""
        try:
            if fields is None:
                raise RefusedRequest(Code.RESOURCE_EXHAUSTED, "The metadata are too large.")
            return self._take(fields)
        except RefusedRequest as refusal:
            self._end(refusal.failure)
        return self

    def _take(self, fields: list[Field]) -> Stream:
        """Find the endpoint, and return the stream that goes on. Raises RefusedRequest."""
        seen, is_regular, is_valid, timeout = 0, False, True, None
        path = method = b""
        for _, value, _, role in fields:
            if not role:
                is_regular = True
            elif role <= headers.AUTHORITY:
                if is_regular or seen >> role & 1:
                    is_valid = False
                seen |= 1 << role
                if role == headers.PATH:
                    path = value
                elif role == headers.METHOD:
                    method = value
            else:
                is_regular = True
                if role == headers.TIMEOUT:
                    timeout = value
                elif role == headers.CONTENT_TYPE:
                    if value.startswith(b"application/grpc"):
                        seen |= 1 << role
                elif role == headers.ENCODING:
                    self.encoding = value
                elif role == headers.CONTENT_LENGTH:
                    is_length = value.isdigit() and len(value) <= _LENGTH_DIGITS_MAX
                    self._declared_bytes = int(value) if is_length else -1
                elif role == headers.INVALID:
                    is_valid = False
        if not is_valid or seen & _ALL_PSEUDO != _ALL_PSEUDO or not path:
            self.connection.reset(self.id, ErrorCode.PROTOCOL_ERROR)
        elif seen & _REQUIRED != _REQUIRED or method != b"POST":
            return _OtherRequest(self, self._declared_bytes)
        else:
            self.endpoint = endpoint = self.client.find(path)
            if self.encoding:
                check_encoding(self.encoding)
            if endpoint is None:
                return self._conversation(path)
            seconds = None if timeout is None else timeout_seconds(timeout)
            self.call = RpcCall(endpoint.path, seconds, fields, self.client)
        return self

    def _conversation(self, path: bytes) -> Stream:
        """Return the exchange for a path without an endpoint. Raises RefusedRequest."""
        conversation = self.client.new_conversation(self, path)
        if conversation is None:
            raise RefusedRequest(Code.UNIMPLEMENTED, "Method not found!")  # gRPC's own text
        return conversation

    def data(self, data: bytes) -> None:
        """Take a part of the request's message."""
        if self.is_done:  # The refusal waits to be sent.
            return
        self.count(len(data))
        body = self.body
        if not body:
            self.body = data
        else:
            if body.__class__ is bytes:
                self.body = body = bytearray(body)
            body += data
        try:
            self.take_body()
        except RefusedRequest as refusal:
            self._end(refusal.failure)

    def take_body(self) -> None:
        """Process the part of the body that has arrived. Raises RefusedRequest."""
        size = declared_size(self.body)
        if len(self.body) > size:
            raise RefusedRequest(Code.UNIMPLEMENTED, "The request has more than one message.")
        if size <= STREAM_WINDOW or self.has_lined_up:
            return
        if size <= UPLOAD_BYTES:
            self.allowance = GROWN_WINDOW
        else:
            plain_bytes = self.plain_bytes_max() if is_compressed(self.body) else 0
            self.allowance = 0
            self.line_up(size + plain_bytes)

    def end(self) -> None:
        """Serve the request, because it is complete."""
        if self.is_done:
            return
        if self._declared_bytes not in (None, len(self.body)):
            self.connection.reset(self.id, ErrorCode.PROTOCOL_ERROR)
            return
        if is_compressed(self.body) and self.endpoint is not None:
            try:
                self.inflation = Inflation(self.body, self.encoding, self.endpoint.bytes_max)
            except RefusedRequest as refusal:
                self._end(refusal.failure)
                return
        self.client.loop.due.append(self)

    # ------------------------------------------------------------------ steps

    def starts(self) -> bool:
        """Return whether to take the next step now: not if it is over, or has to wait its turn."""
        if self.is_over:
            return self._is_listening  # The rows have to notice the end.
        return not (self.is_done or self.client.defers(self))

    def run(self) -> None:
        """Take the next step of the reply."""
        self.is_running, self._is_listening = True, False
        call, endpoint = self.call, self.endpoint
        assert call is not None
        assert endpoint is not None
        try:
            inflation, replies = self.inflation, self._replies
            if inflation is not None and inflation.message is None:
                inflation.step()
                return
            if replies is None:
                message = self.take_message()
                if not endpoint.streams:
                    self.messages.append(endpoint.unary(message, call))
                    self.is_done = True
                    return
                replies = self._replies = endpoint.steps(message, call)
            reply = next(replies, None)
            if reply is None:
                self.is_done = True
            elif reply.__class__ is bytes:
                self.messages.append(reply)
            else:
                assert isinstance(reply, LiveRows)
                self._live = reply
        except RefusedRequest as refusal:
            self.failure, self.is_done = refusal.failure, True
        except Exception as error:
            self.failure, self.is_done = failure_from(error, endpoint.path), True

    def deliver(self) -> bool:
        """Send what a step produced; return whether the next step comes before other tasks."""
        self.is_running = False
        if self.is_over:
            self._close_replies()
            self.release()
            self.client.settle()
            return False
        if (inflation := self.inflation) is not None and not self.is_done:
            self.go_on_inflating(inflation)
            return False
        self.served()
        if self.is_done:
            self._end(self.failure)
            self.client.flush()
        elif self.messages:
            messages, self.messages = self.messages, []
            if self._replies is not None:
                self._suspend(len(messages[0]))
            self._send_head()
            self.client.flush_soon()
            for message in messages:
                self.connection.send(self, PREFIX.pack(0, len(message)) + message)
            return self._steps == 1 and not self.queue
        elif (live := self._live) is not None:
            self._live = None
            self._is_listening = True
            self.client.flush_soon()
            live.listen(self._wake)
        return False

    def _suspend(self, message_bytes: int) -> None:
        """Count what a reply keeps between its steps: rows, their values, their encoding."""
        suspended_bytes = SUSPENDED_BYTES + SUSPENDED_COPIES * message_bytes
        self.keep(suspended_bytes - self._suspended_bytes)
        self._suspended_bytes = suspended_bytes

    def served(self) -> None:
        """Forget what the step was made of."""
        self.drop_body()

    def drained(self) -> None:
        """Make the next step due."""
        if self._replies is None or self.is_running or self.is_done:
            return
        self._steps += 1
        due = self.client.loop.due
        if self._steps == 1:  # The end of a short reply goes with its first message.
            due.appendleft(self)
        else:
            due.append(self)

    def _wake(self) -> None:
        """Make the next step due, from any thread."""
        self.client.loop.post(self._due)

    def _due(self) -> None:
        self.client.loop.due.append(self)

    # ------------------------------------------------------------------ the end

    def _send_head(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            self.connection.send_headers(self, REPLY_HEAD)

    def _end(self, failure: Failure | None) -> None:
        """Send the last messages and the status."""
        self.is_done = True
        trailers = _OK if failure is None else _trailers(failure)
        if failure is None and self.messages:
            message = self.messages.pop()
            self._send_head()
            self.connection.send(self, PREFIX.pack(0, len(message)) + message, trailers)
        else:
            head = b"" if self._has_begun else REPLY_HEAD
            self.connection.send(self, b"", head + trailers)
        if not self.is_running:
            self.drop_body()

    def cancelled(self) -> None:
        """Cancel the request: the client no longer waits for its reply."""
        self.client.undefer(self)
        if self.call is not None:
            self.call.cancel()
        if not self.is_running and not self._is_listening:
            self._close_replies()

    def _close_replies(self) -> None:
        replies, self._replies = self._replies, None
        if replies is not None:
            try:
                replies.close()  # type: ignore[attr-defined]
            except Exception:
                log.exception("a reply could not be closed")

    def expire(self, now: float) -> None:
        """End the exchange if its deadline has passed while it waits for the client or for rows."""
        call = self.call
        if call is None or now < call.deadline or self.is_running:
            return
        if self._is_listening:
            self._due()
        else:
            self.fail(failure_from(DeadlineExceeded(), call.path))

    def fail(self, failure: Failure) -> None:
        """End the exchange with a failure, whatever it waits for."""
        self.connection.drop_queue(self)
        self.messages.clear()
        self._end(failure)
        self.cancelled()


class _OtherRequest(Stream):
    """A request that is none of gRPC, which is read to its end and refused."""

    __slots__ = ("_declared_bytes", "_received_bytes")

    def __init__(self, beginning: Stream, declared_bytes: int | None) -> None:
        super().__init__(beginning.connection, beginning.id)
        self._declared_bytes = declared_bytes
        self._received_bytes = 0
        self.connection.streams[self.id] = self

    def data(self, data: bytes) -> None:
        """Count a part of the body."""
        self._received_bytes += len(data)

    def end(self) -> None:
        """Refuse the request."""
        if self._declared_bytes not in (None, self._received_bytes):
            self.connection.reset(self.id, ErrorCode.PROTOCOL_ERROR)
            return
        self.connection.send_headers(self, _NOT_GRPC_HEAD)
        status = _trailers(Failure(Code.UNKNOWN, "The request is none of gRPC."))
        self.connection.send(self, _NOT_GRPC, status)

    def cancelled(self) -> None:
        """Do nothing: there is no work to stop."""


def _trailers(failure: Failure) -> bytes:
    """Return the block of the trailers of a failure."""
    block = literal(b"grpc-status", b"%d" % failure.code)
    block += literal(b"grpc-message", escaped(failure.message))
    for name, value in failure.trailers:
        block += literal(name.encode(), b64encode(value).rstrip(b"="))
    return block

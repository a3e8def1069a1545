"""The gRPC protocol on a stream of HTTP/2: a message in, messages and a status out.

    header fields, data  ->  message  ->  steps of an endpoint  ->  messages, trailers

`run` takes a step, on the thread that leads or on one that waits (`loop`); all other methods run on
the leader's thread, which sends what a step produced (`deliver`). The next step of a streaming
reply is due when the client has taken what there was. To decompress a part of a message is a step,
too. A large message is received, or decompressed, when it has its turn (`account`).
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.call import DeadlineExceeded
from spanemu.base.errors import Code
from spanemu.base.live import LiveRows
from spanemu.frontend.boundary import Failure, failure_from, log
from spanemu.http2 import reply_frames
from spanemu.http2.call import RpcCall, timeout_seconds
from spanemu.http2.errors import ErrorCode, RefusedRequest
from spanemu.http2.header_block import Field
from spanemu.http2.messages import (
    PREFIX,
    Inflation,
    check_encoding,
    declared_size,
    is_compressed,
    only_message,
)
from spanemu.http2.request_body import GROWN_WINDOW, UPLOAD_BYTES, RequestBody
from spanemu.http2.request_fields import Kind, layout_of
from spanemu.http2.sending import SHORT_BYTES, STREAM_WINDOW, Stream

SUSPENDED_BYTES = 24 * 1024  # that a reply keeps between its steps, besides its content
SUSPENDED_COPIES = 5  # of the content
_LENGTH_DIGITS_MAX = 15


class Exchange(RequestBody):
    """A request of gRPC and its reply."""

    call: RpcCall | None = None
    # What a step produced: messages, and the end of the reply if it is done.
    messages: tuple[bytes, ...] = ()
    failure: Failure | None = None
    is_done = False
    _declared_bytes: int | None = None
    _replies: Iterator[bytes | LiveRows] | None = None
    _live: LiveRows | None = None
    _is_listening = False  # The next step is due when there are rows.
    _head = reply_frames.HEAD  # of the reply, until it is sent
    _steps = 0
    _suspended_bytes = 0

    # ------------------------------------------------------------------ the request

    def begin(self, fields: list[Field] | None) -> Stream:
        """Take the header fields of the request; return the receiver of its body."""
        try:
            if fields is None:
                raise RefusedRequest(Code.RESOURCE_EXHAUSTED, "The metadata are too large.")
            kind, path_at, timeout_at, encoding_at, content_length_at = layout_of(fields)
            if content_length_at >= 0:
                self._declared_bytes = _length(fields[content_length_at].value)
            if kind is not Kind.GRPC:
                return self._refuse(kind)
            path = fields[path_at].value
            self.endpoint = endpoint = self.client.find(path)
            if encoding_at >= 0:
                self.encoding = fields[encoding_at].value
                check_encoding(self.encoding)
            if endpoint is None:
                return self._conversation(path)
            seconds = None if timeout_at < 0 else timeout_seconds(fields[timeout_at].value)
            self.call = RpcCall(endpoint.path, seconds, fields, self.client)
        except RefusedRequest as refusal:
            self._end(refusal.failure)
        return self

    def _refuse(self, kind: Kind) -> Stream:
        """Refuse a request that is none of gRPC, at its end if it is one of HTTP."""
        if kind is Kind.OTHER:
            return _OtherRequest(self, self._declared_bytes)
        self.connection.reset(self.id, ErrorCode.PROTOCOL_ERROR)
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
        if not self.has_ended:  # Otherwise `end` takes the whole.
            self.take_part()

    def take_part(self) -> None:
        """Process the part of the body that has arrived."""
        try:
            self._take_part()
        except RefusedRequest as refusal:
            self._end(refusal.failure)

    def _take_part(self) -> None:
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
        if self._declared_bytes is not None and self._declared_bytes != len(self.body):
            self.connection.reset(self.id, ErrorCode.PROTOCOL_ERROR)
            return
        if self.encoding and self.endpoint is not None and is_compressed(self.body):
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
        is_deferred = self.connection.queued_bytes and self.client.defers(self)
        return not (self.is_done or is_deferred)

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
                message = (
                    only_message(self.body)
                    if inflation is None
                    else self.inflated_message(inflation)
                )
                self.body = b""
                if not endpoint.streams:
                    self.messages = (endpoint.unary(message, call),)
                    self.is_done = True
                    return
                steps = endpoint.steps(message, call)
                if isinstance(steps, tuple):
                    self.messages, self.is_done = steps, True
                    return
                replies = self._replies = steps
            reply = next(replies, None)
            if reply is None:
                self.is_done = True
            elif reply.__class__ is bytes:
                self.messages = (reply,)
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
        if self.is_done:
            self._end(self.failure)
            self.client.flush_reply()
            return False
        self.served()
        if self.messages:
            return self._send_messages()
        if (live := self._live) is not None:
            self._live = None
            self._is_listening = True
            self.client.flush_soon()
            live.listen(self._wake)
        return False

    def _send_messages(self) -> bool:
        """Send the messages of a step; return whether the next step comes before other tasks."""
        messages, self.messages = self.messages, ()
        self.client.flush_soon()
        for message in messages:
            self._send(message)
        if self._steps == 1 and not self.queue:
            return True  # The reply is mostly complete then.
        if self._replies is not None:
            self._suspend(len(messages[0]))
        return False

    def _send(self, message: bytes, trailers: bytes | None = None) -> None:
        data = reply_frames.part(message)
        head, self._head = self._head, b""
        self.connection.send(self, data, trailers, head)

    def _send_whole(self, message: bytes) -> bool:
        """Send the whole reply, if it is one short message for which there is room."""
        size = len(message)
        return size <= SHORT_BYTES and self.connection.send_whole(
            self, reply_frames.whole(self.id, message), PREFIX.size + size
        )

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

    def _end(self, failure: Failure | None) -> None:
        """Send the last messages and the status."""
        self.is_done = True
        messages, self.messages = self.messages, ()
        if failure is not None or not messages:
            head, self._head = self._head, b""
            self.connection.send(self, b"", reply_frames.end(failure, head))
        elif len(messages) > 1 or not self._head or not self._send_whole(messages[0]):
            for message in messages[:-1]:
                self._send(message)
            self._send(messages[-1], reply_frames.OK)
        if not (self.is_over or self.is_running):  # The end waits for the client.
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
        self.messages = ()
        self._end(failure)
        self.cancelled()


class _OtherRequest(Stream):
    """A request that is none of gRPC, which is read to its end and refused."""

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
        self.connection.send_headers(self, reply_frames.NOT_GRPC_HEAD)
        status = reply_frames.trailers(Failure(Code.UNKNOWN, "The request is none of gRPC."))
        self.connection.send(self, reply_frames.NOT_GRPC, status)

    def cancelled(self) -> None:
        """Do nothing: there is no work to stop."""


def _length(value: bytes) -> int:
    """Return the number of a content-length header, -1 for one that no body can have."""
    return int(value) if value.isdigit() and len(value) <= _LENGTH_DIGITS_MAX else -1

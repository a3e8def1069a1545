"""The sending half of a connection: replies become frames, as far as the client's windows permit.

What the client has no room for waits in the queue of its stream. `output` is what can be sent.
"""

from __future__ import annotations

from collections import deque

from spanemu.http2 import frames
from spanemu.http2.errors import ConnectionFailure, ErrorCode
from spanemu.http2.header_block import Field

STREAM_WINDOW = 1024 * 1024
CONTROL_BYTES_MAX = 256 * 1024  # of frames that answer frames, to a client that does not read


class Stream:
    """A request and its reply on a connection; a derived class gives them a meaning.

    `window` is what the client lets the server send, `granted` what the server lets the client.
    """

    __slots__ = (
        "connection",
        "granted",
        "has_ended",
        "id",
        "is_over",
        "queue",
        "trailers",
        "window",
    )

    def __init__(self, connection: Sender, stream_id: int) -> None:
        self.connection = connection
        self.id = stream_id
        self.window = connection.stream_window
        self.granted = STREAM_WINDOW
        self.has_ended = False  # the request is complete
        self.is_over = False  # the reply is complete, or the stream was reset
        self.queue: deque[memoryview] = deque()  # data that the client has no room for
        self.trailers: bytes | None = None  # to be sent behind the queue

    def begin(self, fields: list[Field] | None) -> Stream:
        """Take the header fields of the request; None if they are too large.

        Return the stream that takes what follows.
        """
        raise NotImplementedError

    def data(self, data: bytes) -> None:
        """Take a part of the request's body."""
        raise NotImplementedError

    def end(self) -> None:
        """Take the end of the request."""
        raise NotImplementedError

    def cancelled(self) -> None:
        """Take the end of the stream before its reply is complete."""
        raise NotImplementedError

    def drained(self) -> None:
        """Continue the reply, because all that was sent has left the queue."""


class Sender:
    """The open streams of a connection, the client's windows, and what is to be sent."""

    def __init__(self) -> None:
        self.streams: dict[int, Stream] = {}
        self.window = frames.WINDOW_DEFAULT
        self.stream_window = frames.WINDOW_DEFAULT
        self.frame_bytes = frames.FRAME_BYTES_DEFAULT
        self.output: list[bytes | memoryview] = []
        self.queued_bytes = 0  # in the queues of streams, the trailers behind them included
        self.control_bytes = 0  # of answers in the output; whoever sends it resets it
        self.is_congested = False  # The socket takes no more: replies wait in their queues.
        self._blocked: dict[Stream, None] = {}  # streams that wait for the connection

    def answer(self, frame: bytes) -> None:
        """Send a frame that a frame of the client asked for. Raises ConnectionFailure."""
        self.output.append(frame)
        self.control_bytes += len(frame)
        if self.control_bytes > CONTROL_BYTES_MAX:
            raise ConnectionFailure("too many frames to answer", ErrorCode.ENHANCE_YOUR_CALM)

    def send_headers(self, stream: Stream, block: bytes, *, is_last: bool = False) -> None:
        """Send the header fields of a reply; with `is_last`, they are all of it."""
        flags = frames.END_HEADERS | (frames.END_STREAM if is_last else 0)
        length = len(block)
        if length > frames.FRAME_BYTES_DEFAULT:
            self._send_long_headers(stream.id, block, is_last)
        else:
            self.output.append(frames.head(length, frames.HEADERS, flags, stream.id) + block)
        if is_last:
            self._finish(stream)

    def _send_long_headers(self, stream_id: int, block: bytes, is_last: bool) -> None:
        size = frames.FRAME_BYTES_DEFAULT
        kind, flags = frames.HEADERS, frames.END_STREAM if is_last else 0
        for start in range(0, len(block), size):
            if start + size >= len(block):
                flags |= frames.END_HEADERS
            self.output.append(frames.frame(kind, flags, stream_id, block[start : start + size]))
            kind, flags = frames.CONTINUATION, 0

    def send(self, stream: Stream, data: bytes, trailers: bytes | None = None) -> None:
        """Send a part of a reply's body, and with `trailers` the end of the reply."""
        size = len(data)
        if (
            size <= stream.window
            and size <= self.window
            and size <= self.frame_bytes
            and not stream.queue
            and not self.is_congested
        ):
            stream.window -= size
            self.window -= size
            if size:
                self.output.append(frames.head(size, frames.DATA, 0, stream.id) + data)
            if trailers is None:
                stream.drained()
            else:
                self.send_headers(stream, trailers, is_last=True)
            return
        stream.queue.append(memoryview(data))
        self.queued_bytes += size
        if trailers is not None:
            stream.trailers = trailers
            self.queued_bytes += len(trailers)
        self.pump(stream)

    def pump(self, stream: Stream) -> None:
        """Send what is in the queue of a stream, as far as the windows permit."""
        queue = stream.queue
        if not queue:
            return
        while queue:
            room = min(stream.window, self.window, self.frame_bytes)
            if self.is_congested or (room <= 0 and queue[0]):
                if stream.window > 0 or self.is_congested:
                    self._blocked[stream] = None
                return
            data = queue.popleft()
            if not data:  # Only the end of the reply waited; its window may be below 0.
                continue
            if len(data) > room:
                queue.appendleft(data[room:])
                data = data[:room]
            size = len(data)
            stream.window -= size
            self.window -= size
            self.queued_bytes -= size
            self.output.append(frames.head(size, frames.DATA, 0, stream.id))
            self.output.append(data)
        if stream.trailers is not None:
            self.queued_bytes -= len(stream.trailers)
            self.send_headers(stream, stream.trailers, is_last=True)
        else:
            stream.drained()

    def resume(self) -> None:
        """Continue the streams that wait for the window of the connection, or for its socket."""
        if self._blocked:
            blocked, self._blocked = self._blocked, {}
            for stream in blocked:
                self.pump(stream)

    def drop_queue(self, stream: Stream) -> None:
        """Forget what the client has not taken of a stream."""
        self._blocked.pop(stream, None)
        if stream.queue:
            self.queued_bytes -= sum(map(len, stream.queue)) + len(stream.trailers or b"")
            stream.queue.clear()
            stream.trailers = None

    def _finish(self, stream: Stream) -> None:
        """Close a stream whose reply is complete."""
        stream.is_over = True
        self.streams.pop(stream.id, None)
        if not stream.has_ended:  # The rest of the request is not needed.
            self.output.append(frames.reset(stream.id, ErrorCode.NO_ERROR))

    def reset(self, stream_id: int, code: ErrorCode) -> None:
        """End a stream with an error."""
        stream = self.streams.get(stream_id)
        if stream is not None:
            self.discard(stream)
        self.answer(frames.reset(stream_id, code))

    def discard(self, stream: Stream) -> None:
        """Remove a stream whose reply the client no longer reads."""
        del self.streams[stream.id]
        self.drop_queue(stream)
        stream.is_over = True
        stream.cancelled()

    def close(self) -> None:
        """End all streams, because the connection is lost."""
        for stream in tuple(self.streams.values()):
            self.discard(stream)

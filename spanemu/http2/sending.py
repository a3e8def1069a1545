"""The sending half of a connection: replies become frames, as far as the client's windows permit.

What the client has no room for waits in the queue of its stream. `output` is what can be sent.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from itertools import islice

from spanemu.http2 import frames
from spanemu.http2.errors import ConnectionFailure, ErrorCode
from spanemu.http2.frames import DATA, END_HEADERS, FRAME_BYTES_DEFAULT, HEAD, HEADERS
from spanemu.http2.header_block import NO_TABLE, Field

STREAM_WINDOW = 256 * 1024
CONTROL_BYTES_MAX = 256 * 1024  # of frames that answer frames, to a client that does not read
OUTPUT_BYTES_MAX = 1024 * 1024  # beyond which replies wait in their queues
SHORT_BYTES = 8 * 1024  # of a message beside which no client needs an answer to its PING
RESUMED_MAX = 64  # streams that are continued before other clients have their turns
_OBJECT_BYTES = 48  # that a small frame takes besides its content
_LAST = frames.END_HEADERS | frames.END_STREAM


class Stream:
    """A request and its reply on a connection; a derived class gives them a meaning.

    `window` is what the client lets the server send, beyond the window that it gives all streams.
    `granted` is what the server lets the client send, and `allowance` what it grants again and
    again. `kept_bytes` is what the server keeps of the request. What most streams leave as it is
    stands in the class, so that a short request sets few attributes.
    """

    window = 0
    granted = allowance = STREAM_WINDOW
    kept_bytes = 0
    has_ended = False  # the request is complete
    is_over = False  # the reply is complete, or the stream was reset
    queue: deque[memoryview] | None = None  # data that the client has no room for
    trailers: bytes | None = None  # to be sent behind the queue
    waits_in: OrderedDict[Stream, None] | None = None  # streams that wait for the same

    def __init__(self, connection: Sender, stream_id: int) -> None:
        self.connection = connection
        self.id = stream_id

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

    def is_served(self) -> bool:
        """Return whether the request is complete, and its reply does not wait for the client."""
        return self.has_ended and not self.queue

    def keep(self, size: int) -> None:
        """Count bytes that are kept of the request."""
        self.kept_bytes += size
        self.connection.kept_bytes += size

    def release(self) -> None:
        """Forget the request, because the stream is over."""
        self.connection.kept_bytes -= self.kept_bytes
        self.kept_bytes = 0


class Sender:
    """The open streams of a connection, the client's windows, and pending output.

    A reply that cannot be sent waits for the socket, for the window of the connection or for that
    of its stream. `resume` continues a few of those that need to wait no longer, however many
    there are, and leaves a backlog.
    """

    def __init__(self) -> None:
        self.streams: dict[int, Stream] = {}
        self.window = frames.WINDOW_DEFAULT
        self.stream_window = frames.WINDOW_DEFAULT  # of all streams, besides their own
        self.frame_bytes = frames.FRAME_BYTES_DEFAULT
        # The client's table is smaller than usual, so the next header block has to begin with an
        # update of the size (RFC 7541, 4.2), although the blocks of replies use no table.
        self.must_drop_table = False
        self.output: list[bytes | memoryview] = []
        self.output_bytes = 0  # whoever sends the output resets it
        self.kept_bytes = 0  # of requests
        self.queued_bytes = 0  # in the queues of streams, the trailers behind them included
        self.control_bytes = 0  # of answers in the output; whoever sends it resets it
        # DATA was sent since the last PING, by which the client may measure how long the data took.
        self.may_be_measured = False
        self.held_ack: bytes | None = None  # the answer to such a PING, for a moment
        self.is_congested = False  # The socket takes no more: replies wait in their queues.
        self.may_resume = RESUMED_MAX  # streams, until others have had their turns
        self._jammed: OrderedDict[Stream, None] = OrderedDict()  # streams that wait for the socket
        self._blocked: OrderedDict[Stream, None] = OrderedDict()  # for the connection's window
        self._starved: OrderedDict[Stream, None] = OrderedDict()  # for their own
        self._grown: OrderedDict[Stream, None] = OrderedDict()  # whose own may have grown
        self._has_grown = False  # So have the windows of those that are starved.

    def emit(self, frame: bytes) -> None:
        """Send a frame."""
        self.output.append(frame)
        self.output_bytes += len(frame)

    def answer(self, frame: bytes) -> None:
        """Send a frame that a frame of the client asked for. Raises ConnectionFailure."""
        self.output.append(frame)
        self.control_bytes += len(frame)
        self.output_bytes += len(frame) + _OBJECT_BYTES
        if self.control_bytes > CONTROL_BYTES_MAX:
            raise ConnectionFailure("too many frames to answer", ErrorCode.ENHANCE_YOUR_CALM)

    def answer_ping(self, payload: bytes) -> None:
        """Answer a PING, or hold the answer back for a moment if no client waits for it.

        A client that measures its windows sends a PING after a reply, goes on without the answer,
        and measures nothing else until it has it. With an open stream, the answer may decide how
        large the windows become.
        """
        ack = frames.frame(frames.PING, frames.ACK, 0, payload)
        if self.may_be_measured and self.held_ack is None and not self.streams:
            self.held_ack = ack
            self.control_bytes += len(ack)
        else:
            self.release_ack()
            self.answer(ack)
        self.may_be_measured = False

    def release_ack(self) -> None:
        """Send the answer to a PING that was held back, if there is one."""
        ack, self.held_ack = self.held_ack, None
        if ack is not None:
            self.output.append(ack)
            self.output_bytes += len(ack) + _OBJECT_BYTES

    def send_headers(self, stream: Stream, block: bytes, *, is_last: bool = False) -> None:
        """Send the header fields of a reply; with `is_last`, they are all of it."""
        flags = _LAST if is_last else frames.END_HEADERS
        if self.must_drop_table:
            self.must_drop_table = False
            block = NO_TABLE + block
        length = len(block)
        if length > frames.FRAME_BYTES_DEFAULT:
            self._send_long_headers(stream.id, block, is_last)
        else:
            self.output.append(frames.head(length, frames.HEADERS, flags, stream.id) + block)
            self.output_bytes += length + _OBJECT_BYTES
        if is_last:
            self._finish(stream)

    def _send_long_headers(self, stream_id: int, block: bytes, is_last: bool) -> None:
        size = frames.FRAME_BYTES_DEFAULT
        kind, flags = frames.HEADERS, frames.END_STREAM if is_last else 0
        for start in range(0, len(block), size):
            if start + size >= len(block):
                flags |= frames.END_HEADERS
            self.emit(frames.frame(kind, flags, stream_id, block[start : start + size]))
            kind, flags = frames.CONTINUATION, 0

    def send(
        self, stream: Stream, data: bytes, trailers: bytes | None = None, head: bytes = b""
    ) -> None:
        """Send a part of a reply's body: with `head` its beginning, with `trailers` its end."""
        size = len(data)
        if (
            size > self.window
            or size > stream.window + self.stream_window
            or size > self.frame_bytes
            or stream.queue
            or self.must_drop_table
            or self.is_congested
            or self.output_bytes > OUTPUT_BYTES_MAX
        ):
            self._send_later(stream, data, trailers, head)
            return
        if self.held_ack is not None and (size > SHORT_BYTES or not (head or trailers)):
            self.release_ack()  # How large the windows become may depend on it.
        stream_id, frame = stream.id, b""
        if head:
            frame = HEAD.pack(0, len(head), HEADERS, END_HEADERS, stream_id) + head
        if size:
            stream.window -= size
            self.window -= size
            frame += HEAD.pack(size >> 8, size & 0xFF, DATA, 0, stream_id) + data
            self.may_be_measured = True
        if trailers is None:
            self.output.append(frame)
            self.output_bytes += len(frame) + _OBJECT_BYTES
            stream.drained()
            return
        length = len(trailers)
        if length > FRAME_BYTES_DEFAULT:
            self.emit(frame)
            self.send_headers(stream, trailers, is_last=True)
            return
        frame += HEAD.pack(length >> 8, length & 0xFF, HEADERS, _LAST, stream_id) + trailers
        self.output.append(frame)
        self.output_bytes += len(frame) + _OBJECT_BYTES
        self._finish(stream)

    def send_whole(self, stream: Stream, frames: bytes, data_bytes: int) -> bool:
        """Send the frames of a whole reply if there is room; return whether there was.

        `data_bytes` are those in DATA: a short message.
        """
        if (
            data_bytes > self.window
            or data_bytes > stream.window + self.stream_window
            or self.must_drop_table
            or self.is_congested
            or self.output_bytes > OUTPUT_BYTES_MAX
        ):
            return False
        self.window -= data_bytes
        self.may_be_measured = True
        self.output.append(frames)
        self.output_bytes += len(frames) + _OBJECT_BYTES
        self._finish(stream)
        return True

    def _send_later(self, stream: Stream, data: bytes, trailers: bytes | None, head: bytes) -> None:
        """Send what the client has room for, and keep the rest of it in the queue of the stream."""
        self.release_ack()
        if head:
            self.send_headers(stream, head)
        if stream.queue is None:
            stream.queue = deque()
        stream.queue.append(memoryview(data))
        self.queued_bytes += len(data)
        if trailers is not None:
            stream.trailers = trailers
            self.queued_bytes += len(trailers)
        self.pump(stream)

    def pump(self, stream: Stream) -> None:
        """Send the queue of a stream, as far as the windows permit."""
        queue = stream.queue
        if not queue:
            return
        while queue:
            data = queue[0]
            line = self._line_of(stream, len(data))
            if line is not None:
                self._wait_in(line, stream)
                return
            if not data:  # Only the end of the reply waited; its window may be below 0.
                queue.popleft()
                continue
            room = min(len(data), stream.window + self.stream_window, self.window)
            room = min(room, max(OUTPUT_BYTES_MAX - self.output_bytes, self.frame_bytes))
            self._send_frames(stream, data[:room])
            if room < len(data):
                queue[0] = data[room:]
            else:
                queue.popleft()
        self._wait_in(None, stream)
        if stream.trailers is not None:
            self.queued_bytes -= len(stream.trailers)
            self.send_headers(stream, stream.trailers, is_last=True)
        else:
            stream.drained()

    def _send_frames(self, stream: Stream, data: memoryview) -> None:
        """Send data for which there is room."""
        size, frame_bytes, output = len(data), self.frame_bytes, self.output
        stream.window -= size
        self.window -= size
        self.queued_bytes -= size
        self.output_bytes += size
        self.may_be_measured = True
        for start in range(0, size, frame_bytes):
            part = data[start : start + frame_bytes]
            output.append(frames.head(len(part), frames.DATA, 0, stream.id))
            output.append(part)
            self.output_bytes += _OBJECT_BYTES

    def is_jammed(self) -> bool:
        """Return whether there is as much to send as the socket takes, or more."""
        return self.is_congested or self.output_bytes > OUTPUT_BYTES_MAX

    def _line_of(self, stream: Stream, size: int) -> OrderedDict[Stream, None] | None:
        """Return the streams among which one has to wait that has data to send; None if none."""
        if self.is_jammed():
            return self._jammed
        if not size:
            return None
        if stream.window + self.stream_window <= 0:
            return self._starved
        return self._blocked if self.window <= 0 else None

    def _wait_in(self, line: OrderedDict[Stream, None] | None, stream: Stream) -> None:
        if stream.waits_in is not line:
            if stream.waits_in is not None:
                del stream.waits_in[stream]
            if line is not None:
                line[stream] = None
            stream.waits_in = line

    def resume(self) -> None:
        """Continue some of the streams that need not wait any longer."""
        while self.queued_bytes and self.may_resume > 0 and (line := self._movable()):
            stream, _ = line.popitem(last=False)
            stream.waits_in = None
            self.may_resume -= 1
            self.pump(stream)

    def has_backlog(self) -> bool:
        """Return whether streams wait although they need not."""
        return bool(self.queued_bytes and self._movable())

    def _movable(self) -> OrderedDict[Stream, None] | None:
        """Return streams that may be able to go on, if there are any."""
        if self.is_jammed():
            return None
        if self._jammed:
            return self._jammed
        if self._blocked and self.window > 0:
            return self._blocked
        if self._has_grown and not self._grown:
            self._has_grown = False
            self._grown, self._starved = self._starved, self._grown
        return self._grown

    def grow_streams(self) -> None:
        """Retry the streams that wait for their own windows: all windows have grown."""
        self._has_grown = True
        self.resume()

    def drop_queue(self, stream: Stream) -> None:
        """Discard the part of a reply that waits for the client to take it."""
        self._wait_in(None, stream)
        if stream.queue:
            self.queued_bytes -= sum(map(len, stream.queue)) + len(stream.trailers or b"")
            stream.queue = stream.trailers = None

    def _finish(self, stream: Stream) -> None:
        """Close a stream whose reply is complete."""
        stream.is_over = True
        self.streams.pop(stream.id, None)
        stream.release()
        if not stream.has_ended:  # The rest of the request is not needed.
            self.emit(frames.reset(stream.id, ErrorCode.NO_ERROR))

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
        stream.release()

    def close(self, streams_max: int | None = None) -> bool:
        """End all streams, or a number of them, because the connection is lost.

        Return whether none is left.
        """
        for stream in tuple(islice(self.streams.values(), streams_max)):
            self.discard(stream)
        return not self.streams

"""A connection of HTTP/2 (RFC 9113), seen from the server: bytes in, streams and bytes out.

    receive(bytes)  ->  frames  ->  a Stream for each request, and what arrives for it
    send(...)       ->  frames, as far as the client's windows permit  ->  output

It does no input or output of its own, and is used by one thread at a time. A violation by the
client raises ConnectionFailure from `receive`, or resets a stream.

The work of a frame is bounded by its size: a window that grows for all streams is one number, and
the streams that may go on are continued a few at a time. What a client can make the server keep is
bounded, as header blocks, open streams and frames that answer frames are, or counted (`account`).
"""

from __future__ import annotations

from collections.abc import Callable

from spanemu.http2 import frames
from spanemu.http2.errors import ConnectionFailure, ErrorCode, StreamFailure
from spanemu.http2.frames import (
    END_HEADERS,
    END_STREAM,
    FRAME_BYTES_DEFAULT,
    HEAD,
    NUMBER,
    PADDED,
    PRIORITIZED,
    SETTING,
)
from spanemu.http2.header_block import TABLE_BYTES_MAX, Field, HeaderDecoder
from spanemu.http2.sending import RESUMED_MAX, STREAM_WINDOW, Sender, Stream

STREAMS_MAX = 10_000
HEADER_LIST_BYTES_MAX = 64 * 1024
CONNECTION_WINDOW = 16 * 1024 * 1024
_ROOM_MIN = CONNECTION_WINDOW // 2  # that is left of it, until the client is granted more
_SETTINGS_WEIGHT = 2_048  # bytes of answers as which one to SETTINGS counts
BLOCK_FRAMES_MAX = 32  # CONTINUATION frames of a header block
BLOCK_BYTES_MAX = HEADER_LIST_BYTES_MAX
STREAM_BYTES = 2_048  # that a stream takes besides its header fields
_NO_SETTINGS = "the first frame is not SETTINGS"
_EXTENDED = PADDED | PRIORITIZED  # HEADERS with more in them than header fields
_FIELD_WEIGHT = 2  # as how many bytes one of a header field counts, which is an object


class Connection(Sender):
    """A connection: its streams, its windows and the state of its header tables."""

    def __init__(self, new_stream: Callable[[Connection, int], Stream]) -> None:
        super().__init__()
        self._new_stream = new_stream
        self._decoder = HeaderDecoder()
        self._rest = b""
        self._is_prefaced = False
        self.has_settings = False
        self._handlers = _SETTINGS_FIRST  # of the frames that may come next
        self._block: tuple[int, int, list[bytes]] | None = None  # stream, flags, fragments
        self.last_id = 0
        self.is_going = False  # A GOAWAY frame was sent: new streams are refused.
        self._block_bytes = 0
        self._room = CONNECTION_WINDOW  # that the client has left of what it was granted
        self._granted_bytes = CONNECTION_WINDOW  # in all
        self.output += [
            frames.settings(
                {
                    frames.MAX_CONCURRENT_STREAMS: STREAMS_MAX,
                    frames.INITIAL_WINDOW_SIZE: STREAM_WINDOW,
                    frames.MAX_HEADER_LIST_SIZE: HEADER_LIST_BYTES_MAX,
                }
            ),
            frames.window_update(0, CONNECTION_WINDOW - frames.WINDOW_DEFAULT),
        ]

    # ------------------------------------------------------------------ receiving

    def receive(self, data: bytes) -> None:
        """Handle what arrived. Raises ConnectionFailure."""
        self.may_resume = RESUMED_MAX
        if self._rest:
            data = self._rest + data
            self._rest = b""
        position, end = 0, len(data)
        if not self._is_prefaced:
            preface = frames.PREFACE
            if data[: len(preface)] != preface[:end]:
                raise ConnectionFailure("this port speaks HTTP/2 only")
            if end < len(preface):
                self._rest = data
                return
            position, self._is_prefaced = len(preface), True
        unpack = HEAD.unpack_from
        while end - position >= 9:
            high, low, kind, flags, stream_id = unpack(data, position)
            length = high << 8 | low
            if length > FRAME_BYTES_DEFAULT:
                raise ConnectionFailure("a frame is too large", ErrorCode.FRAME_SIZE_ERROR)
            start = position + 9
            position = start + length
            if position > end:
                position = start - 9
                break
            try:
                self._handlers[kind](self, flags, stream_id & 0x7FFFFFFF, data[start:position])
            except StreamFailure as failure:
                self.reset(failure.stream_id, failure.code)
        if position < end:
            self._rest = data[position:]

    def _data(self, flags: int, stream_id: int, payload: bytes) -> None:
        size = len(payload)
        self._room = room = self._room - size
        if room < _ROOM_MIN:
            self._make_room()
        stream = self.streams.get(stream_id)
        if stream is None:
            self._refuse(stream_id)
            return
        if stream.has_ended:
            raise StreamFailure(stream_id, ErrorCode.STREAM_CLOSED)
        if flags & PADDED:
            payload = _unpadded(payload)
        if size > stream.granted:
            raise StreamFailure(stream_id, ErrorCode.FLOW_CONTROL_ERROR)
        if flags & END_STREAM:
            stream.has_ended = True
        else:
            stream.granted -= size
        if payload:
            stream.data(payload)
        if stream.is_over:
            return
        if stream.has_ended:
            stream.end()
        elif stream.granted * 2 < stream.allowance:
            self.grant(stream)

    @property
    def data_bytes(self) -> int:
        """The bytes received in frames of DATA."""
        return self._granted_bytes - self._room

    def _make_room(self) -> None:
        """Grant the client what it has used of the window. Raises ConnectionFailure."""
        if self._room < 0:
            raise ConnectionFailure("the window is overrun", ErrorCode.FLOW_CONTROL_ERROR)
        used = CONNECTION_WINDOW - self._room
        self.emit(frames.window_update(0, used))
        self._room = CONNECTION_WINDOW
        self._granted_bytes += used

    def grant(self, stream: Stream) -> None:
        """Allow the client to send its allowance on a stream."""
        if stream.granted < stream.allowance:
            self.emit(frames.window_update(stream.id, stream.allowance - stream.granted))
            stream.granted = stream.allowance

    def _refuse(self, stream_id: int) -> None:
        """Handle DATA on a stream that is not open."""
        if stream_id == 0 or stream_id > self.last_id or not stream_id & 1:
            raise ConnectionFailure("a frame names a stream that was not opened")
        self.answer(frames.reset(stream_id, ErrorCode.STREAM_CLOSED))

    def _headers(self, flags: int, stream_id: int, payload: bytes) -> None:
        """Open a stream, or end a request with its trailers, if the header block is complete."""
        if not stream_id & 1:
            raise ConnectionFailure("a client's streams have odd numbers")
        if flags & _EXTENDED:
            payload = _block_in(payload, flags, stream_id)
        if not flags & END_HEADERS:
            self._block, self._handlers = (stream_id, flags, [payload]), _BLOCK_GOES_ON
            self._block_bytes = len(payload)
            self.kept_bytes += len(payload)
            return
        fields = self._decoder.decode(payload, HEADER_LIST_BYTES_MAX)
        if stream_id <= self.last_id:
            self._end_with(stream_id, flags, fields)
            return
        self.last_id = stream_id
        if self.is_going or len(self.streams) >= STREAMS_MAX:
            self.answer(frames.reset(stream_id, ErrorCode.REFUSED_STREAM))
            return
        stream = self.streams[stream_id] = self._new_stream(self, stream_id)
        stream = stream.begin(fields)
        if stream.is_over:
            return
        kept_bytes = STREAM_BYTES + _FIELD_WEIGHT * self._decoder.list_bytes
        stream.kept_bytes += kept_bytes
        self.kept_bytes += kept_bytes
        if flags & END_STREAM:
            stream.has_ended = True
            stream.end()

    def _end_with(self, stream_id: int, flags: int, trailers: list[Field] | None) -> None:
        """End a request with its trailers."""
        stream = self.streams.get(stream_id)
        if stream is None:
            raise ConnectionFailure("a stream is opened again", ErrorCode.STREAM_CLOSED)
        if stream.has_ended:
            raise ConnectionFailure("HEADERS after the end", ErrorCode.STREAM_CLOSED)
        if not flags & END_STREAM or any(each.name.startswith(b":") for each in trailers or ()):
            raise StreamFailure(stream_id, ErrorCode.PROTOCOL_ERROR)
        stream.has_ended = True
        stream.end()

    def _continuation(self, flags: int, stream_id: int, payload: bytes) -> None:
        if self._block is None or self._block[0] != stream_id:
            raise ConnectionFailure("CONTINUATION without HEADERS")
        _, first_flags, fragments = self._block
        fragments.append(payload)
        self._block_bytes += len(payload)
        self.kept_bytes += len(payload)
        if len(fragments) > BLOCK_FRAMES_MAX or self._block_bytes > BLOCK_BYTES_MAX:
            raise ConnectionFailure("a header block is too large", ErrorCode.ENHANCE_YOUR_CALM)
        if flags & END_HEADERS:
            self._block, self._handlers = None, _HANDLERS
            self.kept_bytes -= self._block_bytes
            self._headers(first_flags & END_STREAM | END_HEADERS, stream_id, b"".join(fragments))

    def close(self, streams_max: int | None = None) -> bool:
        if self._block is not None:
            self._block = None
            self.kept_bytes -= self._block_bytes
        return super().close(streams_max)

    def _priority(self, flags: int, stream_id: int, payload: bytes) -> None:
        if stream_id == 0:
            raise ConnectionFailure("PRIORITY without a stream")
        if len(payload) != 5:
            raise StreamFailure(stream_id, ErrorCode.FRAME_SIZE_ERROR)
        if NUMBER.unpack_from(payload)[0] & 0x7FFFFFFF == stream_id:
            raise StreamFailure(stream_id, ErrorCode.PROTOCOL_ERROR)

    def _rst_stream(self, flags: int, stream_id: int, payload: bytes) -> None:
        if len(payload) != 4:
            raise ConnectionFailure("RST_STREAM has 4 bytes", ErrorCode.FRAME_SIZE_ERROR)
        if stream_id == 0 or stream_id > self.last_id:
            raise ConnectionFailure("RST_STREAM names a stream that was not opened")
        stream = self.streams.get(stream_id)
        if stream is not None:
            self.discard(stream)

    def _settings(self, flags: int, stream_id: int, payload: bytes) -> None:
        if not self.has_settings:
            if flags & frames.ACK:
                raise ConnectionFailure(_NO_SETTINGS)
            self.has_settings, self._handlers = True, _HANDLERS
        if stream_id:
            raise ConnectionFailure("SETTINGS on a stream")
        if len(payload) % 6 or (flags & frames.ACK and payload):
            raise ConnectionFailure("SETTINGS are cut off", ErrorCode.FRAME_SIZE_ERROR)
        if flags & frames.ACK:
            return
        before = self.stream_window
        for name, value in SETTING.iter_unpack(payload):
            self._set(name, value)
        self.control_bytes += _SETTINGS_WEIGHT
        self.answer(frames.SETTINGS_ACK)
        if self.stream_window > before:
            self.grow_streams()

    def _set(self, name: int, value: int) -> None:
        if name == frames.INITIAL_WINDOW_SIZE:
            if value > frames.WINDOW_MAX:
                raise ConnectionFailure("a window is too large", ErrorCode.FLOW_CONTROL_ERROR)
            # A stream whose window is too large now is reset when the client makes it larger.
            self.stream_window = value
        elif name == frames.MAX_FRAME_SIZE:
            if not frames.FRAME_BYTES_DEFAULT <= value <= frames.FRAME_BYTES_LIMIT:
                raise ConnectionFailure("MAX_FRAME_SIZE is out of range")
            self.frame_bytes = min(value, 1 << 20)
        elif name == frames.HEADER_TABLE_SIZE and value < TABLE_BYTES_MAX:
            self.must_drop_table = True
        elif name == frames.ENABLE_PUSH and value > 1:
            raise ConnectionFailure("ENABLE_PUSH is neither 0 nor 1")

    def _push_promise(self, flags: int, stream_id: int, payload: bytes) -> None:
        raise ConnectionFailure("a client cannot push")

    def _ping(self, flags: int, stream_id: int, payload: bytes) -> None:
        if len(payload) != 8:
            raise ConnectionFailure("PING has 8 bytes", ErrorCode.FRAME_SIZE_ERROR)
        if stream_id:
            raise ConnectionFailure("PING on a stream")
        if not flags & frames.ACK:
            self.answer_ping(payload)

    def _goaway(self, flags: int, stream_id: int, payload: bytes) -> None:
        if stream_id:
            raise ConnectionFailure("GOAWAY on a stream")
        if len(payload) < 8:
            raise ConnectionFailure("GOAWAY is cut off", ErrorCode.FRAME_SIZE_ERROR)

    def _window_update(self, flags: int, stream_id: int, payload: bytes) -> None:
        if len(payload) != 4:
            raise ConnectionFailure("WINDOW_UPDATE has 4 bytes", ErrorCode.FRAME_SIZE_ERROR)
        added = NUMBER.unpack(payload)[0] & 0x7FFFFFFF
        if stream_id == 0:
            self.window += added
            if not added:
                raise ConnectionFailure("a window grows by 0")
            if self.window > frames.WINDOW_MAX:
                raise ConnectionFailure("a window is too large", ErrorCode.FLOW_CONTROL_ERROR)
            if self.queued_bytes:
                self.resume()
            return
        if stream_id > self.last_id:
            raise ConnectionFailure("WINDOW_UPDATE names a stream that was not opened")
        opened = self.streams.get(stream_id)
        if not added:
            raise StreamFailure(stream_id, ErrorCode.PROTOCOL_ERROR)
        if opened is not None:
            opened.window += added
            if opened.window + self.stream_window > frames.WINDOW_MAX:
                raise StreamFailure(stream_id, ErrorCode.FLOW_CONTROL_ERROR)
            self.pump(opened)


def _unpadded(payload: bytes) -> bytes:
    if not payload or payload[0] >= len(payload):
        raise ConnectionFailure("a frame has more padding than content")
    return payload[1 : len(payload) - payload[0]]


def _block_in(payload: bytes, flags: int, stream_id: int) -> bytes:
    """Return the fragment of a header block in the payload of HEADERS, without what surrounds it.

    Raises ConnectionFailure.
    """
    if flags & PADDED:
        payload = _unpadded(payload)
    if not flags & PRIORITIZED:
        return payload
    if len(payload) < 5:
        raise ConnectionFailure("HEADERS are too short", ErrorCode.FRAME_SIZE_ERROR)
    if NUMBER.unpack_from(payload)[0] & 0x7FFFFFFF == stream_id:
        raise ConnectionFailure("a stream depends on itself")
    return payload[5:]


# What handles a frame (with its flags, its stream and its payload), by the kind of the frame.
_Handler = Callable[[Connection, int, int, bytes], None]
_Handlers = tuple[_Handler, ...]


def _only(kind: int, otherwise: str) -> _Handlers:
    """Return the handlers while one kind of frame has to come next."""

    def fail(connection: Connection, flags: int, stream_id: int, payload: bytes) -> None:
        raise ConnectionFailure(otherwise)

    handlers: list[_Handler] = [fail] * len(_HANDLERS)
    handlers[kind] = _HANDLERS[kind]
    return tuple(handlers)


def _ignore(connection: Connection, flags: int, stream_id: int, payload: bytes) -> None:
    """Ignore a frame of an unknown kind."""


_HANDLERS: _Handlers = (
    Connection._data,
    Connection._headers,
    Connection._priority,
    Connection._rst_stream,
    Connection._settings,
    Connection._push_promise,
    Connection._ping,
    Connection._goaway,
    Connection._window_update,
    Connection._continuation,
)
_HANDLERS += (_ignore,) * (256 - len(_HANDLERS))
_SETTINGS_FIRST = _only(frames.SETTINGS, _NO_SETTINGS)
_BLOCK_GOES_ON = _only(frames.CONTINUATION, "a header block is interrupted")

"""A connection keeps to RFC 9113 and demands the same of its client: the cases of h2spec."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hpack import Decoder, Encoder
from hypothesis import given, settings
from hypothesis import strategies as st

from spanemu.base.errors import Code
from spanemu.frontend.boundary import Failure
from spanemu.http2 import connection as module
from spanemu.http2 import frames, reply_frames, sending
from spanemu.http2.connection import Connection
from spanemu.http2.errors import ConnectionFailure, ErrorCode
from spanemu.http2.frames import frame
from spanemu.http2.header_block import NO_TABLE
from spanemu.http2.sending import SHORT_BYTES, Sender, Stream

P, F, S = ErrorCode.PROTOCOL_ERROR, ErrorCode.FRAME_SIZE_ERROR, ErrorCode.STREAM_CLOSED
FIELDS = [(":method", "POST"), (":scheme", "http"), (":path", "/s/m"), ("te", "trailers")]
BLOCK = Encoder().encode(FIELDS, huffman=False)
HEADERS = frame(frames.HEADERS, frames.END_HEADERS, 1, BLOCK)
WHOLE = frame(frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, 1, BLOCK)
SETTINGS = frames.settings({})


class Recorded(Stream):
    """A stream that records what it takes."""

    def __init__(self, connection: Sender, stream_id: int) -> None:
        super().__init__(connection, stream_id)
        self.events: list[str] = []
        self.body = bytearray()
        made.append(self)

    def begin(self, fields):
        self.events.append("begin" if fields is not None else "too large")
        return self

    def data(self, data):
        self.body += data

    def end(self):
        self.events.append("end")

    def cancelled(self):
        self.events.append("cancelled")


made: list[Recorded] = []


def connected(prefix: bytes = frames.PREFACE + SETTINGS) -> Connection:
    made.clear()
    connection = Connection(Recorded)
    connection.receive(prefix)
    return connection


def sent(connection: Connection) -> list[tuple[int, int, int, bytes]]:
    """Take the frames of the output: type, flags, stream, payload."""
    return list(split(b"".join(connection.output), connection))


def split(data: bytes, connection: Connection) -> Iterator[tuple[int, int, int, bytes]]:
    connection.output.clear()
    while data:
        high, low, kind, flags, stream_id = frames.HEAD.unpack_from(data)
        end = 9 + (high << 8 | low)
        yield kind, flags, stream_id, data[9:end]
        data = data[end:]


def resets(connection: Connection) -> list[tuple[int, int]]:
    return [
        (stream, frames.NUMBER.unpack(payload)[0])
        for kind, _, stream, payload in sent(connection)
        if kind == frames.RST_STREAM
    ]


def update(stream: int, size: int) -> bytes:
    return frames.window_update(stream, size)


CONNECTION_ERRORS = {
    "DATA on no stream": (P, frame(frames.DATA, 0, 0, b"a")),
    "DATA on an idle stream": (P, frame(frames.DATA, 0, 1, b"a")),
    "DATA with too much padding": (P, HEADERS + frame(frames.DATA, 8, 1, b"\x05abc")),
    "DATA with the flag of padding, but nothing": (P, HEADERS + frame(frames.DATA, 8, 1)),
    "a frame beyond the limit": (F, HEADERS + frame(frames.DATA, 0, 1, b"a" * 16_385)),
    "HEADERS on no stream": (P, frame(frames.HEADERS, 4, 0, BLOCK)),
    "HEADERS on an even stream": (P, frame(frames.HEADERS, 4, 2, BLOCK)),
    "HEADERS on an earlier stream": (S, frame(frames.HEADERS, 5, 3, BLOCK) + WHOLE),
    "HEADERS after the end": (S, WHOLE + WHOLE),
    "HEADERS with too much padding": (P, frame(frames.HEADERS, 12, 1, b"\xff" + BLOCK)),
    "HEADERS that depend on themselves": (
        P,
        frame(frames.HEADERS, 0x24, 1, b"\0\0\0\1\0" + BLOCK),
    ),
    "HEADERS too short for a priority": (F, frame(frames.HEADERS, 0x24, 1, b"\0")),
    "a block that is no header block": (
        ErrorCode.COMPRESSION_ERROR,
        frame(frames.HEADERS, 4, 1, b"\xff\xff\xff\xff\xff\xff"),
    ),
    "a block that another frame interrupts": (
        P,
        frame(frames.HEADERS, 0, 1, BLOCK) + frame(frames.PING, 0, 0, b"12345678"),
    ),
    "a block that an unknown frame interrupts": (
        P,
        frame(frames.HEADERS, 0, 1, BLOCK) + frame(0x77, 0, 0, b"a"),
    ),
    "a block that continues on another stream": (
        P,
        frame(frames.HEADERS, 0, 1, BLOCK) + frame(frames.CONTINUATION, 4, 3, BLOCK),
    ),
    "CONTINUATION without HEADERS": (P, frame(frames.CONTINUATION, 4, 1, BLOCK)),
    "CONTINUATION after the end of the block": (P, HEADERS + frame(frames.CONTINUATION, 4, 1)),
    "a flood of CONTINUATION": (
        ErrorCode.ENHANCE_YOUR_CALM,
        frame(frames.HEADERS, 0, 1, BLOCK) + frame(frames.CONTINUATION, 0, 1) * 1_000,
    ),
    "PRIORITY on no stream": (P, frame(frames.PRIORITY, 0, 0, b"\0\0\0\3\0")),
    "RST_STREAM on no stream": (P, frame(frames.RST_STREAM, 0, 0, b"\0\0\0\0")),
    "RST_STREAM on an idle stream": (P, frame(frames.RST_STREAM, 0, 1, b"\0\0\0\0")),
    "RST_STREAM of another length": (F, HEADERS + frame(frames.RST_STREAM, 0, 1, b"\0\0\0")),
    "SETTINGS on a stream": (P, frame(frames.SETTINGS, 0, 1)),
    "SETTINGS of another length": (F, frame(frames.SETTINGS, 0, 0, b"abc")),
    "an acknowledgement with content": (F, frame(frames.SETTINGS, 1, 0, b"\0" * 6)),
    "a window beyond the limit": (
        ErrorCode.FLOW_CONTROL_ERROR,
        frames.settings({frames.INITIAL_WINDOW_SIZE: 1 << 31}),
    ),
    "a frame size below the limit": (P, frames.settings({frames.MAX_FRAME_SIZE: 16_383})),
    "a frame size beyond the limit": (P, frames.settings({frames.MAX_FRAME_SIZE: 1 << 24})),
    "ENABLE_PUSH of 2": (P, frames.settings({frames.ENABLE_PUSH: 2})),
    "PUSH_PROMISE": (P, frame(frames.PUSH_PROMISE, 4, 1, b"\0\0\0\2")),
    "PING on a stream": (P, frame(frames.PING, 0, 1, b"12345678")),
    "PING of another length": (F, frame(frames.PING, 0, 0, b"123")),
    "GOAWAY on a stream": (P, frame(frames.GOAWAY, 0, 1, b"\0" * 8)),
    "GOAWAY that is cut off": (F, frame(frames.GOAWAY, 0, 0, b"\0" * 7)),
    "WINDOW_UPDATE of 0": (P, update(0, 0)),
    "WINDOW_UPDATE of another length": (F, frame(frames.WINDOW_UPDATE, 0, 0, b"\0")),
    "WINDOW_UPDATE on an idle stream": (P, update(1, 1)),
    "WINDOW_UPDATE beyond the limit": (ErrorCode.FLOW_CONTROL_ERROR, update(0, (1 << 31) - 1)),
    "a flood of PING": (
        ErrorCode.ENHANCE_YOUR_CALM,
        frame(frames.PING, 0, 0, b"12345678") * 100_000,
    ),
    "a flood of SETTINGS": (ErrorCode.ENHANCE_YOUR_CALM, SETTINGS * 100_000),
}


@pytest.mark.parametrize("case", CONNECTION_ERRORS)
def test_a_violation_ends_the_connection(case: str) -> None:
    code, data = CONNECTION_ERRORS[case]
    connection = connected()
    with pytest.raises(ConnectionFailure) as caught:
        connection.receive(data)
    assert caught.value.code == code


STREAM_ERRORS = {
    "DATA after the end": (S, WHOLE + frame(frames.DATA, 0, 1, b"a")),
    "DATA after RST_STREAM": (
        S,
        HEADERS + frame(frames.RST_STREAM, 0, 1, b"\0\0\0\x08") + frame(frames.DATA, 0, 1, b"a"),
    ),
    "PRIORITY of another length": (F, HEADERS + frame(frames.PRIORITY, 0, 1, b"\0")),
    "PRIORITY on itself": (P, HEADERS + frame(frames.PRIORITY, 0, 1, b"\0\0\0\1\0")),
    "trailers without the end": (P, HEADERS + HEADERS),
    "trailers with a path": (P, HEADERS + WHOLE),
    "WINDOW_UPDATE of 0": (P, HEADERS + update(1, 0)),
    "WINDOW_UPDATE beyond the limit": (
        ErrorCode.FLOW_CONTROL_ERROR,
        HEADERS + update(1, (1 << 31) - 1),
    ),
    "DATA beyond the window": (
        ErrorCode.FLOW_CONTROL_ERROR,
        HEADERS + frame(frames.DATA, 0, 1, b"a" * 16_000),
    ),
}


@pytest.mark.parametrize("case", STREAM_ERRORS)
def test_a_violation_resets_the_stream(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sending.Stream, "granted", 1_000)
    code, data = STREAM_ERRORS[case]
    connection = connected()
    connection.receive(data)
    assert resets(connection) == [(1, code)]
    assert not connection.streams
    assert made[0].events[-1] == "cancelled"


def test_the_preface_has_to_be_that_of_http_2() -> None:
    with pytest.raises(ConnectionFailure):
        connected(b"GET / HTTP/1.1\r\n")
    with pytest.raises(ConnectionFailure):
        connected(frames.PREFACE + frame(frames.PING, 0, 0, b"12345678"))


@settings(max_examples=40)
@given(st.integers(1, 40))
def test_frames_may_arrive_in_any_parts(size: int) -> None:
    connection = connected(b"")
    data = frames.PREFACE + SETTINGS + HEADERS + frame(frames.DATA, 9, 1, b"\x02body\0\0")
    for start in range(0, len(data), size):
        connection.receive(data[start : start + size])
    assert (made[0].events, made[0].body) == (["begin", "end"], b"body")


@settings(max_examples=40)
@given(st.lists(st.binary(max_size=200), max_size=5))
def test_any_bytes_are_handled_or_refused(parts: list[bytes]) -> None:
    connection = connected()
    try:
        for part in parts:
            connection.receive(part)
    except ConnectionFailure:
        pass


@settings(max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 10), st.integers(0, 255), st.integers(0, 5), st.binary(max_size=20)
        ),
        max_size=20,
    )
)
def test_any_frames_are_handled_or_refused(given_frames: list[tuple[int, int, int, bytes]]) -> None:
    connection = connected()
    try:
        for item in given_frames:
            connection.receive(frame(*item))
    except ConnectionFailure:
        pass


def test_pings_and_settings_are_answered() -> None:
    connection = connected(b"")
    sent(connection)
    connection.receive(frames.PREFACE + SETTINGS + frame(frames.PING, 0, 0, b"12345678"))
    connection.receive(frame(frames.SETTINGS, 1, 0) + frame(frames.PING, 1, 0, b"12345678"))
    assert sent(connection) == [
        (frames.SETTINGS, frames.ACK, 0, b""),
        (frames.PING, frames.ACK, 0, b"12345678"),
    ]


def test_unknown_frames_and_settings_are_ignored() -> None:
    connection = connected()
    connection.receive(frame(0x16, 0, 1, b"?") + frames.settings({0x77: 5}) + WHOLE)
    assert made[0].events == ["begin", "end"]


def test_a_block_may_continue() -> None:
    connection = connected()
    connection.receive(frame(frames.HEADERS, 1, 1, BLOCK[:2]) + frame(9, 0, 1, BLOCK[2:4]))
    connection.receive(frame(frames.CONTINUATION, frames.END_HEADERS, 1, BLOCK[4:]))
    assert made[0].events == ["begin", "end"]


def test_trailers_end_a_request() -> None:
    connection = connected()
    trailers = Encoder().encode([("x-checksum", "1")])
    connection.receive(HEADERS + frame(frames.HEADERS, 5, 1, trailers))
    assert made[0].events == ["begin", "end"]


def test_streams_beyond_the_limit_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STREAMS_MAX", 2)
    connection = connected()
    for stream_id in (1, 3, 5):
        connection.receive(frame(frames.HEADERS, frames.END_HEADERS, stream_id, BLOCK))
    assert resets(connection) == [(5, ErrorCode.REFUSED_STREAM)]


def test_streams_after_goaway_are_refused() -> None:
    connection = connected()
    connection.is_going = True
    connection.receive(HEADERS)
    assert resets(connection) == [(1, ErrorCode.REFUSED_STREAM)]
    assert not made


def test_opening_and_resetting_leaves_nothing_behind() -> None:
    connection = connected()
    for stream_id in range(1, 6_001, 2):
        head = frame(frames.HEADERS, frames.END_HEADERS, stream_id, BLOCK)
        connection.receive(head + frames.reset(stream_id, ErrorCode.CANCEL))
    assert not connection.streams
    assert sum(map(len, connection.output)) < 1_000


def test_received_data_is_granted_to_the_window_again() -> None:
    connection = connected(frames.PREFACE + SETTINGS + HEADERS)
    total = 0
    for _ in range(2_000):  # twice the window of the connection
        connection.receive(frame(frames.DATA, 0, 1, b"a" * 16_384))
        total += 16_384
    assert len(made[0].body) == total
    granted = {0: 0, 1: 0}
    for kind, _, stream_id, payload in sent(connection):
        if kind == frames.WINDOW_UPDATE:
            granted[stream_id] += frames.NUMBER.unpack(payload)[0]
    assert granted[0] >= total
    assert granted[1] >= total - sending.STREAM_WINDOW


# ---------------------------------------------------------------------------- replies


def body(connection: Connection) -> dict[int, bytes]:
    """Take the data that were sent on each stream; b"." stands for the end."""
    result: dict[int, bytes] = {}
    for kind, flags, stream_id, payload in sent(connection):
        if kind == frames.DATA:
            result[stream_id] = result.get(stream_id, b"") + payload
        elif kind == frames.HEADERS and flags & frames.END_STREAM:
            result[stream_id] = result.get(stream_id, b"") + b"."
    return result


REPLIES = {
    "a whole reply": lambda stream: stream.connection.send_whole(
        stream, reply_frames.whole(stream.id, b"ab"), 7
    ),
    "the parts of a reply": lambda stream: stream.connection.send(
        stream, b"ab", reply_frames.OK, reply_frames.HEAD
    ),
    "a failure": lambda stream: stream.connection.send(
        stream, b"", reply_frames.end(Failure(Code.ABORTED, "a"), reply_frames.HEAD)
    ),
    "headers alone": lambda stream: stream.connection.send_headers(
        stream, reply_frames.OK, is_last=True
    ),
}


@pytest.mark.parametrize("reply", REPLIES)
@pytest.mark.parametrize("table_bytes", [0, 100, 4_095, 4_096, 65_536])
def test_a_client_with_a_small_table_is_told_that_the_server_keeps_to_it(
    table_bytes: int, reply: str
) -> None:
    sizes = frames.settings({frames.HEADER_TABLE_SIZE: table_bytes})
    connection = connected(frames.PREFACE + sizes)
    decoder = Decoder()
    decoder.max_allowed_table_size = table_bytes  # It refuses a block without the update.
    for number in (1, 3):
        flags = frames.END_HEADERS | frames.END_STREAM
        connection.receive(frame(frames.HEADERS, flags, number, BLOCK))
        if REPLIES[reply](made[-1]) is False:  # There was no room for it as a whole.
            connection.send(made[-1], b"ab", reply_frames.OK, reply_frames.HEAD)
        blocks = [each[3] for each in sent(connection) if each[0] == frames.HEADERS]
        fields = [field for block in blocks for field in decoder.decode(block)]
        assert "grpc-status" in dict(fields)
        updates = [block for block in blocks if block[:1] == NO_TABLE]
        assert len(updates) == (number == 1 and table_bytes < 4_096)


def test_data_waits_for_the_flow_control_window_of_its_stream() -> None:
    connection = connected(frames.PREFACE + frames.settings({frames.INITIAL_WINDOW_SIZE: 3}))
    connection.receive(WHOLE)
    connection.send(made[0], b"abcdefgh", b"\x88")
    assert body(connection) == {1: b"abc"}
    connection.receive(update(1, 2))
    assert body(connection) == {1: b"de"}
    connection.receive(frames.settings({frames.INITIAL_WINDOW_SIZE: 4}))
    assert body(connection) == {1: b"f"}
    connection.receive(frames.settings({frames.INITIAL_WINDOW_SIZE: 0}) + update(1, 5))
    assert body(connection) == {1: b"g"}
    connection.receive(update(1, 1))
    assert body(connection) == {1: b"h."}
    assert not connection.streams
    assert connection.queued_bytes == 0


def test_data_waits_for_the_flow_control_window_of_the_connection() -> None:
    window = frames.settings({frames.INITIAL_WINDOW_SIZE: 1 << 20})
    connection = connected(frames.PREFACE + window)
    connection.receive(WHOLE + frame(frames.HEADERS, 5, 3, BLOCK))
    for stream in made:
        connection.send(stream, b"a" * 60_000, b"\x88")
    first = body(connection)
    assert [len(first[1]), len(first[3])] == [60_001, 5_535]
    connection.receive(update(0, 1 << 20))
    assert len(body(connection)[3]) == 60_001 - 5_535


def test_the_end_of_an_empty_reply_needs_no_window() -> None:
    connection = connected(frames.PREFACE + frames.settings({frames.INITIAL_WINDOW_SIZE: 0}))
    connection.receive(WHOLE)
    connection.send(made[0], b"", b"\x88")
    assert body(connection) == {1: b"."}


def test_the_end_is_sent_although_the_window_shrank_below_zero() -> None:
    connection = connected(
        frames.PREFACE + frames.settings({frames.INITIAL_WINDOW_SIZE: 9}) + WHOLE
    )
    connection.send(made[0], b"abcdefgh")
    connection.receive(frames.settings({frames.INITIAL_WINDOW_SIZE: 2}))
    assert made[0].window < 0
    connection.send(made[0], b"", b"\x88")
    assert body(connection) == {1: b"abcdefgh."}
    assert (connection.queued_bytes, connection.streams) == (0, {})


def test_large_data_is_split_into_frames_of_the_accepted_size() -> None:
    connection = connected(frames.PREFACE + SETTINGS + WHOLE)
    connection.send(made[0], b"a" * 40_000, b"\x88")
    sizes = [len(payload) for kind, _, _, payload in sent(connection) if kind == frames.DATA]
    assert sizes == [16_384, 16_384, 7_232]


def test_long_headers_continue() -> None:
    connection = connected(frames.PREFACE + SETTINGS + WHOLE)
    connection.send_headers(made[0], b"\x88" * 40_000, is_last=True)
    shown = [(kind, flags) for kind, flags, stream, _ in sent(connection) if stream]
    assert shown == [(frames.HEADERS, 1), (frames.CONTINUATION, 0), (frames.CONTINUATION, 4)]


def test_a_reply_before_the_end_of_the_request_stops_the_rest() -> None:
    connection = connected(frames.PREFACE + SETTINGS + HEADERS)
    connection.send_headers(made[0], b"\x88", is_last=True)
    assert resets(connection) == [(1, ErrorCode.NO_ERROR)]


def test_nothing_is_sent_on_while_the_socket_takes_nothing() -> None:
    connection = connected(frames.PREFACE + SETTINGS + WHOLE)
    connection.is_congested = True
    connection.send(made[0], b"abc", b"\x88")
    assert body(connection) == {}
    assert connection.queued_bytes == len(b"abc" + b"\x88")
    connection.is_congested = False
    connection.resume()
    assert body(connection) == {1: b"abc."}
    assert connection.queued_bytes == 0


def test_a_whole_reply_is_sent_if_there_is_room() -> None:
    connection = connected(frames.PREFACE + SETTINGS + WHOLE)
    assert connection.send_whole(made[0], frame(frames.DATA, 1, 1, b"abc"), 3)
    assert body(connection) == {1: b"abc"}
    assert (connection.streams, made[0].is_over) == ({}, True)
    assert connection.window == frames.WINDOW_DEFAULT - 3


@pytest.mark.parametrize("case", ["the stream", "the connection", "the socket"])
def test_nothing_of_a_whole_reply_is_sent_without_room(case: str) -> None:
    window = 2 if case == "the stream" else 1 << 20
    connection = connected(frames.PREFACE + frames.settings({frames.INITIAL_WINDOW_SIZE: window}))
    connection.receive(WHOLE)
    sent(connection)
    if case == "the connection":
        connection.window = 2
    connection.is_congested = case == "the socket"
    assert not connection.send_whole(made[0], frame(frames.DATA, 1, 1, b"abc"), 3)
    assert (connection.output, made[0].is_over) == ([], False)


def test_a_reset_discards_pending_data() -> None:
    connection = connected(frames.PREFACE + frames.settings({frames.INITIAL_WINDOW_SIZE: 1}))
    connection.receive(WHOLE)
    connection.send(made[0], b"abc", b"\x88")
    connection.receive(frames.reset(1, ErrorCode.CANCEL) + update(0, 10))
    assert (connection.queued_bytes, made[0].events[-1]) == (0, "cancelled")


def test_settings_are_acknowledged_before_they_take_effect() -> None:
    connection = connected(frames.PREFACE + frames.settings({frames.INITIAL_WINDOW_SIZE: 0}))
    connection.receive(WHOLE)
    connection.send(made[0], b"a", b"\x88")
    sent(connection)
    connection.receive(frames.settings({frames.INITIAL_WINDOW_SIZE: 1}))
    kinds = [kind for kind, *_ in sent(connection)]
    assert kinds == [frames.SETTINGS, frames.DATA, frames.HEADERS]


# ---------------------------------------------------------------------------- work


def blocked(count: int, window: int) -> Connection:
    """Return a connection whose replies wait, for their own windows or for the connection's."""
    connection = connected(frames.PREFACE + frames.settings({frames.INITIAL_WINDOW_SIZE: window}))
    connection.window = 0
    connection.receive(
        b"".join(frame(frames.HEADERS, 5, 2 * number + 1, BLOCK) for number in range(count))
    )
    for stream in made:
        connection.send(stream, b"abcdef", b"\x88")
    sent(connection)
    return connection


def pumped(connection: Connection, data: bytes, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how often the connection looks at a stream because of what arrives."""
    streams: list[Stream] = []
    pump = Sender.pump

    def counted(self: Sender, stream: Stream) -> None:
        streams.append(stream)
        pump(self, stream)

    monkeypatch.setattr(Sender, "pump", counted)
    connection.receive(data)
    monkeypatch.undo()
    return len(streams)


def test_a_settings_frame_does_not_visit_each_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = blocked(5_000, 0)
    connection.receive(update(0, 1 << 20))
    pairs = [frames.SETTING.pack(frames.INITIAL_WINDOW_SIZE, 1 + n % 2) for n in range(2_700)]
    storm = frame(frames.SETTINGS, 0, 0, b"".join(pairs))
    assert pumped(connection, storm * 3, monkeypatch) <= sending.RESUMED_MAX
    assert connection.has_backlog()


def test_a_window_of_one_byte_visits_one_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = blocked(5_000, 100)
    assert pumped(connection, update(0, 1) * 30, monkeypatch) <= 60
    assert sum(len(data) for data in body(connection).values()) == 30


def test_all_streams_continue_eventually() -> None:
    count = 5_000
    connection = blocked(count, 0)
    connection.receive(update(0, 1 << 30) + frames.settings({frames.INITIAL_WINDOW_SIZE: 100}))
    replies = body(connection)
    while connection.has_backlog():
        connection.may_resume = sending.RESUMED_MAX
        connection.output_bytes = 0
        connection.resume()
        replies |= body(connection)
    assert set(replies.values()) == {b"abcdef."}
    assert len(replies) == count
    assert connection.queued_bytes == 0


def test_streams_that_wait_and_are_reset_are_forgotten() -> None:
    connection = blocked(100, 100)
    connection.receive(b"".join(frames.reset(2 * n + 1, ErrorCode.CANCEL) for n in range(100)))
    assert not connection._blocked
    connection.receive(update(0, 1_000))
    assert body(connection) == {}
    assert (connection.queued_bytes, connection.kept_bytes) == (0, 0)


def test_header_fields_are_counted_until_the_stream_ends() -> None:
    connection = connected()
    connection.receive(HEADERS)
    assert connection.kept_bytes > module.STREAM_BYTES
    connection.receive(frames.reset(1, ErrorCode.CANCEL))
    assert connection.kept_bytes == 0


def test_parts_of_a_header_block_are_counted_and_bounded() -> None:
    connection = connected()
    connection.receive(frame(frames.HEADERS, 0, 1, b"\x00" * 10_000))
    assert connection.kept_bytes == 10_000
    connection.close()
    assert connection.kept_bytes == 0
    connection = connected()
    part = b"\x00" * 16_000
    with pytest.raises(ConnectionFailure) as caught:
        connection.receive(
            frame(frames.HEADERS, 0, 1, part) + frame(frames.CONTINUATION, 0, 1, part) * 5
        )
    assert caught.value.code == ErrorCode.ENHANCE_YOUR_CALM


# ---------------------------------------------------------------------------- measurements

PINGS = [frame(frames.PING, 0, 0, b"%8d" % number) for number in range(3)]
ACKS = [(frames.PING, frames.ACK, 0, b"%8d" % number) for number in range(3)]


def replied() -> Connection:
    """Return a connection whose only stream has had its reply."""
    connection = connected(frames.PREFACE + SETTINGS + WHOLE)
    connection.send(made[0], b"reply", b"\x88")
    sent(connection)
    connection.control_bytes = 0  # as whoever sends the output does
    return connection


def test_the_answer_to_a_ping_after_a_reply_is_held_back() -> None:
    connection = replied()
    connection.receive(PINGS[0])
    assert not sent(connection)
    assert connection.control_bytes == len(PINGS[0])
    connection.release_ack()
    connection.release_ack()
    assert sent(connection) == ACKS[:1]


def with_held_answer() -> Connection:
    """Return a connection with the answer to a PING held back, and a further open stream."""
    connection = replied()
    flags = frames.END_HEADERS | frames.END_STREAM
    connection.receive(PINGS[0] + frame(frames.HEADERS, flags, 3, BLOCK))
    assert not sent(connection)
    return connection


def test_short_replies_leave_an_answer_held_back() -> None:
    connection = with_held_answer()
    connection.send(made[-1], b"first", None, b"\x88")
    connection.send(made[-1], b"", b"\x88")
    assert [kind for kind, *_ in sent(connection)] == [frames.HEADERS, frames.DATA, frames.HEADERS]
    assert connection.held_ack is not None


@pytest.mark.parametrize(
    ("data", "head"),
    [(bytes(SHORT_BYTES + 1), b"\x88"), (b"a message in the middle", b"")],
    ids=["a long message", "a message in the middle of a reply"],
)
def test_an_answer_held_back_goes_before_a_longer_reply(data: bytes, head: bytes) -> None:
    connection = with_held_answer()
    connection.send(made[-1], data, None, head)
    assert sent(connection)[0] == ACKS[0]
    assert connection.held_ack is None


def test_an_answer_held_back_goes_when_a_reply_has_to_wait() -> None:
    connection = with_held_answer()
    connection.is_congested = True
    connection.send(made[-1], b"reply", b"\x88")
    assert ACKS[0] in sent(connection)


def test_a_further_ping_is_answered_at_once_behind_the_one_before() -> None:
    connection = replied()
    connection.receive(PINGS[0] + PINGS[1])
    connection.receive(PINGS[2])
    assert sent(connection) == ACKS


def test_a_ping_during_a_request_is_answered_at_once() -> None:
    connection = replied()
    connection.receive(frame(frames.HEADERS, frames.END_HEADERS, 3, BLOCK) + PINGS[0])
    assert sent(connection) == ACKS[:1]


def test_a_ping_during_a_reply_that_waits_for_its_window_is_answered_at_once() -> None:
    connection = connected(frames.PREFACE + frames.settings({frames.INITIAL_WINDOW_SIZE: 3}))
    connection.receive(WHOLE)
    connection.send(made[0], b"abcdef", b"\x88")
    sent(connection)
    connection.receive(PINGS[0])
    assert sent(connection) == ACKS[:1]
    connection.receive(update(1, 3))
    assert body(connection) == {1: b"def."}
    connection.receive(PINGS[1])
    assert not sent(connection)


def test_a_ping_without_data_before_is_answered_at_once() -> None:
    connection = replied()
    connection.receive(PINGS[0])
    connection.release_ack()
    sent(connection)
    connection.receive(PINGS[1])
    assert sent(connection) == ACKS[1:2]


def test_held_answers_count_as_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = replied()
    monkeypatch.setattr(sending, "CONTROL_BYTES_MAX", 20)
    connection.receive(PINGS[0])
    with pytest.raises(ConnectionFailure) as caught:
        connection.receive(PINGS[1])
    assert caught.value.code == ErrorCode.ENHANCE_YOUR_CALM

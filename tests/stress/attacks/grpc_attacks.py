"""Attacks at the port of gRPC. Each goes on until it is told to end, or the server ends it."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from contextlib import ExitStack, suppress

import grpc

from spanemu.http2 import frames
from spanemu.http2.messages import PREFIX
from tests.stress.attacks.connection import (
    REFLECTION,
    SECONDS,
    SPANNER,
    WINDOW_MAX,
    Attack,
    Harmful,
    Target,
    Until,
    data,
    harmful,
    headers,
    patient_channel,
    request,
)

STREAMS = 9_900
MEBIBYTE = 1 << 20
QUERY = SPANNER + "ExecuteSql"
STREAMING = SPANNER + "ExecuteStreamingSql"
COMMIT = SPANNER + "Commit"
BATCH_WRITE = SPANNER + "BatchWrite"
LARGE_ROWS = "SELECT REPEAT('x', 100000) FROM UNNEST(GENERATE_ARRAY(1, 800))"
LARGE_CELL = "SELECT ARRAY(SELECT REPEAT('x', 100000) FROM UNNEST(GENERATE_ARRAY(1, 80)))"


def _open_streams(client: Harmful, count: int = STREAMS, start: int = 0) -> None:
    for number in range(start, start + count, 100):
        client.send(b"".join(headers(2 * each + 1, QUERY) for each in range(number, number + 100)))


def settings_of_many_windows(target: Target, goes_on: Until) -> None:
    """Change the window of 9,900 streams thousands of times a frame."""
    values = [frames.SETTING.pack(frames.INITIAL_WINDOW_SIZE, 1 + n % 2) for n in range(2_700)]
    burst = frames.frame(frames.SETTINGS, 0, 0, b"".join(values)) * 3
    with harmful(target) as client:
        _open_streams(client)
        while goes_on():
            client.send(burst)
            client.drain()


def blocked_replies(target: Target, goes_on: Until) -> None:
    """Let the window grow by a byte at a time while 9,900 replies wait for it."""
    message = target.sql("SELECT 'a'")
    with harmful(target) as client:
        for number in range(STREAMS):
            client.send(request(2 * number + 1, QUERY, message))
        while goes_on():
            client.send(frames.window_update(0, 1) * 3_000)
            client.drain()


def starved_replies(target: Target, goes_on: Until) -> None:
    """Let the windows of 9,900 streams grow and shrink while their replies wait for them."""
    message = target.sql("SELECT 'a'")
    with harmful(target, initial_window_size=0) as client:
        client.send(frames.window_update(0, WINDOW_MAX - frames.WINDOW_DEFAULT))
        for number in range(STREAMS):
            client.send(request(2 * number + 1, QUERY, message))
        grow = frames.settings({frames.INITIAL_WINDOW_SIZE: 1})
        shrink = frames.settings({frames.INITIAL_WINDOW_SIZE: 0})
        while goes_on():
            client.send((grow + shrink) * 20)
            client.drain()


def windows_of_streams(target: Target, goes_on: Until) -> None:
    """Let the window of one stream after another grow by a byte."""
    message = target.sql("SELECT 'abcdefgh'")
    with harmful(target, initial_window_size=0) as client:
        for number in range(1_000):
            client.send(request(2 * number + 1, QUERY, message))
        while goes_on():
            client.send(
                b"".join(frames.window_update(2 * number + 1, 1) for number in range(1_000))
            )
            client.drain()


def _block(size: int, content: bytes) -> bytes:
    """Return a header block in as many frames as it takes."""
    block = content * (size // len(content))
    parts = [block[start : start + 16_384] for start in range(0, len(block), 16_384)]
    whole = frames.frame(frames.HEADERS, 0, 1, parts[0])
    for part in parts[1:-1]:
        whole += frames.frame(frames.CONTINUATION, 0, 1, part)
    return whole + frames.frame(frames.CONTINUATION, frames.END_HEADERS, 1, parts[-1])


def _blocks(block: bytes) -> Attack:
    def attack(target: Target, goes_on: Until) -> None:
        while goes_on():
            with harmful(target) as client:
                client.send(block)
                client.socket.recv(1)

    return attack


def trailers_of_literals(target: Target, goes_on: Until) -> None:
    """Send blocks that are just not too large, one after the other."""
    block = b"\x01\x00" * 2_000
    with harmful(target) as client:
        stream_id = 1
        while goes_on():
            client.send(frames.frame(frames.HEADERS, 5, stream_id, block))
            client.drain()
            stream_id += 2


def reflection_message(target: Target, goes_on: Until) -> None:
    """Send a message of 100 MB on the reflection stream, in small frames."""
    part = frames.frame(frames.DATA, 0, 1, b"a" * 200) * 100
    with harmful(target) as client:
        client.send(headers(1, REFLECTION) + data(1, PREFIX.pack(0, 100 * MEBIBYTE)))
        while goes_on():
            client.send(part)
            client.drain()


def reflection_behind_a_window(target: Target, goes_on: Until) -> None:
    """Send messages whose replies have no room, on many streams."""
    message = PREFIX.pack(0, 60_000) + b"\x3a\x00" * 30_000
    while goes_on():
        with harmful(target, initial_window_size=0) as client:
            for number in range(500):
                stream_id = 2 * number + 1
                client.send(headers(stream_id, REFLECTION))
                client.send(data(stream_id, message * 4))
                if not goes_on():
                    return


def reflection_of_everything(target: Target, goes_on: Until) -> None:
    """Send short messages that ask for long replies, and read none."""
    ask = b"\x22\x19google.spanner.v1.Spanner"
    message = PREFIX.pack(0, len(ask)) + ask
    while goes_on():
        with harmful(target) as client:
            for number in range(2_000):
                stream_id = 2 * number + 1
                client.send_some(headers(stream_id, REFLECTION) + data(stream_id, message * 40))
                if not goes_on():
                    return


def refused_data(target: Target, goes_on: Until) -> None:
    """Send data on streams that were refused, and never read."""
    with harmful(target, initial_window_size=0) as client:
        for number in range(4_000):
            client.send(headers(2 * number + 1, QUERY + "Unknown"))
        two = PREFIX.pack(0, 0) * 2
        client.send(headers(9_001, QUERY))
        while goes_on():
            client.send_some(data(9_001, two) * 2_000)
            client.send_some(data(1, b"") * 2_000)


def unread_heads(target: Target, goes_on: Until) -> None:
    """Send requests that fail, and never read."""
    with harmful(target, initial_window_size=0) as client:
        number = 0
        while goes_on():
            for _ in range(100):
                client.send_some(request(2 * number + 1, QUERY, b"\xff"))
                number += 1


def _unread(path: str, statement: str) -> Attack:
    """Return the attack of 40 clients that ask for large replies, and never read."""

    def attack(target: Target, goes_on: Until) -> None:
        message = target.sql(statement)
        with ExitStack() as stack:
            clients = [
                stack.enter_context(harmful(target, initial_window_size=WINDOW_MAX))
                for _ in range(40)
            ]
            for client in clients:
                client.send(frames.window_update(0, WINDOW_MAX - frames.WINDOW_DEFAULT))
            number = 0
            while goes_on():
                for client in clients:
                    try:
                        client.send_some(request(2 * number + 1, path, message), 0.05)
                    except OSError:
                        continue
                number += 1

    return attack


def large_metadata(target: Target, goes_on: Until) -> None:
    """Keep requests open that have much metadata."""
    more = [(b"x-%d" % number, b"v" * 3_000) for number in range(18)]
    while goes_on():
        with harmful(target) as client:
            for number in range(STREAMS):
                client.send(headers(2 * number + 1, QUERY, *more))
                if not goes_on():
                    return


def _bomb(size: int) -> bytes:
    deflater = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts = [deflater.compress(b"\0" * MEBIBYTE) for _ in range(size // MEBIBYTE)]
    return b"".join((*parts, deflater.flush()))


def _bombs(path: str) -> Attack:
    def attack(target: Target, goes_on: Until) -> None:
        bomb, number = _bomb(100 * MEBIBYTE), 0
        with harmful(target) as client:
            while goes_on():
                client.send(
                    request(2 * number + 1, path, bomb, (b"grpc-encoding", b"gzip"), flag=1)
                )
                client.drain()
                client.send(frames.window_update(0, 1_000))
                number += 1

    return attack


def incomplete_commits(target: Target, goes_on: Until) -> None:
    """Send most of a large Commit from each of 40 clients."""
    part = data(1, b"a" * (10 * MEBIBYTE))
    while goes_on():
        with ExitStack() as stack:
            clients = [stack.enter_context(harmful(target)) for _ in range(40)]
            for client in clients:
                try:
                    client.send(headers(1, COMMIT) + data(1, PREFIX.pack(0, 100 * MEBIBYTE)))
                except OSError:
                    continue
            while goes_on():
                for client in clients:
                    try:
                        client.send_some(part, 0.05)
                    except OSError:
                        continue


def incomplete_requests(target: Target, goes_on: Until) -> None:
    """Send most of requests of a medium size, on many streams."""
    body = PREFIX.pack(0, 200_000) + b"a" * 199_000
    while goes_on():
        with harmful(target) as client:
            for number in range(5_000):
                client.send(headers(2 * number + 1, QUERY) + data(2 * number + 1, body))
                if number % 20 == 0:
                    client.drain()
                if not goes_on():
                    return


def _flood(frame: bytes, count: int = 2_000) -> Attack:
    """Return the attack that sends a frame again and again on an open stream, and reads."""

    def attack(target: Target, goes_on: Until) -> None:
        while goes_on():
            with harmful(target) as client:
                client.send(headers(1, QUERY))
                while goes_on():
                    client.send(frame * count)
                    client.drain()

    return attack


def requests_reset_at_once(target: Target, goes_on: Until) -> None:
    """Send requests, and cancel each of them at once."""
    message, number = target.sql("SELECT 1"), 0
    with harmful(target) as client:
        while goes_on():
            stream_id = 2 * number + 1
            client.send(request(stream_id, QUERY, message) + frames.reset(stream_id, 8))
            client.drain()
            number += 1


def connections_that_do_nothing(target: Target, goes_on: Until) -> None:
    """Open connections, some of them without a word."""
    with ExitStack() as stack:
        for _ in range(800):
            stack.enter_context(harmful(target))
        while goes_on():
            with harmful(target):
                pass


def _large_commits(unit: bytes, path: str = COMMIT) -> Attack:
    """Return the attack of large requests that consist of a field, repeated."""

    def attack(target: Target, goes_on: Until) -> None:
        message = _within(1, target.session.encode()) + unit * max(1, 90 * MEBIBYTE // len(unit))
        while goes_on():
            with patient_channel(target) as channel, suppress(grpc.RpcError):
                list(channel.unary_stream(path)(message, timeout=SECONDS))

    return attack


def _within(number: int, content: bytes) -> bytes:
    """Return a field of a message that is a message itself."""
    size, length = len(content), b""
    while size >= 0x80:
        length += bytes((size & 0x7F | 0x80,))
        size >>= 7
    return bytes((number << 3 | 2,)) + length + bytes((size,)) + content


def _mutation(row: bytes, size: int) -> bytes:
    """Return a mutation of many equal rows."""
    write = _within(1, b"T") + _within(2, b"K") + _within(3, row) * (size // (len(row) + 2))
    return _within(4, _within(1, write))


def content_lengths(target: Target, goes_on: Until) -> None:
    """Declare lengths that are none."""
    number = 0
    with harmful(target) as client:
        while goes_on():
            more = (b"content-length", b"9" * 5_000)
            client.send(headers(2 * number + 1, QUERY, more, last=True))
            client.drain()
            number += 1


ATTACKS: Mapping[str, Attack] = {
    "settings of many windows": settings_of_many_windows,
    "blocked replies": blocked_replies,
    "starved replies": starved_replies,
    "windows of streams": windows_of_streams,
    "blocks of literals": _blocks(_block(510_000, b"\x01\x00")),
    "blocks of size updates": _blocks(_block(510_000, b"\x20")),
    "blocks of Huffman codes": _blocks(_block(120_000, b"\x01\xfe" + b"\x1f" * 126)),
    "trailers of literals": trailers_of_literals,
    "a reflection message": reflection_message,
    "reflection behind a window": reflection_behind_a_window,
    "reflection of everything": reflection_of_everything,
    "refused data": refused_data,
    "unread heads": unread_heads,
    "unread replies": _unread(QUERY, LARGE_CELL),
    "unread streams": _unread(STREAMING, LARGE_ROWS),
    "large metadata": large_metadata,
    "bombs for queries": _bombs(QUERY),
    "bombs for commits": _bombs(COMMIT),
    "incomplete commits": incomplete_commits,
    "incomplete requests": incomplete_requests,
    "requests reset at once": requests_reset_at_once,
    "connections that do nothing": connections_that_do_nothing,
    "content lengths": content_lengths,
    "commits of empty mutations": _large_commits(b"\x22\x00"),
    "commits of empty rows": _large_commits(_mutation(b"", 90 * MEBIBYTE)),
    "commits of empty values": _large_commits(_mutation(b"\x0a\x00" * 60, 90 * MEBIBYTE)),
    "batches of empty groups": _large_commits(b"\x22\x00", path=BATCH_WRITE),
    "queries with empty parameters": _large_commits(
        _within(4, _within(1, _within(2, _within(6, b"\x0a\x00" * (5 * MEBIBYTE - 1_000))))),
        path=QUERY,
    ),
    "commits of small rows": _large_commits(_mutation(b"\x0a\x03\x1a\x011", 90 * MEBIBYTE)),
    "a flood of PING": _flood(frames.frame(frames.PING, 0, 0, b"12345678")),
    "a flood of SETTINGS": _flood(frames.settings({})),
    "a flood of acknowledgements": _flood(frames.SETTINGS_ACK),
    "a flood of PRIORITY": _flood(frames.frame(frames.PRIORITY, 0, 1, b"\0\0\0\3\0")),
    "a flood of unknown frames": _flood(frames.frame(0x16, 0, 1)),
    "a flood of empty data": _flood(frames.frame(frames.DATA, 0, 1)),
    "a flood of padding": _flood(
        frames.frame(frames.DATA, frames.PADDED, 1, b"\xfe" + b"\0" * 254)
    ),
    "a flood of windows": _flood(frames.window_update(0, 1)),
    "a flood of table sizes": _flood(frames.settings({frames.HEADER_TABLE_SIZE: 0})),
    "a flood of GOAWAY": _flood(frames.goaway(0, 0)),
}

"""Sequences of frames that a few clients send at the same time, well formed or nearly so.

Clients open streams, send parts of messages, let windows grow, change settings, cancel, read or do
not, and go. The server has no thread of its own here: the campaign lets it take turn after turn, so
that the processor time of each turn is known, and what the process allocates is the server's.

Must hold in every sequence:
- a turn of the server is short, whatever has arrived (`TURN_SECONDS_MAX`);
- all turns together take no more time than the bytes that were sent may cost (`BYTE_SECONDS_MAX`);
- the server allocates no more than its account says, give or take (`KEPT_FACTOR`, `KEPT_SLACK`);
- when the clients are gone, the account says 0, and nothing is left to do.
"""

from __future__ import annotations

import gc
import logging
import socket
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from random import Random
from typing import Any
from unittest import mock

from google.protobuf.wrappers_pb2 import Int64Value, StringValue

from spanemu.frontend.dispatch import Endpoints, Service
from spanemu.http2 import account as accounts
from spanemu.http2 import exchange, frames
from spanemu.http2.client import Client
from spanemu.http2.header_block import literal
from spanemu.http2.loop import Loop
from spanemu.http2.messages import PREFIX
from spanemu.http2.server import Http2Server
from tests.conformance.echo_service import METHODS, SERVICE, World

TURN_SECONDS_MAX = 0.1
BYTE_SECONDS_MAX = 20e-6
START_SECONDS = 0.2  # for what is computed once
KEPT_FACTOR = 3.0  # objects take more than their contents
KEPT_SLACK = 1 << 20
CLIENTS_MAX = 4
STEPS_MAX = 30
TURNS_MAX = 2_000  # of the server, after which it has to have nothing to do

REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
ECHO = f"/{SERVICE}/Echo"
PATHS = (ECHO, ECHO, f"/{SERVICE}/Count", f"/{SERVICE}/Large", f"/{SERVICE}/No", REFLECTION, "/")
NUMBERS = (0, 1, 2, 100, 16_384, 65_535, 1 << 20, (1 << 31) - 1)


class Sender:
    """A client: the streams that it has opened, and the next things that it sends."""

    def __init__(self, random: Random, connected: socket.socket) -> None:
        self.random = random
        self.socket = connected
        self.next_id = 1
        self.reads = random.random() < 0.5

    def preface(self) -> bytes:
        window = self.random.choice((0, 1, 100, 65_535, (1 << 31) - 1))
        settings = frames.settings({frames.INITIAL_WINDOW_SIZE: window})
        grown = frames.window_update(0, 1 << 30) if self.random.random() < 0.5 else b""
        return frames.PREFACE + settings + grown

    def step(self) -> bytes:
        """Return some frames."""
        step: Callable[[Sender], bytes] = self.random.choice(_STEPS)
        return step(self)

    def stream(self) -> int:
        """Return a stream that may be open."""
        if self.random.random() < 0.02:
            return self.random.randrange(self.next_id + 4)
        opened = (self.next_id - 1) // 2
        return 1 + 2 * self.random.randrange(max(1, opened))

    # ------------------------------------------------------------------ what it sends

    def requests(self) -> bytes:
        count = self.random.choice((1, 1, 5, 100, 400))
        path, whole = self.random.choice(PATHS), self.random.random() < 0.6
        body = self.body(path)
        return b"".join(self.request(path, body, is_whole=whole) for _ in range(count))

    def request(self, path: str, body: bytes, *, is_whole: bool) -> bytes:
        stream_id, self.next_id = self.next_id, self.next_id + 2
        fields = [(b":method", b"POST"), (b":scheme", b"http"), (b":path", path.encode())]
        fields += [(b"content-type", b"application/grpc"), (b"te", b"trailers")]
        if body[:1] == b"\1":
            fields.append((b"grpc-encoding", b"gzip"))
        if self.random.random() < 0.1:
            fields.append((b"x-metadata", b"v" * self.random.choice((1, 1_000, 16_000))))
        if self.random.random() < 0.05:
            fields.append((b"content-length", b"9" * self.random.choice((1, 5_000))))
        block = b"".join(literal(*field) for field in fields)
        if len(block) > frames.FRAME_BYTES_DEFAULT:
            block = block[: frames.FRAME_BYTES_DEFAULT]
        head = frames.frame(frames.HEADERS, frames.END_HEADERS, stream_id, block)
        return head + _data(stream_id, body, is_last=is_whole)

    def body(self, path: str) -> bytes:
        kind = self.random.random()
        if kind < 0.1:
            return _bomb(self.random.choice((1_000, 200_000, 5_000_000)))
        if kind < 0.3:  # a part of a larger message
            size = self.random.choice((10, 1_000, 60_000, 300_000, 3_000_000))
            part = b"a" * self.random.randrange(min(size, 20_000))
            return PREFIX.pack(0, size) + part
        message: bytes = StringValue(
            value="x" * self.random.choice((0, 5, 300))
        ).SerializeToString()
        if path.endswith(("Large", "Count")):
            message = Int64Value(value=self.random.choice((0, 3, 2_000))).SerializeToString()
        if path == REFLECTION:
            message = self.random.choice((b"\x22\x05No.No", b"\x3a\x00", b"\xff"))
        count = self.random.choice((1, 1, 1, 2, 50)) if path == REFLECTION else 1
        return (PREFIX.pack(0, len(message)) + message) * count

    def data(self) -> bytes:
        size = self.random.choice((0, 1, 1, 10, 1_000, 16_384))
        count = self.random.choice((1, 10, min(2_000, 60_000 // (size + 9))))
        stream_id, flags = self.stream(), frames.PADDED if self.random.random() < 0.1 else 0
        content = b"\1" * size
        return frames.frame(frames.DATA, flags, stream_id, content) * count

    def windows(self) -> bytes:
        size = self.random.choice((1, 1, 1, 1_000, 1 << 20))
        if self.random.random() < 0.5:
            return frames.window_update(0, size) * self.random.choice((1, 100, 3_000))
        ids = range(1, self.next_id, 2)[-2_000:]
        return b"".join(frames.window_update(each, size) for each in ids)

    def settings(self) -> bytes:
        count = self.random.choice((1, 10, 2_700))
        names = self.random.choice(((frames.INITIAL_WINDOW_SIZE,), (1, 3, 4, 6, 0x77)))
        high = self.random.choice((2, 1 << 20))
        pairs = (
            frames.SETTING.pack(self.random.choice(names), self.random.randrange(high))
            for _ in range(count)
        )
        return frames.frame(frames.SETTINGS, 0, 0, b"".join(pairs)) * self.random.choice((1, 3))

    def alternating_settings(self) -> bytes:
        low, high = (frames.settings({frames.INITIAL_WINDOW_SIZE: each}) for each in (0, 1))
        return (high + low) * self.random.choice((1, 20, 50))

    def resets(self) -> bytes:
        count = self.random.choice((1, 10, 1_000))
        ids = {self.stream() for _ in range(count)}
        return b"".join(frames.reset(each, 8) for each in sorted(ids))

    def block(self) -> bytes:
        content = self.random.choice(
            (b"\x01\x00", b"\x20", b"\x82", b"\x40\x01a\x01b", b"\xbe", b"\x01\x84\x1f\x1f\x1f\x1f")
        )
        block = content * (self.random.choice((10, 4_000, 60_000)) // len(content))
        stream_id, self.next_id = self.next_id, self.next_id + 2
        size = self.random.choice((1_000, 16_384))
        parts = [block[start : start + size] for start in range(0, len(block), size)]
        first, last = frames.END_HEADERS if len(parts) == 1 else 0, len(parts) - 1
        whole = frames.frame(frames.HEADERS, first, stream_id, parts[0])
        for number, part in enumerate(parts[1:], 1):
            flags = frames.END_HEADERS if number == last else 0
            whole += frames.frame(frames.CONTINUATION, flags, stream_id, part)
        return whole

    def trailers(self) -> bytes:
        block = literal(b"x-end", b"1")
        return frames.frame(frames.HEADERS, 5, self.stream(), block)

    def flood(self) -> bytes:
        item = self.random.choice(
            (
                frames.frame(frames.PING, 0, 0, b"12345678"),
                frames.frame(frames.PING, frames.ACK, 0, b"12345678"),
                frames.SETTINGS_ACK,
                frames.frame(frames.PRIORITY, 0, self.stream() or 1, b"\0\0\0\0\0"),
                frames.frame(0x16, self.random.randrange(256), self.stream(), b"?"),
                frames.goaway(0, 0),
            )
        )
        return item * self.random.choice((1, 100, 2_000))

    def anything(self) -> bytes:
        number = frames.NUMBER.pack(self.random.choice(NUMBERS))
        payload = self.random.choice((number, self.random.randbytes(8), b""))
        kind, flags = self.random.randrange(11), self.random.randrange(256)
        return frames.frame(kind, flags, self.stream(), payload)


_STEPS: Sequence[Callable[[Sender], bytes]] = (
    Sender.requests,
    Sender.requests,
    Sender.requests,
    Sender.data,
    Sender.data,
    Sender.windows,
    Sender.settings,
    Sender.alternating_settings,
    Sender.resets,
    Sender.block,
    Sender.trailers,
    Sender.flood,
    Sender.anything,
)


class Campaign(logging.Handler):
    """Sequences, and what must not happen in them but did."""

    def __init__(self, *, counts_memory: bool) -> None:
        super().__init__(logging.ERROR)
        self.violations: list[str] = []
        self.counts_memory = counts_memory
        endpoints = Endpoints((Service(SERVICE, METHODS),), World())
        self._server = Http2Server(endpoints)
        self._warm_up()

    def emit(self, record: logging.LogRecord) -> None:
        """Note a bug that the server logged."""
        self.violations.append(self.format(record))

    def run(self, seeds: Iterator[int], until: Callable[[], bool]) -> int:
        """Run a sequence for each seed; return their number."""
        count = 0
        logger = logging.getLogger("spanemu")
        logger.addHandler(self)
        level, logger.level = logger.level, logging.ERROR
        try:
            with _small_limits():
                for seed in seeds:
                    if until():
                        break
                    count += 1
                    result = len(self.violations)
                    _Sequence(self, self._server, seed).run()
                    self.violations[result:] = [
                        f"sequence {seed}: {each}" for each in self.violations[result:]
                    ]
        finally:
            logger.level = level
            logger.removeHandler(self)
        return count

    def _warm_up(self) -> None:
        """Load what a first request loads."""
        with _small_limits():
            for seed in range(3):
                _Sequence(self, self._server, seed).run()
        self.violations.clear()


class _Sequence:
    """A server without threads, and a few clients."""

    def __init__(self, campaign: Campaign, server: Http2Server, seed: int) -> None:
        self._campaign = campaign
        self._random = Random(seed)
        self._server = server
        self._loop = Loop(4, lambda: False)
        self._account = server.account = self._loop.account
        self._open: set[Client] = set()
        self._senders = [self._connect() for _ in range(self._random.randrange(1, CLIENTS_MAX + 1))]
        self._seconds = 0.0
        self._sent_bytes = 0
        self._before = 0

    def run(self) -> None:
        gc.collect()
        if self._campaign.counts_memory:
            tracemalloc.start()
        try:
            for sender in self._senders:
                self._send(sender, sender.preface())
            for _ in range(self._random.randrange(1, STEPS_MAX)):
                sender = self._random.choice(self._senders)
                self._send(sender, sender.step())
            self._check_time()
            self._end()
        finally:
            tracemalloc.stop()
            self._loop.stop()
            self._loop._lead()  # closes what the loop has

    def _connect(self) -> Sender:
        own, other = socket.socketpair()
        for item in (own, other):
            item.setblocking(False)
        methods, closed = self._server._methods, self._open.discard
        self._open.add(Client(other, "peer", methods, self._loop, closed))
        return Sender(self._random, own)

    def _send(self, sender: Sender, data: bytes) -> None:
        """Send bytes as the server takes them."""
        self._sent_bytes += len(data)
        rest = memoryview(data)
        while rest:
            try:
                rest = rest[sender.socket.send(rest) :]
            except BlockingIOError:
                pass
            except OSError:
                break  # The server has closed the connection.
            self._turns()
            if sender.reads:
                _drain(sender.socket)
        self._turns()
        self._check_memory(len(data))

    def _turns(self) -> None:
        """Let the server work until it has nothing to do."""
        loop: Any = self._loop
        for _ in range(TURNS_MAX):
            loop.wake()  # so that a turn does not wait
            began = time.process_time()
            goes_on = loop._go_round()
            seconds = time.process_time() - began
            self._seconds += seconds
            if seconds > TURN_SECONDS_MAX and not self._campaign.counts_memory:
                self._violation(f"a turn took {seconds * 1000:.0f} ms")
            if not goes_on:
                self._violation("another thread leads")
            if not (loop.due.count or loop._unflushed or loop._posted or self._has_input()):
                return
        self._violation(f"{loop.due.count} tasks are left after {TURNS_MAX} turns")

    def _has_input(self) -> bool:
        """Return whether the server has something to read."""
        return any(owner is not self._loop for owner, _ in self._loop.sockets.wait(0.0))

    def _check_time(self) -> None:
        allowed = START_SECONDS + self._sent_bytes * BYTE_SECONDS_MAX
        if self._seconds > allowed and not self._campaign.counts_memory:
            sent = f"{self._sent_bytes} bytes took {self._seconds:.2f} s"
            self._violation(f"{sent}, not {allowed:.2f}")

    def _check_memory(self, own: int) -> None:
        if not self._campaign.counts_memory:
            return
        kept = tracemalloc.get_traced_memory()[0] - own
        counted = self._account.total_bytes
        if kept > KEPT_FACTOR * counted + KEPT_SLACK:
            self._violation(f"the server keeps {kept} bytes, of which {counted} are counted")

    def _end(self) -> None:
        for sender in self._senders:
            sender.socket.close()
        self._turns()
        if self._open or self._account.total_bytes or self._account.has_line:
            kept = f"{len(self._open)} clients, {self._account.total_bytes} bytes"
            self._violation(f"the server keeps {kept}")
        for client in tuple(self._open):
            client.close()

    def _violation(self, text: str) -> None:
        self._campaign.violations.append(text)


@contextmanager
def _small_limits() -> Iterator[None]:
    """Let the server be full of what a sequence can send."""
    with (
        mock.patch.object(accounts, "HELD_BYTES_MAX", 8 << 20),
        mock.patch.object(accounts, "RESERVED_BYTES_MAX", 4 << 20),
        mock.patch.object(exchange, "UPLOAD_BYTES", 1 << 18),
    ):
        yield


def _data(stream_id: int, body: bytes, *, is_last: bool) -> bytes:
    size = frames.FRAME_BYTES_DEFAULT
    parts = [body[start : start + size] for start in range(0, len(body), size)] or [b""]
    whole = b"".join(frames.frame(frames.DATA, 0, stream_id, part) for part in parts[:-1])
    return whole + frames.frame(frames.DATA, int(is_last), stream_id, parts[-1])


def _bomb(size: int) -> bytes:
    deflater = zlib.compressobj(9, zlib.DEFLATED, 31)
    data = deflater.compress(bytes(size)) + deflater.flush()
    return PREFIX.pack(1, len(data)) + data


def _drain(connected: socket.socket) -> None:
    with suppress(BlockingIOError, ConnectionError):
        while connected.recv(1 << 20):
            pass

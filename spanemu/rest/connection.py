"""The requests of one connection, one after another, on the thread of the connection.

The standard library parses the head of a request, which `head` has checked. This module reads its
bytes within a time and a size, so that slow or endless clients are cut off, and writes
responses: a response is one segment where possible, because a second one would wait for an
acknowledgement of the first.
"""

from __future__ import annotations

import io
import logging
import re
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from functools import lru_cache
from http import HTTPStatus
from http.client import LineTooLong
from http.server import BaseHTTPRequestHandler
from typing import Any, Protocol

from spanemu.base.clock import monotonic
from spanemu.frontend.waits import Waits
from spanemu.rest import bodies
from spanemu.rest.errors import BadHttp
from spanemu.rest.exchange import Request, Response, failed
from spanemu.rest.hangups import Hangups
from spanemu.rest.head import HEAD_BYTES_MAX, checked_host, read_head, split_target

# A little more than a commit of the largest size takes, whose bytes are base64.
BODY_BYTES_MAX = 140 * 1024 * 1024

IDLE_SECONDS = 120.0  # between two requests
HEAD_SECONDS = 10.0  # from the first byte of a request to the end of its headers
BODY_SECONDS = 60.0
SEND_SECONDS = 60.0  # for one part of a response
_LINGER_SECONDS = 1.0
_LINGER_BYTES_MAX = 1 << 20
_BUFFER_BYTES = 1 << 16
_SHOWN_CHARACTERS = 100  # of a value in an error
_JOINED_BYTES_MAX = 1 << 16  # larger bodies are not copied behind their head

_CHUNK_LINE_BYTES_MAX = 1024
_CHUNK_LINE_BYTES = 16  # that a chunk may take besides its content and as much again
_EXCESS_BYTES_MAX = 16 * 1024  # of extensions beyond that
_TRAILERS_MAX = 64
_LENGTH = re.compile("[0-9]{1,15}")
_CHUNK_SIZE = re.compile(rb"([0-9a-fA-F]{1,12})[ \t]*(?:;[^\r\n]*)?\r?\n")

_SINGLE_HEADERS = ("host", "content-length", "transfer-encoding", "origin", "content-type")

# Sent with each response; a page of another site can neither read, frame nor run a response.
_COMMON_HEADERS = {
    "Cache-Control": "private, no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

log = logging.getLogger("spanemu")


class Host(Protocol):
    """The server of a connection."""

    hangups: Hangups
    bodies: bodies.Bodies
    waits: Waits

    def respond(self, request: Request) -> Response:
        """Return the response to a request."""
        ...

    def waiting(self, connection: socket.socket) -> AbstractContextManager[None]:
        """Return a context in which the connection waits for its client, and may be closed."""
        ...


class Connection(BaseHTTPRequestHandler):
    """The handler of a connection, which serves all its requests from its constructor."""

    protocol_version = "HTTP/1.1"

    def __init__(self, connection: socket.socket, peer: Any, host: Host) -> None:
        self._host = host
        super().__init__(connection, peer, None)  # type: ignore[arg-type]  # the server is unused

    def setup(self) -> None:
        self.connection = self.request
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
        self._source = Source(self.connection, self._host)
        self._input = io.BufferedReader(self._source, _BUFFER_BYTES)
        self._unread = False  # whether the client may still be sending what nothing will read

    def finish(self) -> None:
        """Close the connection so that the client can read the last response to its end."""
        if isinstance(self.connection, ssl.SSLSocket):
            self.connection.settimeout(_LINGER_SECONDS)
            with suppress(OSError, ValueError):
                self.connection.unwrap()  # tells the client that nothing was cut off
        with suppress(OSError, LineTooLong):
            self.connection.shutdown(socket.SHUT_WR)
            if self._unread:
                self._source.allow(_LINGER_SECONDS, _LINGER_BYTES_MAX)
                while self._input.read1(_BUFFER_BYTES):
                    pass
        self.connection.close()

    def handle(self) -> None:
        self.close_connection = False
        with suppress(OSError, EOFError, LineTooLong):  # The client is gone, or too slow.
            while not self.close_connection:
                self.handle_one_request()

    def handle_one_request(self) -> None:
        """Read a request, and send its response."""
        self._source.allow(IDLE_SECONDS, _BUFFER_BYTES)
        if not self._input.peek(1):
            self.close_connection = True
            return
        self._source.allow(HEAD_SECONDS, HEAD_BYTES_MAX)
        self.command, self.requestline, self.request_version = "", "", self.protocol_version
        with self._host.bodies.reading(self._disconnect) as reading:
            try:
                request = self._read(reading)
            except LineTooLong:
                self._fail(BadHttp(431, "The headers are too long."))
            except BadHttp as error:
                self._fail(error)
            else:
                if request is not None:
                    self._answer(request, reading)

    def _disconnect(self) -> None:
        """End the connection, from another thread."""
        with suppress(OSError):
            socket.socket.shutdown(self.connection, socket.SHUT_RDWR)

    def _answer(self, request: Request, reading: bodies.Reading) -> None:
        """Send the response to a request; where the client goes away, the request is cancelled."""
        with self._host.hangups.watching(self.connection) as watched:
            waits = self._host.waits
            response = self._host.respond(replace(request, on_hangup=watched.add, waits=waits))
            if isinstance(response.body, bytes):
                self._host.bodies.hold(reading, len(response.body))
            self._send(response)

    def _read(self, reading: bodies.Reading) -> Request | None:
        """Return the next request; None if the standard library refused it."""
        self.raw_requestline, self.rfile = read_head(self._input)
        if not self.parse_request():
            return None
        path, query, headers = split_target(self.path, self._headers())
        self._source.allow(BODY_SECONDS, BODY_BYTES_MAX * 8)  # A chunk of one byte takes six.
        body = self._read_body(headers, reading)
        return Request(self.command, path, query, headers, body, str(self.client_address[0]))

    def _read_body(self, headers: Mapping[str, str], reading: bodies.Reading) -> bytes:
        """Return the body of a request, which waits for its turn if it is large."""

        def take(size: int) -> None:
            if size > bodies.LARGE_BYTES and not reading.size:
                with self._source.idle():
                    self._host.bodies.take(reading, size)
                self._source.allow(BODY_SECONDS, BODY_BYTES_MAX * 8)

        with self._source.working(reading):
            body = read_body(self._input, headers, take)
        reading.is_complete = True
        return body

    def _headers(self) -> dict[str, str]:
        """Return the headers by name. Raises BadHttp for what is ambiguous."""
        if self.headers.defects:
            raise BadHttp(400, "Malformed headers.")
        headers: dict[str, str] = {}
        for name, value in self.headers.items():
            key = name.lower()
            if key in headers and key in _SINGLE_HEADERS:
                raise BadHttp(400, f"More than one header {name}.")
            headers[key] = value.strip(" \t")
        is_old = self.request_version == "HTTP/1.0"
        if "host" in headers:
            checked_host(headers["host"])
        elif not is_old:
            raise BadHttp(400, "A request needs a Host header.")
        if is_old and "transfer-encoding" in headers:
            raise BadHttp(400, "HTTP/1.0 has no Transfer-Encoding.")
        return headers

    def handle_expect_100(self) -> bool:
        self._write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Refuse a request that the standard library cannot parse."""
        code = int(code) if code < HTTPStatus.INTERNAL_SERVER_ERROR else 400
        self._fail(BadHttp(code, message or HTTPStatus(code).phrase))

    def _fail(self, error: BadHttp) -> None:
        self.close_connection = True
        self._unread = True
        self._send(failed(error, "HTTP"))

    def _send(self, response: Response) -> None:
        """Send a response; where the client does not take it, close it and raise OSError."""
        head = _head(response.status, response.content_type, response.headers)
        body = response.body
        with_body = self.command != "HEAD"
        if isinstance(body, bytes):
            head += f"Content-Length: {len(body)}\r\n{self._connection_header()}\r\n".encode()
            self._send_whole(head, body if with_body else b"")
            return
        try:
            self._send_parts(head, body if with_body else iter(()))
        finally:
            close = getattr(body, "close", None)
            if close is not None:
                close()

    def _send_whole(self, head: bytes, body: bytes) -> None:
        if len(body) <= _JOINED_BYTES_MAX:
            self._write(head + body)
        else:
            self._write(head)
            self._write(body)

    def _send_parts(self, head: bytes, parts: Iterator[bytes]) -> None:
        """Send each part as a chunk when it is there; HTTP/1.0 has no chunks, but the end."""
        chunked = self.request_version != "HTTP/1.0"
        if not chunked:
            self.close_connection = True
        encoding = "Transfer-Encoding: chunked\r\n" if chunked else ""
        before = head + f"{encoding}{self._connection_header()}\r\n".encode()
        for part in parts:
            framed = b"%x\r\n%b\r\n" % (len(part), part) if chunked else part
            self._write(before + framed)
            before = b""
        self._write(before + (b"0\r\n\r\n" if chunked else b""))

    def _connection_header(self) -> str:
        return "Connection: close\r\n" if self.close_connection else ""

    def _write(self, data: bytes) -> None:
        self.connection.settimeout(SEND_SECONDS)
        with self._host.waiting(self.connection):
            self.connection.sendall(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Log nothing: requests are logged where they are served."""


def closing_bytes(response: Response) -> bytes:
    """Return the bytes of a response after which the connection is closed."""
    assert isinstance(response.body, bytes)
    head = _head(response.status, response.content_type, response.headers)
    length = f"Content-Length: {len(response.body)}\r\nConnection: close\r\n\r\n"
    return head + length.encode() + response.body


@lru_cache(maxsize=256)
def _head(status: int, content_type: str, own: tuple[tuple[str, str], ...]) -> bytes:
    """Return the status line and the headers up to those of the body's length."""
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Client Closed Request"  # 499
    headers = {"Content-Type": content_type, **_COMMON_HEADERS, **dict(own)}
    fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status} {phrase}\r\n{fields}".encode("latin-1")


class Source(io.RawIOBase):
    """A socket as a stream; `allow` sets the time and the size that what follows may take."""

    def __init__(self, connection: socket.socket, host: Host) -> None:
        self._socket = connection
        self._host = host
        self._deadline: float = 0.0
        self._bytes_left = 0
        self._reading: bodies.Reading | None = None

    def allow(self, seconds: float, size: int) -> None:
        """Set the seconds and the bytes that further reads may take."""
        self._deadline = monotonic() + seconds
        self._bytes_left = size

    @contextmanager
    def working(self, reading: bodies.Reading) -> Iterator[None]:
        """Let one thread process its input at a time, except while it waits for input."""
        with bodies.work:
            self._reading = reading
            try:
                yield
            finally:
                self._reading = None

    @contextmanager
    def idle(self) -> Iterator[None]:
        """Yield to other threads for a while."""
        if self._reading is None:
            yield
            return
        bodies.work.release()
        try:
            yield
        finally:
            bodies.work.acquire()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read what there is. Raises TimeoutError and LineTooLong."""
        seconds = self._deadline - monotonic()
        if seconds <= 0:
            raise TimeoutError
        if self._bytes_left <= 0:
            raise LineTooLong("request")
        self._socket.settimeout(seconds)
        with self.idle(), self._host.waiting(self._socket):
            count = self._socket.recv_into(buffer)
        self._bytes_left -= count
        if (reading := self._reading) is not None:
            reading.read_bytes += count
            if not reading.size:
                self._host.bodies.hold(reading, count)
        return count


def read_body(
    stream: io.BufferedIOBase,
    headers: Mapping[str, str],
    take: Callable[[int], object] = lambda size: None,
) -> bytes:
    """Return the body of a request; `take` is called with its size, or how large it may become.

    Raises BadHttp, and EOFError where the client stops.
    """
    encoding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise BadHttp(415, "A body with a Content-Encoding is not supported.")
    if encoding is not None:
        if encoding.lower() != "chunked" or length is not None:
            raise BadHttp(400, "Bad Transfer-Encoding.")
        return _read_chunks(stream, take)
    if length is None:
        return b""
    if not _LENGTH.fullmatch(length):
        raise BadHttp(400, f"Bad Content-Length {length[:_SHOWN_CHARACTERS]!r}.")
    _check_size(int(length))
    take(int(length))
    return _read_exactly(stream, int(length))


def _check_size(size: int) -> None:
    if size > BODY_BYTES_MAX:
        raise BadHttp(413, f"The body has more than {BODY_BYTES_MAX} bytes.")


def _read_exactly(stream: io.BufferedIOBase, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _read_chunks(stream: io.BufferedIOBase, take: Callable[[int], object]) -> bytes:
    body, excess = bytearray(), 0
    while True:
        line = stream.readline(_CHUNK_LINE_BYTES_MAX)
        if not line:
            raise EOFError
        match = _CHUNK_SIZE.fullmatch(line)
        if match is None:
            raise BadHttp(400, "Bad chunk size.")
        size = int(match[1], 16)
        if not size:
            _skip_trailers(stream)
            return bytes(body)
        _check_size(len(body) + size)
        excess = max(0, excess + len(line) - _CHUNK_LINE_BYTES - size)
        if excess > _EXCESS_BYTES_MAX:
            raise BadHttp(400, "The chunks have more extensions than content.")
        if len(body) + size > bodies.LARGE_BYTES:
            take(BODY_BYTES_MAX)
        body += _read_exactly(stream, size)
        if stream.readline(2) not in (b"\r\n", b"\n"):
            raise BadHttp(400, "A chunk does not end where its size says.")


def _skip_trailers(stream: io.BufferedIOBase) -> None:
    for _ in range(_TRAILERS_MAX):
        line = stream.readline(_CHUNK_LINE_BYTES_MAX)
        if not line:
            raise EOFError
        if line in (b"\r\n", b"\n"):
            return
    raise BadHttp(400, "Too many trailers.")

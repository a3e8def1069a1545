"""The bytes of a request, read within a time and a size: slow or endless clients are cut off."""

from __future__ import annotations

import io
import re
import socket
from collections.abc import Mapping
from http.client import LineTooLong

from spanemu.base.clock import monotonic
from spanemu.rest.errors import BadHttp

# A little more than a commit of the largest size takes, whose bytes are base64.
BODY_BYTES_MAX = 140 * 1024 * 1024
HEAD_BYTES_MAX = 64 * 1024
_CHUNK_LINE_BYTES_MAX = 1024
_TRAILERS_MAX = 64
_LENGTH = re.compile("[0-9]{1,15}")
_CHUNK_SIZE = re.compile(rb"([0-9a-fA-F]{1,12})[ \t]*(?:;[^\r\n]*)?\r?\n")


class Source(io.RawIOBase):
    """A socket as a stream; `allow` sets the time and the size that what follows may take."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._deadline: float = 0.0
        self._bytes_left = 0

    def allow(self, seconds: float, size: int) -> None:
        """Allow so many seconds and bytes for what is read from here on."""
        self._deadline = monotonic() + seconds
        self._bytes_left = size

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
        count = self._socket.recv_into(buffer)
        self._bytes_left -= count
        return count


def read_body(stream: io.BufferedIOBase, headers: Mapping[str, str]) -> bytes:
    """Return the body of a request. Raises BadHttp, and EOFError where the client stops."""
    encoding, length = headers.get("transfer-encoding"), headers.get("content-length")
    if headers.get("content-encoding", "identity").lower() != "identity":
        raise BadHttp(415, "A body with a Content-Encoding is not supported.")
    if encoding is not None:
        if encoding.strip().lower() != "chunked" or length is not None:
            raise BadHttp(400, "Bad Transfer-Encoding.")
        return _read_chunks(stream)
    if length is None:
        return b""
    if not _LENGTH.fullmatch(length):
        raise BadHttp(400, f"Bad Content-Length {length!r}.")
    _check_size(int(length))
    return _read_exactly(stream, int(length))


def _check_size(size: int) -> None:
    if size > BODY_BYTES_MAX:
        raise BadHttp(413, f"The body has more than {BODY_BYTES_MAX} bytes.")


def _read_exactly(stream: io.BufferedIOBase, size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def _read_chunks(stream: io.BufferedIOBase) -> bytes:
    body = bytearray()
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

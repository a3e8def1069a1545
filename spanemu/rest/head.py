"""The head of a request: its first line and its headers, read strictly.

The standard library takes a bare CR for the end of a line and control characters for spaces, so
that another program could see a different request in the same bytes. What is not of the form that
RFC 9112 describes is refused here, before the standard library parses it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from spanemu.rest.errors import BadHttp

HEAD_BYTES_MAX = 64 * 1024
_HEADERS_MAX = 100
_PORT_MAX = 65_535

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]+"
_REQUEST_LINE = re.compile(_TOKEN + rb" [\x21-\x7e\x80-\xff]+ HTTP/[0-9]+\.[0-9]+\r?\n")
_HEADER_LINE = re.compile(_TOKEN + rb":[\t\x20-\x7e\x80-\xff]*\r?\n")
_HOST = re.compile(r"(?:\[[0-9A-Za-z:.%]+\]|[0-9A-Za-z._-]*)(?::([0-9]{0,5}))?")
_ABSOLUTE = re.compile(r"https?://", re.IGNORECASE)


def read_head(stream: io.BufferedIOBase) -> tuple[bytes, io.BytesIO]:
    """Return the first line of a request, and a stream of its headers.

    Raises BadHttp, and EOFError where the client stops.
    """
    first = stream.readline(HEAD_BYTES_MAX)
    if len(first) >= HEAD_BYTES_MAX:
        raise BadHttp(414, "The URL is too long.")
    if not _REQUEST_LINE.fullmatch(first):
        raise BadHttp(400, "Malformed request line.")
    lines, size = [], len(first)
    while (line := stream.readline(HEAD_BYTES_MAX)) not in (b"\r\n", b"\n"):
        if not line:
            raise EOFError
        size += len(line)
        lines.append(line)
        if size >= HEAD_BYTES_MAX or len(lines) > _HEADERS_MAX:
            raise BadHttp(431, "The headers are too long.")
        if not _HEADER_LINE.fullmatch(line):
            raise BadHttp(400, "Malformed headers.")
    return first, io.BytesIO(b"".join((*lines, line)))


def checked_host(host: str) -> str:
    """Return the value of a Host header. Raises BadHttp if it is no host with a port."""
    match = _HOST.fullmatch(host)
    if match is None or int(match[1] or 0) > _PORT_MAX:
        raise BadHttp(400, f"Bad Host {host!r}.")
    return host


def split_target(target: str, headers: Mapping[str, str]) -> tuple[str, str, Mapping[str, str]]:
    """Return the path and the query of a request, and its headers.

    The host of a URL takes the place of the header. Raises BadHttp.
    """
    if _ABSOLUTE.match(target):
        try:
            url = urlsplit(target)
        except ValueError:
            raise BadHttp(400, "Bad URL.") from None
        return url.path or "/", url.query, {**headers, "host": checked_host(url.netloc)}
    if not target.startswith("/") and target != "*":
        raise BadHttp(400, "Bad URL.")
    path, _, query = target.partition("?")
    return path, query, headers

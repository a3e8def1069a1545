"""Bodies of a length and in chunks; what is ambiguous, too large or cut short is refused."""

from __future__ import annotations

import io
import socket
from contextlib import nullcontext
from http.client import LineTooLong

import pytest

from spanemu.rest import connection
from spanemu.rest.bodies import Bodies
from spanemu.rest.connection import Source, read_body
from spanemu.rest.errors import BadHttp


def body(data, **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_body(io.BytesIO(data), named)


@pytest.mark.parametrize(
    ("data", "headers", "expected"),
    [
        (b"abcd", {"content_length": "3"}, b"abc"),
        (b"abcd", {}, b""),
        (b"3\r\nabc\r\n1;x=y\r\nd\r\n0\r\n\r\nrest", {"transfer_encoding": "chunked"}, b"abcd"),
        (b"3\nabc\n0\nTrailer: x\n\n", {"transfer_encoding": "Chunked"}, b"abc"),
    ],
)
def test_bodies(data, headers, expected):
    assert body(data, **headers) == expected


@pytest.mark.parametrize(
    ("data", "headers", "status"),
    [
        (b"", {"content_length": "-1"}, 400),
        (b"", {"content_length": "1, 1"}, 400),
        (b"", {"content_length": "+1"}, 400),
        (b"", {"content_length": "999999999999"}, 413),
        (b"", {"transfer_encoding": "gzip"}, 400),
        (b"0\r\n\r\n", {"transfer_encoding": "chunked", "content_length": "5"}, 400),
        (b"x\r\n", {"transfer_encoding": "chunked"}, 400),
        (b"3\r\nabcd\r\n", {"transfer_encoding": "chunked"}, 400),
        (b"fffffffffff\r\n", {"transfer_encoding": "chunked"}, 413),
        (b"0\r\n" + b"a: b\r\n" * 100, {"transfer_encoding": "chunked"}, 400),
        (b"x", {"content_length": "1", "content_encoding": "gzip"}, 415),
        ((b"1;" + b"e" * 900 + b"\r\na\r\n") * 100, {"transfer_encoding": "chunked"}, 400),
    ],
)
def test_bodies_that_are_refused(data, headers, status):
    with pytest.raises(BadHttp) as caught:
        body(data, **headers)
    assert caught.value.http_status == status


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (b"ab", {"content_length": "3"}),
        (b"", {"transfer_encoding": "chunked"}),
        (b"3\r\nab", {"transfer_encoding": "chunked"}),
        (b"0\r\n", {"transfer_encoding": "chunked"}),
    ],
)
def test_a_client_that_stops_sends_no_request(data, headers):
    with pytest.raises(EOFError):
        body(data, **headers)


@pytest.fixture
def pair():
    client, server = socket.socketpair()
    with client, server:
        yield client, server


class Alone:
    """The server of a single connection."""

    bodies = Bodies()

    def waiting(self, _connection):
        return nullcontext()


def test_a_source_gives_up_after_its_time(pair, monkeypatch):
    client, server = pair
    now = [0.0]
    monkeypatch.setattr(connection, "monotonic", lambda: now[0])
    source = Source(server, Alone())
    source.allow(10, 100)
    client.sendall(b"ab")
    assert source.read(1) == b"a"
    now[0] = 10.0  # However little is missing by then.
    with pytest.raises(TimeoutError):
        source.read(1)


def test_a_source_gives_up_after_its_size(pair):
    client, server = pair
    source = Source(server, Alone())
    source.allow(10, 2)
    client.sendall(b"abc")
    assert source.read(2) == b"ab"
    with pytest.raises(LineTooLong):
        source.read(1)

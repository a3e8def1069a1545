"""Attacks at the port of REST. Each goes on until it is told to end, or the server ends it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress

from tests.stress.attacks.connection import Attack, Target, Until, connected

MEBIBYTE = 1 << 20


def _head(target: Target, method: str, *more: str) -> bytes:
    lines = [f"POST /v1/{target.session}:{method} HTTP/1.1", "Host: localhost", *more]
    return ("\r\n".join([*lines, "Content-Type: application/json"]) + "\r\n\r\n").encode()


def _repeated(make: object) -> Attack:
    """Return the attack that sends the same again and again, each time on a new connection."""

    def attack(target: Target, goes_on: Until) -> None:
        assert callable(make)
        parts: list[bytes] = make(target)
        while goes_on():
            with suppress(OSError), closing(connected(target.rest_port, target.is_secure)) as own:
                for part in parts:
                    own.sendall(part)
                own.settimeout(2.0)
                own.recv(1)

    return attack


def slow_bodies(target: Target, goes_on: Until) -> None:
    """Send most of a large body from each of 40 clients."""
    head = _head(target, "commit", f"Content-Length: {130 * MEBIBYTE}")
    with ExitStack() as stack:
        clients = []
        for _ in range(40):
            client = stack.enter_context(closing(connected(target.rest_port, target.is_secure)))
            clients.append(client)
            client.sendall(head)
            client.settimeout(0.05)
        while goes_on():
            for client in clients:
                with suppress(OSError):
                    client.sendall(b"a" * MEBIBYTE)


def bodies_of_many(target: Target, goes_on: Until) -> None:
    """Send most of a body that needs no turn from each of 900 clients."""
    head = _head(target, "executeSql", f"Content-Length: {4 * MEBIBYTE}")
    while goes_on():
        with ExitStack() as stack:
            for _ in range(900):
                with suppress(OSError):
                    client = stack.enter_context(
                        closing(connected(target.rest_port, target.is_secure))
                    )
                    client.settimeout(2.0)
                    client.sendall(head + b" " * (4 * MEBIBYTE - 100))
                if not goes_on():
                    return


def unread_replies(target: Target, goes_on: Until) -> None:
    """Request a large reply from each of 400 clients, and read none."""
    cell = "SELECT ARRAY(SELECT REPEAT('x', 100000) FROM UNNEST(GENERATE_ARRAY(1, 80)))"
    body = b'{"sql":"' + cell.encode() + b'"}'
    head = _head(target, "executeSql", f"Content-Length: {len(body)}")
    while goes_on():
        with ExitStack() as stack:
            for _ in range(400):
                with suppress(OSError):
                    client = stack.enter_context(
                        closing(connected(target.rest_port, target.is_secure))
                    )
                    client.sendall(head + body)
                if not goes_on():
                    return


def _long_text(target: Target) -> list[bytes]:
    body = b'{"sql":"' + b"a" * (130 * MEBIBYTE) + b'"}'
    return [_head(target, "executeSql", f"Content-Length: {len(body)}"), body]


def _wide_characters(target: Target) -> list[bytes]:
    body = '{"sql":"\U0001f600","params":{"a":['.encode() + b'"a",' * (32 * MEBIBYTE) + b'"a"]}}'
    return [_head(target, "executeSql", f"Content-Length: {len(body)}"), body]


def _long_query(target: Target) -> list[bytes]:
    body = b"a=b&" * (32 * MEBIBYTE)
    lines = ("X-HTTP-Method-Override: GET", f"Content-Length: {len(body)}")
    return [_head(target, "executeSql", *lines), body]


def _nulls(target: Target) -> list[bytes]:
    body = b'{"mutations":[' + b"null," * (26 * MEBIBYTE) + b"null]}"
    return [_head(target, "commit", f"Content-Length: {len(body)}"), body]


def _chunk_extensions(target: Target) -> list[bytes]:
    head = _head(target, "executeSql", "Transfer-Encoding: chunked")
    return [head, *[b"1;" + b"e" * 1_000 + b"\r\na\r\n"] * 20_000]


def _trailers(target: Target) -> list[bytes]:
    head = _head(target, "executeSql", "Transfer-Encoding: chunked")
    return [head, b"0\r\n", *[b"a: " + b"b" * 1_000 + b"\r\n"] * 1_000]


def _headers(target: Target) -> list[bytes]:
    return [b"GET / HTTP/1.1\r\n", *[b"a: b\r\n" * 100] * 1_000]


def _long_line(target: Target) -> list[bytes]:
    return [b"GET /" + b"a" * (4 * MEBIBYTE)]


def _deep(target: Target) -> list[bytes]:
    body = b'{"sql":' + b"[" * (4 * MEBIBYTE) + b"]" * (4 * MEBIBYTE) + b"}"
    return [_head(target, "executeSql", f"Content-Length: {len(body)}"), body]


def _wide(method: str) -> Attack:
    def body_of(target: Target) -> list[bytes]:
        body = b'{"mutations":[' + b"{}," * (30 * MEBIBYTE) + b"{}]}"
        return [_head(target, method, f"Content-Length: {len(body)}"), body]

    return _repeated(body_of)


ATTACKS: Mapping[str, Attack] = {
    "REST: slow bodies": slow_bodies,
    "REST: chunk extensions": _repeated(_chunk_extensions),
    "REST: trailers": _repeated(_trailers),
    "REST: headers without end": _repeated(_headers),
    "REST: a request line without end": _repeated(_long_line),
    "REST: deep JSON": _repeated(_deep),
    "REST: bodies of many": bodies_of_many,
    "REST: unread replies": unread_replies,
    "REST: a long text": _repeated(_long_text),
    "REST: wide characters": _repeated(_wide_characters),
    "REST: a long query": _repeated(_long_query),
    "REST: a list of null": _repeated(_nulls),
    "REST: wide JSON of a query": _wide("executeSql"),
    "REST: wide JSON of a commit": _wide("commit"),
}

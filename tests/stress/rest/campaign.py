"""Malformed requests, one after another, and what must hold for each.

The answer is HTTP with a status below 500, and from 400 on the envelope of Google's APIs with the
same code. Only a feature that spanemu lacks is 501. An answer may be missing where the request was
cut short. The memory of the server does not grow.
"""

from __future__ import annotations

import json
import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urlsplit

from spanemu.base.clock import monotonic
from tests.conformance.rest_calls import RestCalls
from tests.stress.rest.requests import DATABASE, malformed

ANSWER_SECONDS_MAX = 20.0
GROWTH_BYTES_MAX = 24 << 20
SHOWN_BYTES = 1_500
REQUESTS_PER_SESSION = 200
WARM_UP_SHARE = 0.2
SCHEMA = "CREATE TABLE T (Id INT64, Text STRING(MAX)) PRIMARY KEY (Id)"


@dataclass
class Findings:
    """The findings of a campaign."""

    statuses: Counter[int] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    slowest: float = 0.0
    growth: int = 0

    def __str__(self) -> str:
        counts = ", ".join(f"{count} {status}" for status, count in sorted(self.statuses.items()))
        shown = "\n".join(self.problems[:10])
        return f"{counts}; slowest {self.slowest:.2f} s, grew {self.growth >> 20} MiB\n{shown}"


def campaign(uri: str, count: int, seed: int, memory: Callable[[], int] = lambda: 0) -> Findings:
    """Send `count` requests to the emulator at `uri`; `memory` returns the bytes that it holds."""
    findings = Findings()
    before = 0
    for number in range(count):
        if number % REQUESTS_PER_SESSION == 0:
            session = _new_session(uri)
        if number == int(count * WARM_UP_SHARE):
            before = memory()
        request = malformed(Random(f"{seed}/{number}"), session)
        started = monotonic()
        answer = exchange(uri, request)
        findings.slowest = max(findings.slowest, monotonic() - started)
        problem = check(answer, findings.statuses)
        if problem:
            shown = request[:SHOWN_BYTES]
            findings.problems.append(
                f"request {number}: {problem}\n{shown!r}\n{answer[:SHOWN_BYTES]!r}"
            )
    findings.growth = memory() - before
    if findings.growth > GROWTH_BYTES_MAX:
        findings.problems.append(f"memory grew by {findings.growth} bytes")
    _new_session(uri)
    return findings


def _new_session(uri: str) -> str:
    """Return the name of a session, which shows that the emulator serves.

    The database is protected from requests that happen to drop it, or its instance.
    """
    calls = RestCalls(uri)
    try:
        protected = {"enableDropProtection": True}
        mask = "updateMask=enable_drop_protection"
        status, content = calls.exchange("PATCH", f"/v1/{DATABASE}?{mask}", protected)
        assert status == 200, content
        status, content = calls.exchange("POST", f"/v1/{DATABASE}/sessions", {})
    finally:
        calls.close()
    assert status == 200, content
    return str(content["name"])


def exchange(uri: str, request: bytes) -> bytes:
    """Return everything that the server answers before it closes the connection."""
    parts = urlsplit(uri)
    address = (parts.hostname, parts.port)
    answer = b""
    with socket.create_connection(address, timeout=ANSWER_SECONDS_MAX) as connection:
        with suppress(OSError):  # Refused before it was sent completely.
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        try:
            while part := connection.recv(1 << 16):
                answer += part
        except TimeoutError:
            return b"no end\r\n" + answer
        except OSError:
            pass
    return answer


def check(answer: bytes, statuses: Counter[int]) -> str:
    """Return what is wrong with an answer, or nothing."""
    answer = answer.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n")
    if not answer:
        statuses[0] += 1
        return ""
    head, _, body = answer.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    if words[0] != b"HTTP/1.1" or not words[1].isdigit():
        return "no HTTP"
    status = int(words[1])
    statuses[status] += 1
    if status == 501:
        return "" if b"is not supported by spanemu" in body else "501 without a feature's name"
    if status >= 500:
        return f"status {status}"
    if status >= 400 and body and not body.startswith(b"HTTP/"):  # HEAD has no body.
        content = json.JSONDecoder().raw_decode(body.decode())[0]
        if content["error"]["code"] != status or not content["error"]["message"]:
            return "no envelope"
    return ""

"""Requests and responses of HTTP as plain data, and sites, which answer requests by path.

    Site {"/v1/": Api, "/healthz": health, ...}     the longest path that fits answers

A responder knows no sockets and no connections, so that a test can call it by itself. A failure,
also one inside of a stream, has the envelope of Google's APIs:

    {"error": {"code": 404, "message": "...", "status": "NOT_FOUND", "details": [{"@type": ...}]}}
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

from spanemu.base.errors import Code
from spanemu.frontend import wire
from spanemu.frontend.boundary import STATUS_TRAILER, Failure, failure_from
from spanemu.frontend.waits import Waits
from spanemu.rest.errors import BadHttp
from spanemu.rest.json_messages import text_of

JSON = "application/json; charset=UTF-8"


_HTTP_STATUSES: Mapping[Code, int] = {
    Code.OK: 200,
    Code.CANCELLED: 499,
    Code.UNKNOWN: 500,
    Code.INVALID_ARGUMENT: 400,
    Code.DEADLINE_EXCEEDED: 504,
    Code.NOT_FOUND: 404,
    Code.ALREADY_EXISTS: 409,
    Code.PERMISSION_DENIED: 403,
    Code.RESOURCE_EXHAUSTED: 429,
    Code.FAILED_PRECONDITION: 400,
    Code.ABORTED: 409,
    Code.OUT_OF_RANGE: 400,
    Code.UNIMPLEMENTED: 501,
    Code.INTERNAL: 500,
    Code.UNAVAILABLE: 503,
    Code.DATA_LOSS: 500,
    Code.UNAUTHENTICATED: 401,
}


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was read completely.

    `path` is still percent-encoded. `headers` have names in lower case; of a header that was sent
    several times, the last counts. `peer` is the client's IP address, "" for this process.
    `on_hangup` takes a function to call when the client goes away. `waits` counts the requests of
    the server that wait.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    peer: str = ""
    on_hangup: Callable[[Callable[[], None]], None] = lambda _: None
    waits: Waits | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A response; each part of an iterator is sent as soon as it is there.

    `headers` are (name, value) pairs, sent besides or instead of those of every response.
    """

    status: int
    content_type: str
    body: bytes | Iterator[bytes]
    headers: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_text(cls, text: str, status: int = 200) -> Self:
        """Return a response with a JSON text."""
        return cls(status, JSON, f"{text}\n".encode())


Responder = Callable[[Request], Response]


class Site:
    """Responders by the beginning of the paths that they answer."""

    def __init__(self, otherwise: Responder) -> None:
        self._otherwise = otherwise
        self._by_prefix: list[tuple[str, Responder]] = []

    def add(self, prefix: str, responder: Responder) -> None:
        """Answer paths that begin with `prefix`; a prefix without a slash at its end is a path."""
        self._by_prefix.append((prefix, responder))
        self._by_prefix.sort(key=lambda pair: -len(pair[0]))

    def __call__(self, request: Request) -> Response:
        for prefix, responder in self._by_prefix:
            if request.path == prefix or (prefix[-1] == "/" and request.path.startswith(prefix)):
                return responder(request)
        return self._otherwise(request)


def _envelope(failure: Failure, http_status: int) -> str:
    """Return the JSON object that describes a failure."""
    content = {"code": http_status, "message": failure.message, "status": failure.code.name}
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    for name, data in failure.trailers:
        if name == STATUS_TRAILER:
            details = wire.Status.FromString(data).details
            shown = ",".join(text_of(detail) for detail in details)
            text = f'{text[:-1]},"details":[{shown}]}}'
    return f'{{"error":{text}}}'


def failure_text(error: Exception, method: str) -> tuple[int, str]:
    """Return the HTTP status of a failure and its envelope; logs the failure if it is a bug."""
    failure = failure_from(error, method)
    http_status = error.http_status if isinstance(error, BadHttp) else _HTTP_STATUSES[failure.code]
    return http_status, _envelope(failure, http_status)


def failed(error: Exception, method: str) -> Response:
    """Return the response to a request that failed."""
    http_status, text = failure_text(error, method)
    return Response.of_text(text, http_status)

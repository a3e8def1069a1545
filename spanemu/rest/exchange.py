"""Requests and responses of HTTP as plain data, and sites, which answer requests by path.

    Site {"/v1/": Api, "/healthz": health, ...}     the longest path that fits answers

A responder knows no sockets and no connections, so that a test can call it by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Self

JSON = "application/json; charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Request:
    """A request that was read completely.

    `path` is still percent-encoded. `headers` have names in lower case; of a header that was sent
    several times, the last counts. `peer` is the client's IP address, "" for this process.
    `on_hangup` takes a function to call when the client goes away.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    peer: str = ""
    on_hangup: Callable[[Callable[[], None]], None] = lambda _: None


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

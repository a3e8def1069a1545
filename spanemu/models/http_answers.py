"""Answers of a URL: a server of the test, in any language.

A model gets the body of Agent Platform, {"instances": [...], "parameters": {...}}, and answers
{"predictions": [...]}. A remote function gets {"requestId": text, "calls": [[argument, ...], ...]}
and answers {"replies": [...]}, or {"errorMessage": text} with another status than 200.

Only this machine is asked, directly, and no redirect is followed.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPConnection, HTTPException, HTTPResponse
from ipaddress import ip_address
from itertools import count
from typing import Any
from urllib.parse import urlsplit

from spanemu.base.errors import Code
from spanemu.models.answers import Columns
from spanemu.models.errors import BadAnswer, ModelCallFailed, RequestRefused
from spanemu.models.request import Request
from spanemu.sql.functions.json.encode import encoder
from spanemu.sql.remote_calls import TargetKind

BODY_BYTES_MAX = 10 * 1024 * 1024
_PART_BYTES = 64 * 1024
ATTEMPTS_MAX = 5  # of a remote function; Spanner has an internal limit
_SECONDS_MAX = 60.0  # for one request of a statement without deadline
_PAUSES = (0.01, 0.02, 0.04, 0.08)
_RETRIED = frozenset({408, 429, 500, 503, 504})

_CODES: Mapping[int, Code] = {
    400: Code.INVALID_ARGUMENT,
    401: Code.PERMISSION_DENIED,
    403: Code.PERMISSION_DENIED,
    404: Code.NOT_FOUND,
    412: Code.FAILED_PRECONDITION,
    429: Code.RESOURCE_EXHAUSTED,
    499: Code.CANCELLED,
    503: Code.UNAVAILABLE,
    504: Code.DEADLINE_EXCEEDED,
}
_PATH = re.compile("[!-~]+")
_CODES_BY_NAME: Mapping[str, Code] = {code.name: code for code in Code}


class UrlAnswers:
    """The answers of a URL of this machine. Raises ValueError for any other URL."""

    is_json = True

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname:
            raise ValueError(f"{url!r} is no URL such as http://127.0.0.1:8080/predict")
        if parts.username is not None:
            raise ValueError(f"{url!r} names a user: no credentials are sent")
        self._host = _loopback(parts.hostname)
        self._port = 80 if parts.port is None else parts.port
        self._path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if not self._port or not _PATH.fullmatch(self._path) or url != url.strip():
            raise ValueError(f"{url!r} is no URL: write other characters as in %20")
        self._url = url
        self._numbers = count(1)

    def answer(self, request: Request) -> Sequence[Any]:
        if request.kind is TargetKind.REMOTE_FUNCTION:
            return self._replies(request)
        instances = list(_instances(request))
        body: dict[str, Any] = {"instances": instances}
        if parameters := _parameters(request):
            body["parameters"] = parameters
        status, content = self._post(body, request)
        if status != 200:
            raise _refused(status, content)
        return _listed(content, "predictions")

    def _replies(self, request: Request) -> Sequence[Any]:
        assert request.inputs is not None
        encoders = _encoders(request.inputs)
        calls = [
            [encode(cell) for encode, cell in zip(encoders, row, strict=True)]
            for row in request.rows
        ]
        body = {"requestId": f"{next(self._numbers):016x}", "calls": calls}
        for attempt in range(ATTEMPTS_MAX):
            status, content = self._post(body, request)
            if status == 200:
                return _listed(content, "replies")
            is_last = attempt == ATTEMPTS_MAX - 1
            if status not in _RETRIED or is_last or request.work.is_abandoned:
                break
            threading.Event().wait(_PAUSES[attempt])
        message = content.get("errorMessage") if isinstance(content, dict) else None
        text = str(message) if message else f"Remote function {request.call.model} failed: {status}"
        raise ModelCallFailed(text, Code.FAILED_PRECONDITION)

    def _post(self, body: Any, request: Request) -> tuple[int, Any]:
        """Return the status and the JSON of the answer to a request."""
        text = json.dumps(body).encode()
        left = request.work.seconds_left()
        seconds = _SECONDS_MAX if left is None else max(min(left, _SECONDS_MAX), 0.001)
        connection = HTTPConnection(self._host, self._port, timeout=seconds)
        try:
            headers = {"Content-Type": "application/json"}
            connection.request("POST", self._path, text, headers)
            with connection.getresponse() as reply:
                content = b"".join(_parts(reply, request))
        except TimeoutError as problem:
            raise RequestRefused(Code.DEADLINE_EXCEEDED, f"{self._url}: {problem}") from None
        except (OSError, HTTPException) as problem:
            # UNAVAILABLE would have clients try again without end.
            reason = f"{self._url}: {problem}"
            raise RequestRefused(Code.FAILED_PRECONDITION, reason) from None
        finally:
            connection.close()
        if len(content) > BODY_BYTES_MAX:
            raise RequestRefused(
                Code.RESOURCE_EXHAUSTED, f"{self._url} answers more than {BODY_BYTES_MAX} bytes"
            )
        try:
            return reply.status, json.loads(content or b"null")
        except (ValueError, RecursionError):
            if reply.status != 200:
                return reply.status, None
            raise BadAnswer(f"{self._url} does not answer with JSON") from None

    def __str__(self) -> str:
        return self._url


def _parts(reply: HTTPResponse, request: Request) -> Iterator[bytes]:
    """Yield the body of an answer until it is too long, or the statement has ended meanwhile."""
    left = BODY_BYTES_MAX + 1
    while left > 0 and (part := reply.read1(min(left, _PART_BYTES))):
        if request.work.is_abandoned:
            raise TimeoutError("the statement has ended")
        left -= len(part)
        yield part


def _loopback(host: str) -> str:
    """Return the address of this machine that a URL names. Raises ValueError for others."""
    if host.lower() == "localhost":
        return "127.0.0.1"
    try:
        is_loopback = ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise ValueError(f"{host} is not this machine: only URLs of 127.0.0.1 and ::1 are asked")
    return host


def _encoders(columns: Columns) -> list[Any]:
    """Return the encoders of rows: as TO_JSON does, and INT64 beyond 2^53 as text."""
    return [encoder(column.type, stringify=True) for column in columns]


def _instances(request: Request) -> Iterator[Any]:
    """Yield the rows as JSON has them."""
    if request.inputs is None:
        yield from request.dicts
        return
    names = [column.name for column in request.inputs]
    encoders = _encoders(request.inputs)
    for row in request.rows:
        yield {name: encode(cell) for name, encode, cell in zip(names, encoders, row, strict=True)}


def _parameters(request: Request) -> Mapping[str, Any]:
    """Return the parameters of a call as JSON has them."""
    if request.typed_parameters is None:
        return request.call.parameters
    struct, type_ = request.typed_parameters
    known: Mapping[str, Any] = encoder(type_, stringify=True)(struct)
    return known


def _listed(content: Any, name: str) -> Sequence[Any]:
    answers = content.get(name) if isinstance(content, dict) else None
    if not isinstance(answers, list):
        raise BadAnswer(f"the answer has no list {name!r}")
    return answers


def _refused(status: int, content: Any) -> RequestRefused:
    """Return the failure of an answer with another status than 200, as Google's APIs write it."""
    error = content.get("error") if isinstance(content, dict) else None
    known = error if isinstance(error, dict) else {}
    code = _CODES_BY_NAME.get(str(known.get("status", "")))
    text = str(known.get("message", "")) or f"HTTP status {status}"
    return RequestRefused(code or _CODES.get(status, Code.INTERNAL), text)

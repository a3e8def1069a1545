"""Errors in the HTTP form of a request; the texts are those of Google's API frontend.

SpannerError
├── InvalidPayload     (INVALID_ARGUMENT) JSON or a query that is not the request's message
├── MethodNotFound     (NOT_FOUND) no RPC has this path and HTTP method
├── Forbidden          (PERMISSION_DENIED) a request from a page of another site
└── BadHttp            (INVALID_ARGUMENT) a request that breaks a rule of HTTP or a limit of it

A `Misfit` becomes an InvalidPayload when the path to the field at fault is complete.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from spanemu.base.errors import BadRequest, Code, Detail, SpannerError


class InvalidPayload(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{reason}"
    field: str
    reason: str

    def details(self) -> tuple[Detail, ...]:
        """Return the detail with the path of the field at fault."""
        return (BadRequest(self.field, self.reason),)


class MethodNotFound(SpannerError, code=Code.NOT_FOUND):
    prose = "No method is served at {method} {path}"
    method: str
    path: str


class Forbidden(SpannerError, code=Code.PERMISSION_DENIED):
    prose = "{reason}"
    reason: str


class BadHttp(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{reason}"
    http_status: int
    reason: str


_SHOWN_CHARACTERS_MAX = 100  # of a value in an error


class Misfit(Exception):
    """A value that does not fit its field; `path` grows on the way to the root of the message."""

    def __init__(self, describe: Callable[[str], str]) -> None:
        self._describe = describe
        self.path = ""

    def below(self, step: str) -> Misfit:
        """Return this misfit, seen from the message or the list that contains the value."""
        joint = "." if self.path and not self.path.startswith("[") else ""
        self.path = f"{step}{joint}{self.path}"
        return self

    def refusal(self) -> InvalidPayload:
        """Return the error for the client."""
        return InvalidPayload(_sendable(self.path), _sendable(self._describe(self.path)))


def _sendable(text: str) -> str:
    """Return the text without halves of surrogate pairs, which no message can contain."""
    return text.encode(errors="replace").decode()


def invalid(kind: str, value: Any) -> Misfit:
    """Return the misfit of a value that is not of the kind that its field takes."""
    try:
        shown = json.dumps(value, ensure_ascii=False)
    except RecursionError:
        shown = "a deeply nested value"
    if len(shown) > _SHOWN_CHARACTERS_MAX:
        shown = f"{shown[:_SHOWN_CHARACTERS_MAX]}..."
    return Misfit(lambda path: f"Invalid value at '{path}' ({kind}), {shown}")


def unknown(name: str, reason: str) -> Misfit:
    """Return the misfit of a name that the message at the path does not have."""

    def describe(path: str) -> str:
        place = f" at '{path}'" if path else ""
        return f'Invalid JSON payload received. Unknown name "{name}"{place}: {reason}'

    return Misfit(describe)


def too_deep() -> InvalidPayload:
    """Return the error for a message with too many levels."""
    return InvalidPayload("", "Invalid JSON payload received. Message too deep.")

"""Channels to a process that may die or hang under a test: then the test fails, and soon.

The official client takes a stream up again for as long as its server answers UNAVAILABLE, which
a dead one does forever; and it lets a query run for an hour.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from subprocess import Popen
from typing import Any

import grpc

CALL_SECONDS_MAX = 60.0


class ServerDied(RuntimeError):
    """The process that a call was meant for has ended. No client takes this for a status."""


class _Guard(
    grpc.UnaryUnaryClientInterceptor,
    grpc.UnaryStreamClientInterceptor,
    grpc.StreamUnaryClientInterceptor,
    grpc.StreamStreamClientInterceptor,
):
    """An interceptor that gives calls a deadline, and refuses them after the process has ended."""

    def __init__(self, server: Popen[bytes]) -> None:
        self._server = server

    def _intercept(self, go_on: Callable[[Any, Any], Any], details: Any, request: Any) -> Any:
        if self._server.poll() is not None:
            raise ServerDied(f"exit code {self._server.returncode} before {details.method}")
        seconds = details.timeout
        if seconds is None or seconds > CALL_SECONDS_MAX:
            details = details._replace(timeout=CALL_SECONDS_MAX)
        return go_on(details, request)

    intercept_unary_unary = intercept_unary_stream = _intercept
    intercept_stream_unary = intercept_stream_stream = _intercept


@contextmanager
def guarded(address: str, server: Popen[bytes]) -> Iterator[None]:
    """Guard the channels that are opened to the address of that process meanwhile."""
    before = grpc.insecure_channel

    def insecure_channel(target: str, *rest: Any, **options: Any) -> grpc.Channel:
        channel = before(target, *rest, **options)
        return grpc.intercept_channel(channel, _Guard(server)) if target == address else channel

    grpc.insecure_channel = insecure_channel
    try:
        yield
    finally:
        if grpc.insecure_channel is insecure_channel:  # else somebody has wrapped it since
            grpc.insecure_channel = before

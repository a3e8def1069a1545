"""Observes every RPC while there is a log, a metric or a trace that needs it.

    Endpoint  --watchers-->  RequestObserver  --FinishedRequest-->  each sink

All transports serve the same endpoints, so that one observer sees all requests. It watches only
while it has sinks: an emulator without sinks pays nothing.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, MutableSequence
from dataclasses import dataclass
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.base.clock import monotonic, real_time_ns
from spanemu.base.errors import Code, SpannerError
from spanemu.base.record import NamedTuple
from spanemu.frontend.dispatch import Message, ServedCall, Watcher
from spanemu.frontend.interception import InterceptedRequest

log = logging.getLogger("spanemu")


@dataclass(slots=True)
class _Open:
    """A request in progress: its arrival by the machine's clock, and by `clock.monotonic`."""

    rpc: InterceptedRequest
    at: int
    began: float
    mutations: int = 0  # of the groups of a BatchWrite so far


class FinishedRequest(NamedTuple):
    """A request that has ended, without the connection that it came through.

    `rpc` describes the request; None if the request was refused before it could be read. `at` is
    the arrival by the machine's clock in nanoseconds. `facts` are the annotations of the call.
    """

    path: str
    transport: str
    rpc: InterceptedRequest | None
    at: int
    seconds: float
    code: Code
    message: str
    facts: Mapping[str, Any]

    @property
    def method(self) -> str:
        """The name of the RPC, without its service."""
        return self.path.rpartition("/")[2]

    @property
    def database(self) -> str:
        """The full name of the database of the request, or ""."""
        return "" if self.rpc is None else self.rpc.database

    @property
    def rows(self) -> int:
        """The number of returned rows; of DML without THEN RETURN, of modified rows."""
        return int(self.facts.get("rows") or self.facts.get("written") or 0)

    @property
    def bytes(self) -> int:
        """The size of the returned rows."""
        return int(self.facts.get("bytes", 0))

    @property
    def mutations(self) -> int:
        """The number of mutations of the request's commits."""
        return int(self.facts.get("mutations", 0))

    @property
    def lock_wait_seconds(self) -> float:
        """The time for which the request waited for locks."""
        return float(self.facts.get("lock_wait_seconds", 0.0))


# Takes a request that has ended, and its call, which a sink must not keep: a call refers to gRPC's
# state of the connection.
Sink = Callable[[FinishedRequest, ServedCall], None]


class RequestObserver:
    """A watcher of all RPCs that passes each to its sinks when it has ended.

    A sink must be quick; a sink that raises an exception is removed.
    """

    def __init__(self, watchers: MutableSequence[Watcher], instances: Instances) -> None:
        self._watchers = watchers
        self._instances = instances
        self._time_ns = real_time_ns()
        self._mutex = threading.Lock()  # Guards the field below.
        self._sinks: tuple[Sink, ...] = ()
        self._open: dict[ServedCall, _Open] = {}  # Each RPC adds and removes only its own.

    def add(self, sink: Sink) -> None:
        """Pass the requests that begin from now on to `sink`, too."""
        with self._mutex:
            if sink in self._sinks:
                return
            if not self._sinks:
                self._watchers.append(self)
            self._sinks += (sink,)

    def remove(self, sink: Sink) -> None:
        """Pass no more requests to `sink`."""
        with self._mutex:
            self._sinks = tuple(each for each in self._sinks if each != sink)
            if not self._sinks and self in self._watchers:
                self._watchers.remove(self)
                self._open.clear()

    # ------------------------------------------------------------------ as a watcher

    def started(self, call: ServedCall, request: Message) -> None:
        """Remember the arrival of a request."""
        if call.facts is None:
            call.facts = {}
        rpc = InterceptedRequest(call.path.rpartition("/")[2], request, self._instances)
        self._open[call] = _Open(rpc, self._time_ns(), monotonic())

    def replied(self, call: ServedCall, reply: bytes) -> None:
        """Count the mutations of a group of BatchWrite; other replies are ignored."""
        pending = self._open.get(call)
        if pending is not None and pending.rpc.method == "BatchWrite":
            pending.mutations += (call.facts or {}).get("mutations", 0)

    def ended(self, call: ServedCall, error: Exception | None) -> None:
        """Pass the request to the sinks."""
        facts: dict[str, Any] = call.facts or {}
        pending = self._open.pop(call, None)
        code, message = _outcome(call, error)
        rpc, at, seconds = None, 0, 0.0
        if pending is None:  # The request was refused before it could be read.
            at = self._time_ns()
        else:
            rpc, at, seconds = pending.rpc, pending.at, monotonic() - pending.began
            if pending.mutations:
                facts = {**facts, "mutations": pending.mutations}
        finished = FinishedRequest(
            call.path, call.transport, rpc, at, seconds, code, message, facts
        )
        for sink in self._sinks:
            try:
                sink(finished, call)
            except Exception:
                log.exception("the request observer %r failed and was removed", sink)
                self.remove(sink)


def _outcome(call: ServedCall, error: Exception | None) -> tuple[Code, str]:
    """Return the code and the message of a request that has ended."""
    if error is None:
        return (Code.CANCELLED if call.is_cancelled else Code.OK), ""
    if isinstance(error, SpannerError):
        return error.code, str(error)
    if isinstance(error, MemoryError):
        return Code.RESOURCE_EXHAUSTED, "The process is out of memory."
    return Code.INTERNAL, f"{type(error).__name__}: {error}"

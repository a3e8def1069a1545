"""The time that a call takes in each stage, by functions that are replaced by timed ones.

    lap      from the handler of one request to that of the next: one call of a client that waits
    stage    the time in its functions, without what the functions of other stages took meanwhile

Each figure is the median over the laps, so that a thread that is interrupted does not count. Calls
of the system count with their processor time, because another thread may run before they return.
What the clock itself takes is measured first and taken off.
"""

from __future__ import annotations

import socket
from collections import defaultdict
from collections.abc import Callable
from functools import wraps
from statistics import median
from time import perf_counter_ns, thread_time_ns
from typing import Any

from spanemu.database.sessions.session import Session
from spanemu.database.transactions import one_row_commit
from spanemu.frontend import spanner
from spanemu.frontend.dispatch import Endpoint
from spanemu.frontend.embedded import calls, channel
from spanemu.http2.client import Client
from spanemu.http2.connection import Connection
from spanemu.http2.exchange import Exchange
from spanemu.http2.header_block import HeaderDecoder
from spanemu.http2.lingering import Lingering
from spanemu.http2.loop import Loop
from spanemu.http2.sockets import new_sockets
from spanemu.storage.store import Store
from spanemu.txn import one_row

LINGERING, WAITING = "linger", "wait for input"
READING, WRITING = "read the socket", "write the socket"
SYSTEM = {LINGERING, WAITING, READING, WRITING}
OUTSIDE = "outside of all stages"
CONVERSION = "values from the request, the reply from the outcome"
PARSING = "parse the message"

# The functions of each stage, in the order of a call.
STAGES: tuple[tuple[str, Any, tuple[str, ...]], ...] = (
    (LINGERING, Lingering, ("look",)),
    (WAITING, type(new_sockets()), ("wait",)),
    (READING, socket.socket, ("recv",)),
    ("frames", Connection, ("receive",)),
    ("header fields", HeaderDecoder, ("decode",)),
    ("stream: request", Exchange, ("begin", "data", "end")),
    ("embedded channel", channel._Method, ("with_call",)),
    ("embedded channel", channel._UnaryStream, ("__call__",)),
    ("embedded channel", calls.StreamCall, ("__next__",)),
    ("stream: step", Exchange, ("run",)),
    ("endpoint", Endpoint, ("unary", "_answer")),
    ("session, transaction, statement", Session, ("commit", "execute")),
    ("commit in one step: conditions", one_row_commit, ("commit_at_once", "committed_row")),
    ("commit in one step: row", one_row, ("prepared",)),
    ("commit in one step: locks", one_row, ("commit",)),
    ("store", Store, ("apply", "get")),
    ("run the plan, encode rows", spanner, ("resumable_chunks",)),
    ("stream: reply", Exchange, ("deliver",)),
    ("output", Client, ("flush",)),
    (WRITING, socket.socket, ("send",)),
    ("loop", Loop, ("_go_round",)),
)
ORDER = tuple(dict.fromkeys(stage for stage, _, _ in STAGES))
_CALIBRATIONS = 20_000

Lap = dict[str, int]


class StageClock:
    """The laps of a thread that serves calls, by the name of the RPC."""

    def __init__(self) -> None:
        self.laps: dict[str, list[Lap]] = defaultdict(list)
        self._rpc = ""
        self._lap: Lap = defaultdict(int)
        self._began = perf_counter_ns()
        self._inner = 0  # of the functions that were called by the one in progress
        self._is_in_system = False  # A function counts with its processor time.
        self._own_nanos = self._outer_nanos = 0
        self._calibrate()

    def _calibrate(self) -> None:
        """Measure what a timed function takes by itself, and what it takes its caller."""
        empty = self.timed("", lambda: None)
        began = perf_counter_ns()
        for _ in range(_CALIBRATIONS):
            empty()
        whole = (perf_counter_ns() - began) // _CALIBRATIONS
        self._own_nanos = self._lap.pop("") // _CALIBRATIONS
        self._outer_nanos = max(0, whole - self._own_nanos)
        self._inner = 0

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose time counts for a stage."""

        @wraps(function)
        def timed(*given: Any, **named: Any) -> Any:
            outer, self._inner = self._inner, 0
            began = perf_counter_ns()
            try:
                return function(*given, **named)
            finally:
                taken = perf_counter_ns() - began
                self._lap[stage] += taken - self._inner - self._own_nanos
                self._inner = outer + taken + self._outer_nanos

        return timed

    def timed_by_processor(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose processor time counts for a stage, with all that it calls."""

        @wraps(function)
        def timed(*given: Any, **named: Any) -> Any:
            if self._is_in_system:
                return function(*given, **named)
            self._is_in_system = True
            began, began_thread = perf_counter_ns(), thread_time_ns()
            try:
                return function(*given, **named)
            finally:
                self._is_in_system = False
                self._lap[stage] += thread_time_ns() - began_thread
                self._inner += perf_counter_ns() - began + self._outer_nanos

        return timed

    def handling(self, rpc: str, handler: Callable[..., Any]) -> Callable[..., Any]:
        """Return the handler of an RPC: a stage, at which a lap ends and the next one begins."""
        timed = self.timed(CONVERSION, handler)

        def handle(*given: Any, **named: Any) -> Any:
            self._end_lap(rpc)
            return timed(*given, **named)

        return handle

    def _end_lap(self, rpc: str) -> None:
        now = perf_counter_ns()
        lap = dict(self._lap)
        lap[OUTSIDE] = now - self._began - sum(lap.values())
        self.laps[self._rpc].append(lap)
        self._rpc, self._began = rpc, now
        self._lap.clear()

    def medians(self, rpc: str) -> dict[str, float]:
        """Return the microseconds of each stage in the laps of an RPC."""
        laps = self.laps[rpc]
        stages = dict.fromkeys(stage for lap in laps for stage in lap)
        return {stage: median(lap.get(stage, 0) for lap in laps) / 1e3 for stage in stages}


def install(clock: StageClock) -> None:
    """Replace the functions of all stages by timed ones, before an emulator begins."""
    for stage, owner, names in STAGES:
        timed = clock.timed_by_processor if stage in SYSTEM else clock.timed
        for name in names:
            setattr(owner, name, timed(stage, getattr(owner, name)))
    create = Endpoint.__init__

    def created(self: Any, path: str, *given: Any, **named: Any) -> None:
        create(self, path, *given, **named)
        self._parse = clock.timed(PARSING, self._parse)
        name = path.rpartition("/")[2]
        self._handler = clock.handling(name, self._handler)
        if self._small is not None:
            self._small = clock.handling(name, self._small)

    Endpoint.__init__ = created  # type: ignore[method-assign]

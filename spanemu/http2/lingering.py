"""A server stays awake for a moment after a reply, so that its client runs elsewhere.

A client in Python, Go, Java or Node has a thread that reads replies, and others that wait for what
it has read. The kernel wakes those on a CPU that is idle, and that is the CPU of a server that has
just replied and fallen asleep: from then on the client computes there, in the server's caches, and
each request has to displace it. A server that still looks for requests then keeps its CPU, and
needs no waking for a request that comes soon (docs/adr/0025).

Between two looks the server gives way to any other thread on its CPU. If that has taken long, a
program computes there: it would get the CPU for milliseconds at each look, so the server sleeps at
once for a while, which becomes longer if the program is still there afterwards.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from math import inf

from spanemu.base.clock import monotonic
from spanemu.base.process import placement
from spanemu.http2.sockets import Ready, Sockets

LINGER_SECONDS = 100e-6
LONG_SECONDS = 0.001  # of another thread; a client between two requests takes less
# Without lingering, after a thread that took long: a client that starts takes long once or twice.
REST_SECONDS_MIN, REST_SECONDS_MAX = 0.02, 1.0

Clock = Callable[[], float]


class Lingering:
    """A few looks at sockets, before a thread sleeps until one of them is ready."""

    def __init__(
        self, sockets: Sockets, give_way: Callable[[], object], clock: Clock = monotonic
    ) -> None:
        self._sockets = sockets
        self._give_way = give_way  # to other threads that could run on this CPU
        self._clock = clock
        self._rest_seconds = REST_SECONDS_MIN
        self._rests_until = -inf

    def look(self) -> list[tuple[Ready, int]]:
        """Return the sockets that are ready within the moment, as `Sockets.wait` returns them."""
        clock, wait = self._clock, self._sockets.wait
        now = clock()
        if now < self._rests_until:
            return []
        until = now + LINGER_SECONDS
        ready = wait(0.0)
        while not ready and now < until:
            before = now
            self._give_way()
            now = clock()
            if now - before > LONG_SECONDS:
                self._rest(now)
            ready = wait(0.0)
        return ready

    def _rest(self, now: float) -> None:
        """Look no more for a while: for twice as long if this comes soon after the last time."""
        is_soon = now - self._rests_until < self._rest_seconds
        longer = min(2 * self._rest_seconds, REST_SECONDS_MAX)
        self._rest_seconds = longer if is_soon else REST_SECONDS_MIN
        self._rests_until = now + self._rest_seconds


def new_lingering(sockets: Sockets) -> Lingering | None:
    """Return what lingers at sockets; None in a process that is not bound to a CPU.

    That may be the process of the client, which would wait for the lingering thread.
    """
    if sys.platform != "linux" or not placement.is_bound:
        return None
    return Lingering(sockets, os.sched_yield)

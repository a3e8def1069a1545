"""The latest requests of an emulator in this process, in a bounded memory.

Recording costs each request a few dozen microseconds, so it goes on only while somebody reads: it
begins with the first reader, and ends when nobody has read for `UNREAD_SECONDS_MAX`. A small
request is kept as it is, and becomes an entry when it is read.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from itertools import islice

from spanemu.base.call import current
from spanemu.base.clock import monotonic
from spanemu.control.request_log import (
    WAIT_SECONDS_MAX,
    LoggedRequest,
    RequestLog,
    RequestPage,
)
from spanemu.telemetry.entries import entry_of
from spanemu.telemetry.observer import FinishedRequest, RequestObserver

REQUESTS_KEPT = 1_000
UNREAD_SECONDS_MAX = 300.0
_UNREAD_BYTES_MAX = 8_192  # of a request that is kept as it is


class RequestRing(RequestLog):
    """The last `kept` requests, recorded from the first call of `requests` or `start` on."""

    def __init__(self, observer: RequestObserver, kept: int = REQUESTS_KEPT) -> None:
        self._observer = observer
        self._arrived = threading.Condition()  # Its lock guards the fields below.
        self._kept: deque[Callable[[], LoggedRequest]] = deque(maxlen=kept)
        self._last = 0
        self._waiters = 0
        self._is_permanent = False
        self._read_at = 0.0

    def start(self) -> None:
        """Record requests from now on, even while nobody reads them."""
        self._is_permanent = True
        self._observer.add(self.record)

    def requests(
        self, *, after: int = 0, limit: int = 100, database: str = "", wait_seconds: float = 0.0
    ) -> RequestPage:
        if after < 0 or limit < 0 or not wait_seconds >= 0:
            raise ValueError("after, limit and wait_seconds must not be negative")
        self._read_at = monotonic()
        self._observer.add(self.record)
        with self._arrived:
            latest = self._latest(after, database, limit)
            if not latest and wait_seconds and limit:
                self._wait(after, database, min(wait_seconds, WAIT_SECONDS_MAX))
                latest = self._latest(after, database, limit)
            last = latest[-1].number if latest else max(after, self._last)
        return RequestPage(latest, last)

    def record(self, finished: FinishedRequest, _: object) -> None:
        """Record a request: the sink of the observer."""
        if not self._is_permanent and monotonic() - self._read_at > UNREAD_SECONDS_MAX:
            self._observer.remove(self.record)
            return
        with self._arrived:
            self._last += 1
            self._kept.append(_kept(finished, self._last))
            if self._waiters:
                self._arrived.notify_all()

    def _latest(self, after: int, database: str, limit: int) -> list[LoggedRequest]:
        """Return the latest entries after a number, the oldest first."""
        count = min(len(self._kept), max(0, self._last - after))
        newest_first = (make() for make in islice(reversed(self._kept), count))
        of_database = (entry for entry in newest_first if database in ("", entry.database))
        return list(islice(of_database, limit))[::-1]

    def _wait(self, after: int, database: str, seconds: float) -> None:
        """Wait for an entry after a number, or until the caller gives up."""
        call = current()
        call.on_cancel(self._wake)
        self._waiters += 1
        try:
            self._arrived.wait_for(
                lambda: call.is_cancelled or self._latest(after, database, 1), seconds
            )
        finally:
            self._waiters -= 1
            call.forget(self._wake)
        call.check()

    def _wake(self) -> None:
        with self._arrived:
            self._arrived.notify_all()


def _kept(finished: FinishedRequest, number: int) -> Callable[[], LoggedRequest]:
    """Return a function that returns the entry of a request, for as long as it is in the ring."""
    rpc = finished.rpc
    if rpc is None or rpc.size <= _UNREAD_BYTES_MAX:
        return partial(entry_of, finished, number)
    entry = entry_of(finished, number)
    return lambda: entry

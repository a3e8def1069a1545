"""The waiting requests of a server, each on its own thread: they are counted and limited.

The server of `http2` has its own way (`http2.loop`).
"""

from __future__ import annotations

import threading
from typing import Self

from spanemu.base.call import Call, Signal
from spanemu.frontend.errors import TooManyWaiting


class Waits:
    """The number of requests that wait, or may wait. `with waits:` counts one."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.count = 0
        self._mutex = threading.Lock()  # Guards the count.

    def __enter__(self) -> Self:
        """Count a request. Raises TooManyWaiting."""
        with self._mutex:
            if self.count >= self.limit:
                raise TooManyWaiting(self.count)
            self.count += 1
        return self

    def __exit__(self, *_exc: object) -> None:
        with self._mutex:
            self.count -= 1

    def signal(self, call: Call) -> Signal:
        """Return a signal whose waits are counted."""
        return _CountedSignal(call, self)


class _CountedSignal(Signal):
    """A signal for which a counted request waits."""

    __slots__ = ("_waits",)

    def __init__(self, call: Call, waits: Waits) -> None:
        super().__init__(call)
        self._waits = waits

    def _sleep(self, seconds: float | None) -> bool:
        with self._waits:
            return super()._sleep(seconds)

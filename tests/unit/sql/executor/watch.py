"""A call that watches how often a statement checks its deadline."""

from __future__ import annotations

import time

from spanemu.base.call import Call, Cancelled


class Watch(Call):
    """A call that records the longest time between two checks of its deadline.

    The time is processor time of this thread. The call is cancelled after `seconds` of it.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._last = time.thread_time()
        self._end = self._last + seconds
        self.longest = 0.0

    def check(self) -> None:
        self.record_check()
        if self._last > self._end:
            raise Cancelled()

    def record_check(self) -> None:
        now = time.thread_time()
        self.longest = max(self.longest, now - self._last)
        self._last = now

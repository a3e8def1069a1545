"""Functions that are called at times of a clock, on one thread that exists while any is due."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Protocol

log = logging.getLogger("spanemu")

_WAIT_SECONDS_MAX = 2.0  # for a timer, which may be cancelled
_FROZEN_WAIT_SECONDS = 0.25  # between two looks at a clock that only its readers move
_SWEEP_THRESHOLD = 1_000  # the fewest timers at which cancelled ones are removed


class TimedClock(Protocol):
    """The properties of a clock that its timers need."""

    def peek(self) -> int:
        """Return the current time in nanoseconds."""
        ...

    def seconds_until(self, nanos: int) -> float | None:
        """Return how long the clock takes to reach `nanos` by itself; None while it is frozen."""
        ...


class Timer:
    """A call of `function` at the time `nanos` of a clock, unless it is cancelled before."""

    __slots__ = ("_number", "function", "nanos")

    def __init__(self, nanos: int, function: Callable[[], object], number: int = 0) -> None:
        self.nanos = nanos
        self.function: Callable[[], object] | None = function
        self._number = number

    def __lt__(self, other: Timer) -> bool:
        return (self.nanos, self._number) < (other.nanos, other._number)

    def cancel(self) -> None:
        """Do not call the function any more."""
        self.function = None

    def fire(self) -> None:
        """Call the function, the first time and unless it was cancelled."""
        function, self.function = self.function, None
        if function is not None:
            function()


class Timers:
    """The timers of one clock. Their functions must return at once."""

    def __init__(self, clock: TimedClock) -> None:
        self._clock = clock
        self._changed = threading.Condition(threading.Lock())  # Guards the fields below.
        self._heap: list[Timer] = []
        self._thread: threading.Thread | None = None
        self._numbers = count()
        self._sweep_threshold = _SWEEP_THRESHOLD

    def add(self, nanos: int, function: Callable[[], object]) -> Timer:
        """Return a timer that calls `function` once the time is `nanos` or later."""
        timer = Timer(nanos, function, next(self._numbers))
        with self._changed:
            self._remove_cancelled()
            heappush(self._heap, timer)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="spanemu-timers")
                self._thread.daemon = True
                self._thread.start()
            elif self._heap[0] is timer:
                self._changed.notify()
        return timer

    def clock_moved(self) -> None:
        """Fire the timers that are due after the clock was moved."""
        if self._thread is not None:
            with self._changed:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                due = self._take_due()
                if not due and not self._heap:
                    self._thread = None
                    return
                if not due:
                    self._changed.wait(self._seconds_to_wait())
            for timer in due:
                try:
                    timer.fire()
                except Exception:  # The other timers are due all the same.
                    log.exception("the function of a timer failed")

    def _take_due(self) -> list[Timer]:
        due: list[Timer] = []
        now = self._clock.peek()
        while self._heap and (self._heap[0].nanos <= now or self._heap[0].function is None):
            due.append(heappop(self._heap))
        return due

    def _seconds_to_wait(self) -> float:
        seconds = self._clock.seconds_until(self._heap[0].nanos)
        return _FROZEN_WAIT_SECONDS if seconds is None else min(seconds, _WAIT_SECONDS_MAX)

    def _remove_cancelled(self) -> None:
        if len(self._heap) >= self._sweep_threshold:
            self._heap = [timer for timer in self._heap if timer.function is not None]
            heapify(self._heap)
            self._sweep_threshold = max(_SWEEP_THRESHOLD, 2 * len(self._heap))

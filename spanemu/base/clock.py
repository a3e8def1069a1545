"""The only module that reads the machine's clock.

It reads the machine's time even while freezegun or time-machine stop or move Python's time. Those
tools are meant for the code under test; if they moved the emulator's time, sessions would expire or
deadlines never pass for reasons unrelated to the test. A test that wants both to move together says
so (`EmulatorClock.follow`).

Timestamps everywhere in spanemu are `int` nanoseconds since the Unix epoch, like TIMESTAMP values.
Timestamps that a clock issues are whole microseconds, as Spanner's commit timestamps are, and each
is later than all before. Options write periods of time as text (`period_nanos`).
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from spanemu.base.deferred import lazy_pattern
from spanemu.base.record import dataclass
from spanemu.base.timers import Timer, Timers

NANOS_PER_MICRO = 1_000
NANOS_PER_MILLI = 1_000_000
NANOS_PER_SECOND = 1_000_000_000
NANOS_PER_MINUTE = 60 * NANOS_PER_SECOND
NANOS_PER_HOUR = 60 * NANOS_PER_MINUTE
NANOS_PER_DAY = 24 * NANOS_PER_HOUR

_PERIOD = lazy_pattern(r"(\d{1,9})([smhd])")
_UNITS = {
    "s": NANOS_PER_SECOND,
    "m": NANOS_PER_MINUTE,
    "h": NANOS_PER_HOUR,
    "d": NANOS_PER_DAY,
}

# The intervals of statistics tables, as their names end, in seconds.
INTERVALS = {"MINUTE": 60, "10MINUTE": 600, "HOUR": 3600}

BEGINNING = -(1 << 66)  # before every TIMESTAMP; the first is in year 1


def period_nanos(period: object) -> int | None:
    """Return a period such as `7d` in nanoseconds, or None for an invalid period."""
    match = _PERIOD.fullmatch(period) if isinstance(period, str) else None
    return None if match is None else int(match[1]) * _UNITS[match[2]]


# freezegun replaces the functions of `time` in all modules, but not partials of them, which cost
# next to nothing.
_time_ns = partial(time.time_ns)


@dataclass(frozen=True, slots=True)
class ClockState:
    """The relation of a clock to the machine's clock, for `SystemClock.set_state`.

    `offset` is added to the machine's time while time runs. `frozen_at` is the time at which the
    clock is frozen, None while it runs, and `step` is what each reading adds. `last` is the latest
    reading.
    """

    offset: int = 0
    frozen_at: int | None = None
    step: int = 0
    last: int = BEGINNING

    def is_like(self, other: ClockState) -> bool:
        """Return whether the other state is equal except for the latest reading."""
        return (self.offset, self.frozen_at, self.step) == (
            other.offset, other.frozen_at, other.step,
        )  # fmt: skip


class Reached(Protocol):
    """A signal of the request in progress (`base.call`)."""

    def set(self) -> None:
        """End the wait."""
        ...

    def wait(self) -> bool:
        """Wait until the signal is set, or the request need not continue."""
        ...


class Clock(Protocol):
    """The interface of a clock, as the database uses it."""

    @property
    def state(self) -> ClockState:
        """The current relation to the machine's clock."""
        ...

    def now(self) -> int:
        """Return a new timestamp: a whole microsecond, later than every earlier result."""
        ...

    def peek(self) -> int:
        """Return the current time without issuing it: not before the last `now`, and not unique."""
        ...

    def wait_until(self, nanos: int, reached: Reached) -> None:
        """Set `reached` once the time is `nanos`, and wait for it; may return early."""
        ...

    def call_at(self, nanos: int, function: Callable[[], object]) -> Timer:
        """Return a timer that calls `function` on another thread once the time is `nanos`.

        Nothing waits for a clock that is set back: its timers are due later.
        """
        ...


def real_time_ns() -> Callable[[], int]:
    """Return a function that reads the machine's time, in nanoseconds since the epoch."""
    machine = sys.modules.get("time_machine")
    if machine is None:
        return _time_ns
    hatch = machine.escape_hatch

    def behind() -> int:
        try:
            return hatch.time.time_ns() if hatch.is_travelling() else _time_ns()
        except (SystemError, ValueError):  # Time travel ended between the two calls.
            return _time_ns()

    return behind


class SystemClock:
    """Wall time, strictly monotonic, that a test can move, freeze and thaw.

    The clock never goes back by itself, even if the machine's clock does. A burst of readings
    within one microsecond runs ahead of wall time by one microsecond each, until wall time catches
    up. Only `set_state` and `set_back` move it back, for callers that know which readers have seen
    later timestamps. It starts at `start` (nanoseconds since the epoch), by default now.
    """

    def __init__(self, start: int | None = None) -> None:
        self._mutex = threading.Lock()  # Guards writes of every field below.
        self._timers = Timers(self)
        self._last = BEGINNING
        self._time_ns = real_time_ns()
        self._offset = 0 if start is None else start - self._time_ns()
        self._frozen_at: int | None = None
        self._step = 0
        self.unmoved = self.state  # the state before any test moves the clock

    @property
    def state(self) -> ClockState:
        """The current relation to the machine's clock."""
        return ClockState(self._offset, self._frozen_at, self._step, self._last)

    @property
    def is_frozen(self) -> bool:
        """Return whether time is frozen, or moves by steps only."""
        return self._frozen_at is not None

    def bypass_mocked_time(self) -> None:
        """Read the machine's time past tools that were imported after this clock was created."""
        self._time_ns = real_time_ns()

    def now(self) -> int:
        """Return the next timestamp, in nanoseconds."""
        with self._mutex:
            current = self._frozen_at
            if current is None:
                current = self._time_ns() + self._offset
                current -= current % NANOS_PER_MICRO
            if current <= self._last:
                current = self._last + NANOS_PER_MICRO
            self._last = current
            if self._step and self._frozen_at is not None:
                self._frozen_at = current + self._step
            return current

    def peek(self) -> int:
        """Return the current time in nanoseconds, without advancing the clock."""
        # No lock: each field is read once, and every value it has had meanwhile is correct.
        wall, last = self._frozen_at, self._last
        if wall is None:
            wall = self._time_ns() + self._offset
            wall -= wall % NANOS_PER_MICRO
        return wall if wall > last else last

    def advance(self, nanos: int) -> None:
        """Move time forward. Raise ValueError if `nanos` is negative."""
        if nanos < 0:
            raise ValueError("a clock never moves backwards")
        with self._mutex:
            self._offset += nanos
            if self._frozen_at is not None:
                self._frozen_at += nanos
            self._notify()

    def wait_until(self, nanos: int, reached: Reached) -> None:
        """Set `reached` once the time is `nanos`, and wait for it; may return early."""
        timer = self.call_at(nanos, reached.set)
        try:
            reached.wait()
        finally:
            timer.cancel()

    def call_at(self, nanos: int, function: Callable[[], object]) -> Timer:
        """Return a timer that calls `function` on another thread once the time is `nanos`."""
        return self._timers.add(nanos, function)

    def seconds_until(self, nanos: int) -> float | None:
        """Return how long the clock takes to reach `nanos` by itself; None while it is frozen."""
        if self._frozen_at is not None:
            return None
        return max(0.0, (nanos - self._wall()) / NANOS_PER_SECOND) + 1e-6

    def freeze(self, at: int | None = None, *, step: int = 0) -> None:
        """Freeze time at the present or at a later time; readings still differ by a microsecond.

        With `step`, each `now` is that many nanoseconds later than the one before. Raise ValueError
        if `at` is in the past.
        """
        with self._mutex:
            present = max(self._wall(), self._last)
            if at is not None and at < present:
                raise ValueError("a clock never moves backwards")
            if at is not None or self._frozen_at is None:
                self._frozen_at = present if at is None else at - at % NANOS_PER_MICRO
            self._step = step
            self._notify()

    def set_back(self, nanos: int) -> None:
        """Freeze time at `nanos`, which may be earlier than any reading."""
        with self._mutex:
            self._frozen_at = nanos - nanos % NANOS_PER_MICRO
            self._last = self._frozen_at - NANOS_PER_MICRO
            self._step = 0
            self._notify()

    def set_state(self, state: ClockState) -> None:
        """Restore an earlier state. Readings continue after the latest reading of that state."""
        with self._mutex:
            self._offset, self._frozen_at = state.offset, state.frozen_at
            self._step, self._last = state.step, state.last
            self._notify()

    def pass_over(self, nanos: int) -> None:
        """Make every later reading exceed `nanos`."""
        with self._mutex:
            self._last = max(self._last, nanos)

    def thaw(self) -> None:
        """Resume time from the time at which it was frozen."""
        with self._mutex:
            if self._frozen_at is not None:
                frozen, self._frozen_at = self._frozen_at, None
                self._step = 0
                self._offset += frozen - self._wall()
                self._notify()

    def _notify(self) -> None:
        self._timers.clock_moved()

    def _wall(self) -> int:
        frozen = self._frozen_at
        if frozen is not None:
            return frozen
        nanos = self._time_ns() + self._offset
        return nanos - nanos % NANOS_PER_MICRO


class ShiftedClock:
    """A clock that is ahead of another clock by a fixed time."""

    def __init__(self, source: Clock, ahead: int) -> None:
        self._source = source
        self._ahead = ahead

    @property
    def state(self) -> ClockState:
        """The relation of the source clock to the machine's clock."""
        return self._source.state

    def now(self) -> int:
        """Return the next timestamp, in nanoseconds."""
        return self._source.now() + self._ahead

    def peek(self) -> int:
        """Return the current time in nanoseconds, without advancing the clock."""
        return self._source.peek() + self._ahead

    def wait_until(self, nanos: int, reached: Reached) -> None:
        """Set `reached` once the time is `nanos`, and wait for it; may return early."""
        self._source.wait_until(nanos - self._ahead, reached)

    def call_at(self, nanos: int, function: Callable[[], object]) -> Timer:
        """Return a timer that calls `function` on another thread once the time is `nanos`."""
        return self._source.call_at(nanos - self._ahead, function)


class ManualClock:
    """A clock for unit tests: each reading is one microsecond after the last."""

    def __init__(self, nanos: int = 0) -> None:
        self.nanos = nanos
        self._timers: list[Timer] = []

    @property
    def state(self) -> ClockState:
        """A state with the last reading only: no machine drives this clock."""
        return ClockState(last=self.nanos)

    def now(self) -> int:
        """Return the time one microsecond after the last reading."""
        self.nanos += NANOS_PER_MICRO
        return self.nanos

    def peek(self) -> int:
        """Return the last reading."""
        return self.nanos

    def advance(self, nanos: int) -> None:
        """Move time forward by whole nanoseconds, and call the functions of timers that are due."""
        self.nanos += nanos
        due = sorted(timer for timer in self._timers if timer.nanos <= self.nanos)
        self._timers = [timer for timer in self._timers if timer.nanos > self.nanos]
        for timer in due:
            timer.fire()

    def call_at(self, nanos: int, function: Callable[[], object]) -> Timer:
        """Return a timer that calls `function` when `advance` reaches the time `nanos`."""
        timer = Timer(nanos, function, len(self._timers))
        self._timers.append(timer)
        return timer

    def wait_until(self, nanos: int, reached: Reached) -> None:
        """Advance to `nanos` at once."""
        self.nanos = max(self.nanos, nanos)


# Seconds on a clock for durations and deadlines, unaffected by wall time. Not wrapped in a Python
# function, because each request reads it a dozen times.
monotonic = partial(time.monotonic)
sleep = partial(time.sleep)  # for pauses in work: a request waits for a signal of its call


class _MachineClock:
    """The clock of `monotonic`, which no test moves."""

    def peek(self) -> int:
        return int(monotonic() * NANOS_PER_SECOND)

    def seconds_until(self, nanos: int) -> float:
        return max(0.0, nanos / NANOS_PER_SECOND - monotonic()) + 1e-6


_machine_timers = Timers(_MachineClock())


def call_after(seconds: float, function: Callable[[], object]) -> Timer:
    """Return a timer that calls `function` on another thread after some seconds of `monotonic`."""
    return call_at(int((monotonic() + seconds) * NANOS_PER_SECOND), function)


def call_at(nanos: int, function: Callable[[], object]) -> Timer:
    """Return a timer that calls `function` when `monotonic` has passed so many nanoseconds."""
    return _machine_timers.add(nanos, function)


def replace_sleep(sleep: Callable[[float], None]) -> Callable[[float], None]:
    """Set Python's `time.sleep`, and return the function before."""
    before, time.sleep = time.sleep, sleep  # type: ignore[assignment]
    return before

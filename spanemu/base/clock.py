"""The only place that asks the machine for the time.

It is the machine's also while freezegun or time-machine have Python's stand still or travel: those
are for the code under test, and a session would be too old, or a deadline never pass, for nothing
that the test is about. A test that wants both to go together says so (`EmulatorClock.follow`).

Timestamps everywhere in spanemu are `int` nanoseconds since the Unix epoch, as a TIMESTAMP
value is. Those that a clock gives out are whole microseconds, as Spanner's commit timestamps
are, and each is later than all before it.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from spanemu.base.nanos import BEGINNING, NANOS_PER_MICRO, NANOS_PER_SECOND

# freezegun replaces the functions of `time` wherever a module has them; it does not know partials
# of them, which cost next to nothing.
_time_ns = partial(time.time_ns)

WAIT_SECONDS_MAX = 0.25  # a waiter looks up this often, e.g. for a cancelled request


@dataclass(frozen=True, slots=True)
class ClockState:
    """How a clock relates to the machine's, to be given back to `SystemClock.set_state`.

    `offset` is what is added to the machine's time while time runs, `frozen_at` where time stands
    still, None when it runs, and `step` what each reading adds. `last` is the latest reading.
    """

    offset: int = 0
    frozen_at: int | None = None
    step: int = 0
    last: int = BEGINNING

    def is_like(self, other: ClockState) -> bool:
        """Return whether time stands or runs as in another state, readings aside."""
        return replace(self, last=other.last) == other


class Clock(Protocol):
    """What the database asks of time."""

    @property
    def state(self) -> ClockState:
        """How it relates to the machine's clock now."""
        ...

    def now(self) -> int:
        """Nanoseconds since the epoch: a whole microsecond, later than every earlier answer."""
        ...

    def peek(self) -> int:
        """The present time without claiming it: not before the last `now`, may repeat."""
        ...

    def wait_until(self, nanos: int, seconds_max: float | None) -> None:
        """Return once the time is past `nanos`, or after `seconds_max`; may return early."""
        ...


def real_time_ns() -> Callable[[], int]:
    """What tells the machine's time, in nanoseconds since the epoch."""
    machine = sys.modules.get("time_machine")
    if machine is None:
        return _time_ns
    hatch = machine.escape_hatch

    def behind() -> int:
        try:
            return hatch.time.time_ns() if hatch.is_travelling() else _time_ns()
        except (SystemError, ValueError):  # It has just come back.
            return _time_ns()

    return behind


class SystemClock:
    """Wall time, strictly monotonic, that a test can move, freeze and thaw.

    By itself it never goes back, even when the machine's clock does, and falls back in step with
    wall time: a burst of readings inside one microsecond runs ahead by one each, no more. Only
    `set_state` and `set_back` take it back, for callers that know who has seen later timestamps.
    It begins at `start` (nanoseconds since the epoch), now by default.
    """

    def __init__(self, start: int | None = None) -> None:
        self._mutex = threading.Lock()  # Guards writes of every field below.
        self._moved = threading.Condition(self._mutex)
        self._last = BEGINNING
        self._time_ns = real_time_ns()
        self._offset = 0 if start is None else start - self._time_ns()
        self._frozen_at: int | None = None
        self._step = 0
        self.unmoved = self.state  # which nobody has moved yet

    @property
    def state(self) -> ClockState:
        """How it relates to the machine's clock now."""
        return ClockState(self._offset, self._frozen_at, self._step, self._last)

    @property
    def is_frozen(self) -> bool:
        """Whether time stands still, or moves by steps only."""
        return self._frozen_at is not None

    def stay_real(self) -> None:
        """Find the machine's time behind tools that were imported since this clock was made."""
        self._time_ns = real_time_ns()

    def now(self) -> int:
        """The next timestamp, in nanoseconds."""
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
        """The present time in nanoseconds, without advancing anything."""
        # No lock: each field is read once, and any value it had meanwhile is a right answer.
        wall, last = self._frozen_at, self._last
        if wall is None:
            wall = self._time_ns() + self._offset
            wall -= wall % NANOS_PER_MICRO
        return wall if wall > last else last

    def advance(self, nanos: int) -> None:
        """Move time forward. Raises ValueError when asked to go back."""
        if nanos < 0:
            raise ValueError("a clock never moves backwards")
        with self._mutex:
            self._offset += nanos
            if self._frozen_at is not None:
                self._frozen_at += nanos
            self._moved.notify_all()

    def wait_until(self, nanos: int, seconds_max: float | None) -> None:
        """Return once the time is past `nanos`, or after `seconds_max`; may return early."""
        with self._mutex:
            waits = [WAIT_SECONDS_MAX]
            if self._frozen_at is None:
                waits.append(max(0.0, (nanos - self._wall()) / NANOS_PER_SECOND) + 1e-6)
            if seconds_max is not None:
                waits.append(seconds_max)
            self._moved.wait(min(waits))

    def freeze(self, at: int | None = None, *, step: int = 0) -> None:
        """Stop time, now or `at` a time to come; readings still differ by a microsecond.

        With `step`, each `now` is that many nanoseconds later than the one before. Raises
        ValueError when asked to go back.
        """
        with self._mutex:
            present = max(self._wall(), self._last)
            if at is not None and at < present:
                raise ValueError("a clock never moves backwards")
            if at is not None or self._frozen_at is None:
                self._frozen_at = present if at is None else at - at % NANOS_PER_MICRO
            self._step = step
            self._moved.notify_all()

    def set_back(self, nanos: int) -> None:
        """Stop time at `nanos`, which may be earlier than any reading."""
        with self._mutex:
            self._frozen_at = nanos - nanos % NANOS_PER_MICRO
            self._last = self._frozen_at - NANOS_PER_MICRO
            self._step = 0
            self._moved.notify_all()

    def set_state(self, state: ClockState) -> None:
        """Come back to an earlier state. Readings go on after the latest one of that state."""
        with self._mutex:
            self._offset, self._frozen_at = state.offset, state.frozen_at
            self._step, self._last = state.step, state.last
            self._moved.notify_all()

    def pass_over(self, nanos: int) -> None:
        """Let every reading from now on be later than `nanos`."""
        with self._mutex:
            self._last = max(self._last, nanos)

    def thaw(self) -> None:
        """Let time run again from where it was frozen."""
        with self._mutex:
            if self._frozen_at is not None:
                frozen, self._frozen_at = self._frozen_at, None
                self._step = 0
                self._offset += frozen - self._wall()
                self._moved.notify_all()

    def _wall(self) -> int:
        frozen = self._frozen_at
        if frozen is not None:
            return frozen
        nanos = self._time_ns() + self._offset
        return nanos - nanos % NANOS_PER_MICRO


class ShiftedClock:
    """A clock that is ahead of another one by a fixed time."""

    def __init__(self, source: Clock, ahead: int) -> None:
        self._source = source
        self._ahead = ahead

    @property
    def state(self) -> ClockState:
        """How the clock that it goes with relates to the machine's."""
        return self._source.state

    def now(self) -> int:
        """The next timestamp, in nanoseconds."""
        return self._source.now() + self._ahead

    def peek(self) -> int:
        """The present time in nanoseconds, without advancing anything."""
        return self._source.peek() + self._ahead

    def wait_until(self, nanos: int, seconds_max: float | None) -> None:
        """Return once the time is past `nanos`, or after `seconds_max`; may return early."""
        self._source.wait_until(nanos - self._ahead, seconds_max)


class ManualClock:
    """Time for unit tests: each reading is one microsecond after the last."""

    def __init__(self, nanos: int = 0) -> None:
        self.nanos = nanos

    @property
    def state(self) -> ClockState:
        """A clock that no machine drives has no state but its reading."""
        return ClockState(last=self.nanos)

    def now(self) -> int:
        """One microsecond after the last reading."""
        self.nanos += NANOS_PER_MICRO
        return self.nanos

    def peek(self) -> int:
        """The last reading."""
        return self.nanos

    def advance(self, nanos: int) -> None:
        """Move time forward by whole nanoseconds."""
        self.nanos += nanos

    def wait_until(self, nanos: int, seconds_max: float | None) -> None:
        """Time passes for whoever waits for it."""
        self.nanos = max(self.nanos, nanos)


# Seconds on a clock that measures durations and deadlines, unaffected by wall time. Not wrapped in
# a function of ours, for each request looks at it a dozen times.
monotonic = partial(time.monotonic)

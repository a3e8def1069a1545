from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from spanemu.base.clock import NANOS_PER_HOUR, NANOS_PER_MILLI, ManualClock, SystemClock

SECONDS = 60.0


def alarm(clock: SystemClock, nanos: int) -> Callable[[], bool]:
    """Return a function that waits for a timer which is due in `nanos`."""
    rung = threading.Event()
    clock.call_at(clock.peek() + nanos, rung.set)
    return lambda: rung.wait(SECONDS)


def test_a_timer_fires_as_time_passes() -> None:
    clock = SystemClock()
    assert alarm(clock, 5 * NANOS_PER_MILLI)()


def test_an_earlier_timer_does_not_wait_for_a_later_one() -> None:
    clock = SystemClock()
    clock.call_at(clock.peek() + NANOS_PER_HOUR, lambda: None)
    assert alarm(clock, NANOS_PER_MILLI)()


def test_a_moved_clock_fires_what_is_due_then() -> None:
    clock = SystemClock()
    clock.freeze()
    order: list[str] = []
    clock.call_at(clock.peek() + 2 * NANOS_PER_HOUR, lambda: order.append("second"))
    clock.call_at(clock.peek() + NANOS_PER_HOUR, lambda: order.append("first"))
    later = alarm(clock, 3 * NANOS_PER_HOUR)
    clock.advance(3 * NANOS_PER_HOUR)
    assert later()
    assert order == ["first", "second"]


def test_a_cancelled_timer_does_not_fire() -> None:
    clock = SystemClock()
    clock.freeze()
    fired: list[int] = []
    clock.call_at(clock.peek() + 1, lambda: fired.append(1)).cancel()
    last = alarm(clock, 2)
    clock.advance(NANOS_PER_HOUR)
    assert last()
    assert not fired


def test_cancelled_timers_are_removed() -> None:
    clock = SystemClock()
    clock.freeze()
    for _ in range(5_000):
        clock.call_at(clock.peek() + NANOS_PER_HOUR, lambda: None).cancel()
    assert len(clock._timers._heap) <= 1_000


def test_the_thread_ends_with_the_last_timer() -> None:
    clock = SystemClock()
    assert alarm(clock, 0)()
    thread = clock._timers._thread
    if thread is not None:
        thread.join(SECONDS)
    assert clock._timers._thread is None


def test_a_manual_clock_fires_when_it_is_advanced() -> None:
    clock, fired = ManualClock(), []
    clock.call_at(2_000, lambda: fired.append(clock.peek()))
    clock.advance(1_000)
    assert not fired
    clock.advance(1_000)
    assert fired == [2_000]


def test_a_function_that_fails_does_not_stop_the_others(caplog: pytest.LogCaptureFixture) -> None:
    clock = SystemClock()
    clock.freeze()
    clock.call_at(clock.peek() + 1, lambda: 1 // 0)
    next_one = alarm(clock, 1)
    clock.advance(NANOS_PER_HOUR)
    assert next_one()
    assert "ZeroDivisionError" in caplog.text

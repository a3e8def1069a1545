"""Timestamps rise strictly; a test can freeze, thaw and advance them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from unittest.mock import patch

import pytest

from spanemu.base.call import Call
from spanemu.base.clock import (
    NANOS_PER_MICRO,
    NANOS_PER_SECOND,
    ManualClock,
    SystemClock,
    monotonic,
)


class Wall:
    """The machine's clock."""

    def __init__(self) -> None:
        self.nanos = 1_000 * NANOS_PER_SECOND

    def __call__(self) -> int:
        return self.nanos


@pytest.fixture
def wall() -> Iterator[Wall]:
    wall = Wall()
    with patch("spanemu.base.clock._time_ns", wall):
        yield wall


def test_readings_are_whole_microseconds(wall: Wall) -> None:
    wall.nanos += 1_999
    assert SystemClock().now() == 1_000 * NANOS_PER_SECOND + NANOS_PER_MICRO


def test_readings_of_one_instant_still_rise(wall: Wall) -> None:
    clock = SystemClock()
    first = clock.now()
    assert [clock.now() - first for _ in range(3)] == [1_000, 2_000, 3_000]
    wall.nanos += 10_000
    assert clock.now() - first == 10_000  # In step with the wall again.


def test_readings_rise_when_the_system_clock_goes_back(wall: Wall) -> None:
    clock = SystemClock()
    first = clock.now()
    wall.nanos -= NANOS_PER_SECOND
    assert clock.peek() == first
    assert clock.now() == first + NANOS_PER_MICRO


def test_peeking_claims_nothing(wall: Wall) -> None:
    clock = SystemClock()
    assert clock.peek() == clock.peek() == clock.now()


def test_the_clock_advances_by_a_duration(wall: Wall) -> None:
    clock = SystemClock()
    first = clock.now()
    clock.advance(5 * NANOS_PER_SECOND)
    assert clock.now() == first + 5 * NANOS_PER_SECOND
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(-1)


def test_a_frozen_clock_stops_until_it_is_thawed(wall: Wall) -> None:
    clock = SystemClock()
    clock.freeze()
    first = clock.now()
    wall.nanos += NANOS_PER_SECOND
    clock.freeze()  # A second time changes nothing.
    assert clock.now() == first + NANOS_PER_MICRO
    clock.advance(NANOS_PER_SECOND)
    assert clock.now() == first + NANOS_PER_SECOND
    clock.thaw()
    wall.nanos += NANOS_PER_SECOND
    assert clock.now() == first + 2 * NANOS_PER_SECOND
    clock.thaw()
    assert clock.peek() == first + 2 * NANOS_PER_SECOND


def test_threads_never_get_the_same_timestamp() -> None:
    clock, seen = SystemClock(), []

    def read() -> None:
        seen.extend([clock.now() for _ in range(2_000)])

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == len(seen) == 8_000


def test_a_wait_ends_when_time_is_moved() -> None:
    clock = SystemClock()
    clock.freeze()
    goal = clock.peek() + NANOS_PER_SECOND

    def wait() -> None:
        while clock.peek() < goal:
            clock.wait_until(goal, Call().signal())

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    clock.advance(NANOS_PER_SECOND)
    thread.join(60)
    assert not thread.is_alive()


def test_a_wait_ends_with_its_request() -> None:
    clock = SystemClock()
    began = monotonic()
    clock.wait_until(clock.peek() + 3_600 * NANOS_PER_SECOND, Call(began).signal())
    clock.wait_until(clock.peek(), Call().signal())
    assert monotonic() - began < 60


def test_a_manual_clock_ticks_when_it_is_read() -> None:
    clock = ManualClock(5_000)
    assert (clock.peek(), clock.now(), clock.peek()) == (5_000, 6_000, 6_000)
    clock.advance(10)
    assert clock.peek() == 6_010
    clock.wait_until(20_000, Call().signal())
    clock.wait_until(1, Call().signal())
    assert clock.peek() == 20_000


def test_a_clock_can_begin_at_any_time(wall: Wall) -> None:
    clock = SystemClock(start=5 * NANOS_PER_SECOND)
    assert clock.now() == 5 * NANOS_PER_SECOND
    wall.nanos += NANOS_PER_SECOND
    assert clock.now() == 6 * NANOS_PER_SECOND


def test_a_clock_can_be_frozen_at_a_future_time(wall: Wall) -> None:
    clock = SystemClock()
    clock.freeze(2_000 * NANOS_PER_SECOND)
    wall.nanos += NANOS_PER_SECOND
    assert clock.is_frozen
    assert clock.peek() == 2_000 * NANOS_PER_SECOND
    with pytest.raises(ValueError, match="backwards"):
        clock.freeze(1_999 * NANOS_PER_SECOND)
    clock.thaw()
    assert not clock.is_frozen
    wall.nanos += NANOS_PER_SECOND
    assert clock.peek() == 2_001 * NANOS_PER_SECOND


def test_a_frozen_clock_may_move_by_steps(wall: Wall) -> None:
    clock = SystemClock()
    clock.freeze(step=5 * NANOS_PER_SECOND)
    first = clock.now()
    assert [clock.now() - first for _ in range(2)] == [5 * NANOS_PER_SECOND, 10 * NANOS_PER_SECOND]
    clock.freeze()
    assert clock.now() - first == 15 * NANOS_PER_SECOND
    assert clock.now() - first == 15 * NANOS_PER_SECOND + NANOS_PER_MICRO

"""Looking for requests for a moment before the server sleeps."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest

from spanemu.http2.lingering import (
    LINGER_SECONDS,
    LONG_SECONDS,
    REST_SECONDS_MAX,
    REST_SECONDS_MIN,
    Lingering,
    new_lingering,
)
from spanemu.http2.sockets import Ready, Sockets

MICROSECOND = 1e-6


class Owner:
    """An owner of a socket, which does nothing."""

    used_seconds = 0.0

    def ready(self, events: int) -> None:
        """Do nothing."""


class Machine(Sockets):
    """Sockets of which one is ready at a time, on a CPU where others compute for a time."""

    def __init__(self, ready_at: float, others_seconds: float = MICROSECOND) -> None:
        self.now = 0.0
        self.looks = 0
        self.ready_at = ready_at
        self.others_seconds = others_seconds
        self.found: list[tuple[Ready, int]] = [(Owner(), 1)]
        self.lingering = Lingering(self, self.give_way, lambda: self.now)

    def wait(self, seconds: float) -> list[tuple[Ready, int]]:
        """Return the socket if it is ready."""
        assert seconds == 0.0
        self.looks += 1
        return self.found if self.now >= self.ready_at else []

    def give_way(self) -> None:
        """Let others compute."""
        self.now += self.others_seconds

    def seconds_of(self, action: Callable[[], object]) -> float:
        """Return how long an action takes."""
        before = self.now
        action()
        return self.now - before


@pytest.mark.parametrize("ready_at", [0.0, LINGER_SECONDS / 2])
def test_a_lingering_server_finds_a_request_at_once(ready_at: float) -> None:
    machine = Machine(ready_at)
    assert machine.lingering.look() == machine.found
    assert machine.now == pytest.approx(ready_at, abs=2 * MICROSECOND)


def test_a_server_without_requests_lingers_for_a_limited_time() -> None:
    machine = Machine(ready_at=1.0)
    assert machine.lingering.look() == []
    assert machine.now == pytest.approx(LINGER_SECONDS, abs=2 * MICROSECOND)


def test_a_client_that_computes_between_two_requests_does_not_end_the_lingering() -> None:
    machine = Machine(ready_at=LONG_SECONDS / 2, others_seconds=LONG_SECONDS / 2)
    assert machine.lingering.look() == machine.found
    machine.ready_at = 2 * LONG_SECONDS
    assert machine.seconds_of(machine.lingering.look) > 0


def rest(machine: Machine) -> float:
    """Return how long the server does not linger from now on."""
    seconds = 0.0
    while machine.seconds_of(machine.lingering.look) == 0.0:
        machine.now += REST_SECONDS_MIN / 4
        seconds += REST_SECONDS_MIN / 4
    return seconds


def test_beside_a_program_that_computes_the_server_sleeps_at_once_for_a_while() -> None:
    machine = Machine(ready_at=1_000.0, others_seconds=2 * LONG_SECONDS)
    assert machine.seconds_of(machine.lingering.look) == pytest.approx(2 * LONG_SECONDS)
    looks = machine.looks
    machine.now += REST_SECONDS_MIN / 2
    assert machine.seconds_of(machine.lingering.look) == 0.0
    assert machine.looks == looks
    rests = [rest(machine) for _ in range(10)]
    assert rests[0] < 2 * REST_SECONDS_MIN < rests[2]
    assert rests == sorted(rests)
    assert rests[-1] == pytest.approx(REST_SECONDS_MAX, abs=REST_SECONDS_MIN)


def test_a_program_that_comes_later_makes_the_server_rest_as_briefly_as_the_first() -> None:
    machine = Machine(ready_at=1_000.0, others_seconds=2 * LONG_SECONDS)
    for _ in range(10):
        rest(machine)
    machine.now += 3 * REST_SECONDS_MAX
    machine.lingering.look()
    assert rest(machine) <= REST_SECONDS_MIN


def test_a_request_that_came_while_another_program_computed_is_found() -> None:
    machine = Machine(ready_at=LONG_SECONDS, others_seconds=2 * LONG_SECONDS)
    assert machine.lingering.look() == machine.found


def test_a_process_that_is_not_bound_to_a_cpu_does_not_linger() -> None:
    assert new_lingering(Sockets()) is None


@pytest.mark.skipif(sys.platform != "linux", reason="the system binds no process to a CPU")
def test_a_process_that_is_bound_to_a_cpu_lingers() -> None:
    program = """
import os
from spanemu.cli.process import keep_to_one_cpu
from spanemu.http2.lingering import new_lingering
from spanemu.http2.sockets import new_sockets
may_choose = len(os.sched_getaffinity(0)) > 1
keep_to_one_cpu()
lingering = new_lingering(new_sockets())
assert (lingering is not None) == may_choose
assert lingering is None or lingering.look() == []
"""
    done = subprocess.run([sys.executable, "-c", program], check=False, capture_output=True)
    assert done.returncode == 0, done.stderr

"""A short form; `python -m tests.stress.server.waiters` is the long one, with its limits of time."""

from __future__ import annotations

import sys

import pytest

from tests.stress.server.waiters import attack

WAITERS = 1_200  # more than the threads that a pool would have
WITNESS_SECONDS_MAX = 10.0  # on a machine that has other things to do


@pytest.mark.skipif(sys.platform != "linux", reason="reads threads and memory from /proc")
@pytest.mark.parametrize("way", ["Commit", "streaming query"])
def test_a_commit_ends_the_waits_of_any_number_of_requests(way: str) -> None:
    verdict = attack(way, WAITERS, connections=12)
    assert not verdict.problems(WITNESS_SECONDS_MAX), str(verdict)
    assert verdict.waiting == WAITERS
    assert verdict.codes == {"OK": WAITERS}


@pytest.mark.skipif(sys.platform != "linux", reason="reads threads and memory from /proc")
def test_the_server_of_grpcs_library_refuses_waits_beyond_its_limit() -> None:
    verdict = attack("Commit", WAITERS, "grpcio", connections=12)
    assert not verdict.problems(WITNESS_SECONDS_MAX), str(verdict)
    assert verdict.codes == {"OK": 768, "RESOURCE_EXHAUSTED": WAITERS - 768}

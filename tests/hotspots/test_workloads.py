"""The workload table over a few seeds; `python -m tests.hotspots` runs it over 300."""

from __future__ import annotations

import pytest

from tests.hotspots.campaign import problems, run
from tests.hotspots.workloads import WORKLOADS, Workload


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda each: each.name)
def test_verdicts(workload: Workload) -> None:
    assert problems(run([workload], range(8))) == []


def test_the_same_stream_makes_the_same_report() -> None:
    first, second = ([tally.line() for tally in run(WORKLOADS[:3], range(2))] for _ in range(2))
    assert first == second

"""A short run of some attacks; `python -m tests.stress.attacks` runs all of them, ten times."""

from __future__ import annotations

import sys

import pytest

from tests.stress.attacks.campaign import run

ATTACKS = (
    "settings of many windows",
    "blocks of literals",
    "reflection behind a window",
    "refused data",
    "unread streams",
    "bombs for queries",
    "incomplete commits",
    "commits of empty values",
    "REST: a long query",
    "REST: wide characters",
)
# The long run holds the server to a fifth of a second; here other tests may take the processor.
ADDED_SECONDS_MAX = 10.0


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process")
@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_neither_silences_nor_fills_the_server(name: str) -> None:
    (report,) = run((name,), repetitions=1, seconds=0.5)
    assert not report.problems, str(report)
    assert report.added < ADDED_SECONDS_MAX, str(report)

"""A short run; `python -m tests.stress.saving` is the long form."""

from __future__ import annotations

from tests.stress.saving.campaign import campaign


def test_a_killed_server_keeps_the_last_completed_save():
    verdict = campaign(kills=1, seed=4)
    assert not verdict.problems
    assert verdict.saves

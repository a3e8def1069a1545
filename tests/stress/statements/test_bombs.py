"""A short run of what `python -m tests.stress.statements` does with more patience."""

from __future__ import annotations

import sys

import pytest

from tests.stress.statements.bombs import BOMBS
from tests.stress.statements.campaign import campaign

# The long run holds the server to a fifth of a second; here other tests may take the processor.
WAIT_SECONDS_MAX = 10.0


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory with ulimit -v")
def test_the_server_survives_every_bomb_and_answers_with_spanners_codes():
    verdict = campaign(BOMBS, seconds=1.0)
    assert verdict.problems == [], str(verdict)
    assert len(verdict.answers) == len(BOMBS)
    assert verdict.witnessed > 0
    assert verdict.longest_wait < WAIT_SECONDS_MAX, str(verdict)


def test_there_are_sixty_bombs_with_names_of_their_own():
    assert len({bomb.name for bomb in BOMBS}) == len(BOMBS) >= 60

"""Random commits do to spanemu what they do to Google's emulator.

Longer runs: `python -m tests.differential.commits --commits 2000`.
"""

from __future__ import annotations

import pytest

import spanemu
from tests.conformance.reference import official_emulator
from tests.differential.commits import Commits, database_of, differences


@pytest.mark.reference
def test_random_commits_get_the_reference_codes_and_rows() -> None:
    with spanemu.Emulator() as emulator, official_emulator() as reference:
        found = list(differences(database_of(emulator.client()), database_of(reference), 11, 300))
    assert not found, "\n".join(found)


def test_the_same_seed_makes_the_same_commits_and_another_others() -> None:
    first, again, other = Commits(1), Commits(1), Commits(2)
    texts = [first.next().text for _ in range(50)]
    assert texts == [again.next().text for _ in range(50)]
    assert texts != [other.next().text for _ in range(50)]

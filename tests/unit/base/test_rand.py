"""One seed drives everything that varies."""

from __future__ import annotations

from spanemu.base.rand import Randomness


def test_a_seed_reproduces_a_run() -> None:
    runs = [
        (chance.generator.random(), chance.uuid4(), chance.generator.randrange(1 << 60))
        for chance in (Randomness(7), Randomness(7), Randomness(8))
    ]
    assert runs[0] == runs[1] != runs[2]


def test_without_a_seed_each_run_draws_and_reports_one() -> None:
    first, second = Randomness(), Randomness()
    assert first.seed != second.seed
    assert Randomness(first.seed).uuid4() == first.uuid4()


def test_uuids_are_of_version_4() -> None:
    made = Randomness(1).uuid4()
    assert made.version == 4
    assert made.variant == "specified in RFC 4122"


def test_tokens_are_not_seeded() -> None:
    assert Randomness(1).token() != Randomness(1).token()
    assert len(Randomness(1).token()) == 22

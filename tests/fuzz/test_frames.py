"""Short campaigns of frames, half a minute in all; `python -m tests.fuzz.frames` takes an hour."""

from __future__ import annotations

from tests.fuzz.frames import Campaign, sequences

CONNECTIONS = 300
SEED = 20_261
SECONDS = 20.0


def test_no_frame_crashes_or_hangs() -> None:
    violations = Campaign(SEED).run(CONNECTIONS)
    assert not violations, "\n".join(violations)


def test_work_and_memory_are_bounded_by_what_was_sent() -> None:
    violations = sequences(SEED, SECONDS)
    assert not violations, "\n".join(violations[:10])

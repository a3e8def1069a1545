"""A short campaign of spoiled frames; `python -m tests.fuzz.frames` is long."""

from __future__ import annotations

from tests.fuzz.frames import Campaign

CONNECTIONS = 300
SEED = 20_261


def test_nothing_that_must_not_happen_does() -> None:
    violations = Campaign(SEED).run(CONNECTIONS)
    assert not violations, "\n".join(violations)

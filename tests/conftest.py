"""Settings for every test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is slow, not wrong: examples have no deadline, and none is too slow to draw.
settings.register_profile(
    "spanemu", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("spanemu")

# Many tests start a Python of their own. Each would compile the emulator anew, which takes seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(autouse=True)
def environment_kept() -> Iterator[None]:
    """A test that leaves an emulator's address behind sends those after it to a dead port."""
    before = os.environ.get("SPANNER_EMULATOR_HOST")
    yield
    assert os.environ.get("SPANNER_EMULATOR_HOST") == before

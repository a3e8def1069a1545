"""Settings for every test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is slow, not wrong: examples have no deadline, and none is too slow to draw. Each
# run draws the same examples, so that a failure is due to the change that is tested; further ones
# are for those who look for them (`pytest --hypothesis-profile=explore`).
for name, same_examples in (("spanemu", True), ("explore", False)):
    settings.register_profile(
        name,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
        derandomize=same_examples,
    )
settings.load_profile("spanemu")

# Many tests start a Python of their own. Each would compile the emulator anew, which takes seconds.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


@pytest.fixture(autouse=True)
def environment_kept() -> Iterator[None]:
    """Yield a test that leaves an emulator's address behind sends those after it to a dead port."""
    before = os.environ.get("SPANNER_EMULATOR_HOST")
    yield
    assert os.environ.get("SPANNER_EMULATOR_HOST") == before

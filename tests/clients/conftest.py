"""What every client here needs."""

import pytest


@pytest.fixture(autouse=True)
def no_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop clients without SPANNER_EMULATOR_HOST from sending their metrics to the cloud."""
    monkeypatch.setenv("SPANNER_DISABLE_BUILTIN_METRICS", "true")

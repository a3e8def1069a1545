"""What every client here needs."""

import pytest


@pytest.fixture(autouse=True)
def no_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clients without SPANNER_EMULATOR_HOST would send their metrics to the cloud."""
    monkeypatch.setenv("SPANNER_DISABLE_BUILTIN_METRICS", "true")

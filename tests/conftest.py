"""Settings for every test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# A busy machine is slow, not wrong: examples have no deadline, and none is too slow to draw.
settings.register_profile(
    "spanemu", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("spanemu")

"""What every database of one emulator shares: time, randomness, and settings."""

from __future__ import annotations

from dataclasses import dataclass, field

from spanemu.base.clock import Clock
from spanemu.base.limits import DEFAULT_LIMITS, RETENTION_DEFAULT_NANOS, Limits
from spanemu.base.rand import Randomness


@dataclass(frozen=True, eq=False)
class Environment:
    """Given to each database by the emulator that holds it."""

    clock: Clock
    randomness: Randomness = field(default_factory=Randomness)
    retention_nanos: int = RETENTION_DEFAULT_NANOS
    limits: Limits = DEFAULT_LIMITS

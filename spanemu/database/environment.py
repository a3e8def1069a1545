"""The environment that all databases of an emulator share: time, randomness and settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from spanemu.base.clock import Clock
from spanemu.base.limits import DEFAULT_LIMITS, RETENTION_DEFAULT_NANOS, Limits
from spanemu.base.rand import Randomness


@dataclass(frozen=True, eq=False)
class Environment:
    """The environment that an emulator passes to each of its databases."""

    clock: Clock
    randomness: Randomness = field(default_factory=Randomness)
    retention_nanos: int = RETENTION_DEFAULT_NANOS
    limits: Limits = DEFAULT_LIMITS
    has_database: Callable[[str], bool] = lambda name: False  # by full name

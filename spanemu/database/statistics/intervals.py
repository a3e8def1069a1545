"""Clock intervals: a minute, ten minutes, an hour, each ending on the clock.

An interval can be seen when it has ended: at 11:59:30 the last minute is the one that ended at
11:59:00, the last ten minutes those that ended at 11:50:00.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Row = Mapping[str, Any]

_HOUR = 3600
# For how many seconds intervals are kept, by their own length in seconds.
KEPT_SECONDS: Mapping[int, int] = {60: 6 * _HOUR, 600: 96 * _HOUR, _HOUR: 720 * _HOUR}


def average(total: float, count: int) -> float:
    """The mean, zero of nothing."""
    return total / count if count else 0.0

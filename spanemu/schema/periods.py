"""Periods as options write them: '36h', '7d'."""

from __future__ import annotations

from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_HOUR, NANOS_PER_MINUTE, NANOS_PER_SECOND
from spanemu.base.deferred import lazy_pattern

_PERIOD = lazy_pattern(r"(\d{1,9})([smhd])")
_UNITS = {
    "s": NANOS_PER_SECOND,
    "m": NANOS_PER_MINUTE,
    "h": NANOS_PER_HOUR,
    "d": NANOS_PER_DAY,
}


def period_nanos(period: object) -> int | None:
    """Return a period such as `7d` in nanoseconds, or None for an invalid period."""
    match = _PERIOD.fullmatch(period) if isinstance(period, str) else None
    return None if match is None else int(match[1]) * _UNITS[match[2]]

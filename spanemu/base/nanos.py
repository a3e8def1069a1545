"""Units of time. All times and durations are whole nanoseconds."""

from __future__ import annotations

NANOS_PER_MICRO = 1_000
NANOS_PER_MILLI = 1_000_000
NANOS_PER_SECOND = 1_000_000_000
NANOS_PER_MINUTE = 60 * NANOS_PER_SECOND
NANOS_PER_HOUR = 60 * NANOS_PER_MINUTE
NANOS_PER_DAY = 24 * NANOS_PER_HOUR

BEGINNING = -(1 << 66)  # before every TIMESTAMP; the first is in year 1

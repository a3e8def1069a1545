"""Protobuf Timestamp and Duration <-> nanoseconds."""

from __future__ import annotations

from typing import Any

from spanemu.base.clock import NANOS_PER_MICRO, NANOS_PER_SECOND
from spanemu.frontend.errors import (
    InvalidDuration,
    InvalidReadTimestamp,
    NegativeStaleness,
    TimestampOutOfRange,
)
from spanemu.frontend.wire import Timestamp

_SECONDS_MIN = -62_135_596_800  # 0001-01-01T00:00:00Z
_SECONDS_MAX = 253_402_300_799  # 9999-12-31T23:59:59Z
_DURATION_SECONDS_MAX = 315_576_000_000  # ten thousand years, as duration.proto says
_LAST_MICRO = _SECONDS_MAX * NANOS_PER_SECOND + 999_999 * NANOS_PER_MICRO


def timestamp_from_proto(message: Any) -> int:
    """Return nanoseconds since the epoch. Raises TimestampOutOfRange."""
    seconds, nanos = message.seconds, message.nanos
    if not (_SECONDS_MIN <= seconds <= _SECONDS_MAX and 0 <= nanos < NANOS_PER_SECOND):
        raise TimestampOutOfRange(seconds, nanos)
    return int(seconds * NANOS_PER_SECOND + nanos)


def timestamp_to_proto(nanos: int) -> Any:
    """Return a Timestamp message."""
    return Timestamp(seconds=nanos // NANOS_PER_SECOND, nanos=nanos % NANOS_PER_SECOND)


def fill_timestamp(message: Any, nanos: int) -> None:
    """Set a Timestamp message that is part of another message."""
    message.seconds, message.nanos = divmod(nanos, NANOS_PER_SECOND)


def read_timestamp_from_proto(message: Any, kind: str) -> int:
    """Return a read timestamp in whole microseconds; errors name `kind` ("exact", "min")."""
    nanos = timestamp_from_proto(message)
    nanos -= nanos % NANOS_PER_MICRO
    if nanos < 0 or nanos >= _LAST_MICRO:
        raise InvalidReadTimestamp(kind, message.seconds, message.nanos)
    return nanos


def staleness_from_proto(message: Any) -> int:
    """Return a staleness in nanoseconds, in whole microseconds. Raises NegativeStaleness."""
    nanos = duration_from_proto(message)
    if nanos < 0:
        raise NegativeStaleness(message.seconds, message.nanos)
    return nanos - nanos % NANOS_PER_MICRO


def duration_from_proto(message: Any) -> int:
    """Return nanoseconds, which may be negative. Raises InvalidDuration."""
    seconds, nanos = message.seconds, message.nanos
    in_range = abs(seconds) <= _DURATION_SECONDS_MAX and abs(nanos) < NANOS_PER_SECOND
    if not in_range or seconds * nanos < 0:
        raise InvalidDuration(seconds, nanos)
    return int(seconds * NANOS_PER_SECOND + nanos)

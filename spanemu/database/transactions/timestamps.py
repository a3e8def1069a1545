"""From a timestamp bound to the timestamp at which rows are read."""

from __future__ import annotations

from spanemu.base.call import current
from spanemu.base.limits import READ_AHEAD_MAX_NANOS
from spanemu.database.options import (
    ExactStaleness,
    MaxStaleness,
    MinReadTimestamp,
    ReadTimestamp,
    TimestampBound,
)
from spanemu.storage.store import Store
from spanemu.txn.errors.lifecycle import ReadTooFarAhead, ReadTooOld
from spanemu.values.timestamp import format_utc


def read_timestamp(store: Store, bound: TimestampBound) -> int:
    """The timestamp that a bound stands for now, in nanoseconds, rounded to microseconds.

    A bound that leaves a choice gets the present.
    """
    if isinstance(bound, ExactStaleness):
        return _micros(store.clock.peek() - bound.nanos)
    if isinstance(bound, ReadTimestamp):
        return _micros(bound.at)
    now = store.read_timestamp()
    if isinstance(bound, MinReadTimestamp):
        return max(now, _micros(bound.at))
    assert not isinstance(bound, MaxStaleness) or bound.nanos >= 0
    return now


def await_timestamp(store: Store, at: int) -> None:
    """Wait until `at` is not in the future, so that no later commit can precede it.

    Raises ReadTooFarAhead at once where the wait would outlast any request.
    """
    if at > store.clock.peek() + READ_AHEAD_MAX_NANOS:
        raise ReadTooFarAhead(format_utc(at))
    call = current()
    while store.read_timestamp() < at:
        call.check()
        store.clock.wait_until(at, call.seconds_left())


def check_retained(store: Store, at: int) -> None:
    """Raise when versions as old as `at` are no longer kept."""
    earliest = store.clock.peek() - store.retention_nanos
    if at < earliest:
        raise ReadTooOld(format_utc(at), format_utc(earliest))


def _micros(at: int) -> int:
    return at - at % 1_000

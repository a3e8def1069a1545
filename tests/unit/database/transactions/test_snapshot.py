"""From bounds to timestamps, and what cannot be read."""

from __future__ import annotations

import pytest

from spanemu.base.call import Call, Cancelled
from spanemu.base.clock import NANOS_PER_HOUR, NANOS_PER_SECOND, ManualClock
from spanemu.base.errors import Code
from spanemu.base.limits import RETENTION_DEFAULT_NANOS
from spanemu.database.options import (
    ExactStaleness,
    MaxStaleness,
    MinReadTimestamp,
    ReadTimestamp,
    Strong,
)
from spanemu.database.transactions.snapshot import await_timestamp, check_retained, read_timestamp
from spanemu.storage.store import Store
from spanemu.txn.errors import ReadTooFarAhead, ReadTooOld

NOW = 10_000 * NANOS_PER_SECOND
TICK = 1_000


@pytest.fixture
def store() -> Store:
    return Store(ManualClock(NOW), RETENTION_DEFAULT_NANOS)


@pytest.mark.parametrize(
    ("bound", "at"),
    [
        (Strong(), NOW + TICK),
        (MaxStaleness(5), NOW + TICK),
        (MinReadTimestamp(NOW - 5), NOW + TICK),
        (MinReadTimestamp(NOW + NANOS_PER_SECOND), NOW + NANOS_PER_SECOND),
        (ReadTimestamp(NOW - 5_000), NOW - 5_000),
        (ReadTimestamp(NOW - 5_000 + 999), NOW - 5_000),
        (ExactStaleness(5_000), NOW - 5_000),
        (ExactStaleness(0), NOW),
        (ExactStaleness(1), NOW - TICK),
    ],
)
def test_bounds(store: Store, bound, at: int) -> None:
    assert read_timestamp(store, bound) == at


def test_a_strong_read_is_later_than_every_commit(store: Store) -> None:
    at = store.clock.now()
    store.apply([], at)
    assert read_timestamp(store, Strong()) > at


def test_waiting_for_the_future(store: Store) -> None:
    goal = NOW + NANOS_PER_SECOND
    await_timestamp(store, goal)
    assert store.clock.now() > goal


def test_waits_end_at_the_longest_duration_of_a_request(store: Store) -> None:
    with pytest.raises(ReadTooFarAhead) as failure:
        await_timestamp(store, NOW + NANOS_PER_HOUR + 1)
    assert failure.value.code is Code.DEADLINE_EXCEEDED
    assert store.clock.peek() == NOW


def test_a_cancelled_request_waits_no_longer(store: Store) -> None:
    call = Call()
    call.cancel()
    with call, pytest.raises(Cancelled):
        await_timestamp(store, NOW + NANOS_PER_SECOND)


def test_timestamps_within_the_retention_period_can_be_read(store: Store) -> None:
    check_retained(store, NOW - RETENTION_DEFAULT_NANOS)
    with pytest.raises(ReadTooOld) as failure:
        check_retained(store, NOW - RETENTION_DEFAULT_NANOS - 1)
    assert failure.value.code is Code.FAILED_PRECONDITION

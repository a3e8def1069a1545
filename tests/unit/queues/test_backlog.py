from __future__ import annotations

from itertools import count, pairwise

import pytest

from spanemu.base.clock import NANOS_PER_HOUR, NANOS_PER_SECOND
from spanemu.queues.backlog import LEASE_NANOS, Backlog, Renewal

A, B, C = b"a", b"b", b"c"
SECOND, HOUR = NANOS_PER_SECOND, NANOS_PER_HOUR


@pytest.fixture
def backlog() -> Backlog:
    numbers = count(1)
    return Backlog(lambda: f"token {next(numbers)}")


def delivered(backlog: Backlog, now: int) -> list[bytes]:
    keys = list(backlog.deliverable(now))
    return [key for key in keys if backlog.lease(key, now) is not None]


def test_messages_are_delivered_when_they_are_due_longest_due_first(backlog: Backlog) -> None:
    backlog.put(A, 30)
    backlog.put(B, 10)
    backlog.put(C, 20)
    assert list(backlog.deliverable(9)) == []
    assert backlog.next_due(9) == 10
    assert list(backlog.deliverable(20)) == [B, C]
    assert backlog.next_due(20) == 30
    assert list(backlog.deliverable(30)) == [B, C, A]
    assert backlog.next_due(30) is None


def test_messages_due_at_one_time_are_delivered_as_they_were_sent(backlog: Backlog) -> None:
    for key in (C, A, B):
        backlog.put(key, 5)
    assert list(backlog.deliverable(5)) == [C, A, B]


def test_a_lease_lasts_ten_seconds_and_keeps_the_message_from_others(backlog: Backlog) -> None:
    backlog.put(A, 0)
    lease = backlog.lease(A, 7)
    assert lease is not None
    assert lease.expires_at == 7 + 10 * SECOND
    assert backlog.lease(A, lease.expires_at - 1) is None
    again = backlog.lease(A, lease.expires_at)
    assert again is not None
    assert again.token != lease.token


def test_no_lease_of_a_message_that_is_absent_or_not_due(backlog: Backlog) -> None:
    backlog.put(A, 10)
    assert backlog.lease(A, 9) is None
    assert backlog.lease(B, 9) is None


def test_the_interval_doubles_and_is_an_hour_after_the_first_hour(backlog: Backlog) -> None:
    backlog.put(A, 0)
    times, now = [], 0
    while now < 4 * HOUR:
        assert delivered(backlog, now) == [A]
        times.append(now)
        due = backlog.next_due(now)
        assert due is not None
        now = due
    intervals = [(late - early) // SECOND for early, late in pairwise(times)]
    assert intervals == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]


def test_an_acknowledged_message_is_never_delivered_again(backlog: Backlog) -> None:
    backlog.put(A, 0)
    lease = backlog.lease(A, 0)
    assert lease is not None
    backlog.remove(A)
    backlog.remove(A)
    assert len(backlog) == 0
    assert list(backlog.deliverable(HOUR)) == []
    assert backlog.renew(lease.token, 1) == Renewal(lease.token, None, lease.expires_at)


def test_a_message_sent_anew_is_another_message(backlog: Backlog) -> None:
    backlog.put(A, 0)
    lease = backlog.lease(A, 0)
    assert lease is not None
    backlog.remove(A)
    backlog.put(A, 1)
    assert delivered(backlog, 1) == [A]
    assert backlog.renew(lease.token, 2) == Renewal(lease.token, None, lease.expires_at)


def test_a_renewed_lease_lasts_ten_more_seconds_under_a_new_token(backlog: Backlog) -> None:
    backlog.put(A, 0)
    lease = backlog.lease(A, 0)
    assert lease is not None
    renewal = backlog.renew(lease.token, 9 * SECOND)
    assert renewal is not None
    assert renewal.old == lease.token
    assert renewal.new not in (None, lease.token)
    assert renewal.expires_at == 9 * SECOND + LEASE_NANOS
    assert delivered(backlog, renewal.expires_at - 1) == []
    assert delivered(backlog, renewal.expires_at) == [A]


def test_a_token_is_renewed_once_and_only_while_its_lease_lasts(backlog: Backlog) -> None:
    backlog.put(A, 0)
    lease = backlog.lease(A, 0)
    assert lease is not None
    assert backlog.renew("other", 1) is None
    assert backlog.renew(lease.token, 1) is not None
    assert backlog.renew(lease.token, 2) == Renewal(lease.token, None, lease.expires_at)
    assert backlog.renew(lease.token, lease.expires_at) is None


def test_a_renewal_does_not_shorten_the_interval(backlog: Backlog) -> None:
    backlog.put(A, 0)
    backlog.lease(A, 0)
    lease = backlog.lease(A, 10 * SECOND)
    assert lease is not None
    assert backlog.next_due(10 * SECOND) == 30 * SECOND
    backlog.renew(lease.token, 11 * SECOND)
    assert backlog.next_due(11 * SECOND) == 30 * SECOND


def test_a_given_token_is_that_of_the_lease(backlog: Backlog) -> None:
    backlog.put(A, 0)
    lease = backlog.lease(A, 0, "mine")
    assert lease is not None
    assert lease.token == "mine"
    assert backlog.renew("mine", 1) is not None

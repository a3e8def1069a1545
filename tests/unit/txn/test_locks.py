"""Wound-wait: who waits, who is wounded, and when waiting ends."""

from __future__ import annotations

import threading

import pytest

from spanemu.base.call import Call, Cancelled, DeadlineExceeded, serving
from spanemu.base.clock import monotonic
from spanemu.storage.layout import TreeId
from spanemu.txn.errors import TransactionAborted, TransactionOver
from spanemu.txn.locks import IDLE_SECONDS_MAX, LockTable, Mode, Owner
from spanemu.txn.state import State

T = TreeId(1)
S, X = Mode.SHARED, Mode.EXCLUSIVE


def owner(age: int) -> Owner:
    made = Owner((age, age))
    made.busy = 1
    return made


class Waiter:
    """Runs one lock request on a thread and tells how it ended."""

    def __init__(self, request, call: Call | None = None) -> None:
        self.call = call or Call()
        self.failure: BaseException | None = None
        self.thread = threading.Thread(target=self.run, args=(request,), daemon=True)
        self.thread.start()

    def run(self, request) -> None:
        try:
            with serving(self.call):
                request()
        except BaseException as failure:
            self.failure = failure

    def waits(self) -> bool:
        self.thread.join(0.05)
        return self.thread.is_alive()

    def ends(self) -> BaseException | None:
        self.thread.join(5)
        assert not self.thread.is_alive()
        return self.failure


def test_shared_locks_share() -> None:
    locks, first, second = LockTable(), owner(1), owner(2)
    locks.lock_row(first, T, b"k", S)
    locks.lock_row(second, T, b"k", S)
    assert first.state is second.state is State.ACTIVE


def test_an_older_writer_wounds_a_younger_holder() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_row(young, T, b"k", S)
    locks.lock_row(old, T, b"k", X)
    assert young.state is State.ABORTED
    with pytest.raises(TransactionAborted):
        locks.lock_row(young, T, b"other", S)


def test_a_younger_writer_waits_for_an_older_holder() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_row(old, T, b"k", X)
    waiter = Waiter(lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    locks.release(old, State.ROLLED_BACK)
    assert waiter.ends() is None
    assert young.rows == {(T, b"k"): X}


def test_a_committing_holder_is_waited_for_even_by_the_old() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_row(young, T, b"k", X)
    locks.begin_commit(young)
    waiter = Waiter(lambda: locks.lock_row(old, T, b"k", S))
    assert waiter.waits()
    locks.release(young, State.COMMITTED)
    assert waiter.ends() is None


def test_a_wounded_waiter_stops_waiting() -> None:
    locks, oldest, old, young = LockTable(), owner(0), owner(1), owner(2)
    locks.lock_row(old, T, b"a", X)
    locks.lock_row(young, T, b"b", X)
    waiter = Waiter(lambda: locks.lock_row(young, T, b"a", X))
    assert waiter.waits()
    locks.lock_row(oldest, T, b"b", X)
    assert isinstance(waiter.ends(), TransactionAborted)


def test_an_upgrade_conflict_is_settled_by_age() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_row(old, T, b"k", S)
    locks.lock_row(young, T, b"k", S)
    waiter = Waiter(lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    locks.lock_row(old, T, b"k", X)
    assert isinstance(waiter.ends(), TransactionAborted)
    assert old.state is State.ACTIVE


def test_a_range_keeps_phantoms_out() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_range(old, T, b"a", b"m")
    waiter = Waiter(lambda: locks.lock_row(young, T, b"c", X))
    assert waiter.waits()
    locks.lock_row(owner(3), T, b"z", X)
    locks.release(old, State.ROLLED_BACK)
    assert waiter.ends() is None


def test_a_range_waits_for_a_writer_inside_it() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_row(old, T, b"c", X)
    waiter = Waiter(lambda: locks.lock_range(young, T, b"a", b"m"))
    assert waiter.waits()
    locks.release(old, State.ROLLED_BACK)
    assert waiter.ends() is None


def test_a_deadline_ends_waiting() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_row(old, T, b"k", X)
    call = Call(deadline=monotonic() + 0.02)
    waiter = Waiter(lambda: locks.lock_row(young, T, b"k", X), call)
    assert isinstance(waiter.ends(), DeadlineExceeded)
    assert young.rows == {}


def test_a_cancelled_request_ends_waiting() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_row(old, T, b"k", X)
    waiter = Waiter(lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    waiter.call.cancel()
    assert isinstance(waiter.ends(), Cancelled)


def test_an_idle_holder_gives_way_to_the_young() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_row(old, T, b"k", X)
    old.busy = 0
    old.heard_at -= IDLE_SECONDS_MAX + 1
    locks.lock_row(young, T, b"k", X)
    assert old.state is State.ABORTED


def test_release_leaves_nothing_behind() -> None:
    locks, one = LockTable(), owner(1)
    locks.lock_row(one, T, b"a", X)
    locks.lock_row(one, T, b"b", S)
    locks.lock_range(one, T, b"a", b"z")
    locks.release(one, State.ROLLED_BACK)
    assert list(locks.holders()) == []
    assert locks._rows == {}
    assert locks._ranges == {T: {}}
    assert locks._exclusive == {T: {}}


def test_a_transaction_that_ends_while_it_waits_gets_no_lock() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_row(old, T, b"k", X)
    waiter = Waiter(lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    locks.release(young, State.ROLLED_BACK)
    failure = waiter.ends()
    assert isinstance(failure, TransactionOver)
    assert failure.state == "rolled_back"
    locks.release(old, State.ROLLED_BACK)
    assert list(locks.holders()) == []


def test_who_has_ended_locks_nothing_more() -> None:
    locks, one = LockTable(), owner(1)
    locks.release(one, State.INVALID)
    with pytest.raises(TransactionOver):
        locks.lock_row(one, T, b"k", S)
    with pytest.raises(TransactionOver):
        locks.lock_range(one, T, b"a", b"z")
    with pytest.raises(TransactionOver):
        locks.begin_commit(one)


def test_an_end_that_cannot_follow_changes_nothing() -> None:
    locks, one = LockTable(), owner(1)
    locks.lock_row(one, T, b"k", X)
    assert not locks.release(one, State.COMMITTED)  # it has not begun to
    assert one.rows
    locks.begin_commit(one)
    assert not locks.release(one, State.ROLLED_BACK)
    assert not locks.wound(one, "too late")
    assert one.rows
    assert locks.release(one, State.COMMITTED)
    assert not locks.release(one, State.ROLLED_BACK)
    assert one.state is State.COMMITTED
    assert not one.rows


def test_the_wounded_may_still_roll_back() -> None:
    locks, one = LockTable(), owner(1)
    assert locks.wound(one, "why")
    assert not locks.wound(one, "again")
    assert not locks.release(one, State.INVALID)
    assert locks.release(one, State.ROLLED_BACK)
    assert one.why_aborted == "why"


def test_a_range_locks_out_writers_inside_it_only() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_range(old, T, b"b", b"d")
    locks.lock_range(old, T, b"c", b"f")
    for free in (b"a", b"f", b"z"):
        locks.lock_row(young, T, free, X)
    locks.lock_row(young, T, b"c", S)
    waiter = Waiter(lambda: locks.lock_row(young, T, b"e", X))
    assert waiter.waits()
    locks.release(old, State.ROLLED_BACK)
    assert waiter.ends() is None


def test_ranges_do_not_lock_out_readers_or_each_other() -> None:
    locks, old, young = LockTable(), owner(1), owner(2)
    locks.lock_range(old, T, b"a", b"z")
    locks.lock_range(young, T, b"b", b"c")
    locks.lock_row(young, T, b"b", S)
    assert set(locks.holders()) == {old, young}


def test_many_locks_cost_no_look_at_each_other() -> None:
    locks, one, other = LockTable(), owner(1), owner(2)
    for number in range(20_000):
        key = number.to_bytes(4, "big")
        locks.lock_row(one, T, key, X)
        locks.lock_range(one, T, key, key + b"\0")
    locks.lock_range(other, T, b"\xff", b"\xff\xff")
    assert other.state is State.ACTIVE

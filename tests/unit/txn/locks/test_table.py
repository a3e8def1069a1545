"""Wound-wait: who waits, who is wounded, and when waiting ends."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from spanemu.base.call import Call, Cancelled, DeadlineExceeded
from spanemu.base.clock import monotonic
from spanemu.storage.layout import TreeId
from spanemu.txn.errors import TransactionAborted, TransactionOver
from spanemu.txn.locks import holder as owners
from spanemu.txn.locks.holder import IDLE_SECONDS_MAX, LockHolder, State
from spanemu.txn.locks.modes import READ_ROW, WRITE_ROW, WRITE_TIMESTAMP_RANGE, Lock, exclusive
from spanemu.txn.locks.table import LockTable
from spanemu.values.cell_mask import EXISTENCE, cells_of

T = TreeId(1)
S, X = READ_ROW, WRITE_ROW
SECONDS = 60.0  # against waiting for ever


def holder(age: int) -> LockHolder:
    made = LockHolder()
    made.begin(age)
    made.client.busy = 1
    return made


class Waiter:
    """A lock request on a thread of its own, and how it ended."""

    def __init__(self, locks: LockTable, request, call: Call | None = None) -> None:
        self.call = call or Call()
        self.failure: BaseException | None = None
        self._locks = locks
        self._others = locks.waiting_count()
        self._has_waited = False
        self.thread = threading.Thread(target=self.run, args=(request,), daemon=True)
        self.thread.start()

    def run(self, request) -> None:
        try:
            with self.call:
                request()
        except BaseException as failure:
            self.failure = failure

    def waits(self) -> bool:
        """Return whether the request waits, and does not end within a moment."""
        if not self._has_waited:
            wait_until(lambda: self._locks.waiting_count() > self._others or self._has_ended())
            self._has_waited = True
        self.thread.join(0.05)
        return not self._has_ended()

    def _has_ended(self) -> bool:
        return not self.thread.is_alive()

    def ends(self) -> BaseException | None:
        self.thread.join(SECONDS)
        assert not self.thread.is_alive()
        return self.failure


def wait_until(seen) -> None:
    """Wait until another thread has made a condition true."""
    end = monotonic() + SECONDS
    while not seen():
        assert monotonic() < end
        threading.Event().wait(0.001)


def test_shared_locks_share() -> None:
    locks, first, second = LockTable(), holder(1), holder(2)
    locks.lock_row(first, T, b"k", S)
    locks.lock_row(second, T, b"k", S)
    assert first.state is second.state is State.ACTIVE


def test_an_older_writer_wounds_a_younger_holder() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(young, T, b"k", S)
    locks.lock_row(old, T, b"k", X)
    assert young.state is State.ABORTED
    with pytest.raises(TransactionAborted):
        locks.lock_row(young, T, b"other", S)


def test_a_younger_writer_waits_for_an_older_holder() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(old, T, b"k", X)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    locks.release(old, State.ROLLED_BACK)
    assert waiter.ends() is None
    assert young.rows == {(T, b"k"): X}


def test_even_an_older_transaction_waits_for_a_committing_holder() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(young, T, b"k", X)
    locks.begin_commit(young)
    waiter = Waiter(locks, lambda: locks.lock_row(old, T, b"k", S))
    assert waiter.waits()
    locks.release(young, State.COMMITTED)
    assert waiter.ends() is None


def test_a_wounded_waiter_stops_waiting() -> None:
    locks, oldest, old, young = LockTable(), holder(0), holder(1), holder(2)
    locks.lock_row(old, T, b"a", X)
    locks.lock_row(young, T, b"b", X)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"a", X))
    assert waiter.waits()
    locks.lock_row(oldest, T, b"b", X)
    assert isinstance(waiter.ends(), TransactionAborted)


def test_an_upgrade_conflict_is_settled_by_age() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(old, T, b"k", S)
    locks.lock_row(young, T, b"k", S)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    locks.lock_row(old, T, b"k", X)
    assert isinstance(waiter.ends(), TransactionAborted)
    assert old.state is State.ACTIVE


def test_a_range_keeps_phantoms_out() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_range(old, T, b"a", b"m", S)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"c", X))
    assert waiter.waits()
    locks.lock_row(holder(3), T, b"z", X)
    locks.release(old, State.ROLLED_BACK)
    assert waiter.ends() is None


def test_a_range_waits_for_a_writer_inside_it() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(old, T, b"c", X)
    waiter = Waiter(locks, lambda: locks.lock_range(young, T, b"a", b"m", S))
    assert waiter.waits()
    locks.release(old, State.ROLLED_BACK)
    assert waiter.ends() is None


def test_a_deadline_ends_waiting() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(old, T, b"k", X)
    call = Call(deadline=monotonic() + 0.02)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"k", X), call)
    assert isinstance(waiter.ends(), DeadlineExceeded)
    assert young.rows == {}


def test_a_cancelled_request_ends_waiting() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(old, T, b"k", X)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    waiter.call.cancel()
    assert isinstance(waiter.ends(), Cancelled)


def test_an_idle_holder_gives_way_to_a_younger_transaction() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(old, T, b"k", X)
    old.client.busy = 0
    old.client.heard_at -= IDLE_SECONDS_MAX + 1
    locks.lock_row(young, T, b"k", X)
    assert old.state is State.ABORTED


def test_release_leaves_nothing_behind() -> None:
    locks, first = LockTable(), holder(1)
    locks.lock_row(first, T, b"a", X)
    locks.lock_row(first, T, b"b", S)
    locks.lock_range(first, T, b"a", b"z", S)
    locks.release(first, State.ROLLED_BACK)
    assert list(locks.holders()) == []
    assert locks._rows == {}
    assert locks._ranges == {}
    assert locks._keys == {}
    assert not locks._requests


def test_a_transaction_that_ends_while_it_waits_gets_no_lock() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(old, T, b"k", X)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    locks.release(young, State.ROLLED_BACK)
    failure = waiter.ends()
    assert isinstance(failure, TransactionOver)
    assert failure.state == "rolled_back"
    locks.release(old, State.ROLLED_BACK)
    assert list(locks.holders()) == []


def test_an_ended_transaction_gets_no_locks() -> None:
    locks, first = LockTable(), holder(1)
    locks.release(first, State.INVALID)
    with pytest.raises(TransactionOver):
        locks.lock_row(first, T, b"k", S)
    with pytest.raises(TransactionOver):
        locks.lock_range(first, T, b"a", b"z", S)
    with pytest.raises(TransactionOver):
        locks.begin_commit(first)


def test_an_impossible_transition_changes_nothing() -> None:
    locks, first = LockTable(), holder(1)
    locks.lock_row(first, T, b"k", X)
    assert not locks.release(first, State.COMMITTED)  # it has not begun to
    assert first.rows
    locks.begin_commit(first)
    assert not locks.release(first, State.ROLLED_BACK)
    assert not locks.wound(first, "too late")
    assert first.rows
    assert locks.release(first, State.COMMITTED)
    assert not locks.release(first, State.ROLLED_BACK)
    assert first.state is State.COMMITTED
    assert not first.rows


def test_a_wounded_transaction_can_be_rolled_back() -> None:
    locks, first = LockTable(), holder(1)
    assert locks.wound(first, "why")
    assert not locks.wound(first, "again")
    assert not locks.release(first, State.INVALID)
    assert locks.release(first, State.ROLLED_BACK)
    assert first.why_aborted == "why"


def test_a_range_locks_out_writers_inside_it_only() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_range(old, T, b"b", b"d", S)
    locks.lock_range(old, T, b"c", b"f", S)
    for free in (b"a", b"f", b"z"):
        locks.lock_row(young, T, free, X)
    locks.lock_row(young, T, b"c", S)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"e", X))
    assert waiter.waits()
    locks.release(old, State.ROLLED_BACK)
    assert waiter.ends() is None


def test_ranges_do_not_lock_out_readers_or_each_other() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_range(old, T, b"a", b"z", S)
    locks.lock_range(young, T, b"b", b"c", S)
    locks.lock_row(young, T, b"b", S)
    assert set(locks.holders()) == {old, young}


def test_many_locks_are_taken_without_comparing_them() -> None:
    locks, first, other = LockTable(), holder(1), holder(2)
    for number in range(20_000):
        key = number.to_bytes(4, "big")
        locks.lock_row(first, T, key, X)
        locks.lock_range(first, T, key, key + b"\0", S)
    locks.lock_range(other, T, b"\xff", b"\xff\xff", S)
    assert other.state is State.ACTIVE


# ---------------------------------------------------------------------------- cells


def read(*places: int) -> Lock:
    return EXISTENCE | cells_of(places), 0


def write(*places: int) -> Lock:
    return EXISTENCE, cells_of(places)


PAIRS = [
    (read(1), read(1), True),
    (read(1), write(2), True),
    (read(1), write(1), False),
    (write(1), write(1), True),  # blind writers: commits order them
    (exclusive(read(1)), write(1), False),
    (exclusive(read(1)), read(1), False),
    (exclusive(read(1)), read(2), True),
    (exclusive(read()), read(1), False),  # its existence
    (WRITE_ROW, read(), False),
    (WRITE_ROW, write(3), False),
    (WRITE_TIMESTAMP_RANGE, WRITE_TIMESTAMP_RANGE, True),
    (WRITE_TIMESTAMP_RANGE, read(), False),
]


@pytest.mark.parametrize(("held", "expected", "together"), PAIRS)
@pytest.mark.parametrize("holds_range", [False, True])
@pytest.mark.parametrize("wants_range", [False, True])
def test_conflicts_are_those_of_spanner(
    held: Lock, expected: Lock, together: bool, holds_range: bool, wants_range: bool
) -> None:
    locks, young, old = LockTable(), holder(2), holder(1)

    def take(who: LockHolder, lock: Lock, of_range: bool) -> None:
        if of_range:
            locks.lock_range(who, T, b"a", b"m", lock)
        else:
            locks.lock_row(who, T, b"c", lock)

    take(young, held, holds_range)
    take(old, expected, wants_range)
    assert young.state is (State.ACTIVE if together else State.ABORTED)


def test_locks_on_a_row_accumulate() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    for lock in (read(1), read(2), write(3)):
        locks.lock_row(old, T, b"c", lock)
    assert locks.held_by(old)[0] == {(T, b"c"): (EXISTENCE | cells_of([1, 2]), cells_of([3]))}
    locks.lock_row(young, T, b"c", write(4))
    for lock in (write(1), write(2), read(3)):
        waiter = Waiter(locks, lambda lock=lock: locks.lock_row(young, T, b"c", lock))
        assert waiter.waits()
        waiter.call.cancel()
        assert isinstance(waiter.ends(), Cancelled)


# ---------------------------------------------------------------------------- fairness


def test_a_younger_request_does_not_overtake_an_older_waiter() -> None:
    locks, oldest, old, young = LockTable(), holder(1), holder(2), holder(3)
    locks.lock_row(oldest, T, b"k", S)
    writer = Waiter(locks, lambda: locks.lock_row(old, T, b"k", X))
    assert writer.waits()
    reader = Waiter(locks, lambda: locks.lock_row(young, T, b"k", S))
    assert reader.waits()
    locks.release(oldest, State.ROLLED_BACK)
    assert writer.ends() is None
    assert reader.waits()
    locks.release(old, State.ROLLED_BACK)
    assert reader.ends() is None


def test_a_cancelled_waiter_lets_others_proceed() -> None:
    locks, oldest, old, young = LockTable(), holder(1), holder(2), holder(3)
    locks.lock_row(oldest, T, b"k", S)
    writer = Waiter(locks, lambda: locks.lock_row(old, T, b"k", X))
    assert writer.waits()
    reader = Waiter(locks, lambda: locks.lock_range(young, T, b"a", b"z", S))
    assert reader.waits()
    writer.call.cancel()
    assert isinstance(writer.ends(), Cancelled)
    assert reader.ends() is None
    assert not locks._requests


class GrantedSlowly(LockTable):
    """A lock table in which a transaction notices only after a while that its wait is over."""

    def __init__(self, slow: LockHolder) -> None:
        super().__init__()
        self._slow = slow
        self.is_granted, self.goes_on = threading.Event(), threading.Event()

    def _try_row(self, holder, row_key, lock):
        wait = super()._try_row(holder, row_key, lock)
        if holder is self._slow and wait is None:
            self.is_granted.set()
            assert self.goes_on.wait(SECONDS)
        return wait


def test_nobody_waits_behind_a_request_whose_transaction_is_over() -> None:
    oldest, old, young = holder(1), holder(2), holder(3)
    locks = GrantedSlowly(old)
    locks.lock_row(oldest, T, b"k", X)
    writer = Waiter(locks, lambda: locks.lock_row(old, T, b"k", X))
    assert writer.waits()
    locks.release(oldest, State.ROLLED_BACK)
    assert locks.is_granted.wait(SECONDS)
    locks.wound(old, "It was wounded.")
    later = Waiter(locks, lambda: locks.lock_row(young, T, b"k", X))
    assert later.waits()
    locks.goes_on.set()
    assert later.ends() is None
    assert writer.ends() is None
    assert [old.state, young.state] == [State.ABORTED, State.ACTIVE]


def test_an_older_request_overtakes_a_younger_waiter() -> None:
    locks, oldest, old, young = LockTable(), holder(1), holder(2), holder(3)
    locks.lock_row(oldest, T, b"k", S)
    writer = Waiter(locks, lambda: locks.lock_row(young, T, b"k", X))
    assert writer.waits()
    locks.lock_row(old, T, b"k", S)
    locks.release(oldest, State.ROLLED_BACK)
    assert writer.waits()
    locks.release(old, State.ROLLED_BACK)
    assert writer.ends() is None


def test_a_failed_request_shortens_the_waits_of_others() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(old, T, b"k", X)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    old.client.failed, old.client.busy = True, 0
    locks.request_failed(old)
    assert waiter.ends() is None
    assert old.state is State.ABORTED


def test_a_retry_queues_for_the_rows_that_it_lost() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(young, T, b"k", read(1))
    locks.lock_row(old, T, b"k", write(1))
    assert young.state is State.ABORTED
    locks.release(old, State.ROLLED_BACK)
    retry, other = young.next_attempt(), holder(9)
    retry.begin(8)
    retry.client.busy = 1
    locks.lock_row(retry, T, b"k", read(1))
    reader = Waiter(locks, lambda: locks.lock_row(other, T, b"k", read(1)))
    assert reader.waits()
    locks.release(retry, State.ROLLED_BACK)
    assert reader.ends() is None


# ---------------------------------------------------------------------------- many rows


KEYS = [number.to_bytes(4, "big") for number in range(600)]


def test_many_rows_are_locked_together() -> None:
    locks, first, other = LockTable(), holder(1), holder(2)
    locks.lock_row(first, T, KEYS[1], S)
    locks.lock_rows(first, T, [(key, X) for key in KEYS])
    assert first.rows == {(T, key): X for key in KEYS}
    waiter = Waiter(locks, lambda: locks.lock_row(other, T, KEYS[-1], S))
    assert waiter.waits()
    locks.release(first, State.ROLLED_BACK)
    assert waiter.ends() is None
    assert list(locks.holders()) == [other]


@pytest.mark.parametrize("other_rows", [0, 1, 40, 41])
def test_a_release_of_many_rows_leaves_those_of_others(other_rows: int) -> None:
    locks, first, second = LockTable(), holder(1), holder(2)
    keys = [b"%d" % number for number in range(41)]
    locks.lock_rows(first, T, [(key, S) for key in keys[:40]])
    locks.lock_rows(second, T, [(key, S) for key in keys[:other_rows]])
    locks.release(first, State.ROLLED_BACK)
    assert locks.held_by(first) == ({}, {})
    assert locks.held_by(second)[0].keys() == {(T, key) for key in keys[:other_rows]}
    assert [each for each in locks.holders() if each is not second] == []
    locks.lock_rows(holder(0), T, [(key, X) for key in keys])
    assert (second.state is State.ABORTED) is bool(other_rows)


def test_a_reader_of_one_of_many_rows_locks_no_other_row() -> None:
    locks, first, other, writer = LockTable(), holder(1), holder(2), holder(3)
    locks.lock_rows(first, T, [(key, S) for key in KEYS])
    locks.lock_row(other, T, KEYS[7], S)
    locks.lock_row(first, T, KEYS[8], X)
    locks.release(first, State.ROLLED_BACK)
    assert locks.held_by(other) == ({(T, KEYS[7]): S}, {})
    locks.lock_rows(writer, T, [(key, X) for key in KEYS[8:]])
    assert len(writer.rows) == len(KEYS) - 8
    locks.release(other, State.ROLLED_BACK)
    locks.release(writer, State.ROLLED_BACK)
    assert locks._rows == {}


@pytest.mark.parametrize("held", ["a row", "a range"])
def test_a_request_for_many_rows_waits_for_one_of_them(held: str) -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    if held == "a row":
        locks.lock_row(old, T, KEYS[300], S)
    else:
        locks.lock_range(old, T, KEYS[300], KEYS[302], S)
    waiter = Waiter(locks, lambda: locks.lock_rows(young, T, [(key, X) for key in KEYS]))
    assert waiter.waits()
    locks.release(old, State.ROLLED_BACK)
    assert waiter.ends() is None
    assert len(young.rows) == len(KEYS)


def test_many_rows_are_taken_from_the_younger() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(young, T, KEYS[300], X)
    locks.lock_rows(old, T, [(key, X) for key in KEYS])
    assert young.state is State.ABORTED
    assert len(old.rows) == len(KEYS)


def test_many_rows_wait_behind_older_requests() -> None:
    locks, first, second, third = LockTable(), holder(1), holder(2), holder(3)
    locks.lock_row(first, T, KEYS[0], S)
    older = Waiter(locks, lambda: locks.lock_range(second, T, KEYS[0], KEYS[-1], X))
    assert older.waits()
    younger = Waiter(locks, lambda: locks.lock_rows(third, T, [(KEYS[9], X)]))
    assert younger.waits()
    locks.release(first, State.ROLLED_BACK)
    assert older.ends() is None
    assert younger.waits()
    locks.release(second, State.ROLLED_BACK)
    assert younger.ends() is None


def test_rows_of_a_locked_range_need_no_locks() -> None:
    locks, one = LockTable(), holder(1)
    locks.lock_range(one, T, KEYS[0], KEYS[300], X)
    locks.lock_row(one, T, KEYS[5], S)
    locks.lock_rows(one, T, [(key, X) for key in KEYS])
    assert set(one.rows) == {(T, key) for key in KEYS[300:]}


def test_a_shared_range_lock_does_not_permit_writes() -> None:
    locks, one = LockTable(), holder(1)
    locks.lock_range(one, T, KEYS[0], KEYS[300], S)
    locks.lock_rows(one, T, [(KEYS[5], X)])
    assert one.rows == {(T, KEYS[5]): X}


def test_a_wounded_transaction_locks_no_rows() -> None:
    locks, one = LockTable(), holder(1)
    locks.wound(one, "why")
    with pytest.raises(TransactionAborted):
        locks.lock_rows(one, T, [(KEYS[5], X)])


# ---------------------------------------------------------------------------- in line


def test_a_release_wakes_only_the_next_waiter() -> None:
    locks, first = LockTable(), holder(1)
    locks.lock_row(first, T, b"k", X)
    line = [holder(age) for age in (2, 3, 4)]
    waiters = []
    for count, (before, waiting) in enumerate(pairwise((first, *line)), 1):
        waiters.append(Waiter(locks, lambda waiting=waiting: locks.lock_row(waiting, T, b"k", X)))
        wait_until(lambda count=count: locks.waiting_count() == count)
        assert waiting in locks._waiting.by_blocker.get(before, ())
    assert [len(locks._waiting.by_blocker.get(each, ())) for each in (first, *line)] == [1, 1, 1, 0]
    for position, ending in enumerate((first, *line[:-1])):
        locks.release(ending, State.ROLLED_BACK)
        assert waiters[position].ends() is None
        assert all(waiter.thread.is_alive() for waiter in waiters[position + 1 :])


def test_a_waiter_that_leaves_the_queue_moves_up_those_behind() -> None:
    locks, first, second, third = LockTable(), holder(1), holder(2), holder(3)
    locks.lock_row(first, T, b"k", X)
    call = Call()
    leaves = Waiter(locks, lambda: locks.lock_row(second, T, b"k", X), call)
    assert leaves.waits()
    stays = Waiter(locks, lambda: locks.lock_row(third, T, b"k", X))
    assert stays.waits()
    call.cancel()
    assert isinstance(leaves.ends(), Cancelled)
    locks.release(first, State.ROLLED_BACK)
    assert stays.ends() is None


def attempts(*ages: int) -> list[LockHolder]:
    """Return second attempts, which lost row k before."""
    found = []
    for age in ages:
        found.append(holder(age))
        found[-1].contend((T, b"k"))
    return found


def test_an_older_retry_lets_a_younger_one_finish() -> None:
    locks, (old, young) = LockTable(), attempts(1, 2)
    locks.lock_row(young, T, b"k", S)
    waiter = Waiter(locks, lambda: locks.lock_row(old, T, b"k", S))
    locks.begin_commit(young)
    locks.release(young, State.COMMITTED)
    assert waiter.ends() is None


def test_a_retry_waits_for_a_younger_holder_for_a_limited_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    locks, (old, young) = LockTable(), attempts(1, 2)
    locks.lock_row(young, T, b"k", S)
    monkeypatch.setattr(owners, "RETRY_PATIENCE_SECONDS", 0.001)
    locks.lock_row(old, T, b"k", S)
    assert young.state is State.ABORTED
    assert old.patient_until is None


def test_a_retry_does_not_wait_for_a_holder_that_waits() -> None:
    locks, (old, young), oldest = LockTable(), attempts(2, 3), holder(1)
    locks.lock_row(oldest, T, b"other", X)
    locks.lock_row(young, T, b"k", S)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"other", X))
    assert waiter.waits()
    locks.lock_row(old, T, b"k", S)
    assert isinstance(waiter.ends(), TransactionAborted)


def test_a_first_attempt_wounds_at_once() -> None:
    locks, old, (young,) = LockTable(), holder(1), attempts(2)
    locks.lock_row(young, T, b"k", S)
    locks.lock_row(old, T, b"k", X)
    assert young.state is State.ABORTED


# ---------------------------------------------------------------------------- who watches


def test_a_holder_that_disconnects_is_noticed_while_others_wait() -> None:
    class Connection:
        def is_open(self) -> bool:
            return False

    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(old, T, b"k", X)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    old.client.busy, old.client.connection = 0, Connection()
    assert waiter.ends() is None
    assert old.why_aborted == owners.IDLE


def test_a_waiter_that_became_the_holder_is_aborted_when_idle() -> None:
    locks, first, second, third = LockTable(), holder(1), holder(2), holder(3)
    locks.lock_row(first, T, b"k", X)
    next_one = Waiter(locks, lambda: locks.lock_row(second, T, b"k", X))
    assert next_one.waits()
    last = Waiter(locks, lambda: locks.lock_row(third, T, b"k", X))
    assert last.waits()
    locks.release(first, State.ROLLED_BACK)
    assert next_one.ends() is None
    second.client.busy = 0
    second.client.heard_at -= IDLE_SECONDS_MAX + 1
    assert last.ends() is None
    assert second.state is State.ABORTED


def test_waiting_leaves_nothing_behind() -> None:
    locks, old, young = LockTable(), holder(1), holder(2)
    locks.lock_row(old, T, b"k", X)
    waiter = Waiter(locks, lambda: locks.lock_row(young, T, b"k", X))
    assert waiter.waits()
    waiter.call.cancel()
    assert isinstance(waiter.ends(), Cancelled)
    assert not locks._waiting.waits
    assert not locks._waiting.by_blocker
    assert not locks._requests

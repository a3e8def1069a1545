"""Open and ended transactions by id."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from spanemu.base.limits import TRANSACTIONS_PER_SESSION_MAX
from spanemu.database.errors import TransactionClosed, TransactionNotFound
from spanemu.database.options import (
    Begin,
    CommitOptions,
    Existing,
    ReadOnly,
    ReadWriteOptions,
    StatementRequest,
)
from spanemu.database.transactions import registry
from spanemu.database.transactions.read_write import ReadWriteTransaction
from spanemu.txn.errors import TransactionAborted
from spanemu.txn.locks.table import LockTable
from tests.unit.database.shop import Shop, items


@pytest.fixture
def shop() -> Shop:
    return Shop()


def test_ids_are_never_reused(shop: Shop) -> None:
    ids = [int(shop.begin(ReadOnly()).id) for _ in range(5)]
    assert ids == sorted(set(ids))


def test_ids_are_unique_across_threads(shop: Shop) -> None:
    ids: list[bytes] = []

    def begin() -> None:
        session = shop.database.sessions.create({})
        ids.extend([session.begin(ReadOnly()).id for _ in range(100)])

    threads = [threading.Thread(target=begin) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(ids)) == 400


def test_a_new_read_write_transaction_replaces_the_previous_one(shop: Shop) -> None:
    first, reader = shop.begin(), shop.begin(ReadOnly())
    shop.dml("UPDATE Items SET Price = 1 WHERE Id = 1", first)
    second = shop.begin()
    assert not list(shop.core.locks.holders())
    with pytest.raises(TransactionClosed):
        shop.sql("SELECT 1", first)
    shop.sql("SELECT 1", reader)
    shop.dml("UPDATE Items SET Price = 2 WHERE Id = 1", second)
    shop.commit(second)
    assert shop.read(1) == [(1, 2)]


def test_a_committed_transaction_is_remembered_after_the_next_begins(shop: Shop) -> None:
    first = shop.begin()
    outcome = shop.commit(first, items((9, "x", 1)))
    shop.begin()
    assert shop.commit(first) is outcome


def test_a_committing_transaction_is_not_replaced(shop: Shop, monkeypatch) -> None:
    # The next transaction begins in the middle of a commit, from another thread.
    begun = shop.begin()
    shop.sql("SELECT Price FROM Items WHERE Id = 1", begun)
    original = LockTable.begin_commit
    nested: list[bytes] = []

    def begin_commit(table, holder) -> None:
        original(table, holder)
        thread = threading.Thread(target=lambda: nested.append(shop.begin().id))
        thread.start()
        thread.join(60)
        assert holder.rows  # still locked

    monkeypatch.setattr(LockTable, "begin_commit", begin_commit)
    shop.commit(begun, items((1, "a", 11)))
    monkeypatch.undo()
    assert nested
    assert shop.read(1) == [(1, 11)]


def test_regular_sessions_keep_the_newest(shop: Shop) -> None:
    first = shop.begin(ReadOnly())
    others = [shop.begin(ReadOnly()) for _ in range(TRANSACTIONS_PER_SESSION_MAX)]
    with pytest.raises(TransactionClosed):
        shop.sql("SELECT 1", first)
    shop.sql("SELECT 1", others[0])
    with pytest.raises(TransactionNotFound):
        shop.sql("SELECT 1", Existing(b"%d" % (int(others[-1].id) + 1)))


def test_a_forgotten_transaction_releases_its_locks(shop: Shop) -> None:
    writer = shop.begin()
    shop.dml("UPDATE Items SET Price = 1 WHERE Id = 1", writer)
    for _ in range(TRANSACTIONS_PER_SESSION_MAX):
        shop.begin(ReadOnly())
    assert not list(shop.core.locks.holders())


def test_multiplexed_sessions_forget_the_idle(shop: Shop, monkeypatch) -> None:
    monkeypatch.setattr(registry, "_CHECKS_PER_BEGIN", 10)
    now = [0.0]
    monkeypatch.setattr(registry, "monotonic", lambda: now[0])
    session = shop.database.sessions.create({}, multiplexed=True)
    idle, ended, used = (session.begin(ReadWriteOptions()).id for _ in range(3))
    session.execute(StatementRequest("SELECT 1"), Existing(ended))
    session.rollback(ended)
    now[0] = registry.MULTIPLEXED_ENDED_SECONDS_MAX + 3
    session.execute(StatementRequest("SELECT 1"), Existing(used))
    session.begin(ReadOnly())
    with pytest.raises(TransactionClosed):
        session.transactions.get(ended)
    now[0] = registry.MULTIPLEXED_IDLE_SECONDS_MAX + 1
    session.begin(ReadOnly())
    session.transactions.get(used)
    with pytest.raises(TransactionClosed):
        session.transactions.get(idle)


def test_multiplexed_sessions_forget_repeated_transactions(shop: Shop, monkeypatch) -> None:
    now = [0.0]
    monkeypatch.setattr(registry, "monotonic", lambda: now[0])
    session = shop.database.sessions.create({}, multiplexed=True)
    given_up, repeated = aborted(shop, session), aborted(shop, session)
    session.begin(ReadWriteOptions(previous=repeated.id))
    now[0] = registry.MULTIPLEXED_ENDED_SECONDS_MAX + 3
    session.begin(ReadOnly())
    assert session.transactions.get(given_up.id).was_aborted
    with pytest.raises(TransactionClosed):
        session.transactions.get(repeated.id)


def aborted(shop: Shop, session=None) -> Existing:
    """Return a transaction that has worked and was then aborted."""
    begun = Existing((session or shop.session).begin(ReadWriteOptions()).id)
    (session or shop.session).execute(StatementRequest("SELECT 1"), begun)
    (session or shop.session).transactions.get(begun.id).abort("test")
    return begun


def age_of(session, begun: Existing) -> int | None:
    session.execute(StatementRequest("SELECT 1"), begun)
    return session.transactions.get(begun.id).holder.since


@pytest.mark.parametrize("rolls_back", [False, True])
def test_a_retry_on_its_session_is_as_old_as_the_first_attempt(
    shop: Shop, rolls_back: bool
) -> None:
    first = aborted(shop)
    age = shop.session.transactions.get(first.id).holder.since
    assert age is not None
    if rolls_back:
        shop.session.rollback(first.id)
    assert age_of(shop.session, shop.begin()) == age
    shop.session.transactions.abort_all("again")
    assert age_of(shop.session, shop.begin()) == age


def test_after_a_commit_a_transaction_is_young_again(shop: Shop) -> None:
    first = shop.begin()
    age = age_of(shop.session, first)
    shop.commit(first)
    later = age_of(shop.session, shop.begin())
    assert age is not None
    assert later is not None
    assert later > age


def test_a_retry_on_a_multiplexed_session_names_its_first_attempt(shop: Shop) -> None:
    session = shop.database.sessions.create({}, multiplexed=True)
    first = aborted(shop, session)
    age = session.transactions.get(first.id).holder.since
    other = Existing(session.begin(ReadWriteOptions()).id)
    retry = Existing(session.begin(ReadWriteOptions(previous=first.id)).id)
    assert age_of(session, other) != age
    assert age_of(session, retry) == age


class Losing:
    """A first request that is served until something happens to its locks, once."""

    def __init__(self, shop: Shop, happens: Callable[[ReadWriteTransaction], object]) -> None:
        self.transactions = shop.database.sessions.create({}, multiplexed=True).transactions
        self.began: list[int | None] = []
        self._happens = happens

    def serve(self) -> ReadWriteTransaction:
        transaction = self.transactions.begin(ReadWriteOptions())
        assert isinstance(transaction, ReadWriteTransaction)
        self.transactions.run_first_request(transaction, self._request)
        return transaction

    def _request(self, transaction: ReadWriteTransaction) -> None:
        list(transaction.execute(StatementRequest(LOCKING)).rows)
        self.began.append(transaction.holder.since)
        if len(self.began) == 1:
            self._happens(transaction)
            transaction.holder.check()


LOCKING = "SELECT Price FROM Items WHERE Id = 1 FOR UPDATE"


def test_a_first_request_that_is_wounded_is_retried(shop: Shop) -> None:
    older = shop.begin()
    shop.sql("SELECT Price FROM Items WHERE Id = 2", older)

    def needs_it(_: ReadWriteTransaction) -> None:
        shop.dml("UPDATE Items SET Price = 11 WHERE Id = 1", older)
        shop.commit(older)

    losing = Losing(shop, needs_it)
    transaction = losing.serve()
    assert losing.began == [transaction.holder.since] * 2
    rows = transaction.execute(StatementRequest("SELECT Price FROM Items WHERE Id = 1")).rows
    assert list(rows) == [(11,)]
    assert losing.transactions.get(transaction.id) is transaction


def test_a_first_request_aborted_for_another_reason_is_not_retried(shop: Shop) -> None:
    losing = Losing(shop, lambda transaction: transaction.abort("test"))
    with pytest.raises(TransactionAborted):
        losing.serve()
    assert len(losing.began) == 1


def test_a_first_request_of_a_deleted_session_is_not_retried(shop: Shop) -> None:
    older = shop.begin()
    shop.sql("SELECT Price FROM Items WHERE Id = 2", older)

    def needs_it(_: ReadWriteTransaction) -> None:
        shop.sql(LOCKING, older)
        losing.transactions.close("gone")

    losing = Losing(shop, needs_it)
    with pytest.raises(TransactionAborted):
        losing.serve()
    assert len(losing.began) == 1


def test_a_single_use_transaction_is_not_kept(shop: Shop) -> None:
    single = shop.session.transactions.single_use(ReadWriteOptions())
    single.commit([items((9, "x", 1))], CommitOptions())
    with pytest.raises(TransactionNotFound):
        shop.session.transactions.get(b"")


def test_aborting_leaves_ids_known(shop: Shop) -> None:
    begun = shop.begin()
    shop.session.transactions.abort_all("why")
    with pytest.raises(TransactionAborted):
        shop.sql("SELECT 1", begun)
    shop.session.transactions.close("gone")
    with pytest.raises(TransactionNotFound):
        shop.sql("SELECT 1", begun)


def test_an_abandoned_transaction_is_unknown(shop: Shop) -> None:
    stream = shop.session.execute(StatementRequest("SELECT 1"), Begin(ReadWriteOptions()))
    found = shop.session.transactions.get(stream.transaction.id)
    shop.session.transactions.abandon(found)
    with pytest.raises(TransactionNotFound):
        shop.session.transactions.get(found.id)


def test_a_refused_restore_aborts_no_transaction(shop: Shop) -> None:
    first, later = shop.database.snapshot(), shop.database.snapshot()
    shop.database.restore(first)
    begun = shop.begin()
    shop.dml("UPDATE Items SET Price = 11 WHERE Id = 1", begun)
    with pytest.raises(ValueError, match="the snapshot was discarded"):
        shop.database.restore(later)
    shop.commit(begun)
    assert shop.read(1) == [(1, 11)]
    shop.database.restore(first)
    assert shop.read(1) == [(1, 10)]


def test_a_restore_visits_transactions_begun_since_the_previous_restore(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    wounded: list[object] = []
    wound = LockTable.wound

    def counted(locks: LockTable, *args: Any) -> bool:
        wounded.append(args)
        return wound(locks, *args)

    monkeypatch.setattr(LockTable, "wound", counted)
    taken = shop.database.snapshot()
    sessions = [shop.database.sessions.create({}, multiplexed=n % 2 == 0) for n in range(20)]
    begun = [shop.begin(session=each) for each in sessions]
    shop.database.restore(taken)
    assert len(wounded) == len(begun)
    wounded.clear()
    last = shop.begin(session=sessions[0])
    shop.database.restore(taken)
    assert len(wounded) == 1
    for session, ended in (*zip(sessions, begun, strict=True), (sessions[0], last)):
        with pytest.raises(TransactionAborted, match="restored"):
            session.execute(StatementRequest("SELECT 1"), ended)


def test_a_restore_forgets_transactions(shop: Shop) -> None:
    taken, noted = shop.database.snapshot(), shop.core.activity.commits
    shop.put((9, "z", 1))
    assert noted
    shop.database.restore(taken)
    assert not noted

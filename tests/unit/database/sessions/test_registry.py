"""Sessions: names, ages, lists, ends."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_HOUR
from spanemu.base.errors import Code
from spanemu.database.errors import (
    DatabaseNotFound,
    MultiplexedSessionDeleted,
    SessionNotFound,
    TransactionNotFound,
)
from spanemu.database.options import ReadWriteOptions
from spanemu.database.sessions.session import Session
from spanemu.txn.errors import TransactionAborted
from tests.unit.database.shop import Shop, request


@pytest.fixture
def shop() -> Shop:
    return Shop()


def test_a_session_is_found_by_its_name(shop: Shop) -> None:
    sessions = shop.database.sessions
    created = sessions.create({"env": "test"})
    assert created.name.startswith(shop.database.name + "/sessions/")
    assert sessions.get(created.name) is created
    assert (created.labels, created.multiplexed) == ({"env": "test"}, False)
    with pytest.raises(SessionNotFound) as failure:
        sessions.get(created.name + "x")
    assert failure.value.code is Code.NOT_FOUND


def test_labels_are_copied(shop: Shop) -> None:
    labels = {"a": "b"}
    made = shop.database.sessions.create(labels)
    labels["a"] = "c"
    assert made.labels == {"a": "b"}


def test_expired_sessions_of_silent_clients_do_not_pile_up(shop: Shop) -> None:
    sessions, clock = shop.database.sessions, shop.core.environment.clock
    used = sessions.create({})
    forgotten = weakref.ref(sessions.create({}))
    for _ in range(20):
        for _ in range(400):
            sessions.create({})
        clock.advance(NANOS_PER_HOUR)
        sessions.get(used.name)
    assert len(sessions._sessions) < 2_500
    gc.collect()
    assert forgotten() is None
    assert sessions.get(used.name) is used


def test_regular_sessions_expire_when_they_are_idle(shop: Shop) -> None:
    sessions, clock = shop.database.sessions, shop.core.environment.clock
    created = sessions.create({})
    clock.advance(NANOS_PER_HOUR)
    assert sessions.get(created.name) is created  # and it is used now
    clock.advance(NANOS_PER_HOUR)
    sessions.get(created.name)
    clock.advance(NANOS_PER_HOUR + 1)
    assert created not in sessions.list("", 0, "")[0]
    with pytest.raises(SessionNotFound):
        sessions.get(created.name)


def test_multiplexed_sessions_expire_by_age(shop: Shop) -> None:
    sessions, clock = shop.database.sessions, shop.core.environment.clock
    created = sessions.create({}, multiplexed=True)
    clock.advance(28 * NANOS_PER_DAY)
    sessions.get(created.name)
    clock.advance(1)
    with pytest.raises(SessionNotFound):
        sessions.get(created.name)


def test_deleting_a_session_forgets_its_transactions(shop: Shop) -> None:
    sessions = shop.database.sessions
    created = sessions.create({})
    begun = created.begin(ReadWriteOptions())
    sessions.delete(created.name)
    sessions.delete(created.name)
    with pytest.raises(TransactionNotFound):
        created.transactions.get(begun.id)
    shared = sessions.create({}, multiplexed=True)
    with pytest.raises(MultiplexedSessionDeleted):
        sessions.delete(shared.name)


def test_a_deleted_session_gives_its_locks_back(shop: Shop) -> None:
    shop.sql("SELECT Price FROM Items WHERE Id = 1", shop.begin())
    assert list(shop.core.locks.holders())
    shop.database.sessions.delete(shop.session.name)
    assert not list(shop.core.locks.holders())


def test_a_deleted_session_is_not_kept_for_its_transactions(shop: Shop) -> None:
    session = shop.database.sessions.create({})
    session.begin(ReadWriteOptions())
    kept = weakref.ref(session.transactions)
    shop.database.sessions.delete(session.name)
    del session
    gc.collect()
    assert kept() is None


def test_listing_by_name_page_and_filter(shop: Shop) -> None:
    sessions = shop.database.sessions
    sessions.delete(shop.session.name)
    sessions.create({}, multiplexed=True)
    created = sorted(
        (sessions.create({"parity": str(number % 2)}) for number in range(5)),
        key=lambda session: session.name,
    )
    result, token = sessions.list("", 3, "")
    assert list(result) == created[:3]
    rest, end = sessions.list("", 3, token)
    assert (list(rest), end) == (created[3:], "")
    odd, _ = sessions.list("labels.parity:1", 0, "")
    assert {session.labels["parity"] for session in odd} == {"1"}
    assert len(odd) == 2


def test_closing_a_database_ends_everything(shop: Shop) -> None:
    begun = shop.begin()
    shop.sql("SELECT 1", begun)
    shop.database.close()
    with pytest.raises(SessionNotFound):
        shop.database.sessions.get(shop.session.name)
    with pytest.raises(TransactionNotFound):
        shop.sql("SELECT 1", begun)
    with pytest.raises(DatabaseNotFound):
        shop.sql("SELECT 1")


def test_all_open_transactions_can_be_aborted(shop: Shop) -> None:
    shared = shop.database.sessions.create({}, multiplexed=True)
    mine, theirs = shop.begin(), shop.begin(session=shared)
    shop.database.sessions.abort_all("test")
    for session, begun in ((shop.session, mine), (shared, theirs)):
        with pytest.raises(TransactionAborted) as failure:
            session.read(request(), begun)
        assert failure.value.reason == "test"


def test_multiplexed_sessions_share_their_transactions(shop: Shop) -> None:
    sessions = shop.database.sessions
    first, other = (sessions.create({}, multiplexed=True) for _ in range(2))
    begun = first.begin(ReadWriteOptions())
    assert other.transactions.get(begun.id).id == begun.id
    with pytest.raises(TransactionNotFound):
        shop.session.transactions.get(begun.id)


def test_session_names_are_unique_across_threads(shop: Shop) -> None:
    names: list[str] = []

    def create() -> None:
        names.extend([shop.database.sessions.create({}).name for _ in range(200)])

    threads = [threading.Thread(target=create) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(names)) == 800


def test_pages_follow_sessions_that_come_and_go(shop: Shop) -> None:
    sessions = shop.database.sessions
    for _ in range(40):
        sessions.create({})
    created = {session.name: session for session in sessions.list("", 0, "")[0]}
    sessions.create({}, multiplexed=True)
    first, token = sessions.list("", 10, "")
    assert [session.name for session in first] == sorted(created)[:10]
    names = sorted(created)
    for name in (names[4], names[10], names[15]):
        sessions.delete(name)
        del created[name]
    sessions.drop(names[12])
    lost = created.pop(names[12])
    added = [sessions.create({}) for _ in range(5)]
    created |= {session.name: session for session in added}
    expected = [name for name in sorted(created) if name >= names[10]]
    listed: list[str] = []
    while token:
        page, token = sessions.list("", 10, token)
        listed += [session.name for session in page]
    assert listed == expected
    sessions.restore_lost()
    assert [session.name for session in sessions.list("", 0, "")[0]] == sorted(
        [*created, lost.name]
    )


def test_a_page_does_not_visit_the_other_sessions(shop: Shop, monkeypatch) -> None:
    sessions = shop.database.sessions
    sessions.delete(shop.session.name)  # Without the label, it might be visited as well.
    for _ in range(300):
        sessions.create({"a": "b"})
    visited: list[object] = []
    fields = Session.fields
    monkeypatch.setattr(Session, "fields", lambda self: (visited.append(self), fields(self))[1])
    _, token = sessions.list("labels.a:b", 10, "")
    sessions.list("labels.a:b", 10, token)
    assert len(visited) == 22

"""The list of transactions that have not ended."""

from __future__ import annotations

import threading

import pytest

from spanemu.database.options import (
    CommitOptions,
    Existing,
    ReadWriteOptions,
    SingleUse,
    StatementRequest,
)
from tests.unit.database.shop import Shop, items


@pytest.fixture
def shop() -> Shop:
    return Shop()


def test_no_transaction_is_listed_at_first(shop: Shop) -> None:
    assert shop.database.sessions.open_transactions() == []


def test_an_open_transaction_is_listed_with_its_facts(shop: Shop) -> None:
    shop.session.commit(
        Existing(shop.session.begin(ReadWriteOptions()).id), [items((1, "a", 5))], CommitOptions()
    )
    other = shop.database.sessions.create({}, True)
    begun = Existing(other.begin(ReadWriteOptions()).id)
    waiting = Existing(shop.session.begin(ReadWriteOptions()).id)
    sql = "SELECT Price FROM Items WHERE Id = 1 FOR UPDATE"
    request = StatementRequest(sql, request_tag="look", transaction_tag="checkout")
    list(other.execute(request, begun).rows)
    list(other.execute(StatementRequest("SELECT Id FROM Items WHERE Id > 7"), begun).rows)
    result, idle = shop.database.sessions.open_transactions()
    assert result.id.encode() == begun.id
    assert (result.session, idle.session) == (other.name, shop.session.name)
    assert result.age is not None
    assert idle.age is None
    assert (idle.id.encode(), idle.locks, idle.last_statement) == (waiting.id, (), "")
    assert result.last_statement == "SELECT Id FROM Items WHERE Id > 7"
    assert [(lock.key, lock.mode) for lock in result.locks] == [
        ("Items(1)", "Exclusive"),
        ("Items(8+)", "ReaderShared"),
    ]
    assert "_exists" in result.locks[0].columns
    assert "Price" in result.locks[0].columns
    assert "Exclusive Items(1)" in str(result)


def test_tags_are_those_of_the_last_request(shop: Shop) -> None:
    begun = Existing(shop.session.begin(ReadWriteOptions()).id)
    request = StatementRequest("SELECT 1", request_tag="look", transaction_tag="checkout")
    list(shop.session.execute(request, begun).rows)
    (result,) = shop.database.sessions.open_transactions()
    assert (result.transaction_tag, result.request_tag) == ("checkout", "look")
    shop.session.rollback(begun.id)
    assert shop.database.sessions.open_transactions() == []


def test_a_wait_in_commit_and_the_lock_that_it_waits_for_are_named(shop: Shop) -> None:
    holder = shop.begin()
    for number in (1, 3, 2):
        shop.sql(f"SELECT Price FROM Items WHERE Id = {number}", holder)
    other = shop.database.sessions.create({}, False)
    waiter = shop.begin(session=other)
    list(other.execute(StatementRequest("UPDATE Items SET Price = 9 WHERE Id = 3"), waiter).rows)

    def commit() -> None:
        other.commit(waiter, [], CommitOptions(transaction_tag="refund"))

    thread = threading.Thread(target=commit, daemon=True)
    thread.start()
    while not any(each.waits for each in shop.database.sessions.open_transactions()):
        assert thread.is_alive()
    first, second = shop.database.sessions.open_transactions()
    assert [lock.key for lock in first.locks] == ["Items(3)", "Items(1)", "Items(2)"]
    assert [lock.waiters for lock in first.locks] == [(second.id,), (), ()]
    assert (first.commits, second.commits) == (False, True)
    assert second.transaction_tag == "refund"
    assert "waits in Commit for WriterShared Items(3) Price" in str(second)
    shop.session.rollback(holder.id)
    thread.join(60)


def test_a_single_use_commit_is_listed_while_it_waits(shop: Shop) -> None:
    holder = shop.begin()
    shop.sql("SELECT Price FROM Items WHERE Id = 3", holder)
    other = shop.database.sessions.create({}, False)

    def commit() -> None:
        options = CommitOptions(transaction_tag="refund")
        other.commit(SingleUse(ReadWriteOptions()), [items((3, "c", 9))], options)

    thread = threading.Thread(target=commit, daemon=True)
    thread.start()
    while len(shop.database.sessions.open_transactions()) < 2:
        assert thread.is_alive()
    first, second = shop.database.sessions.open_transactions()
    assert (second.commits, second.transaction_tag, second.session) == (True, "refund", "")
    assert second.waits_for == (first.id,)
    assert first.locks[0].waiters == (second.id,)
    shop.session.rollback(holder.id)
    thread.join(60)
    assert shop.database.sessions.open_transactions() == []

"""The list of transactions that have not ended."""

from __future__ import annotations

import pytest

from spanemu.database.options import CommitOptions, Existing, ReadWriteOptions, StatementRequest
from tests.unit.database.shop import Shop, items


@pytest.fixture
def shop() -> Shop:
    return Shop()


def test_nobody_is_listed_at_first(shop: Shop) -> None:
    assert shop.database.sessions.open_transactions() == []


def test_an_open_one_tells_of_itself(shop: Shop) -> None:
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
    found, idle = shop.database.sessions.open_transactions()
    assert found.id.encode() == begun.id
    assert (found.session, idle.session) == (other.name, shop.session.name)
    assert found.age is not None
    assert idle.age is None
    assert (idle.id.encode(), idle.locks, idle.last_statement) == (waiting.id, (), "")
    assert found.last_statement == "SELECT Id FROM Items WHERE Id > 7"
    assert [(lock.key, lock.mode) for lock in found.locks] == [
        ("Items(1)", "Exclusive"),
        ("Items(8+)", "ReaderShared"),
    ]
    assert "_exists" in found.locks[0].columns
    assert "Price" in found.locks[0].columns
    assert "Exclusive Items(1)" in str(found)


def test_tags_are_those_of_the_last_request(shop: Shop) -> None:
    begun = Existing(shop.session.begin(ReadWriteOptions()).id)
    request = StatementRequest("SELECT 1", request_tag="look", transaction_tag="checkout")
    list(shop.session.execute(request, begun).rows)
    (found,) = shop.database.sessions.open_transactions()
    assert (found.transaction_tag, found.request_tag) == ("checkout", "look")
    shop.session.rollback(begun.id)
    assert shop.database.sessions.open_transactions() == []

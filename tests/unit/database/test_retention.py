"""What can be read of the past: while rows stream, by partitions, and after a table was dropped."""

from __future__ import annotations

import pytest

from spanemu.base.clock import NANOS_PER_HOUR as HOUR
from spanemu.database.options import ReadOnly, ReadTimestamp, SingleUse, StatementRequest
from spanemu.txn.errors import ReadTooOld
from tests.unit.database.shop import Shop, request


def items_at(shop: Shop, at: int) -> list:
    return shop.read(selector=SingleUse(ReadOnly(ReadTimestamp(at))))


def many(shop: Shop, price: int) -> None:
    rows = [(number, "x", price) for number in range(5_000)]
    shop.put(*rows)


@pytest.mark.parametrize("asked", ["SELECT Id, Price FROM Items", "SELECT Name FROM Items", None])
def test_a_stream_at_an_expired_timestamp_ends(asked: str | None) -> None:
    shop = Shop()
    many(shop, 1)
    if asked is None:
        stream = shop.session.read(request(), None)
    else:
        stream = shop.session.execute(StatementRequest(asked), None)
    rows = iter(stream.rows)
    next(rows)
    many(shop, 2)
    shop.database.clock.advance(2 * HOUR)
    shop.database.time.forget_versions()
    with pytest.raises(ReadTooOld):
        list(rows)


def test_a_stream_at_a_retained_timestamp_continues() -> None:
    shop = Shop()
    many(shop, 1)
    rows = iter(shop.session.read(request(), None).rows)
    next(rows)
    many(shop, 2)
    shop.database.clock.advance(HOUR // 2)
    shop.database.time.forget_versions()
    assert {price for _, price in rows} == {1}


def test_partitions_can_be_read_however_late() -> None:
    shop = Shop()
    begun = shop.begin(ReadOnly())
    (share,), _ = shop.session.partition_read(request(), begun, 0)
    shop.database.clock.advance(HOUR // 2)
    shop.put((1, "a", 99))
    shop.database.clock.advance(HOUR // 2 + 1)
    shop.put((2, "b", 99))
    shop.database.time.forget_versions()
    rows = shop.session.read(request(), begun, share.token).rows
    assert list(rows) == [(1, 10), (2, 20), (3, 30)]


def test_partitions_are_discarded_with_their_transaction() -> None:
    shop = Shop()
    begun = shop.begin(ReadOnly())
    shop.session.partition_read(request(), begun, 0)
    shop.put((1, "a", 99))
    shop.session.close("It was deleted.")
    shop.database.clock.advance(HOUR + 1)
    assert shop.database.time.forget_versions() == 1


@pytest.mark.parametrize(
    "sql", ["SELECT Price FROM Items WHERE Id = 1", "SELECT 10 FROM Items WHERE Name = 'a'"]
)
def test_a_dropped_table_can_be_read_at_an_earlier_timestamp(sql: str) -> None:
    shop = Shop()
    at = shop.put((1, "a", 10))
    first = shop.database.snapshot()
    twin = shop.database.clone("projects/p/instances/i/databases/twin")
    assert shop.database.apply_ddl(["DROP INDEX ItemsByName", "DROP TABLE Items"]).failure is None
    before = SingleUse(ReadOnly(ReadTimestamp(at)))
    assert items_at(shop, at) == [(1, 10), (2, 20), (3, 30)]
    assert shop.sql(sql, before) == [(10,)]
    shop.database.restore(first)
    shop.put((1, "a", 11))
    assert items_at(shop, at) == [(1, 10), (2, 20), (3, 30)]
    assert shop.read(1) == [(1, 11)]
    assert next(iter(twin.sessions.create({}).read(request(), None).rows)) == (1, 10)


def test_a_dropped_table_is_kept_no_longer_than_other_rows() -> None:
    shop = Shop()
    at = shop.put((1, "a", 10))
    assert shop.database.apply_ddl(["DROP INDEX ItemsByName", "DROP TABLE Items"]).failure is None
    shop.database.clock.advance(2 * HOUR)
    shop.database.time.forget_versions()
    with pytest.raises(ReadTooOld):
        items_at(shop, at)
    dropped = shop.core.store._dropped
    assert not dropped._hierarchies
    assert not dropped.order

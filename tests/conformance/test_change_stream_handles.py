"""Change streams in a test's hands: records, waiting, partitions, wherever the emulator runs."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from itertools import count

import pytest
from google.cloud.spanner import KeySet

import spanemu
from spanemu.api.change_streams import ChangesMissing
from tests.conformance.running import RUNNING

SCHEMA = [
    "CREATE TABLE Stock (Sku STRING(10) NOT NULL, Qty INT64, Price NUMERIC) PRIMARY KEY (Sku)",
    "CREATE TABLE Notes (Id INT64 NOT NULL) PRIMARY KEY (Id)",
    "CREATE CHANGE STREAM StockChanges FOR Stock",
    "CREATE CHANGE STREAM AllChanges FOR ALL",
]
_numbers = count(1)


@pytest.fixture(scope="module", params=["embedded", "attached", "subprocess"])
def emulator(request):
    with RUNNING[request.param]() as running:
        yield running


@pytest.fixture
def shop(emulator):
    return emulator.create_database(f"changes-{next(_numbers)}", schema=SCHEMA)


def save(shop, sku, quantity, **options):
    with shop.client().batch(**options) as batch:
        rows = [(sku, quantity, Decimal("1.5"))]
        batch.insert_or_update("Stock", ["Sku", "Qty", "Price"], rows)
    return batch.committed


def test_records_are_returned_in_commit_order(shop):
    first, second = save(shop, "A", 1), save(shop, "A", 2)
    stream = shop.change_stream("StockChanges")
    inserted, updated = stream.records()
    assert (inserted.commit_timestamp, updated.commit_timestamp) == (first, second)
    assert [inserted.mod_type, updated.mod_type] == ["INSERT", "UPDATE"]
    assert inserted.mods[0].new_values == {"Qty": 1, "Price": Decimal("1.5")}
    assert updated.mods[0].old_values["Qty"] == 1
    assert [str(change) for change in stream.changes()] == [
        "INSERT Stock('A') Qty=1 Price=Decimal('1.5')",
        "UPDATE Stock('A') Qty 1 -> 2 Price Decimal('1.5') -> Decimal('1.5')",
    ]


def test_since_and_until_are_inclusive(shop):
    times = [save(shop, "A", n) for n in range(4)]
    stream = shop.change_stream("StockChanges")
    records = stream.records(since=times[1], until=times[2])
    assert [record.commit_timestamp for record in records] == times[1:3]
    later = stream.records(since=times[3] + timedelta(microseconds=1))
    assert later == []


def test_the_streams_of_a_database_are_listed(shop):
    streams = shop.change_streams
    assert streams.names() == ["StockChanges", "AllChanges"]
    assert [stream.name for stream in streams] == streams.names()
    assert streams.from_now().since is None
    committed = save(shop, "A", 1)
    assert streams.from_now().since == committed + timedelta(microseconds=1)
    later = streams.from_now()
    save(shop, "B", 1)
    assert [change.key for change in later["StockChanges"].changes()] == [("B",)]
    assert len(streams["StockChanges"].records()) == 2


def test_an_unknown_stream_is_refused(shop):
    with pytest.raises(spanemu.SpannerError) as raised:
        shop.change_stream("Missing").records()
    assert raised.value.code is spanemu.Code.NOT_FOUND


def test_wait_for_returns_records_of_another_thread(shop):
    stream = shop.change_stream("StockChanges")
    writer = threading.Thread(target=lambda: [save(shop, "A", n) for n in range(3)], daemon=True)
    writer.start()
    assert len(stream.wait_for(3, within=30)) == 3
    writer.join(30)
    assert not writer.is_alive()


@pytest.mark.parametrize("what", ["stream", "database"])
def test_waiting_ends_when_the_stream_is_dropped(shop, what):
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(shop.change_stream("StockChanges").wait_for, within=60)
        if what == "stream":
            shop.apply_schema("DROP CHANGE STREAM StockChanges")
        else:
            shop.drop()
        with pytest.raises(spanemu.SpannerError) as raised:
            waiting.result(30)
    assert raised.value.code is spanemu.Code.NOT_FOUND


def test_wait_for_returns_matching_records(shop):
    stream = shop.change_stream("AllChanges")
    save(shop, "A", 1)
    save(shop, "B", 1)
    (record,) = stream.wait_for(match=lambda record: record.mods[0].keys == {"Sku": "B"})
    assert record.mod_type == "INSERT"
    with pytest.raises(ChangesMissing, match=r"INSERT Stock\('A'\)"):
        stream.wait_for(3, within=0.01)


def test_partitions_change_on_request(shop):
    stream = shop.change_stream("AllChanges")
    assert stream.churn(times=3) == 1
    assert stream.split() == 2
    assert stream.split() == 3
    assert stream.merge() == 2
    for n in range(4):
        save(shop, str(n), n)
    assert len(stream.records()) == 4
    with pytest.raises(ValueError, match="times=0"):
        stream.churn(0)


def test_a_restore_removes_later_records(shop):
    save(shop, "A", 1)
    before = shop.snapshot()
    save(shop, "B", 1)
    twin = shop.clone(f"{shop.database_id}-twin")
    shop.restore(before)
    assert [change.key for change in shop.change_stream("StockChanges").changes()] == [("A",)]
    keys = [change.key for change in twin.change_stream("StockChanges").changes()]
    assert keys == [("A",), ("B",)]
    shop.forget(before)


def test_a_commit_is_excluded_from_the_streams_that_allow_it(shop):
    shop.apply_schema(
        "CREATE CHANGE STREAM SomeChanges FOR Stock OPTIONS (allow_txn_exclusion = true)"
    )
    save(shop, "A", 1, exclude_txn_from_change_streams=True)
    save(shop, "B", 1)
    assert [change.key for change in shop.change_stream("SomeChanges").changes()] == [("B",)]
    keys = [change.key for change in shop.change_stream("StockChanges").changes()]
    assert keys == [("A",), ("B",)]


def test_a_cascade_records_each_deleted_row(shop):
    shop.apply_schema(
        "CREATE TABLE Parts (Sku STRING(10) NOT NULL, Part INT64) PRIMARY KEY (Sku, Part), "
        "INTERLEAVE IN PARENT Stock ON DELETE CASCADE"
    )
    save(shop, "A", 1)
    with shop.client().batch() as batch:
        batch.insert("Parts", ["Sku", "Part"], [("A", 1), ("A", 2)])
    with shop.client().batch() as batch:
        batch.delete("Stock", KeySet(keys=[("A",)]))
    deleted = shop.change_stream("AllChanges").changes(since=batch.committed)
    keys = sorted((change.mod_type, change.table, change.key) for change in deleted)
    assert keys == [
        ("DELETE", "Parts", ("A", 1)),
        ("DELETE", "Parts", ("A", 2)),
        ("DELETE", "Stock", ("A",)),
    ]

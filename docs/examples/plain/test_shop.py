"""What the plugin finds in `shop`. Faulty code is expected to fail, and its repair to pass."""

from contextlib import nullcontext

import pytest
import shop
from google.api_core.exceptions import Aborted


@pytest.fixture
def orders(spanner_factory):
    customers = spanner_factory.Customers.many(3)
    return [
        spanner_factory.Orders(CustomerId=each["CustomerId"], Status="OPEN", Cents=500)
        for each in customers
    ]


def test_an_n_plus_one_is_found(spanner_database, spanner_assert, orders):
    with (
        pytest.raises(AssertionError, match="3x  READ Name FROM Customers"),
        spanner_assert.no_duplicate_queries(),
    ):
        shop.open_orders_one_by_one(spanner_database)


def test_and_its_repair(spanner_database, spanner_assert, orders):
    with spanner_assert.queries(1), spanner_assert.no_duplicate_queries():
        assert len(shop.open_orders(spanner_database)) == 3


def test_a_full_scan_is_found(spanner_database, spanner_assert, orders):
    with (
        pytest.raises(AssertionError, match="FULL SCAN Orders"),
        spanner_assert.no_full_scan(),
    ):
        shop.dear_orders(spanner_database, 100)


def test_and_an_index_for_it(spanner_database, spanner_assert, orders):
    # A schema change is undone with the test, too.
    spanner_database.update_ddl(["CREATE INDEX OrdersByCents ON Orders (Cents)"]).result()
    with spanner_assert.no_full_scan():
        assert len(shop.dear_orders(spanner_database, 100)) == 3


def test_an_index_is_used(spanner_assert):
    spanner_assert.plan(shop.OPEN_ORDERS).uses_index("OrdersByStatus").no_full_scan()


@pytest.mark.spanner_hotspots(expect=["SPN802:EventsByTime"])
def test_a_hotspot_is_found(spanner_database, spanner_assert):
    spanner_assert.load(lambda _: shop.save_event_by_time(spanner_database), times=210)


def test_and_fixed(spanner_database, spanner_assert):
    spanner_assert.load(lambda _: shop.save_event(spanner_database), times=210)
    spanner_assert.no_hotspots("Events").so_far()


@pytest.mark.spanner_abort_each(max=1)
def test_a_charge_is_mailed_once_whichever_commit_is_aborted(spanner_database, spanner_sql):
    mails = []
    shop.charge(spanner_database, mails, "o-1", 500)
    assert mails == ["o-1: 500"]
    assert spanner_sql("SELECT Cents FROM Charges") == [{"Cents": 500}]


def test_a_mail_within_the_transaction_is_sent_twice(spanner_database, spanner_faults):
    mails = []
    spanner_faults.abort("Commit")
    shop.charge_and_mail(spanner_database, mails, "o-1", 500)
    assert len(mails) == 2  # what spanner_abort_each would have shown


@pytest.mark.spanner_abort_each(max=1)
def test_a_missing_retry_is_found(spanner_database, request):
    is_aborted = "abort@1" in request.node.name
    with pytest.raises(Aborted) if is_aborted else nullcontext():
        shop.charge_without_retry(spanner_database, "o-1", 500)


def test_a_lost_answer_charges_once(spanner_database, spanner_faults, spanner_sql):
    spanner_faults.lose_response("Commit")
    shop.charge(spanner_database, [], "o-1", 500)
    assert len(spanner_sql("SELECT * FROM Charges")) == 1

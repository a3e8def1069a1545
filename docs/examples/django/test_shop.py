"""What the plugin finds in `shop`. Faulty code is expected to fail, and its repair to pass."""

from contextlib import nullcontext

import pytest
from google.api_core.exceptions import Aborted


@pytest.fixture
def services(spanner_django_db):
    """The code under test, once Django is on the test's database."""
    from shop import services

    return services


@pytest.fixture
def orders(services, spanner_factory):
    return [spanner_factory.shop_order(cents=500) for _ in range(3)]


def test_an_n_plus_one_is_found(services, spanner_assert, orders):
    with (
        pytest.raises(AssertionError, match="3x  SELECT shop_customer"),
        spanner_assert.no_duplicate_queries(),
    ):
        services.orders_one_by_one()


def test_and_its_repair(services, spanner_assert, orders):
    with spanner_assert.queries(1), spanner_assert.no_duplicate_queries():
        assert len(services.orders()) == 3


def test_a_full_scan_is_found(services, spanner_assert, orders):
    with (
        pytest.raises(AssertionError, match="FULL SCAN shop_order"),
        spanner_assert.no_full_scan(),
    ):
        services.dear_orders(100)


def test_and_an_index_for_it(services, spanner_database, spanner_assert, orders):
    # It stores what the query asks for besides. A schema change is undone with the test, too.
    index = "CREATE INDEX orders_by_cents ON shop_order (cents) STORING (customer_id)"
    spanner_database.update_ddl([index]).result()
    with spanner_assert.no_full_scan():
        assert len(services.dear_orders(100)) == 3


@pytest.mark.spanner_hotspots(expect=["SPN802:shop_visitbytime"])
def test_a_hotspot_is_found(services, spanner_assert):
    spanner_assert.load(lambda _: services.save_visit_by_time(), times=210)


def test_and_fixed(services, spanner_assert):
    spanner_assert.load(lambda _: services.save_visit(), times=210)
    spanner_assert.no_hotspots("shop_visit").so_far()


@pytest.mark.spanner_abort_each(max=1)
def test_a_missing_retry_is_found(services, spanner_database, request):
    is_aborted = "abort@1" in request.node.name
    with pytest.raises(Aborted) if is_aborted else nullcontext():
        services.import_charges_without_retry(spanner_database, [("o-1", 500)])


@pytest.mark.spanner_abort_each(max=1)
def test_and_its_retry(services, spanner_database, spanner_sql):
    services.import_charges(spanner_database, [("o-1", 500)])
    services.charge("o-2", 700)
    assert spanner_sql("SELECT SUM(cents) s FROM shop_charge") == [{"s": 1200}]


def test_a_lost_answer_charges_once(services, spanner_faults, spanner_sql):
    spanner_faults.lose_response("Commit")
    services.charge("o-1", 500)
    assert len(spanner_sql("SELECT * FROM shop_charge")) == 1

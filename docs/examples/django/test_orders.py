"""What the shop does, on any target: embedded, a process of its own, Google's emulator."""

import pytest


@pytest.fixture
def services(spanner_django_db):
    """The code under test, once Django is on the test's database."""
    from shop import services

    return services


@pytest.mark.parametrize("cents", [500, 700])
def test_an_order_is_gone_after_the_test(services, cents):
    services.place_order("Ada", cents)
    assert services.orders() == [("Ada", cents)]
    assert services.orders_one_by_one() == [("Ada", cents)]


def test_an_order_goes_with_its_customer(services):
    services.place_order("Ada", 500).customer.delete()
    assert services.orders() == []


def test_a_charge_that_fails_leaves_nothing(services, spanner_sql):
    from django.db import transaction

    def charge_and_fail():
        with transaction.atomic():
            services.charge("o-1", 500)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        charge_and_fail()
    assert spanner_sql("SELECT * FROM shop_charge") == []

"""What `shop` does, on any target: embedded, a process of its own, Google's emulator."""

import pytest
import shop
from google.api_core.exceptions import FailedPrecondition


@pytest.fixture
def customer(spanner_factory):
    return spanner_factory.Customers(Name="Ada")["CustomerId"]


def test_an_order_is_open_until_it_is_closed(spanner_database, customer):
    order = shop.place_order(spanner_database, customer, 500)
    assert shop.open_orders(spanner_database) == [(order, "Ada")]
    shop.close_order(spanner_database, order)
    assert shop.open_orders(spanner_database) == []
    with pytest.raises(LookupError):
        shop.close_order(spanner_database, order)


def test_nobody_orders_who_is_no_customer(spanner_database):
    with pytest.raises(FailedPrecondition, match="OrdersOfCustomers"):
        shop.place_order(spanner_database, "nobody", 500)


def test_both_ways_to_list_orders_agree(spanner_database, customer):
    orders = {shop.place_order(spanner_database, customer, cents) for cents in (100, 200)}
    assert {order for order, _ in shop.open_orders(spanner_database)} == orders
    assert {order for order, _ in shop.open_orders_one_by_one(spanner_database)} == orders

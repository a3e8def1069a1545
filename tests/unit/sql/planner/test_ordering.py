from __future__ import annotations

import pytest

from spanemu.sql.planner.ordering import (
    DeliveredPart,
    RequiredKey,
    RequiredOrder,
    match_direction,
)
from spanemu.values.order import ASCENDING, DESCENDING, SortOrder

ASCENDING_NULLS_LAST = SortOrder(descending=False, nulls_first=False)
DESCENDING_NULLS_FIRST = SortOrder(descending=True, nulls_first=True)

# A key (1, 2 DESC, 3).
KEY = (DeliveredPart(1, ASCENDING), DeliveredPart(2, DESCENDING), DeliveredPart(3, ASCENDING))
FIXED_FIRST = (DeliveredPart(1, ASCENDING, is_fixed=True), *KEY[1:])


def required(*keys: tuple[int, SortOrder] | tuple[int, SortOrder, bool]) -> RequiredOrder:
    return RequiredOrder(tuple(RequiredKey(*key) for key in keys))


@pytest.mark.parametrize(
    ("wanted", "parts", "direction"),
    [
        (((1, ASCENDING),), KEY, 1),
        (((1, DESCENDING),), KEY, -1),
        (((1, ASCENDING), (2, DESCENDING)), KEY, 1),
        (((1, DESCENDING), (2, ASCENDING)), KEY, -1),
        (((1, ASCENDING), (2, ASCENDING)), KEY, 0),
        (((2, DESCENDING),), KEY, 0),
        (((2, DESCENDING),), FIXED_FIRST, 1),
        (((2, ASCENDING),), FIXED_FIRST, -1),
        (((1, DESCENDING), (2, DESCENDING)), FIXED_FIRST, 1),
        (((1, ASCENDING), (1, ASCENDING)), KEY, 1),
        (((1, ASCENDING), (2, DESCENDING), (3, ASCENDING), (9, ASCENDING)), KEY, 1),
        (((9, ASCENDING),), KEY, 0),
    ],
)
def test_a_key_delivers_an_order_forwards_backwards_or_not_at_all(wanted, parts, direction):
    assert match_direction(required(*wanted), parts, is_unique=True) == direction


def test_only_a_unique_key_delivers_more_columns_than_it_has():
    wanted = required((1, ASCENDING), (9, ASCENDING))
    assert match_direction(wanted, KEY[:1], is_unique=True) == 1
    assert match_direction(wanted, KEY[:1], is_unique=False) == 0


@pytest.mark.parametrize(
    ("order", "direction"),
    [
        (ASCENDING_NULLS_LAST, 1),
        (DESCENDING_NULLS_FIRST, -1),
        (ASCENDING, 0),
        (DESCENDING, 0),
        (ASCENDING_NULLS_LAST._replace(nan_greatest=True), 0),
    ],
)
def test_a_key_with_nulls_last_delivers_only_orders_with_nulls_in_that_place(order, direction):
    key = (DeliveredPart(1, ASCENDING_NULLS_LAST),)
    assert match_direction(required((1, order)), key, is_unique=True) == direction


def test_the_place_of_nulls_is_ignored_for_a_column_that_has_none():
    key = (DeliveredPart(1, ASCENDING_NULLS_LAST),)
    assert match_direction(required((1, ASCENDING, True)), key, is_unique=True) == 1
    assert match_direction(required((1, DESCENDING, True)), key, is_unique=True) == -1

from __future__ import annotations

import pytest

from spanemu.sql.planner.ordering import RequiredOrder, match_direction

# (column, descending, fixed) of a key (1, 2 DESC, 3).
KEY = ((1, False, False), (2, True, False), (3, False, False))
FIXED_FIRST = ((1, False, True), (2, True, False), (3, False, False))


@pytest.mark.parametrize(
    ("wanted", "parts", "direction"),
    [
        (((1, False),), KEY, 1),
        (((1, True),), KEY, -1),
        (((1, False), (2, True)), KEY, 1),
        (((1, True), (2, False)), KEY, -1),
        (((1, False), (2, False)), KEY, 0),
        (((2, True),), KEY, 0),
        (((2, True),), FIXED_FIRST, 1),
        (((2, False),), FIXED_FIRST, -1),
        (((1, True), (2, True)), FIXED_FIRST, 1),
        (((1, False), (1, False)), KEY, 1),
        (((1, False), (2, True), (3, False), (9, False)), KEY, 1),
        (((9, False),), KEY, 0),
    ],
)
def test_an_order_is_given_forwards_backwards_or_not(wanted, parts, direction):
    assert match_direction(RequiredOrder(wanted), parts, is_unique=True) == direction


def test_more_than_the_key_is_given_only_by_a_unique_key():
    wanted = RequiredOrder(((1, False), (9, False)))
    assert match_direction(wanted, KEY[:1], is_unique=True) == 1
    assert match_direction(wanted, KEY[:1], is_unique=False) == 0

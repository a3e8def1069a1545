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
def test_a_key_delivers_an_order_forwards_backwards_or_not_at_all(wanted, parts, direction):
    assert match_direction(RequiredOrder(wanted), parts, is_unique=True) == direction


def test_only_a_unique_key_delivers_more_columns_than_it_has():
    wanted = RequiredOrder(((1, False), (9, False)))
    assert match_direction(wanted, KEY[:1], is_unique=True) == 1
    assert match_direction(wanted, KEY[:1], is_unique=False) == 0

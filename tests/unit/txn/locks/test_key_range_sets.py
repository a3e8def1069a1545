"""Sets of locked keys and ranges, against stupid ones."""

from __future__ import annotations

from random import Random

import pytest

from spanemu.txn.locks.key_range_sets import KeySet, RangeUnion


def test_a_set_of_keys_meets_a_range_that_holds_one_of_them() -> None:
    keys = KeySet()
    assert not keys.meets(b"", b"\xff")
    for key in (b"m", b"c"):
        keys.append(key)
    assert keys.meets(b"c", b"d")
    assert not keys.meets(b"d", b"m")  # The end is not in it.
    keys.append(b"e")
    assert keys.meets(b"d", b"m")
    assert not keys.meets(b"m\0", b"z")


def test_ranges_cover_their_start_and_not_their_end() -> None:
    union = RangeUnion()
    assert not union.covers(b"b")
    union.add(b"b", b"d")
    assert [union.covers(key) for key in (b"a", b"b", b"c", b"d")] == [False, True, True, False]


@pytest.mark.parametrize("bad", [(b"b", b"b"), (b"c", b"a")])
def test_an_empty_range_changes_nothing(bad: tuple[bytes, bytes]) -> None:
    union = RangeUnion()
    union.add(b"b", b"d")
    union.add(*bad)
    assert union.covers(b"c")
    assert not union.covers(b"a")


@pytest.mark.parametrize("seed", range(20))
def test_a_union_covers_the_keys_of_each_range(seed: int) -> None:
    rng = Random(seed)
    union, ranges = RangeUnion(), []
    for _ in range(40):
        low, high = (bytes([rng.randrange(60)]) for _ in range(2))
        union.add(low, high)
        ranges.append((low, high))
        for number in range(60):
            key = bytes([number])
            assert union.covers(key) == any(start <= key < end for start, end in ranges)

"""Numbers as bits of integers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.bits import Counters, bits_of, numbers_in


@given(st.sets(st.integers(0, 500)))
def test_numbers_are_those_whose_bits_are_set(numbers):
    bits = bits_of(numbers)
    assert bits == sum(1 << number for number in numbers)
    assert numbers_in(bits) == sorted(numbers)


def test_sparse_and_dense_sets_are_read_alike():
    assert numbers_in(bits_of(range(1000))) == list(range(1000))
    assert numbers_in(bits_of([0, 99_999])) == [0, 99_999]
    assert numbers_in(0) == []


def test_numbers_may_come_twice_and_in_any_order():
    assert bits_of([9, 3, 9, 3, 5, 7]) == bits_of([3, 5, 7, 9])
    assert bits_of([9, 3, 9, 3, 5, 900_000]) == bits_of([3, 5, 9, 900_000])


@given(st.lists(st.sets(st.integers(0, 40)), max_size=9), st.sets(st.integers(0, 40)))
def test_counters_tell_how_many_sets_contain_a_number(sets, among):
    counters = Counters(map(bits_of, sets))
    counts = {number: sum(number in each for each in sets) for number in range(41)}
    assert max(counts.values()) <= counters.largest
    for count in range(11):
        exactly = {number for number in among if counts[number] == count}
        assert counters.exactly(count, bits_of(among)) == bits_of(exactly)
        if count:
            least = {number for number in range(41) if counts[number] >= count}
            assert counters.at_least(count) == bits_of(least)

"""Numbers as bits of integers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.bits import bits_of, numbers_in


@given(st.sets(st.integers(0, 500)))
def test_numbers_are_those_whose_bits_are_set(numbers):
    bits = bits_of(numbers)
    assert bits == sum(1 << number for number in numbers)
    assert numbers_in(bits) == sorted(numbers)


def test_sparse_and_dense_sets_are_read_alike():
    assert numbers_in(bits_of(range(1000))) == list(range(1000))
    assert numbers_in(bits_of([0, 99_999])) == [0, 99_999]
    assert numbers_in(0) == []

"""Laws of key bytes: their order is the order of the keys, and prefixes nest."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from spanemu.values.key import (
    EVERYTHING,
    TOP,
    ByteRange,
    after_prefix,
    key_decoder,
    key_encoder,
    merge_ranges,
    successor,
)
from spanemu.values.order import SortOrder, sort_key
from spanemu.values.types import Type
from tests.property.value_strategies import KEY_TYPES, cells, same

Key = tuple[Any, ...]
Parts = list[tuple[Type, SortOrder]]

ORDERS = st.builds(SortOrder, st.booleans(), st.booleans(), st.booleans())
PARTS = st.lists(st.tuples(st.sampled_from(KEY_TYPES), ORDERS), min_size=1, max_size=4)


@st.composite
def parts_and_keys(draw: st.DrawFn, count: int) -> tuple[Parts, list[Key]]:
    """Return key parts and keys of them that often share a prefix."""
    parts = draw(PARTS)
    keys: list[Key] = []
    for _ in range(count):
        shared = draw(st.integers(0, len(parts))) if keys else 0
        rest = [draw(cells(type_)) for type_, _ in parts[shared:]]
        keys.append((*(keys[-1][:shared] if keys else ()), *rest))
    return parts, keys


def is_before(parts: Parts, left: Key, right: Key) -> bool:
    """Return whether `left` precedes `right` by the definition of key order."""
    for (type_, order), a, b in zip(parts, left, right, strict=False):
        if a is None or b is None:
            if a is not b:
                return order.nulls_first is (a is None)
            continue
        rank = sort_key(type_, nan_greatest=order.nan_greatest)
        if rank(a) != rank(b):
            return bool(rank(a) > rank(b) if order.descending else rank(a) < rank(b))
    return len(left) < len(right)


@given(parts_and_keys(count=2), st.integers(0, 4), st.integers(0, 4))
def test_byte_order_is_key_order(
    drawn: tuple[Parts, list[Key]], left_size: int, right_size: int
) -> None:
    parts, (left, right) = drawn
    left, right = left[:left_size], right[:right_size]
    encode = key_encoder(parts)
    assert (encode(left) < encode(right)) == is_before(parts, left, right)
    assert (encode(left) == encode(right)) == (
        not is_before(parts, left, right) and not is_before(parts, right, left)
    )


@given(parts_and_keys(count=2))
def test_reversed_orders_reverse_the_bytes(drawn: tuple[Parts, list[Key]]) -> None:
    parts, (left, right) = drawn
    encode = key_encoder(parts)
    backwards = key_encoder([(type_, order.reversed()) for type_, order in parts])
    assert (encode(left) < encode(right)) == (backwards(left) > backwards(right))


@given(parts_and_keys(count=1))
def test_keys_read_back(drawn: tuple[Parts, list[Key]]) -> None:
    parts, (key,) = drawn
    encode, decode = key_encoder(parts), key_decoder([type_ for type_, _ in parts])
    assert same(decode(encode(key)), key)
    for size in range(len(parts) + 1):
        assert encode(key).startswith(encode(key[:size]))
        assert same(decode(encode(key[:size])), key[:size])


@given(parts_and_keys(count=2), st.integers(0, 4))
def test_a_prefix_covers_its_children_only(drawn: tuple[Parts, list[Key]], size: int) -> None:
    parts, (parent, other) = drawn
    encode = key_encoder(parts)
    start = encode(parent[:size])
    inside = start <= encode(other) < after_prefix(start)
    assert inside == (encode(other[:size]) == start)
    assert start < successor(start) <= after_prefix(start) <= TOP


RANGES = st.lists(st.tuples(st.binary(max_size=2), st.binary(max_size=2)))


@given(RANGES, st.binary(max_size=3))
def test_merged_ranges_hold_the_same_keys(ranges: list[ByteRange], key: bytes) -> None:
    merged = merge_ranges(ranges)
    assert any(start <= key < end for start, end in merged) == any(
        start <= key < end for start, end in ranges
    )
    edges = [edge for one in merged for edge in one]
    assert edges == sorted(set(edges))


@given(parts_and_keys(count=1))
def test_the_full_range_covers_every_key(drawn: tuple[Parts, list[Key]]) -> None:
    parts, (key,) = drawn
    start, end = EVERYTHING
    assert start <= key_encoder(parts)(key) < end

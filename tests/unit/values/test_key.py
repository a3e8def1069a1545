"""Key bytes by example; the laws they follow are in tests/property."""

import math
from datetime import date
from decimal import Decimal
from itertools import pairwise, product
from typing import Any
from uuid import UUID

import pytest

from spanemu.values.key import (
    EVERYTHING,
    TOP,
    after_prefix,
    can_be_key,
    key_decoder,
    key_encoder,
    key_size,
    merge_ranges,
    successor,
)
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.order import ASCENDING, DESCENDING, SortOrder
from spanemu.values.timestamp import TIMESTAMP_MAX, TIMESTAMP_MIN
from spanemu.values.types import (
    BOOL,
    BYTES,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    INTERVAL,
    JSON,
    NUMERIC,
    STRING,
    TIMESTAMP,
    Type,
    TypeCode,
    array_of,
)
from spanemu.values.types import (
    UUID as UUID_TYPE,
)

NAN = float("nan")
INF = float("inf")
ENUM = Type(TypeCode.ENUM, proto_name="shop.Color")

ORDERS = [SortOrder(*flags) for flags in product((False, True), repeat=3)]

# Values of each type, in GoogleSQL's ascending order.
IN_ORDER: list[tuple[Type, list[Any]]] = [
    (BOOL, [None, False, True]),
    (INT64, [None, -(2**63), -257, -1, 0, 1, 256, 2**63 - 1]),
    (ENUM, [None, -1, 0, 5]),
    (FLOAT64, [None, NAN, -INF, -1e308, -1.0, -5e-324, 0.0, 5e-324, 1.0, 1e308, INF]),
    (FLOAT32, [None, NAN, -INF, -1.5, 0.0, 1.401298464324817e-45, 1.5, INF]),
    (NUMERIC, [None, Decimal("-9" * 1 + "9" * 28), Decimal("-1e-9"), Decimal(0), Decimal("1e-9")]),
    (
        STRING,
        [None, "", "\x00", "\x00\x00", "\x00a", "\x01", "\x02", "a", "a\x00", "ab", "é", "😀"],
    ),
    (BYTES, [None, b"", b"\x00", b"\x00\xff", b"\x01", b"\x01\x01", b"\x02", b"\xff", b"\xff\xff"]),
    (DATE, [None, date(1, 1, 1), date(1969, 12, 31), date(9999, 12, 31)]),
    (TIMESTAMP, [None, TIMESTAMP_MIN, -1, 0, 1, TIMESTAMP_MAX, COMMIT_TIMESTAMP]),
    (UUID_TYPE, [None, UUID(int=0), UUID(int=1), UUID(int=2**127), UUID(int=2**128 - 1)]),
]


def in_order(values: list[Any], order: SortOrder) -> list[Any]:
    """Sort values that are in GoogleSQL's ascending order."""
    numbers = [value for value in values if value is not None and value == value]
    nan = [value for value in values if value != value]
    ascending = numbers + nan if order.nan_greatest else nan + numbers
    directed = ascending[::-1] if order.descending else ascending
    return [None, *directed] if order.nulls_first else [*directed, None]


@pytest.mark.parametrize(("type_", "values"), IN_ORDER)
def test_byte_order_is_value_order(type_: Type, values: list[Any]) -> None:
    for order in ORDERS:
        encode = key_encoder([(type_, order)])
        keys = [encode((value,)) for value in in_order(values, order)]
        assert all(low < high for low, high in pairwise(keys))
        assert keys[-1] < TOP


@pytest.mark.parametrize(("type_", "values"), IN_ORDER)
def test_keys_can_be_read_back(type_: Type, values: list[Any]) -> None:
    for order in ORDERS:
        encode = key_encoder([(type_, order), (STRING, order)])
        decode = key_decoder([type_, STRING])
        for value in values:
            again = decode(encode((value, "x")))
            assert again[1] == "x"
            assert again[0] == value or (value != value and math.isnan(again[0]))


def test_zeros_are_one_key() -> None:
    for type_ in (FLOAT64, FLOAT32):
        encode = key_encoder([(type_, ASCENDING)])
        assert encode((-0.0,)) == encode((0.0,))


def test_numerics_that_are_equal_are_one_key() -> None:
    encode = key_encoder([(NUMERIC, ASCENDING)])
    assert encode((Decimal("1.50"),)) == encode((Decimal("1.5"),))
    assert encode((Decimal("1E+1"),)) == encode((Decimal("10"),))


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_a_prefix_of_values_is_a_prefix_of_bytes(count: int) -> None:
    parts = [(INT64, ASCENDING), (STRING, DESCENDING), (INT64, ASCENDING), (STRING, ASCENDING)][
        :count
    ]
    values = (1, "a", 2, "b")[:count]
    encode, decode = key_encoder(parts), key_decoder([type_ for type_, _ in parts])
    whole = encode(values)
    for size in range(count + 1):
        assert whole.startswith(encode(values[:size]))
        assert decode(encode(values[:size])) == values[:size]
    assert encode(()) == b""


def test_nothing_falls_between_a_parent_and_its_children() -> None:
    parts = [(STRING, ASCENDING), (INT64, DESCENDING)]
    encode = key_encoder(parts)
    parent = encode(("a",))
    for child in (None, -(2**63), 0, 2**63 - 1):
        assert parent < encode(("a", child)) < after_prefix(parent)
    for stranger in ("", "a\x00", "a\x01", "aa", "b"):
        assert not parent <= encode((stranger, 0)) < after_prefix(parent)


def test_after_prefix() -> None:
    assert after_prefix(b"") == TOP
    assert after_prefix(b"\x01\x02") == b"\x01\x03"
    assert after_prefix(b"\x01\xff\xff") == b"\x02"
    null_last = key_encoder([(INT64, DESCENDING)])((None,))
    assert null_last + b"\xff" * 9 < after_prefix(null_last)


def test_successor_is_the_next_key() -> None:
    assert b"a" < successor(b"a") < b"a\x00\x00"


def test_merge_ranges() -> None:
    assert merge_ranges([]) == []
    assert merge_ranges([(b"b", b"a"), (b"a", b"a")]) == []
    assert merge_ranges([(b"c", b"d"), (b"a", b"b")]) == [(b"a", b"b"), (b"c", b"d")]
    assert merge_ranges([(b"a", b"c"), (b"b", b"d"), (b"d", b"e")]) == [(b"a", b"e")]
    assert merge_ranges([(b"a", b"z"), (b"b", b"c")]) == [(b"a", b"z")]
    assert merge_ranges([EVERYTHING, (b"a", b"b")]) == [EVERYTHING]


def test_key_types() -> None:
    assert all(can_be_key(type_) for type_, _ in IN_ORDER)
    assert not any(can_be_key(type_) for type_ in (JSON, INTERVAL, array_of(INT64)))


def test_key_size_counts_text_in_bytes() -> None:
    assert key_size(("aé", 1), (STRING, INT64)) == 3 + 8
    assert key_size((b"abc", None, True), (BYTES, INT64, BOOL)) == 3 + 2 + 1
    assert key_size(("a" * 8192,), (STRING,)) == 8192


def test_every_key_type_has_a_size() -> None:
    for type_, values in IN_ORDER:
        assert key_size((values[-1],), (type_,)) > 0


def test_bytes_that_begin_no_key_part_are_a_value_error() -> None:
    with pytest.raises(ValueError, match="no key part"):
        key_decoder([INT64])(b"\x05")

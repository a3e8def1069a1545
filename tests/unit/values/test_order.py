"""Order, grouping and equality of values."""

import math
from typing import Any
from uuid import UUID

import pytest

from spanemu.values.interval import Interval
from spanemu.values.order import NAN, compare, equals, group_key, identity, sort_key
from spanemu.values.types import (
    FLOAT32,
    FLOAT64,
    INT64,
    INTERVAL,
    SCALARS,
    STRING,
    Type,
    TypeCode,
    array_of,
    struct_of,
)
from spanemu.values.types import (
    UUID as UUID_TYPE,
)

POINT = struct_of(("x", INT64), ("y", FLOAT64))


def test_every_type_has_an_order_and_a_group() -> None:
    for code in TypeCode:
        if code is TypeCode.ARRAY:
            type_ = array_of(INT64)
        elif code is TypeCode.STRUCT:
            type_ = POINT
        else:
            type_ = Type(code)
        assert callable(sort_key(type_))
        group_key(type_)


def test_floats_sort_with_nan_first_and_one_zero() -> None:
    key = sort_key(FLOAT64)
    numbers = [1.0, math.inf, math.nan, -0.0, -math.inf, 0.0, math.nan]
    assert [str(n) for n in sorted(numbers, key=key)] == [
        "nan", "nan", "-inf", "-0.0", "0.0", "1.0", "inf",
    ]  # fmt: skip
    assert [str(n) for n in sorted(numbers, key=key, reverse=True)][-2:] == ["nan", "nan"]
    assert key(-0.0) == key(0.0)


def test_nan_is_comparable_inside_tuples() -> None:
    assert sorted([(NAN, 2), (1.0, 0), (NAN, 1)]) == [(NAN, 1), (NAN, 2), (1.0, 0)]
    assert NAN <= NAN
    assert NAN >= NAN
    assert not NAN < NAN
    assert not NAN > NAN


def test_groups() -> None:
    key = group_key(FLOAT32)
    assert key is not None
    assert len({key(math.nan), key(float("nan")), key(-0.0), key(0.0)}) == 2
    assert group_key(INT64) is None
    assert group_key(STRING) is None
    assert group_key(array_of(INT64)) is None
    nested = group_key(struct_of(("a", array_of(FLOAT64))))
    assert nested is not None
    assert nested(((math.nan, None),)) == nested(((math.nan, None),))
    assert nested((None,)) == (None,)


def test_callers_can_skip_the_key_of_plain_types() -> None:
    assert sort_key(INT64) is identity
    assert sort_key(STRING) is identity
    assert sort_key(FLOAT64) is not identity
    assert all(key is None for key in (group_key(INT64), group_key(SCALARS["DATE"])))


def test_strings_sort_by_code_point() -> None:
    assert sorted(["\uffff", "\U00010000", "a"], key=sort_key(STRING)) == [
        "a", "\uffff", "\U00010000",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("type_", "low", "high"),
    [
        (UUID_TYPE, UUID(int=1), UUID(int=2**127)),
        (INTERVAL, Interval(0, 29), Interval(1)),
        (array_of(INT64), (1, None), (1, 2)),
        (array_of(INT64), (1,), (1, None)),
        (array_of(FLOAT64), (math.nan,), (-math.inf,)),
        (POINT, (None, 1.0), (1, None)),
        (POINT, (1, None), (1, math.nan)),
    ],
)
def test_compare(type_: Type, low: Any, high: Any) -> None:
    assert compare(type_)(low, high) == -1
    assert compare(type_)(high, low) == 1
    assert compare(type_)(low, low) == 0
    assert compare(type_)(None, low) is None


@pytest.mark.parametrize(
    ("type_", "left", "right", "outcome"),
    [
        (FLOAT64, math.nan, math.nan, False),
        (FLOAT64, 0.0, -0.0, True),
        (INTERVAL, Interval(1), Interval(0, 30), True),
        (array_of(INT64), (1, 2), (1, 2), True),
        (array_of(INT64), (1, 2), (1, 3), False),
        (array_of(INT64), (1, None), (1, 2), None),
        (array_of(INT64), (None, 1), (1, 2), False),
        (array_of(INT64), (None,), (None, None), False),
        (array_of(FLOAT64), (math.nan,), (math.nan,), False),
        (POINT, (1, 1.0), (1, 1.0), True),
        (POINT, (None, 1.0), (None, 1.0), None),
        (POINT, (None, 1.0), (None, 2.0), False),
        (struct_of(("", array_of(INT64))), ((1, None),), ((1, 2),), None),
    ],
)
def test_equality_is_three_valued(type_: Type, left: Any, right: Any, outcome: bool | None) -> None:
    assert equals(type_)(left, right) is outcome
    assert equals(type_)(right, left) is outcome

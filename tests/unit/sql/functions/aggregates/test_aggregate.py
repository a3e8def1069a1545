"""Aggregates: documented examples, empty groups, NULLs, NaN, overflow, exactness."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import inf, isnan, nan
from typing import Any
from uuid import UUID

import pytest

from spanemu.sql.functions.aggregates import sums
from spanemu.sql.functions.errors import Overflow
from spanemu.sql.googlesql.catalog import CATALOG
from spanemu.values.interval import Interval
from spanemu.values.types import (
    BOOL,
    FLOAT64,
    INT64,
    INTERVAL,
    NUMERIC,
    STRING,
    Type,
    array_of,
)
from tests.unit.sql.functions.calling import fold

D = Decimal
MAX = 2**63 - 1

CASES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("ANY_VALUE", ("apple", "banana"), "apple"),
    ("ANY_VALUE", (None, "banana"), "banana"),
    ("ARRAY_AGG", (2, 1, -2, None), (2, 1, -2, None)),
    ("ARRAY_CONCAT_AGG", ((None, 1), None, (5, 6), ()), (None, 1, 5, 6)),
    ("AVG", (0, 2, 4, 4, 5), 3.0),
    ("AVG", (MAX, MAX), float(MAX)),
    ("AVG", (1, None, 2), 1.5),
    ("AVG", (D(1), D(2), D(2)), D("1.666666667")),
    ("AVG", (1.0, inf), inf),
    ("AVG", (1.5e308, 1.5e308), 1.5e308),  # though the sum is no FLOAT64
    ("AVG", (inf, -inf), nan),
    ("AVG", (1.0, nan), nan),
    ("AVG", (Interval(1, 0, 0), Interval(0, 0, 0)), Interval(0, 15, 0)),
    ("BIT_AND", (0xF001, 0x00A1), 1),
    ("BIT_OR", (0xF001, 0x00A1), 61601),
    ("BIT_XOR", (1234, 5678, 1234), 5678),
    ("BIT_XOR", (-1, MAX), -(2**63)),
    ("COUNT", (1, None, 4), 2),
    ("COUNTIF", (True, False, None, True), 2),
    ("LOGICAL_AND", (True, None, False), False),
    ("LOGICAL_AND", (True, None), True),
    ("LOGICAL_OR", (False, True), True),
    ("LOGICAL_OR", (False, None), False),
    ("MAX", (8, 37, 55, 4), 55),
    ("MAX", (nan, 5.0), nan),
    ("MAX", (5.0, nan, 7.0), nan),
    ("MAX", (False, True), True),
    ("MAX", (UUID(int=1), UUID(int=1 << 127)), UUID(int=1 << 127)),
    ("MIN", (8, 37, 4, 55), 4),
    ("MIN", (None, "b", "a"), "a"),
    ("MIN", (5.0, nan, -inf), nan),
    ("MIN", (date(2020, 1, 2), date(2020, 1, 1)), date(2020, 1, 1)),
    ("MIN", (Interval(1, 0, 0), Interval(0, 29, 0)), Interval(0, 29, 0)),
    ("STRING_AGG", ("apple", None, "pear"), "apple,pear"),
    ("STRING_AGG", (b"a", b"b"), b"a,b"),
    ("STRING_AGG", ("",), ""),
    ("SUM", (1, 2, 3), 6),
    ("SUM", (MAX, 1, -1), MAX),
    ("SUM", tuple([0.1] * 10), 1.0),
    ("SUM", (1e16, 1.0, -1e16), 1.0),
    ("SUM", (1.0, nan), nan),
    ("SUM", (inf, 1.0), inf),
    ("SUM", (inf, -inf), nan),
    ("SUM", (D("0.1"), D("0.2")), D("0.3")),
    ("SUM", (Interval(1, 2, 3), Interval(1, -5, 4)), Interval(2, -3, 7)),
    ("STDDEV_SAMP", (10, 14, 18), 4.0),
    ("STDDEV", (10, 14, None), 2.8284271247461903),
    ("STDDEV", (10, None), None),
    ("STDDEV_SAMP", (10.0, 14.0, inf), nan),
    ("STDDEV", (D(10), D(14), D(18)), 4.0),
    ("VAR_SAMP", (10, 14, 18), 16.0),
    ("VARIANCE", (10, 14, None), 8.0),
    ("VAR_SAMP", (10.0, nan, 3.0), nan),
    ("VAR_SAMP", (1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16), 30.0),
    ("VAR_SAMP", (D("1000000000.1"), D("1000000000.3")), 0.02),
]


@pytest.mark.parametrize(("name", "rows", "expected"), CASES)
def test_value(name: str, rows: tuple[Any, ...], expected: Any) -> None:
    value = fold(name, *rows)
    if isinstance(expected, float) and isnan(expected):
        assert isnan(value)
    elif isinstance(expected, Interval):
        assert value.is_identical(expected)
    else:
        assert value == expected
        assert type(value) is type(expected)


EMPTY: dict[str, tuple[Type, ...]] = {
    "ANY_VALUE": (STRING,),
    "ARRAY_AGG": (STRING,),
    "ARRAY_CONCAT_AGG": (array_of(INT64),),
    "AVG": (INT64, FLOAT64, NUMERIC, INTERVAL),
    "BIT_AND": (INT64,),
    "LOGICAL_OR": (BOOL,),
    "MAX": (FLOAT64, STRING),
    "STDDEV": (INT64, FLOAT64, NUMERIC),
    "STRING_AGG": (STRING,),
    "SUM": (INT64, FLOAT64, NUMERIC, INTERVAL),
    "VARIANCE": (INT64, NUMERIC),
}


@pytest.mark.parametrize(("name", "types"), EMPTY.items())
def test_no_rows_give_null(name: str, types: tuple[Type, ...]) -> None:
    for type_ in types:
        assert fold(name, type_=type_) is None


def test_counts_of_no_rows_are_zero() -> None:
    assert fold("COUNT", type_=INT64) == 0
    assert fold("COUNTIF", type_=BOOL) == 0


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("SUM", (MAX, 1)),
        ("SUM", (1.7e308, 1.7e308)),
        ("SUM", (D("9" * 29), D("9" * 29))),
        ("SUM", (Interval(120_000, 0, 0), Interval(1, 0, 0))),
    ],
)
def test_overflow(name: str, rows: tuple[Any, ...]) -> None:
    with pytest.raises(Overflow):
        fold(name, *rows)


def test_the_deviation_may_be_finite_where_the_variance_is_not() -> None:
    rows = (1.0, 2.2e304, -2.2e304)
    assert fold("VAR_SAMP", *rows) == float("inf")
    assert fold("STDDEV", *rows) == pytest.approx(2.2e304)


def test_only_array_agg_sees_null_arrays_as_rows() -> None:
    assert fold("ARRAY_AGG", None, type_=INT64) == (None,)
    assert fold("ARRAY_CONCAT_AGG", None, type_=array_of(INT64)) is None
    assert fold("ARRAY_CONCAT_AGG", (), type_=array_of(INT64)) == ()


def test_delimiter() -> None:
    assert fold("STRING_AGG", "apple", "pear", extra=(" & ",)) == "apple & pear"
    assert fold("STRING_AGG", b"a", b"b", extra=(b"",)) == b"ab"


def test_count_star_counts_rows() -> None:
    (overload,) = CATALOG.aggregates["$count_star"].overloads
    accumulator = overload.make((), INT64)()
    accumulator.add()
    accumulator.add()
    assert accumulator.result() == 2


@pytest.mark.parametrize(
    ("name", "order", "limit", "nulls"),
    [
        ("ARRAY_AGG", True, True, True),
        ("STRING_AGG", True, True, False),
        ("ARRAY_CONCAT_AGG", True, True, False),
        ("SUM", False, False, False),
        ("LOGICAL_AND", False, False, False),
        ("ANY_VALUE", False, False, False),
    ],
)
def test_modifiers(name: str, order: bool, limit: bool, nulls: bool) -> None:
    for one in CATALOG.aggregates[name].overloads:
        assert one.allows_order is order
        assert one.allows_limit is limit
        assert one.allows_null_handling is nulls


@pytest.mark.parametrize("values", [
    (), (1,), (MAX, 1), (MAX, 1, -2), (0.1,) * 10, (-0.0, -0.0), (1e16, 1.0, -1e16),
    (1.7e308, 1.7e308), (1.7e308, 1.7e308, -1.7e308), (inf,), (inf, -inf), (nan, 1.0), (5e-324,),
])  # fmt: skip
def test_all_values_at_once_give_what_a_state_gives(values: tuple[Any, ...]) -> None:
    def outcome(work: Any) -> str:
        try:
            return repr(work())
        except Overflow as failure:
            return str(failure)

    for kind, at_once in (
        (sums.SumInt64, sums.sum_of_integers),
        (sums.SumFloat64, sums.sum_of_floats),
        (sums.AverageFloat64, sums.average_of_floats),
    ):

        def by_state(kind: Any = kind) -> Any:
            state = kind()
            state.extend(values)
            return state.result()

        assert outcome(lambda: at_once(values)) == outcome(by_state)  # noqa: B023

"""Comparisons of the values of PostgreSQL databases, GREATEST and LEAST."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.postgresql.comparison import FUNCTIONS, greatest, least
from spanemu.sql.functions.registry import COMPARISONS
from spanemu.values.floats import GREATEST_NAN
from spanemu.values.pg_numeric import parse
from tests.unit.sql.functions.postgresql.calling import call


@given(st.floats(allow_nan=False))
def test_nan_is_equal_to_itself_and_above_every_float(number: float) -> None:
    assert call(FUNCTIONS, "float8eq", "FLOAT64, FLOAT64", GREATEST_NAN, GREATEST_NAN)
    assert call(FUNCTIONS, "float8gt", "FLOAT64, FLOAT64", GREATEST_NAN, number)
    assert call(FUNCTIONS, "float8lt", "FLOAT64, FLOAT64", number, GREATEST_NAN)
    assert call(FUNCTIONS, "float8ne", "FLOAT64, FLOAT64", number, GREATEST_NAN)
    assert not call(FUNCTIONS, "float8ge", "FLOAT64, FLOAT64", number, GREATEST_NAN)
    assert sorted([GREATEST_NAN, inf, number])[-1] is GREATEST_NAN
    assert {number: 1}.get(GREATEST_NAN) is None


def test_zeros_of_both_signs_are_equal() -> None:
    assert call(FUNCTIONS, "float8eq", "FLOAT64, FLOAT64", 0.0, -0.0)


@pytest.mark.parametrize(("left", "right"), [("1.5", "1.50"), ("NaN", "NaN"), ("0.00", "0")])
def test_numeric_ignores_trailing_zeros(left: str, right: str) -> None:
    types = "PG_NUMERIC, PG_NUMERIC"
    assert call(FUNCTIONS, "numeric_eq", types, parse(left), parse(right))
    assert call(FUNCTIONS, "numeric_le", types, parse(left), parse(right))


def test_every_comparison_has_an_operation() -> None:
    comparisons = [each for each in FUNCTIONS if each.chapter == "comparison"]
    same_type = [each for each in comparisons if not each.name.startswith(("float48", "float84"))]
    assert len(same_type) == 72
    assert {function.operation for function in same_type} == COMPARISONS


def test_a_real_is_compared_with_a_double_precision_value_by_value() -> None:
    mixed = [each for each in FUNCTIONS if each.name.startswith(("float48", "float84"))]
    assert len(mixed) == 12
    assert {function.operation for function in mixed} == {None}


def test_nulls_are_ignored():
    assert greatest(None, "a", "b") == "b"
    assert least("b", None) == "b"
    assert least(None, None) is None


def test_nan_is_the_greatest_float():
    assert greatest(1.0, GREATEST_NAN, 2.0) is GREATEST_NAN
    assert least(GREATEST_NAN, 2.0) == 2.0

"""The text of floats as PostgreSQL 15 prints them."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.postgresql.text_output import float4_text, float8_text
from spanemu.values.floats import round32


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.1, "0.1"),
        (100000.0, "100000"),
        (1e14, "100000000000000"),
        (1e15, "1e+15"),
        (1e-4, "0.0001"),
        (1e-5, "1e-05"),
        (-0.0, "-0"),
        (1.5e300, "1.5e+300"),
        (nan, "NaN"),
        (-inf, "-Infinity"),
        (6.440159649243392e19, "6.4401596492433916e+19"),
        (7.26461045251552e18, "7.264610452515521e+18"),
    ],
)
def test_text_of_a_double(number: float, text: str) -> None:
    assert float8_text(number) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.1, "0.1"),
        (1e6, "1e+06"),
        (123456.0, "123456"),
        (4.25e9, "4.2499999e+09"),
        (3.69e9, "3.6899999e+09"),
        (3.4028235e38, "3.4028235e+38"),
    ],
)
def test_text_of_a_single(number: float, text: str) -> None:
    assert float4_text(round32(number)) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_double_identifies_it(number: float) -> None:
    assert float(float8_text(number)) == number


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_the_text_of_a_single_identifies_it(number: float) -> None:
    assert round32(float(float4_text(number))) == number

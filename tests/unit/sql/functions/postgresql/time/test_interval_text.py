"""Texts of intervals; PostgreSQL 15 gave all results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.time.interval_text import (
    interval_in,
    interval_out,
    make_interval_value,
)
from spanemu.values.interval import Interval
from tests.unit.sql.functions.postgresql.context import code_of

FORMS = [
    ("1 year 2 months 3 days 04:05:06.5", "P1Y2M3DT4H5M6.5S"),
    ("-2 years -2 mons +16 days 01:01:01.123457", "P-2Y-2M16DT1H1M1.123457S"),
    ("@ 1 day 2 hours ago", "P-1DT-2H"),
    ("1-2", "P1Y2M"),
    ("-1-2 -3 4:05:06", "P-1Y-2M-3DT4H5M6S"),
    ("P1Y2M3DT4H5M6.5S", "P1Y2M3DT4H5M6.5S"),
    ("P0001-02-03T04:05:06", "P1Y2M3DT4H5M6S"),
    ("P00010203T040506", "P1Y2M3DT4H5M6S"),
    ("P1.5M", "P1M15D"),
    ("1.5 years", "P1Y6M"),
    ("0.7 weeks", "P4DT21H36M"),
    ("1 century 1 decade 1 millennium", "P1110Y"),
    ("1d2h", "P1DT2H"),
    ("1:30", "PT1H30M"),
    ("1", "PT1S"),
    ("-1", "PT-1S"),
    ("0 days", "PT0S"),
    ("0-0 0 0:0:1.199999999", "PT1.2S"),
    ("10000-0 3660000 87840000:0:0", "P10000Y3660000DT87840000H"),
    ("12 us 3 ms", "PT0.003012S"),
    ("PT", "PT0S"),
]

WITH_FIELDS = [
    ("1", "DAY", "P1D"),
    ("1-2", "YEAR", "P1Y"),
    ("1", "YEAR TO MONTH", "P1M"),
    ("1 2:03:04", "DAY TO HOUR", "P1DT2H"),
    ("1:30", "MINUTE TO SECOND", "PT1M30S"),
    ("1:30", "HOUR TO MINUTE", "PT1H30M"),
    ("1 year 2 days", "MONTH", "P1Y"),
    ("-100.7", "MINUTE", "PT-1H-40M"),
]

BAD = [
    "", "x", "1 x", "P", "1 day 2 days", "1:2:3:4", "1-12", "1:60", "ago", "10001 years",
    "-10001 years", "3660001 days", "87840001:0:0", "1 day P1D", "infinity", "9" * 400, "1 qtr",
    "1 day é",
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMS)
def test_interval_forms(text: str, expected: str) -> None:
    assert interval_out(interval_in(text)) == expected


@pytest.mark.parametrize(("text", "fields", "expected"), WITH_FIELDS)
def test_literals_with_fields(text: str, fields: str, expected: str) -> None:
    assert interval_out(interval_in(text, fields)) == expected


@pytest.mark.parametrize("text", BAD)
def test_texts_that_are_no_intervals(text: str) -> None:
    assert code_of(interval_in, text) is Code.INVALID_ARGUMENT


def test_nanoseconds_round_in_the_output() -> None:
    assert interval_out(Interval(0, 0, -1_500)) == "PT-0.000002S"


@given(
    st.integers(-120_000, 120_000),
    st.integers(-3_660_000, 3_660_000),
    st.integers(-316_224_000_000_000_000, 316_224_000_000_000_000),
)
def test_an_output_text_reads_back(months: int, days: int, micros: int) -> None:
    value = make_interval_value(months, days, micros)
    assert interval_in(interval_out(value)).is_identical(value)


@given(st.text(st.sampled_from("0159-:. PTYMWDHSdaysgo@+,x\né"), max_size=25))
def test_no_text_breaks_the_decoder(text: str) -> None:
    assert code_of(interval_in, text) in (None, Code.INVALID_ARGUMENT)

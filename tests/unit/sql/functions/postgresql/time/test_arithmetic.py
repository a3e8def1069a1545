"""Arithmetic with dates, timestamps and intervals; PostgreSQL 15 gave the results."""

from __future__ import annotations

from datetime import date

import pytest

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.time import arithmetic
from spanemu.sql.functions.postgresql.time.text import (
    interval_in,
    interval_out,
    timestamptz_in,
    timestamptz_out,
)
from spanemu.values.interval import Interval
from tests.unit.sql.functions.postgresql.context import FixedContext, code_of

HERE = FixedContext()


@pytest.mark.parametrize(
    ("moment", "span", "expected"),
    [
        ("2001-01-31", "1 mon", "2001-02-28 00:00:00-08"),
        ("2024-03-09 02:30", "1 day", "2024-03-10 03:30:00-07"),
        ("2024-03-09 02:30", "24 hours", "2024-03-10 03:30:00-07"),
        ("2024-11-02 01:30", "1 day", "2024-11-03 01:30:00-08"),
        ("2024-11-02 01:30", "24 hours", "2024-11-03 01:30:00-07"),
        ("2000-02-29 12:00", "-1 year", "1999-02-28 12:00:00-08"),
        ("2024-01-01", "1 mon -40 days", "2023-12-23 00:00:00-08"),
        ("9999-12-30 10:00", "1 mon -40 days", "9999-12-21 10:00:00-08"),
    ],
)
def test_timestamps_and_intervals(moment: str, span: str, expected: str) -> None:
    result = arithmetic.add_interval(HERE, timestamptz_in(HERE, moment), interval_in(span))
    assert timestamptz_out(HERE, result) == expected
    negated = arithmetic.negate_interval(interval_in(span))
    assert arithmetic.subtract_interval(HERE, timestamptz_in(HERE, moment), negated) == result
    assert arithmetic.add_interval_text(HERE, timestamptz_in(HERE, moment), span) == result


def test_a_difference_keeps_hours() -> None:
    left, right = (timestamptz_in(HERE, text) for text in ("2024-01-02", "2023-12-01 01:00"))
    assert interval_out(arithmetic.timestamp_difference(left, right)) == "PT767H"


def test_nanoseconds_take_no_part() -> None:
    assert arithmetic.timestamp_difference(2_999, 1_001).nanos == 1_000
    assert arithmetic.add_interval(HERE, 1_999, Interval(0, 0, 1_000)) == 2_000


@pytest.mark.parametrize(
    ("span", "factor", "product", "quotient"),
    [
        ("1 mon", 1.5, "P1M15D", "P20D"),
        ("1 year 2 months 3 days 04:05:06.5", 0.5, "P7M1DT14H2M33.25S", "P2Y4M6DT8H10M13S"),
        ("1 day", 0.333333333, "PT7H59M59.999971S", "P3DT0.000259S"),
        ("-3 days -04:05:06.123456", -1.0, "P3DT4H5M6.123456S", "P3DT4H5M6.123456S"),
    ],
)
def test_products(span: str, factor: float, product: str, quotient: str) -> None:
    assert interval_out(arithmetic.multiply_interval(interval_in(span), factor)) == product
    assert interval_out(arithmetic.divide_interval(interval_in(span), factor)) == quotient


def test_dates_move_by_days() -> None:
    assert arithmetic.add_days(date(2024, 2, 28), 2) == date(2024, 3, 1)
    assert arithmetic.subtract_days(date(2024, 3, 1), 2) == date(2024, 2, 28)
    assert arithmetic.days_between(date(2024, 3, 1), date(2024, 2, 28)) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [("50 hours 10 minutes", "P2DT2H10M"), ("-12 day 50 hours 10 minutes", "P-9DT-21H-50M")],
)
def test_justify_hours(text: str, expected: str) -> None:
    assert interval_out(arithmetic.justify_hours(interval_in(text))) == expected


def test_justify_days_and_interval() -> None:
    assert interval_out(arithmetic.justify_days(interval_in("-1 year 45 days"))) == "P-10M-15D"
    justified = arithmetic.justify_interval(interval_in("-34 days 60 hours"))
    assert interval_out(justified) == "P-1M-1DT-12H"


def test_make_interval() -> None:
    made = arithmetic.make_interval(1, 2, 3, 15, 10, 30, 15.1)
    assert interval_out(made) == "P1Y2M36DT10H30M15.1S"
    assert interval_out(arithmetic.make_interval()) == "PT0S"


@pytest.mark.parametrize(
    ("stride", "origin", "expected"),
    [
        ("15 minutes", "2001-02-16 20:05:00Z", "2001-02-16 12:35:00-08"),
        ("15 minutes", "2001-02-16 21:05:00Z", "2001-02-16 12:35:00-08"),
        ("1 day", "2001-02-16 20:38:40Z", "2001-02-16 12:38:40-08"),
        ("7 days", "2001-02-23 20:38:40Z", "2001-02-16 12:38:40-08"),
    ],
)
def test_date_bin(stride: str, origin: str, expected: str) -> None:
    moment = timestamptz_in(HERE, "2001-02-16 20:38:40Z")
    result = arithmetic.bin_timestamp(stride, moment, timestamptz_in(HERE, origin))
    assert timestamptz_out(HERE, result) == expected


@pytest.mark.parametrize(
    ("code", "call"),
    [
        (Code.INVALID_ARGUMENT, (arithmetic.add_days, date.max, 1)),
        (Code.INVALID_ARGUMENT, (arithmetic.add_days, date.max, 1 << 62)),
        (Code.INVALID_ARGUMENT, (arithmetic.multiply_interval, Interval(1), float("nan"))),
        (Code.INVALID_ARGUMENT, (arithmetic.multiply_interval, Interval(1), 1e300)),
        (Code.OUT_OF_RANGE, (arithmetic.divide_interval, Interval(1), 0.0)),
        (Code.INVALID_ARGUMENT, (arithmetic.add_intervals, Interval(120_000), Interval(1))),
        (Code.INVALID_ARGUMENT, (arithmetic.make_interval, 10_001)),
        (Code.INVALID_ARGUMENT, (arithmetic.make_interval, 1 << 40)),
        (Code.INVALID_ARGUMENT, (arithmetic.make_interval, 0, 0, 0, 0, 0, 0, float("inf"))),
        (Code.UNIMPLEMENTED, (arithmetic.bin_timestamp, "1 month", 0, 0)),
        (Code.INVALID_ARGUMENT, (arithmetic.bin_timestamp, "0 s", 0, 0)),
        (Code.INVALID_ARGUMENT, (arithmetic.add_interval, HERE, 0, Interval(120_000))),
    ],
)
def test_codes(code: Code, call: tuple[object, ...]) -> None:
    assert code_of(*call) is code  # type: ignore[arg-type]

"""Texts of dates, timestamps and intervals; PostgreSQL 15 gave all results."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.time.text import (
    date_in,
    date_of_timestamptz,
    interval_in,
    interval_out,
    make_interval_value,
    timestamptz_in,
    timestamptz_of_date,
    timestamptz_out,
)
from spanemu.values.interval import Interval
from tests.unit.sql.functions.postgresql.context import FixedContext, code_of

HERE = FixedContext()

DATES = [
    ("1999-01-08", "1999-01-08"),
    ("January 8, 1999", "1999-01-08"),
    ("1/8/1999", "1999-01-08"),
    ("1/18/1999", "1999-01-18"),
    ("01/02/03", "2003-01-02"),
    ("1999-Jan-08", "1999-01-08"),
    ("Jan-08-1999", "1999-01-08"),
    ("08-Jan-1999", "1999-01-08"),
    ("Jan-08-99", "1999-01-08"),
    ("19990108", "1999-01-08"),
    ("990108", "1999-01-08"),
    ("1999.008", "1999-01-08"),
    ("J2451187", "1999-01-08"),
    ("y2001m02d04", "2001-02-04"),
    ("1.2.2003", "2003-01-02"),
    ("Monday, 8 january 1969 ad", "1969-01-08"),
    ("2024-02-29 23:59:60 America/New_York", "2024-02-29"),
    ("8 Jan 69", "2069-01-08"),
    ("8 Jan 70", "1970-01-08"),
]

NOT_DATES = [
    "", "x", "99-Jan-08", "2024-02-30", "1/32/2024", "13/1/2024", "2023-02-29", "0000-01-01",
    "January 8, 99 BC", "10000-01-01", "today", "now", "tomorrow", "yesterday", "epoch",
    "infinity", "-infinity", "J-5", "1999-01", "1999-01-08-09", "04:05:06", "2024-01-01 PST",
    "2024-01-01 24:00:01", "2024-01-01 2024-01-02", "١٩٩٩-01-08", "1999-01-08 é",
    "9" * 400, "1-" * 200, "j99999999999",
]  # fmt: skip

TIMESTAMPS = [
    ("2024-01-01", "2024-01-01 00:00:00-08"),
    ("2024-07-01 10:00", "2024-07-01 10:00:00-07"),
    ("2001-02-03T04:05:06.123456Z", "2001-02-02 20:05:06.123456-08"),
    ("January 1, 2000 040506-08", "2000-01-01 04:05:06-08"),
    ("January 1, 2000 040506+0730", "1999-12-31 12:35:06-08"),
    ("January 8, 1999 04:05:06pm Egypt", "1999-01-08 06:05:06-08"),
    ("2024-01-01 10:00 gmt+3", "2024-01-01 05:00:00-08"),
    ("2024-01-01 10:00 foo-3", "2023-12-31 23:00:00-08"),
    ("2024-01-01 10:00 +15:59:59", "2023-12-31 10:00:01-08"),
    ("2024-01-01 10:00 EST", "2024-01-01 07:00:00-08"),
    ("2024-06-01 10:00 CET", "2024-06-01 01:00:00-07"),
    ("2024-01-01 12:00 AM", "2024-01-01 00:00:00-08"),
    ("2024-01-01 24:00:00", "2024-01-02 00:00:00-08"),
    ("2024-01-01 allballs", "2023-12-31 16:00:00-08"),
    ("2024-01-01 10:00:00.1234565", "2024-01-01 10:00:00.123456-08"),
    ("2024-01-01 10:00:00.9999999", "2024-01-01 10:00:01-08"),
    ("j2451187.5", "1999-01-08 12:00:00-08"),
    ("1800-01-01", "1800-01-01 00:00:00-07:52:58"),
    # The hour that spring skips, and the hour that autumn repeats.
    ("2024-03-10 02:30:00", "2024-03-10 03:30:00-07"),
    ("2024-11-03 01:30:00", "2024-11-03 01:30:00-08"),
    ("2024-11-03 01:30:00 -7", "2024-11-03 01:30:00-07"),
    ("0001-01-01 00:00:00+00", "0001-12-31 16:07:02-07:52:58 BC"),
]

NOT_TIMESTAMPS = [
    "2024-01-01 PST", "2024-01-01 10:00 BST", "2024-01-01 25:00:00", "2024-01-01 10:60",
    "2000-01-01 01:00:70+00", "2000-01-01 13:00:00 AM", "jan 1, 2000 01:02:03 america/boston",
    "2024-01-01 10:00 +16", "9999-12-31 23:59:59.9999999Z", "0001-01-01 00:00:00+01",
    "`~-_=+[]{}|", "allballs", "2024-01-01 10:00 dst", "2024-01-01 10:00 z z",
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), DATES)
def test_date_forms(text: str, expected: str) -> None:
    assert date_in(text).isoformat() == expected


@pytest.mark.parametrize("text", NOT_DATES)
def test_malformed_dates_are_refused(text: str) -> None:
    assert code_of(date_in, text) is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(("text", "expected"), TIMESTAMPS)
def test_timestamp_forms(text: str, expected: str) -> None:
    assert timestamptz_out(HERE, timestamptz_in(HERE, text)) == expected


@pytest.mark.parametrize("text", NOT_TIMESTAMPS)
def test_malformed_timestamps_are_refused(text: str) -> None:
    assert code_of(timestamptz_in, HERE, text) is Code.INVALID_ARGUMENT


def test_the_default_zone_applies_to_texts_without_a_zone() -> None:
    tokyo = FixedContext("Asia/Tokyo")
    assert timestamptz_out(HERE, timestamptz_in(tokyo, "2024-01-02")) == "2024-01-01 07:00:00-08"


def test_nanoseconds_are_not_shown() -> None:
    assert timestamptz_out(HERE, 1_999) == "1969-12-31 16:00:00.000001-08"


def test_dates_and_timestamps_convert_in_the_default_zone() -> None:
    moment = timestamptz_of_date(HERE, date(2024, 7, 1))
    assert timestamptz_out(HERE, moment) == "2024-07-01 00:00:00-07"
    assert date_of_timestamptz(HERE, moment - 1) == date(2024, 6, 30)


@given(
    st.integers(-62_135_500_000_000_000, 253_402_200_000_000_000),
    st.sampled_from(["America/Los_Angeles", "UTC", "Asia/Kathmandu", "Africa/Monrovia"]),
)
def test_an_output_text_reads_back(micros: int, zone: str) -> None:
    context = FixedContext(zone)
    assert timestamptz_in(context, timestamptz_out(context, micros * 1_000)) == micros * 1_000


@given(st.text(st.sampled_from("0159-:/. jantzTbc+,x\né"), max_size=30))
def test_no_text_breaks_the_decoder(text: str) -> None:
    assert code_of(date_in, text) in (None, Code.INVALID_ARGUMENT)
    assert code_of(timestamptz_in, HERE, text) in (None, Code.INVALID_ARGUMENT)


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
def test_malformed_intervals_are_refused(text: str) -> None:
    assert code_of(interval_in, text) is Code.INVALID_ARGUMENT


def test_nanoseconds_round_in_the_output() -> None:
    assert interval_out(Interval(0, 0, -1_500)) == "PT-0.000002S"


@given(
    st.integers(-120_000, 120_000),
    st.integers(-3_660_000, 3_660_000),
    st.integers(-316_224_000_000_000_000, 316_224_000_000_000_000),
)
def test_an_output_text_of_an_interval_reads_back(months: int, days: int, micros: int) -> None:
    value = make_interval_value(months, days, micros)
    assert interval_in(interval_out(value)).is_identical(value)


@given(st.text(st.sampled_from("0159-:. PTYMWDHSdaysgo@+,x\né"), max_size=25))
def test_no_text_breaks_the_decoder_of_intervals(text: str) -> None:
    assert code_of(interval_in, text) in (None, Code.INVALID_ARGUMENT)

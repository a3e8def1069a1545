"""Texts of dates and timestamps; PostgreSQL 15 gave all results, in America/Los_Angeles."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.time.text import (
    date_in,
    date_of_timestamptz,
    timestamptz_in,
    timestamptz_of_date,
    timestamptz_out,
)
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
def test_texts_that_are_no_dates(text: str) -> None:
    assert code_of(date_in, text) is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(("text", "expected"), TIMESTAMPS)
def test_timestamp_forms(text: str, expected: str) -> None:
    assert timestamptz_out(HERE, timestamptz_in(HERE, text)) == expected


@pytest.mark.parametrize("text", NOT_TIMESTAMPS)
def test_texts_that_are_no_timestamps(text: str) -> None:
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

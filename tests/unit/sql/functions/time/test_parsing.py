"""PARSE_DATE and PARSE_TIMESTAMP, by the documented examples and rules."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from spanemu.base.errors import Code
from spanemu.sql.functions.errors import (
    BadArgument,
    BadTimeZone,
    EvaluationError,
    UnparseableText,
)
from spanemu.sql.functions.time.parsing import parse_date, parse_timestamp
from spanemu.values.timestamp import format_utc

CONTEXT: Any = SimpleNamespace(time_zone="America/Los_Angeles")


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("%x", "12/25/08", (2008, 12, 25)),
        ("%Y%m%d", "20081225", (2008, 12, 25)),
        ("%A %b %e %Y", "Thursday Dec 25 2008", (2008, 12, 25)),
        ("%A %b %e %Y", "thu DECEMBER  5 2008", (2008, 12, 5)),
        ("%F", "2000-12-30", (2000, 12, 30)),
        ("%D", "02/29/68", (2068, 2, 29)),
        ("%y", "69", (1969, 1, 1)),
        ("%C%y", "1908", (1908, 1, 1)),
        ("%y %C", "08 19", (1908, 1, 1)),
        ("%C", "20", (2000, 1, 1)),
        ("%Y %y", "2008 09", (2009, 1, 1)),
        ("%F %Y", "2000-12-30 2001", (2001, 12, 30)),
        ("%m/%d", "2/3", (1970, 2, 3)),
        ("%D %C", "01/02/08 19", (1900, 1, 2)),
        ("%Y %C", "2008 19", (1900, 1, 1)),
        ("%C %Y", "19 2008", (2008, 1, 1)),
        ("%Y%m", "100001", (1000, 1, 1)),
        ("%Ey %EC %Od %Om", "08 19 05 06", (1908, 6, 5)),
        ("%Q %Y", "3 2021", (2021, 7, 1)),
        ("%E4Y-%m", "0987-10", (987, 10, 1)),
        ("%EY", "2021", (2021, 1, 1)),
        ("  %Y ", "2021", (2021, 1, 1)),
        ("%Y", "  2021  ", (2021, 1, 1)),
        ("%Y %m", "2021\n\t 7", (2021, 7, 1)),
        ("%Y%n%m%t", "202107", (2021, 7, 1)),
        ("%Y%%", "2021%", (2021, 1, 1)),
        ("%Y年", "2021年", (2021, 1, 1)),
        # Elements that are read without effect.
        ("%Y %V %u %w %G %g", "2021 3 7 0 1999 98", (2021, 1, 1)),
        # Weeks and days of the year.
        ("%W%y", "092", (2002, 3, 4)),
        ("%U%y", "092", (2002, 3, 3)),
        ("%Y %W", "2002 00", (2001, 12, 31)),
        ("%Y %U %m", "2002 09 5", (2002, 5, 3)),
        ("%Y %m %W", "2002 5 09", (2002, 3, 4)),
        ("%Y %j %W", "2002 100 09", (2002, 4, 10)),
        ("%j %Y", "60 2004", (2004, 2, 29)),
        ("%a %W %j", "Tue 09 09", (1970, 1, 9)),
        ("%G", "2002", (2001, 12, 31)),
        ("%g %m", "02 3", (1970, 3, 1)),
        ("%h", "sep", (1970, 9, 1)),
    ],
)
def test_dates(pattern: str, text: str, expected: tuple[int, int, int]) -> None:
    assert parse_date(pattern, text) == date(*expected)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("%Y %A %b %e", "Thursday Dec 25 2008"),
        ("%A %b %e", "Thursday Dec 25 2008"),
        ("%Y-%m-%d", "2021-02-29"),
        ("%Y-%m-%d", "2021-13-01"),
        ("%Y-%m-%d", "2021-1"),
        ("%Y", ""),
        ("%Y", "2021 x"),
        ("%Y", "0"),
        ("%Y", "10000"),
        ("%E4Y", "987"),
        ("%b", "Foo"),
        ("x%Y", "y2021"),
        ("%Y", "２０２１"),
    ],
)
def test_bad_dates(pattern: str, text: str) -> None:
    with pytest.raises(UnparseableText) as failure:
        parse_date(pattern, text)
    assert failure.value.code is Code.OUT_OF_RANGE
    assert failure.value.text == text


@pytest.mark.parametrize("pattern", ["%", "%H", "%c", "%E3S", "%Ez", "%P", "%q", "%E", "%s"])
def test_bad_date_formats(pattern: str) -> None:
    with pytest.raises(BadArgument):
        parse_date(pattern, "1")


@pytest.mark.parametrize(
    ("pattern", "text", "zone", "expected"),
    [
        ("%c", "Thu Dec 25 07:30:00 2008", None, "2008-12-25T15:30:00Z"),
        ("%a %b %e %I:%M:%S %Y", "Thu Dec 25 07:30:00 2008", None, "2008-12-25T15:30:00Z"),
        ("%F %T", "2008-12-25 07:30:00", "UTC", "2008-12-25T07:30:00Z"),
        ("%F %T%Ez", "2008-12-25 07:30:00+05:30", None, "2008-12-25T02:00:00Z"),
        ("%F %T%Ez", "2008-12-25 07:30:00Z", None, "2008-12-25T07:30:00Z"),
        ("%F %T %z", "2008-12-25 07:30:00 -0800", None, "2008-12-25T15:30:00Z"),
        ("%F %T %z", "2008-12-25 07:30:00 -08", None, "2008-12-25T15:30:00Z"),
        ("%F %T %Z", "2008-12-25 07:30:00 Asia/Tokyo", None, "2008-12-24T22:30:00Z"),
        ("%F %T %Z %z", "2008-12-25 07:30:00 Asia/Tokyo +01", None, "2008-12-25T06:30:00Z"),
        ("%F %E3S", "2008-12-25 07.1239", "UTC", None),
        ("%F %E*S", "2008-12-25 07.1234567899", "UTC", "2008-12-25T00:00:07.123456789Z"),
        ("%F %E3S", "2008-12-25 07.12", "UTC", "2008-12-25T00:00:07.12Z"),
        ("%F %E0S", "2008-12-25 07", "UTC", "2008-12-25T00:00:07Z"),
        ("%F %I %p", "2008-12-25 12 am", "UTC", "2008-12-25T00:00:00Z"),
        ("%F %p %l", "2008-12-25 PM  1", "UTC", "2008-12-25T13:00:00Z"),
        ("%F %I %p %H", "2008-12-25 1 PM 3", "UTC", "2008-12-25T03:00:00Z"),
        ("%r", "01:02:03 PM", "UTC", "1970-01-01T13:02:03Z"),
        ("%R", "13:02", "UTC", "1970-01-01T13:02:00Z"),
        ("%k:%M", " 7:02", "UTC", "1970-01-01T07:02:00Z"),
        ("%s", "1230219000", None, "2008-12-25T15:30:00Z"),
        ("%s", "-1", None, "1969-12-31T23:59:59Z"),
        ("%s %Y", "1230219000 1999", None, "2008-12-25T15:30:00Z"),
        ("%F %T", "2016-12-31 23:59:60", "UTC", "2017-01-01T00:00:00Z"),
        ("%F %H:%M:%E3S", "2016-12-31 23:59:60.5", "UTC", "2017-01-01T00:00:00Z"),
        ("%Y", "2021", None, "2021-01-01T08:00:00Z"),
        # Year 0 or 10000 in the time zone, but a TIMESTAMP in UTC.
        ("%Y-%m-%d %H:%M", "0-12-31 23:00", "-05", "0001-01-01T04:00:00Z"),
        ("%Y-%m-%d %H:%M", "10000-01-01 00:30", "+05", "9999-12-31T19:30:00Z"),
        ("%F %T", "2017-11-05 01:30:00", None, "2017-11-05T08:30:00Z"),
    ],
)
def test_timestamps(pattern: str, text: str, zone: str | None, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(UnparseableText):
            parse_timestamp(CONTEXT, pattern, text, zone)
    else:
        assert format_utc(parse_timestamp(CONTEXT, pattern, text, zone)) == expected


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("%a %b %e %Y %I:%M:%S", "Thu Dec 25 07:30:00 2008"),
        ("%a %b %e %I:%M:%S", "Thu Dec 25 07:30:00 2008"),
        ("%H", "24"),
        ("%M", "60"),
        ("%S", "61"),
        ("%I", "13"),
        ("%p", "xm"),
        ("%z", "+1500"),
        ("%z", "0800"),
        ("%Ez", "+05:75"),
        ("%E*S", "1."),
        ("%F", "0000-01-01"),
        ("%F", "9999-12-32"),
        ("%s", "999999999999"),
        ("%s", "x"),
    ],
)
def test_bad_timestamps(pattern: str, text: str) -> None:
    with pytest.raises(EvaluationError):
        parse_timestamp(CONTEXT, pattern, text)


def test_bad_zones() -> None:
    with pytest.raises(BadTimeZone):
        parse_timestamp(CONTEXT, "%Y", "2021", "nowhere")
    with pytest.raises(BadTimeZone):
        parse_timestamp(CONTEXT, "%Y %Z", "2021 nowhere")

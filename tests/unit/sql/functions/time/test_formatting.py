"""FORMAT_DATE and FORMAT_TIMESTAMP: every documented element, and text that is none."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from spanemu.sql.functions.errors import BadArgument, BadTimeZone
from spanemu.sql.functions.time.formatting import (
    CLOCK_ELEMENTS,
    ELEMENTS,
    format_date,
    format_timestamp,
)
from spanemu.values.timestamp import parse_utc

CONTEXT: Any = SimpleNamespace(time_zone="America/Los_Angeles")
WEDNESDAY = parse_utc("2021-01-21T02:47:00.123456789Z")  # 20 January, 21:47 at UTC-5

# Element -> its text for that timestamp.
SHOWN = {
    "%A": "Wednesday",
    "%a": "Wed",
    "%B": "January",
    "%b": "Jan",
    "%h": "Jan",
    "%C": "20",
    "%c": "Wed Jan 20 21:47:00 2021",
    "%D": "01/20/21",
    "%d": "20",
    "%e": "20",
    "%F": "2021-01-20",
    "%G": "2021",
    "%g": "21",
    "%H": "21",
    "%I": "09",
    "%j": "020",
    "%k": "21",
    "%l": " 9",
    "%M": "47",
    "%m": "01",
    "%n": "\n",
    "%P": "pm",
    "%p": "PM",
    "%Q": "1",
    "%R": "21:47",
    "%r": "09:47:00 PM",
    "%S": "00",
    "%s": "1611197220",
    "%T": "21:47:00",
    "%t": "\t",
    "%U": "03",
    "%u": "3",
    "%V": "03",
    "%W": "03",
    "%w": "3",
    "%X": "21:47:00",
    "%x": "01/20/21",
    "%Y": "2021",
    "%y": "21",
    "%Z": "UTC-5",
    "%z": "-0500",
    "%%": "%",
    "%Ez": "-05:00",
    "%E0S": "00",
    "%E3S": "00.123",
    "%E9S": "00.123456789",
    "%E12S": "00.123456789000",
    "%E*S": "00.123456789",
    "%E*f": "123456789",
    "%E*z": "-05:00:00",
    "%ET": "T",
    "%E4Y": "2021",
    "%EY": "2021",
    "%Od": "20",
    "%-m": "1",
    "%-I": "9",
    "%-M": "47",
    "%": "%",
    "%q": "%q",
    "%E": "%E",
    "%E3": "%E3",
    "é%Y": "é2021",
    "": "",
}


@pytest.mark.parametrize(("pattern", "expected"), SHOWN.items())
def test_element(pattern: str, expected: str) -> None:
    assert format_timestamp(CONTEXT, pattern, WEDNESDAY, "-05") == expected


def test_every_element_is_tested() -> None:
    assert {f"%{name}" for name in ELEMENTS} <= set(SHOWN)


@pytest.mark.parametrize("name", sorted(set(ELEMENTS) - CLOCK_ELEMENTS))
def test_date_element(name: str) -> None:
    assert format_date(f"%{name}", date(2021, 1, 20)) == SHOWN[f"%{name}"]


@pytest.mark.parametrize("name", [*sorted(CLOCK_ELEMENTS), "Ez", "E3S", "E*S"])
def test_clock_element_of_a_date_stands_as_written(name: str) -> None:
    assert format_date(f"<%{name}>", date(2021, 1, 20)) == f"<%{name}>"


@pytest.mark.parametrize(
    ("pattern", "value", "zone", "expected"),
    [
        ("%c", "2050-12-25T15:30:55Z", "UTC", "Sun Dec 25 15:30:55 2050"),
        ("%b-%d-%Y", "2050-12-25T15:30:55Z", None, "Dec-25-2050"),
        ("%Y-%m-%dT%H:%M:%S%Z", "2050-12-25T15:30:55Z", "UTC", "2050-12-25T15:30:55UTC"),
        ("%Z %z", "2020-01-01T00:00:00Z", "Asia/Kolkata", "UTC+0530 +0530"),
        ("%F %T %Ez", "1850-01-01T00:00:00Z", None, "1849-12-31 16:08:00 -07:52"),
        ("%I %p|%l", "2020-01-01T00:30:00Z", "UTC", "12 AM|12"),
        ("%I %p", "2020-01-01T12:30:00Z", "UTC", "12 PM"),
        ("%E*S", "2020-01-01T00:00:05Z", "UTC", "05"),
        ("%E2S", "2020-01-01T00:00:05.999Z", "UTC", "05.99"),
        ("%Y-%m-%d %A %G-%V", "0001-01-01T00:00:00Z", None, "0-12-31 Sunday 0-52"),
        ("%E4Y %C %y", "0001-01-01T00:00:00Z", None, "0000 00 00"),
        ("%Y-%m-%d", "9999-12-31T23:59:59Z", "+01", "10000-01-01"),
        ("%s", "1969-12-31T23:59:59.5Z", None, "-1"),
        ("%H", "2017-03-12T09:59:59Z", None, "01"),
        ("%H", "2017-03-12T10:00:00Z", None, "03"),
    ],
)
def test_timestamps(pattern: str, value: str, zone: str | None, expected: str) -> None:
    assert format_timestamp(CONTEXT, pattern, parse_utc(value), zone) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("%-d|%_d|%5d|%05d|%_5d|%-5d", "5| 5|00005|00005|    5|    5"),
        ("%-m/%-d/%Y", "3/5/2020"),
        ("%-e|%0e|%5e", "5|05|    5"),
        ("%5a|%05a|%-5a|%^a|%#B", "  Thu|00Thu|  Thu|THU|MARCH"),
        ("%6Y|%_6Y|%3y|%-j", "002020|  2020|020|65"),
        ("%12F|%012F", "  2020-03-05|002020-03-05"),
        ("%_-d|%5", "5|%5"),
    ],
)
def test_flags_and_widths_of_the_c_library(pattern: str, expected: str) -> None:
    assert format_date(pattern, date(2020, 3, 5)) == expected


def test_days_of_the_quarter_are_refused() -> None:
    with pytest.raises(BadArgument):
        format_date("%J", date(2020, 3, 5))


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        (date(2016, 1, 2), "2015 15 53 00 00 002"),
        (date(2016, 1, 3), "2015 15 53 01 00 003"),
        (date(2016, 1, 4), "2016 16 01 01 01 004"),
        (date(2012, 12, 31), "2013 13 01 53 53 366"),
    ],
)
def test_weeks(day: date, expected: str) -> None:
    assert format_date("%G %g %V %U %W %j", day) == expected


def test_bad_zone() -> None:
    with pytest.raises(BadTimeZone):
        format_timestamp(CONTEXT, "", 0, "nowhere")

"""Timestamp functions and EXTRACT, by the documented examples and over clock changes."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from spanemu.base.errors import Code
from spanemu.sql.functions.errors import (
    BadArgument,
    BadDatePart,
    BadTimeZone,
    InvalidText,
    Overflow,
)
from spanemu.sql.functions.time import timestamp
from spanemu.sql.functions.time.date_parts import ALLOWED
from spanemu.values.timestamp import TIMESTAMP_MAX, TIMESTAMP_MIN, format_utc, parse_utc

CONTEXT: Any = SimpleNamespace(now=7, time_zone="America/Los_Angeles")


@pytest.mark.parametrize(
    ("amount", "part", "expected"),
    [
        (10, "MINUTE", "2008-12-25T15:40:00Z"),
        (-10, "MINUTE", "2008-12-25T15:20:00Z"),
        (1, "NANOSECOND", "2008-12-25T15:30:00.000000001Z"),
        (1, "MICROSECOND", "2008-12-25T15:30:00.000001Z"),
        (1, "MILLISECOND", "2008-12-25T15:30:00.001Z"),
        (25, "HOUR", "2008-12-26T16:30:00Z"),
        (1, "DAY", "2008-12-26T15:30:00Z"),
    ],
)
def test_add_and_sub(amount: int, part: str, expected: str) -> None:
    start = parse_utc("2008-12-25T15:30:00Z")
    assert timestamp.timestamp_add(start, amount, part) == parse_utc(expected)
    assert timestamp.timestamp_sub(start, -amount, part) == parse_utc(expected)


def test_add_out_of_range() -> None:
    with pytest.raises(BadArgument):
        timestamp.timestamp_add(TIMESTAMP_MAX, 1, "NANOSECOND")
    with pytest.raises(BadArgument):
        timestamp.timestamp_sub(TIMESTAMP_MIN, 2**62, "DAY")
    with pytest.raises(BadDatePart):
        timestamp.timestamp_add(0, 1, "MONTH")


@pytest.mark.parametrize(
    ("end", "start", "part", "expected"),
    [
        ("2010-07-07T10:20:00Z", "2008-12-25T15:30:00Z", "HOUR", 13410),
        ("2018-08-14T07:00:00Z", "2018-10-14T07:00:00Z", "DAY", -61),
        ("2001-02-01T01:00:00Z", "2001-02-01T00:00:01Z", "HOUR", 0),
        ("2001-02-01T00:00:01Z", "2001-02-01T01:00:00Z", "HOUR", 0),
        ("2001-02-01T00:00:00Z", "2001-02-01T00:00:00.9Z", "SECOND", 0),
        ("2001-02-01T00:00:00.000000001Z", "2001-02-01T00:00:00Z", "NANOSECOND", 1),
        ("9999-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "MICROSECOND", 315537897599000000),
    ],
)
def test_diff(end: str, start: str, part: str, expected: int) -> None:
    assert timestamp.timestamp_diff(parse_utc(end), parse_utc(start), part) == expected


def test_diff_overflow() -> None:
    with pytest.raises(Overflow) as failure:
        timestamp.timestamp_diff(TIMESTAMP_MAX, TIMESTAMP_MIN, "NANOSECOND")
    assert failure.value.code is Code.OUT_OF_RANGE


@pytest.mark.parametrize(
    ("value", "part", "zone", "expected"),
    [
        ("2008-12-25T15:30:00Z", "DAY", "UTC", "2008-12-25T00:00:00Z"),
        ("2008-12-25T15:30:00Z", "DAY", None, "2008-12-25T08:00:00Z"),
        ("2015-06-15T00:00:00Z", "ISOYEAR", None, "2014-12-29T08:00:00Z"),
        ("2017-11-06T00:00:00Z", "WEEK(MONDAY)", "UTC", "2017-11-06T00:00:00Z"),
        ("2017-11-06T00:00:00Z", "WEEK", "UTC", "2017-11-05T00:00:00Z"),
        ("2017-11-06T01:02:03.123456789Z", "MICROSECOND", None, "2017-11-06T01:02:03.123456Z"),
        ("2017-11-06T01:02:03.123456789Z", "MILLISECOND", None, "2017-11-06T01:02:03.123Z"),
        ("2017-11-06T01:02:03.123456789Z", "SECOND", None, "2017-11-06T01:02:03Z"),
        ("2017-11-06T01:02:03.123456789Z", "NANOSECOND", None, "2017-11-06T01:02:03.123456789Z"),
        ("1950-11-06T01:02:03.5Z", "SECOND", None, "1950-11-06T01:02:03Z"),
        ("2017-11-06T01:42:03Z", "HOUR", "+05:30", "2017-11-06T01:30:00Z"),
        ("2017-11-06T01:42:03Z", "MINUTE", "+05:30", "2017-11-06T01:42:00Z"),
        ("2017-11-06T01:42:03Z", "QUARTER", "UTC", "2017-10-01T00:00:00Z"),
        # The clock went back at 09:00 UTC, so this day began at another offset.
        ("2017-11-05T12:00:00Z", "DAY", None, "2017-11-05T07:00:00Z"),
        ("2017-03-12T12:00:00Z", "DAY", None, "2017-03-12T08:00:00Z"),
        # Local time is in year 10000.
        ("9999-12-31T23:59:59Z", "MONTH", "+05:30", "9999-12-31T18:30:00Z"),
        ("9999-12-31T23:59:59Z", "WEEK", "+05:30", "9999-12-25T18:30:00Z"),
        # Midnight was skipped.
        ("2018-11-04T12:00:00Z", "DAY", "America/Sao_Paulo", "2018-11-04T03:00:00Z"),
    ],
)
def test_trunc(value: str, part: str, zone: str | None, expected: str) -> None:
    truncated = timestamp.timestamp_trunc(CONTEXT, parse_utc(value), part, zone)
    assert format_utc(truncated) == expected


@pytest.mark.parametrize("part", sorted(ALLOWED["TIMESTAMP_TRUNC"]))
def test_trunc_takes_every_allowed_part(part: str) -> None:
    assert timestamp.timestamp_trunc(CONTEXT, 10**18, part) <= 10**18


def test_trunc_out_of_range() -> None:
    for part in ("WEEK", "DAY", "HOUR"):
        with pytest.raises(BadArgument):
            timestamp.timestamp_trunc(CONTEXT, TIMESTAMP_MIN, part, "-00:30")
    with pytest.raises(BadDatePart):
        timestamp.timestamp_trunc(CONTEXT, 0, "DAYOFWEEK")


@pytest.mark.parametrize(
    ("value", "part", "zone", "expected"),
    [
        ("2008-12-25T05:30:00Z", "DAY", "UTC", 25),
        ("2008-12-25T05:30:00Z", "DAY", None, 24),
        ("2005-01-03T12:34:56Z", "ISOYEAR", None, 2005),
        ("2007-12-31T12:00:00Z", "ISOWEEK", None, 1),
        ("2009-12-31T12:00:00Z", "ISOWEEK", None, 53),
        ("2009-01-01T12:00:00Z", "WEEK", None, 0),
        ("2009-01-01T12:34:56.123456789Z", "HOUR", "UTC", 12),
        ("2009-01-01T12:34:56.123456789Z", "HOUR", "+00:30", 13),
        ("2009-01-01T12:34:56.123456789Z", "MINUTE", "+00:30", 4),
        ("2009-01-01T12:34:56.123456789Z", "SECOND", None, 56),
        ("2009-01-01T12:34:56.123456789Z", "MILLISECOND", None, 123),
        ("2009-01-01T12:34:56.123456789Z", "MICROSECOND", None, 123456),
        ("2009-01-01T12:34:56.123456789Z", "NANOSECOND", None, 123456789),
        ("1969-12-31T23:59:59.9Z", "SECOND", "UTC", 59),
        ("0001-01-01T00:00:00Z", "YEAR", None, 0),
        ("0001-01-01T00:00:00Z", "ISOYEAR", None, 0),
        ("0001-01-01T00:00:00Z", "QUARTER", None, 4),
        ("9999-12-31T23:59:59Z", "YEAR", "+01", 10000),
    ],
)
def test_extract(value: str, part: str, zone: str | None, expected: int) -> None:
    assert timestamp.extract_from_timestamp(CONTEXT, parse_utc(value), part, zone) == expected


def test_extract_date_and_bad_parts() -> None:
    moment = parse_utc("2008-12-25T05:30:00Z")
    assert timestamp.extract_date(CONTEXT, moment) == date(2008, 12, 24)
    assert timestamp.extract_date(CONTEXT, moment, "UTC") == date(2008, 12, 25)
    with pytest.raises(BadDatePart):
        timestamp.extract_from_timestamp(CONTEXT, moment, "DATE")
    with pytest.raises(BadTimeZone):
        timestamp.extract_from_timestamp(CONTEXT, moment, "DAY", "Mars/Olympus")


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2008-12-25 15:30:00+00", None, "2008-12-25T15:30:00Z"),
        ("2008-12-25 15:30:00", "America/Los_Angeles", "2008-12-25T23:30:00Z"),
        ("2008-12-25 15:30:00", "UTC+9", "2008-12-25T06:30:00Z"),
        ("2008-12-25 15:30:00 UTC", None, "2008-12-25T15:30:00Z"),
        ("2008-12-25", None, "2008-12-25T08:00:00Z"),
        ("2008-12-25T15:30:00.123456789Z", None, "2008-12-25T15:30:00.123456789Z"),
        # The ends of time.
        ("0001-01-01", "UTC", "0001-01-01T00:00:00Z"),
        ("9999-12-31 15:59:59.999999999", "-08", "9999-12-31T23:59:59.999999999Z"),
        # Shown twice: the first time counts.
        ("2017-11-05 01:30:00", None, "2017-11-05T08:30:00Z"),
    ],
)
def test_of_string(text: str, zone: str | None, expected: str) -> None:
    if zone is None:
        assert format_utc(timestamp.timestamp_of_string(CONTEXT, text)) == expected
    else:
        assert format_utc(timestamp.timestamp_of_string_in(text, zone)) == expected


def test_of_string_failures() -> None:
    with pytest.raises(InvalidText):
        timestamp.timestamp_of_string(CONTEXT, "yesterday")
    with pytest.raises(InvalidText):
        timestamp.timestamp_of_string(CONTEXT, "2008-02-30 00:00:00")
    with pytest.raises(BadArgument):
        timestamp.timestamp_of_string_in("2008-12-25 15:30:00+00", "UTC")
    with pytest.raises(BadTimeZone):
        timestamp.timestamp_of_string_in("2008-12-25 15:30:00", "nowhere")


def test_of_date_and_to_string() -> None:
    day = date(2008, 12, 25)
    assert format_utc(timestamp.timestamp_of_date(CONTEXT, day)) == "2008-12-25T08:00:00Z"
    assert format_utc(timestamp.timestamp_of_date(CONTEXT, day, "UTC")) == "2008-12-25T00:00:00Z"
    moment = parse_utc("2008-12-25T15:30:00Z")
    assert timestamp.string_of_timestamp(CONTEXT, moment, "UTC") == "2008-12-25 15:30:00+00"
    assert timestamp.string_of_timestamp(CONTEXT, moment) == "2008-12-25 07:30:00-08"
    assert timestamp.string_of_timestamp(CONTEXT, moment, "+0530") == "2008-12-25 21:00:00+05:30"
    with pytest.raises(BadArgument):
        timestamp.timestamp_of_date(CONTEXT, date.min, "+01")


def test_unix_units() -> None:
    moment = parse_utc("2008-12-25T15:30:00Z")
    assert timestamp.timestamp_of_seconds(1230219000) == moment
    assert timestamp.timestamp_of_millis(1230219000000) == moment
    assert timestamp.timestamp_of_micros(1230219000000000) == moment
    assert timestamp.unix_seconds(moment) == 1230219000
    assert timestamp.unix_micros(parse_utc("1970-01-01T00:00:00.0000018Z")) == 1
    assert timestamp.unix_millis(parse_utc("1970-01-01T00:00:00.0018Z")) == 1
    assert timestamp.unix_seconds(-1) == -1
    assert timestamp.unix_millis(-1) == -1
    with pytest.raises(BadArgument):
        timestamp.timestamp_of_seconds(2**62)


def test_pending_commit_timestamp_cannot_be_evaluated() -> None:
    with pytest.raises(BadArgument):
        timestamp.pending_commit_timestamp()
    assert timestamp.current_timestamp(CONTEXT) == 7

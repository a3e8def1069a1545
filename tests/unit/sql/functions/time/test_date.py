"""Date functions and date parts, by the documented examples and at the calendar's ends."""

from __future__ import annotations

from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from spanemu.base.errors import Code
from spanemu.sql.functions.errors import BadArgument, BadDatePart, BadTimeZone
from spanemu.sql.functions.time.date import (
    current_date,
    current_date_in,
    date_of_parts,
    date_of_timestamp,
    extract_from_date,
)
from spanemu.sql.functions.time.date_parts import (
    _DIFFERENCES,
    _STEPS,
    _TRUNCATIONS,
    ALLOWED,
    EXTRACTIONS,
)
from spanemu.values.timestamp import parse_utc
from spanemu.values.types import DATE
from tests.unit.sql.functions.calling import call, typed

CONTEXT: Any = SimpleNamespace(
    now=parse_utc("2016-12-25T05:30:00Z"), time_zone="America/Los_Angeles"
)


def day(text: str) -> date:
    return date.fromisoformat(text)


@pytest.mark.parametrize(
    ("start", "amount", "part", "expected"),
    [
        ("2008-12-25", 5, "DAY", "2008-12-30"),
        ("2008-12-25", -5, "DAY", "2008-12-20"),
        ("2008-12-25", 2, "WEEK", "2009-01-08"),
        ("2011-01-31", 1, "MONTH", "2011-02-28"),
        ("2012-01-31", 1, "MONTH", "2012-02-29"),
        ("2012-02-29", 1, "YEAR", "2013-02-28"),
        ("2012-02-29", 4, "YEAR", "2016-02-29"),
        ("2011-11-30", 1, "QUARTER", "2012-02-29"),
        ("2011-03-31", -1, "MONTH", "2011-02-28"),
        ("2011-01-15", -1, "MONTH", "2010-12-15"),
        ("0001-01-01", 3652058, "DAY", "9999-12-31"),
    ],
)
def test_date_add_and_sub(start: str, amount: int, part: str, expected: str) -> None:
    assert call("DATE_ADD", day(start), amount, part) == day(expected)
    assert call("SUBDATE", day(start), -amount, part) == day(expected)


@pytest.mark.parametrize(
    ("start", "amount", "part"),
    [
        ("9999-12-31", 1, "DAY"),
        ("0001-01-01", -1, "DAY"),
        ("9999-12-31", 1, "MONTH"),
        ("0001-01-01", -1, "YEAR"),
        ("2000-01-01", 2**62, "DAY"),
        ("2000-01-01", -(2**62), "MONTH"),
        ("2000-01-01", 2**62, "WEEK"),
    ],
)
def test_date_add_out_of_range(start: str, amount: int, part: str) -> None:
    with pytest.raises(BadArgument) as failure:
        call("DATE_ADD", day(start), amount, part)
    assert failure.value.code is Code.OUT_OF_RANGE


@pytest.mark.parametrize(
    ("end", "start", "part", "expected"),
    [
        ("2010-07-07", "2008-12-25", "DAY", 559),
        ("2017-10-15", "2017-10-14", "WEEK", 1),
        ("2017-12-30", "2014-12-30", "YEAR", 3),
        ("2017-12-30", "2014-12-30", "ISOYEAR", 2),
        ("2017-12-18", "2017-12-17", "WEEK", 0),
        ("2017-12-18", "2017-12-17", "ISOWEEK", 1),
        ("2017-12-18", "2017-12-17", "WEEK(MONDAY)", 1),
        ("2017-12-19", "2017-12-18", "WEEK(TUESDAY)", 1),
        ("2018-05-30", "2018-03-31", "QUARTER", 1),
        ("2018-03-31", "2018-05-30", "QUARTER", -1),
        ("2018-01-01", "2017-12-31", "MONTH", 1),
        ("0001-01-01", "9999-12-31", "DAY", -3652058),
        ("0001-01-07", "0001-01-01", "WEEK", 1),
    ],
)
def test_date_diff(end: str, start: str, part: str, expected: int) -> None:
    assert call("DATE_DIFF", day(end), day(start), part) == expected


@pytest.mark.parametrize(
    ("value", "part", "expected"),
    [
        ("2008-12-25", "MONTH", "2008-12-01"),
        ("2015-06-15", "ISOYEAR", "2014-12-29"),
        ("2017-11-07", "WEEK", "2017-11-05"),
        ("2017-11-05", "WEEK", "2017-11-05"),
        ("2017-11-05", "WEEK(MONDAY)", "2017-10-30"),
        ("2017-11-05", "ISOWEEK", "2017-10-30"),
        ("2017-11-07", "WEEK(SATURDAY)", "2017-11-04"),
        ("2008-12-25", "QUARTER", "2008-10-01"),
        ("2008-12-25", "YEAR", "2008-01-01"),
        ("2008-12-25", "DAY", "2008-12-25"),
        ("0001-01-03", "ISOWEEK", "0001-01-01"),
    ],
)
def test_date_trunc(value: str, part: str, expected: str) -> None:
    assert call("DATE_TRUNC", day(value), part) == day(expected)


def test_date_trunc_before_year_one() -> None:
    with pytest.raises(BadArgument):
        call("DATE_TRUNC", date.min, "WEEK")


@pytest.mark.parametrize(
    ("value", "isoyear", "isoweek", "year", "week"),
    [
        ("2015-12-26", 2015, 52, 2015, 51),
        ("2015-12-27", 2015, 52, 2015, 52),
        ("2015-12-28", 2015, 53, 2015, 52),
        ("2016-01-01", 2015, 53, 2016, 0),
        ("2016-01-03", 2015, 53, 2016, 1),
        ("2016-01-04", 2016, 1, 2016, 1),
        ("2017-01-01", 2016, 52, 2017, 1),
        ("2016-12-31", 2016, 52, 2016, 52),
    ],
)
def test_extract_weeks(value: str, isoyear: int, isoweek: int, year: int, week: int) -> None:
    parts = ("ISOYEAR", "ISOWEEK", "YEAR", "WEEK")
    assert [extract_from_date(day(value), part) for part in parts] == [isoyear, isoweek, year, week]


@pytest.mark.parametrize(
    ("value", "part", "expected"),
    [
        ("2013-12-25", "DAY", 25),
        ("2013-12-25", "MONTH", 12),
        ("2013-12-25", "QUARTER", 4),
        ("2013-12-25", "DAYOFYEAR", 359),
        ("2012-12-31", "DAYOFYEAR", 366),
        ("2013-12-25", "DAYOFWEEK", 4),
        ("2013-12-29", "DAYOFWEEK", 1),
        ("2018-01-07", "WEEK(MONDAY)", 1),
        ("2018-01-07", "WEEK(SATURDAY)", 1),
        ("2018-01-05", "WEEK(SATURDAY)", 0),
    ],
)
def test_extract(value: str, part: str, expected: int) -> None:
    assert extract_from_date(day(value), part) == expected


def test_unknown_date_parts_are_invalid_arguments() -> None:
    for function in (
        lambda: call("DATE_ADD", date.min, 1, "HOUR"),
        lambda: call("DATE_DIFF", date.min, date.min, "HOUR"),
        lambda: call("DATE_TRUNC", date.min, "HOUR"),
        lambda: extract_from_date(date.min, "HOUR"),
    ):
        with pytest.raises(BadDatePart) as failure:
            function()
        assert failure.value.code is Code.INVALID_ARGUMENT
        assert failure.value.part == "HOUR"


def test_every_allowed_part_is_implemented() -> None:
    assert set(_STEPS) == ALLOWED["DATE_ADD"]
    assert set(_DIFFERENCES) == ALLOWED["DATE_DIFF"]
    assert set(_TRUNCATIONS) == ALLOWED["DATE_TRUNC"]
    assert set(EXTRACTIONS) == ALLOWED["$extract DATE"]


def test_date_constructors() -> None:
    assert call("DATE", 2016, 12, 25) == date(2016, 12, 25)
    assert date_of_timestamp(CONTEXT, CONTEXT.now) == date(2016, 12, 24)
    assert date_of_timestamp(CONTEXT, CONTEXT.now, "+01:00") == date(2016, 12, 25)
    assert current_date(CONTEXT) == date(2016, 12, 24)
    assert current_date_in(CONTEXT, "-06") == date(2016, 12, 24)
    assert current_date_in(CONTEXT, "UTC") == date(2016, 12, 25)
    assert call("DATE_FROM_UNIX_DATE", 14238) == date(2008, 12, 25)
    assert call("UNIX_DATE", date(2008, 12, 25)) == 14238
    assert call("UNIX_DATE", typed(None, DATE)) is None


@pytest.mark.parametrize(
    "fields", [(2015, 2, 29), (0, 1, 1), (10000, 1, 1), (2015, 13, 1), (2**62, 1, 1)]
)
def test_invalid_dates(fields: tuple[int, int, int]) -> None:
    with pytest.raises(BadArgument):
        date_of_parts(*fields)


@pytest.mark.parametrize("zone", ["", "Nowhere/City", "+15", "+1:60", "America", "../UTC"])
def test_invalid_zones(zone: str) -> None:
    with pytest.raises(BadTimeZone) as failure:
        current_date_in(CONTEXT, zone)
    assert failure.value.zone == zone


def test_dates_past_the_calendar() -> None:
    with pytest.raises(BadArgument):
        call("DATE_FROM_UNIX_DATE", 2**62)
    with pytest.raises(BadArgument):
        date_of_timestamp(CONTEXT, parse_utc("0001-01-01T00:00:00Z"))

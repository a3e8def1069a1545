"""Interval functions, by the documented examples."""

from __future__ import annotations

import pytest

from spanemu.sql.functions.errors import BadArgument, BadDatePart, BadValue
from spanemu.sql.functions.time.date_parts import ALLOWED
from spanemu.sql.functions.time.interval import (
    extract_from_interval,
    interval,
    interval_of_text,
    interval_range,
    make_interval,
)
from spanemu.values.interval import format_sql, parse_sql
from tests.unit.sql.functions.calling import call


@pytest.mark.parametrize(
    ("amount", "part", "expected"),
    [
        (4, "QUARTER", "1-0 0 0:0:0"),
        (1, "YEAR", "1-0 0 0:0:0"),
        (14, "MONTH", "1-2 0 0:0:0"),
        (6, "WEEK", "0-0 42 0:0:0"),
        (-5, "DAY", "0-0 -5 0:0:0"),
        (1500, "MINUTE", "0-0 0 25:0:0"),
        (90, "SECOND", "0-0 0 0:1:30"),
        (1, "MILLISECOND", "0-0 0 0:0:0.001"),
        (1, "MICROSECOND", "0-0 0 0:0:0.000001"),
        (-1, "NANOSECOND", "0-0 0 -0:0:0.000000001"),
    ],
)
def test_single_part(amount: int, part: str, expected: str) -> None:
    assert format_sql(interval(amount, part)) == expected


@pytest.mark.parametrize(
    ("text", "part", "expected"),
    [
        ("5", "DAY", "0-0 5 0:0:0"),
        ("+5", "WEEK", "0-0 35 0:0:0"),
        ("-5", "MONTH", "-0-5 0 0:0:0"),
        ("1.5", "SECOND", "0-0 0 0:0:1.500"),
        ("-.5", "SECOND", "0-0 0 -0:0:0.500"),
        ("5", "MILLISECOND", "0-0 0 0:0:0.005"),
    ],
)
def test_text_of_single_part(text: str, part: str, expected: str) -> None:
    assert format_sql(interval_of_text(text, part)) == expected


@pytest.mark.parametrize(
    ("text", "part"),
    [("", "DAY"), (" 5", "DAY"), ("1.", "SECOND"), ("1.1234567891", "SECOND"), ("1.5", "DAY")],
)
def test_bad_text_of_single_part(text: str, part: str) -> None:
    with pytest.raises(BadValue):
        interval_of_text(text, part)


@pytest.mark.parametrize("part", sorted(ALLOWED["$interval"]))
def test_every_allowed_part(part: str) -> None:
    assert interval(0, part) == make_interval()


@pytest.mark.parametrize(
    ("text", "first", "last", "expected"),
    [
        ("2-11", "YEAR", "MONTH", "2-11 0 0:0:0"),
        ("2-11 28", "YEAR", "DAY", "2-11 28 0:0:0"),
        ("2-11 28 16", "YEAR", "HOUR", "2-11 28 16:0:0"),
        ("2-11 28 16:15", "YEAR", "MINUTE", "2-11 28 16:15:0"),
        ("2-11 28 16:15:14", "YEAR", "SECOND", "2-11 28 16:15:14"),
        ("11 28", "MONTH", "DAY", "0-11 28 0:0:0"),
        ("8 -20 17", "MONTH", "HOUR", "0-8 -20 17:0:0"),
        ("11 28 16:15:14", "MONTH", "SECOND", "0-11 28 16:15:14"),
        ("28 16", "DAY", "HOUR", "0-0 28 16:0:0"),
        ("10 -12:30", "DAY", "MINUTE", "0-0 10 -12:30:0"),
        ("16:15", "HOUR", "MINUTE", "0-0 0 16:15:0"),
        ("16:15:14.5", "HOUR", "SECOND", "0-0 0 16:15:14.500"),
        ("-15:14", "MINUTE", "SECOND", "0-0 0 -0:15:14"),
        ("-22-6 10 -12:30", "YEAR", "MINUTE", "-22-6 10 -12:30:0"),
        ("0-13 370 48:61:61", "YEAR", "SECOND", "1-1 370 49:2:1"),
        ("1-2 3 4:5:6.789", "YEAR", "SECOND", "1-2 3 4:5:6.789"),
    ],
)
def test_range(text: str, first: str, last: str, expected: str) -> None:
    assert format_sql(interval_range(text, first, last)) == expected


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("", "YEAR", "MONTH"),
        ("1", "YEAR", "MONTH"),
        ("1-2 3", "YEAR", "MONTH"),
        ("1-2  3", "YEAR", "DAY"),
        ("1:2:3", "HOUR", "MINUTE"),
        ("1:2.5", "HOUR", "MINUTE"),
        ("1:2:3.1234567890", "HOUR", "SECOND"),
        ("١-2", "YEAR", "MONTH"),
        ("9" * 200 + "-1", "YEAR", "MONTH"),
    ],
)
def test_bad_range_text(text: str, first: str, last: str) -> None:
    with pytest.raises(BadValue):
        interval_range(text, first, last)


@pytest.mark.parametrize(("first", "last"), [("MONTH", "YEAR"), ("DAY", "DAY"), ("WEEK", "DAY")])
def test_bad_range_parts(first: str, last: str) -> None:
    with pytest.raises(BadDatePart):
        interval_range("1-2", first, last)


def test_out_of_range() -> None:
    for amount, part in ((10_001, "YEAR"), (3_660_001, "DAY"), (2**62, "SECOND")):
        with pytest.raises(BadArgument):
            interval(amount, part)
    with pytest.raises(BadArgument):
        interval_range("10000-1", "YEAR", "MONTH")
    with pytest.raises(BadDatePart):
        interval(1, "ISOYEAR")


def test_make_interval() -> None:
    assert format_sql(call("MAKE_INTERVAL", 1, 6, 15)) == "1-6 15 0:0:0"
    assert format_sql(make_interval(0, 0, 0, 10, 0, 20)) == "0-0 0 10:0:20"
    assert format_sql(make_interval(1, 0, 2, 0, 5)) == "1-0 2 0:5:0"
    assert format_sql(call("MAKE_INTERVAL")) == "0-0 0 0:0:0"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("JUSTIFY_DAYS", "0-0 29 0:0:0", "0-0 29 0:0:0"),
        ("JUSTIFY_DAYS", "0-0 -30 0:0:0", "-0-1 0 0:0:0"),
        ("JUSTIFY_DAYS", "0-0 31 0:0:0", "0-1 1 0:0:0"),
        ("JUSTIFY_DAYS", "0-0 -65 0:0:0", "-0-2 -5 0:0:0"),
        ("JUSTIFY_DAYS", "0-0 370 0:0:0", "1-0 10 0:0:0"),
        ("JUSTIFY_DAYS", "1-0 -1 0:0:0", "0-11 29 0:0:0"),
        ("JUSTIFY_HOURS", "0-0 0 23:0:0", "0-0 0 23:0:0"),
        ("JUSTIFY_HOURS", "0-0 0 -24:0:0", "0-0 -1 0:0:0"),
        ("JUSTIFY_HOURS", "0-0 0 47:0:0", "0-0 1 23:0:0"),
        ("JUSTIFY_HOURS", "0-0 0 -205:45:0", "0-0 -8 -13:45:0"),
        ("JUSTIFY_HOURS", "0-0 1 -1:0:0", "0-0 0 23:0:0"),
        ("JUSTIFY_INTERVAL", "0-0 29 49:00:00", "0-1 1 1:0:0"),
    ],
)
def test_justify(name: str, text: str, expected: str) -> None:
    assert format_sql(call(name, parse_sql(text))) == expected


def test_justify_out_of_range() -> None:
    with pytest.raises(BadArgument):
        call("JUSTIFY_HOURS", parse_sql("0-0 3660000 24:0:0"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1-2 3 4:5:6.789999", (1, 2, 3, 4, 5, 6, 789, 789999, 789999000)),
        ("0-13 370 48:61:61", (1, 1, 370, 49, 2, 1, 0, 0, 0)),
        ("-22-6 10 -12:30:0.5", (-22, -6, 10, -12, -30, 0, -500, -500000, -500000000)),
    ],
)
def test_extract(text: str, expected: tuple[int, ...]) -> None:
    parts = [
        "YEAR",
        "MONTH",
        "DAY",
        "HOUR",
        "MINUTE",
        "SECOND",
        "MILLISECOND",
        "MICROSECOND",
        "NANOSECOND",
    ]
    assert set(parts) == ALLOWED["$extract INTERVAL"]
    assert tuple(extract_from_interval(parse_sql(text), part) for part in parts) == expected


def test_extract_bad_part() -> None:
    with pytest.raises(BadDatePart):
        extract_from_interval(make_interval(), "WEEK")

"""INTERVAL: texts, comparison, arithmetic and limits."""

import pytest

from spanemu.values.interval import (
    Interval,
    divide,
    format_iso,
    format_sql,
    justify,
    justify_days,
    justify_hours,
    make,
    parse,
    parse_iso,
    parse_range,
)
from spanemu.values.types import BadValue


@pytest.mark.parametrize(
    ("text", "sql", "iso"),
    [
        ("1-2 3 4:5:6.789", "1-2 3 4:5:6.789", "P1Y2M3DT4H5M6.789S"),
        ("+1-2 -3 +4:5:6", "1-2 -3 4:5:6", "P1Y2M-3DT4H5M6S"),
        ("-1-2 3 -4:5:6.1", "-1-2 3 -4:5:6.100", "P-1Y-2M3DT-4H-5M-6.1S"),
        ("0-0 0 -0:0:0.000000001", "0-0 0 -0:0:0.000000001", "PT-0.000000001S"),
        ("0-0 0 0:0:0", "0-0 0 0:0:0", "P0Y"),
        ("1-2", "1-2 0 0:0:0", "P1Y2M"),
        ("1-2 3", "1-2 3 0:0:0", "P1Y2M3D"),
        ("1-2 3 4", "1-2 3 4:0:0", "P1Y2M3DT4H"),
        ("1-2 3 4:5", "1-2 3 4:5:0", "P1Y2M3DT4H5M"),
        ("2 3 4", "0-2 3 4:0:0", "P2M3DT4H"),
        ("3 4:5", "0-0 3 4:5:0", "P3DT4H5M"),
        ("4:5:6.5", "0-0 0 4:5:6.500", "PT4H5M6.5S"),
        ("P1Y2M3W4DT5H6M7.5S", "1-2 25 5:6:7.500", "P1Y2M25DT5H6M7.5S"),
        ("PT1M1H1M-1S", "0-0 0 1:1:59", "PT1H1M59S"),
        ("P-1M1Y", "0-11 0 0:0:0", "P11M"),
        ("PT1,5S", "0-0 0 0:0:1.500", "PT1.5S"),
        ("PT", "0-0 0 0:0:0", "P0Y"),
        ("-10000-0 -3660000 -87840000:0:0", "-10000-0 -3660000 -87840000:0:0", None),
    ],
)
def test_texts(text: str, sql: str, iso: str | None) -> None:
    interval = parse(text)
    assert format_sql(interval) == sql
    assert parse(sql).is_identical(interval)
    assert iso is None or format_iso(interval) == iso
    assert parse_iso(format_iso(interval)).is_identical(interval)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "P",
        "1",
        "1:2",
        "1-2 3 4:5:6.",
        "1-2 3 4:5:6.1234567890",
        "1--2 3 4:5:6",
        " 1-2 3 4:5:6",
        "1-2  3 4:5:6",
        "10001-0 0 0:0:0",
        "0-0 3660001 0:0:0",
        "0-0 0 87840000:0:0.000000001",
        "P1.5Y",
        "PT1.S",
        "P+1Y",
        "P1H",
        "PT1D",
        "P1YT1HT1M",
        "p1Y",
        "P" + "9" * 30 + "Y",
        "9" * 5000 + "-1",
    ],
)
def test_malformed_intervals_are_refused(text: str) -> None:
    with pytest.raises(BadValue) as caught:
        parse(text)
    assert caught.value.value == text


@pytest.mark.parametrize(
    ("text", "start", "end", "sql"),
    [
        ("2-11", "YEAR", "MONTH", "2-11 0 0:0:0"),
        ("2-11 28", "YEAR", "DAY", "2-11 28 0:0:0"),
        ("11 28", "MONTH", "DAY", "0-11 28 0:0:0"),
        ("8 -20 17", "MONTH", "HOUR", "0-8 -20 17:0:0"),
        ("28 16:15:14", "DAY", "SECOND", "0-0 28 16:15:14"),
        ("28 16", "DAY", "HOUR", "0-0 28 16:0:0"),
        ("16:15", "HOUR", "MINUTE", "0-0 0 16:15:0"),
        ("-15:14.5", "MINUTE", "SECOND", "0-0 0 -0:15:14.500"),
    ],
)
def test_ranges_of_parts(text: str, start: str, end: str, sql: str) -> None:
    assert format_sql(parse_range(text, start, end)) == sql


def test_a_range_takes_just_its_parts() -> None:
    with pytest.raises(BadValue):
        parse_range("1-2 3", "YEAR", "MONTH")
    with pytest.raises(BadValue):
        parse_range("1:2.5", "HOUR", "MINUTE")


def test_equal_intervals_hash_alike() -> None:
    month, days, hours = Interval(1), Interval(0, 30), Interval(0, 0, 720 * 3_600 * 10**9)
    assert month == days == hours
    assert len({month, days, hours}) == 1
    assert not month.is_identical(days)
    assert Interval(0, 29) < month < Interval(0, 31)
    assert Interval(0, 31) > month >= days
    assert month <= days


@pytest.mark.parametrize(
    ("days", "sql"),
    [
        (29, "0-0 29 0:0:0"),
        (-30, "-0-1 0 0:0:0"),
        (31, "0-1 1 0:0:0"),
        (-65, "-0-2 -5 0:0:0"),
        (370, "1-0 10 0:0:0"),
    ],
)
def test_justify_days_as_in_the_documentation(days: int, sql: str) -> None:
    assert format_sql(justify_days(Interval(0, days))) == sql


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("0-0 0 23:0:0", "0-0 0 23:0:0"),
        ("0-0 0 -24:0:0", "0-0 -1 0:0:0"),
        ("0-0 1 -1:0:0", "0-0 0 23:0:0"),
        ("0-0 -1 47:0:0", "0-0 0 23:0:0"),
        ("1-0 0 50:30:0", "1-0 2 2:30:0"),
    ],
)
def test_justify_hours(text: str, sql: str) -> None:
    assert format_sql(justify_hours(parse(text))) == sql


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("0-0 29 49:0:0", "0-1 1 1:0:0"),
        ("1-0 0 -1:0:0", "0-11 29 23:0:0"),
        ("-0-1 31 -24:0:0", "0-0 0 0:0:0"),
    ],
)
def test_justify(text: str, sql: str) -> None:
    assert format_sql(justify(parse(text))) == sql


def test_arithmetic_keeps_parts_apart() -> None:
    one = parse("1-2 3 4:5:6")
    assert (one + one).is_identical(one * 2)
    assert (one - one).is_identical(Interval())
    assert (-one).is_identical(one * -1)


def test_division_passes_remainders_down() -> None:
    assert format_sql(divide(Interval(1), 2)) == "0-0 15 0:0:0"
    assert format_sql(divide(Interval(0, 1), 2)) == "0-0 0 12:0:0"
    assert format_sql(divide(Interval(0, 0, 10), 3)) == "0-0 0 0:0:0.000000003"
    assert format_sql(divide(Interval(-1), 2)) == "0-0 -15 0:0:0"


def test_limits() -> None:
    make(120_000, -3_660_000, 0)
    for parts in ((120_001, 0, 0), (0, -3_660_001, 0), (0, 0, 3_660_000 * 86_400 * 10**9 + 1)):
        with pytest.raises(BadValue):
            make(*parts)
    with pytest.raises(BadValue):
        Interval(120_000) + Interval(1)

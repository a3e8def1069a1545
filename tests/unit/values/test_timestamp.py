"""TIMESTAMP texts and calendars, in zones and out of them."""

import pytest

from spanemu.values.timestamp import (
    TIMESTAMP_MAX,
    TIMESTAMP_MIN,
    Civil,
    civil,
    format_sql,
    format_utc,
    from_civil,
    parse_sql,
    parse_utc,
    zone_named,
)
from spanemu.values.types import BadValue

LA = "America/Los_Angeles"


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2014-09-27", "2014-09-27T07:00:00Z"),
        ("2014-9-7", "2014-09-07T07:00:00Z"),
        ("2014-09-27 12:30:00", "2014-09-27T19:30:00Z"),
        ("2014-09-27T1:2:3", "2014-09-27T08:02:03Z"),
        ("2014-09-27t12:30:00.45Z", "2014-09-27T12:30:00.45Z"),
        ("2014-09-27 12:30:00.123456789z", "2014-09-27T12:30:00.123456789Z"),
        ("2014-09-27 12:30:00.45-8:00", "2014-09-27T20:30:00.45Z"),
        ("2014-09-27 12:30:00.45-08", "2014-09-27T20:30:00.45Z"),
        ("2014-09-27 12:30:00+0530", "2014-09-27T07:00:00Z"),
        ("2014-09-27 12:30:00+5:30", "2014-09-27T07:00:00Z"),
        ("2014-09-27 +08", "2014-09-26T16:00:00Z"),
        ("2014-09-27 12:30:00 UTC", "2014-09-27T12:30:00Z"),
        ("2014-09-27 12:30:00 UTC-3", "2014-09-27T15:30:00Z"),
        ("2014-09-27 12:30:00 Asia/Kolkata", "2014-09-27T07:00:00Z"),
        ("2014-09-27 12:30:00 America/Argentina/Buenos_Aires", "2014-09-27T15:30:00Z"),
        ("2016-12-31 23:59:60 UTC", "2017-01-01T00:00:00Z"),
        ("1900-01-01 00:00:00+00", "1900-01-01T00:00:00Z"),
        ("0000-12-31 16:08:00-07:52", "0001-01-01T00:00:00Z"),
        ("10000-01-01 05:59:59.999999999+06", "9999-12-31T23:59:59.999999999Z"),
        ("1880-01-01", "1880-01-01T07:52:58Z"),
        ("2100-07-01", "2100-07-01T07:00:00Z"),
    ],
)
def test_sql_text_is_read(text: str, utc: str) -> None:
    assert format_utc(parse_sql(text, LA)) == utc


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2014-09",
        "14-09-27",
        "2014-09-27 ",
        " 2014-09-27",
        "2014-09-27-08:00",
        "2014-09-27Z",
        "2014-09-27 America/Los_Angeles",
        "2014-09-27 12:30",
        "2014-09-27 12:30:00.",
        "2014-09-27 12:30:00.1234567890",
        "2014-09-27 12:30:00 -08",
        "2014-09-27 12:30:00Zx",
        "2014-09-27 12:30:00 Mars/Olympus",
        "2014-09-27 12:30:00 ../UTC",
        "2014-09-27 12:30:00 Z",
        "2014-09-27 12:30:00+15",
        "2014-09-27 12:30:00+14:01",
        "2014-09-27 12:30:00+08:60",
        "2014-09-27 24:00:00",
        "2014-09-27 12:60:00",
        "2014-09-27 12:00:61",
        "2014-13-01",
        "2014-02-29",
        "2014-00-10",
        "0000-01-01",
        "10000-01-01",
        "9999-12-31 23:59:59-01",
        "٢٠١٤-09-27",
    ],
)
def test_malformed_timestamps_are_refused(text: str) -> None:
    with pytest.raises(BadValue) as caught:
        parse_sql(text, LA)
    assert caught.value.value == text


@pytest.mark.parametrize(
    ("utc", "zone", "text"),
    [
        ("2020-06-03T06:57:12.12Z", LA, "2020-06-02 23:57:12.120-07"),
        ("2020-06-03T06:57:12Z", LA, "2020-06-02 23:57:12-07"),
        ("2020-06-03T06:57:12.000001Z", "UTC", "2020-06-03 06:57:12.000001+00"),
        ("2020-06-03T06:57:12.000000001Z", "UTC", "2020-06-03 06:57:12.000000001+00"),
        ("2020-06-03T06:57:12Z", "Asia/Kolkata", "2020-06-03 12:27:12+05:30"),
        ("2020-06-03T06:57:12Z", "-03:30", "2020-06-03 03:27:12-03:30"),
        ("1880-01-01T00:00:00Z", LA, "1879-12-31 16:08:00-07:52"),
        ("0001-01-01T00:00:00Z", LA, "0000-12-31 16:08:00-07:52"),
        ("9999-12-31T23:59:59.999999999Z", "+14", "10000-01-01 13:59:59.999999999+14"),
        ("1969-12-31T23:59:59.999999999Z", "UTC", "1969-12-31 23:59:59.999999999+00"),
    ],
)
def test_sql_text_is_printed(utc: str, zone: str, text: str) -> None:
    assert format_sql(parse_utc(utc), zone) == text
    assert format_utc(parse_sql(text, "UTC")) == utc


@pytest.mark.parametrize(
    ("local", "utc"),
    [
        ("2024-03-10 01:59:59", "2024-03-10T09:59:59Z"),
        ("2024-03-10 02:30:00", "2024-03-10T10:30:00Z"),  # Skipped: as if not yet jumped.
        ("2024-03-10 03:30:00", "2024-03-10T10:30:00Z"),
        ("2024-11-03 01:30:00", "2024-11-03T08:30:00Z"),  # Shown twice: the first time.
        ("2024-11-03 02:30:00", "2024-11-03T10:30:00Z"),
    ],
)
def test_daylight_saving_as_in_the_documentation(local: str, utc: str) -> None:
    assert format_utc(parse_sql(local, LA)) == utc


def test_civil_fields() -> None:
    at = parse_utc("1969-07-20T20:17:40.5Z")
    assert civil(at, LA) == Civil(1969, 7, 20, 13, 17, 40, 500_000_000)
    assert from_civil(Civil(1969, 7, 20, 13, 17, 40, 500_000_000), LA) == at
    assert civil(-1, "UTC") == Civil(1969, 12, 31, 23, 59, 59, 999_999_999)
    assert civil(TIMESTAMP_MIN, LA) == Civil(0, 12, 31, 16, 7, 2, 0)
    assert civil(TIMESTAMP_MAX, "Asia/Tokyo") == Civil(10_000, 1, 1, 8, 59, 59, 999_999_999)


@pytest.mark.parametrize("name", ["", "Z", "Los_Angeles", "/etc/passwd", "../zones", "+1:2:3", "+"])
def test_unknown_zones_are_refused(name: str) -> None:
    with pytest.raises(BadValue) as caught:
        zone_named(name)
    assert caught.value.type_text == "time zone"


def test_zones_are_loaded_once() -> None:
    assert zone_named(LA) is zone_named(LA)

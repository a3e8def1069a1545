"""Cron expressions of backup schedules: when they fire, and how far apart."""

from datetime import UTC, datetime, timedelta

import pytest

from spanemu.admin.backup_schedule import Cron
from spanemu.admin.errors import InvalidCron
from spanemu.base.clock import NANOS_PER_HOUR

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def nanos(text):
    return int((datetime.fromisoformat(text + "Z") - _EPOCH).total_seconds()) * 10**9


def fires(text, after, until):
    found = Cron.parse(text).between(nanos(after), nanos(until))
    return [(_EPOCH + timedelta(seconds=at // 10**9)).strftime("%m-%d %H:%M") for at in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 2/12 * * *", ["01-01 02:00", "01-01 14:00", "01-02 02:00", "01-02 14:00"]),
        ("0 2,14 1 * *", ["01-01 02:00", "01-01 14:00"]),
        ("30 4-6/2 2 1 *", ["01-02 04:30", "01-02 06:30"]),
        ("0 0 * * WED", ["01-02 00:00"]),
        ("0 0 1 * wed", ["01-01 00:00", "01-02 00:00"]),
        ("15 3 * feb *", []),
    ],
)
def test_expressions_fire_at_their_times(text, expected):
    # 2030-01-01 is a Tuesday.
    assert fires(text, "2029-12-31T23:59:00", "2030-01-02T23:59:00") == expected


def test_the_start_is_exclusive_and_the_end_inclusive():
    assert fires("0 2 * * *", "2030-01-01T02:00:00", "2030-01-02T02:00:00") == ["01-02 02:00"]
    assert fires("0 2 * * *", "2030-01-01T02:00:00", "2030-01-01T02:00:00") == []
    assert fires("0 2 * * *", "2030-01-02T00:00:00", "2030-01-01T00:00:00") == []


def test_sunday_has_two_numbers_and_a_name():
    days = [fires(f"0 1 * * {day}", "2030-01-01T00:00:00", "2030-01-31T00:00:00") for day in "07"]
    assert days[0] == days[1] == ["01-06 01:00", "01-13 01:00", "01-20 01:00", "01-27 01:00"]
    assert Cron.parse("0 1 * * */2").weekdays == {0, 2, 4, 6}
    assert Cron.parse("0 1 * * sun,6").weekdays == {0, 6}


@pytest.mark.parametrize(
    ("text", "hours", "spaced"),
    [
        ("0 2 * * *", 24, True),
        ("0 2/12 * * *", 12, True),
        ("0 2/12 * * *", 13, False),
        ("0 0,15 * * *", 12, False),  # nine hours over midnight
        ("0 0,15 * * mon", 12, True),  # but not on two days in a row
        ("0 0,15 * * mon,tue", 12, False),
        ("0 0,15 31 * *", 12, True),
        ("0 0,15 1,31 * *", 12, False),  # the last of a month and the first of the next
        ("0,1 0 * * *", 1, False),
    ],
)
def test_expressions_have_a_least_interval(text, hours, spaced):
    assert Cron.parse(text).is_spaced(hours * NANOS_PER_HOUR) is spaced


@pytest.mark.parametrize(
    "text",
    [
        "", "0 2 * *", "0 2 * * * *", "60 * * * *", "-1 * * * *", "0 24 * * *", "0 2 0 * *",
        "0 2 32 * *", "0 2 * 13 *", "0 2 * * 8", "0 2 * * *x", "0 2,, * * *", "0 1-0 * * *",
        "0 1/0 * * *", "0 1/00 * * *", "0 1- * * *", "0 2 30 2 *", "0 2 31 4,6,9,11 *",
        "0 ٢ * * *", "jan 2 * * *", "0 2 * * * " + "*" * 2_000,
    ],
)  # fmt: skip
def test_malformed_expressions_are_refused(text):
    with pytest.raises(InvalidCron):
        Cron.parse(text)


def test_a_leap_day_comes_every_four_years():
    assert fires("0 0 29 2 *", "2030-01-01T00:00:00", "2037-01-01T00:00:00") == [
        "02-29 00:00",
        "02-29 00:00",
    ]

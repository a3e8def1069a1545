"""extract and date_trunc; PostgreSQL 15 gave the results, in America/Los_Angeles."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.time.parts import (
    extract_from_date,
    extract_from_interval,
    extract_from_timestamptz,
    truncate_timestamptz,
    truncate_timestamptz_in,
)
from spanemu.sql.functions.postgresql.time.text import (
    date_in,
    interval_in,
    timestamptz_in,
    timestamptz_out,
)
from spanemu.values import pg_numeric
from tests.unit.sql.functions.postgresql.context import FixedContext, code_of

HERE = FixedContext()
MOMENT = "2001-02-16 20:38:40.123456"


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("century", "21"), ("decade", "200"), ("millennium", "3"), ("year", "2001"),
        ("isoyear", "2001"), ("quarter", "1"), ("month", "2"), ("week", "7"), ("day", "16"),
        ("doy", "47"), ("dow", "5"), ("isodow", "5"), ("hour", "20"), ("MINUTE", "38"),
        ("second", "40.123456"), ("milliseconds", "40123.456"), ("us", "40123456"),
        ("epoch", "982384720.123456"), ("timezone", "-28800"), ("timezone_hour", "-8"),
        ("timezone_m", "0"), ("julian", "2451957.86018661407407407407"),
    ],
)  # fmt: skip
def test_fields_of_a_timestamp(field: str, expected: str) -> None:
    value = extract_from_timestamptz(HERE, field, timestamptz_in(HERE, MOMENT))
    assert pg_numeric.format(value) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [("day", "16"), ("julian", "2451957"), ("epoch", "982281600"), ("isodow", "5")],
)
def test_fields_of_a_date(field: str, expected: str) -> None:
    assert pg_numeric.format(extract_from_date(field, date_in(MOMENT))) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("year", "-1"), ("month", "-2"), ("day", "3"), ("hour", "-4"), ("minute", "-5"),
        ("second", "-6.500000"), ("epoch", "-36497106.500000"), ("quarter", "1"),
    ],
)  # fmt: skip
def test_fields_of_an_interval(field: str, expected: str) -> None:
    span = interval_in("-1 year -2 months 3 days -04:05:06.5")
    assert pg_numeric.format(extract_from_interval(field, span)) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("microseconds", "2001-02-16 20:38:40.123456-08"), ("ms", "2001-02-16 20:38:40.123-08"),
        ("second", "2001-02-16 20:38:40-08"), ("hour", "2001-02-16 20:00:00-08"),
        ("day", "2001-02-16 00:00:00-08"), ("week", "2001-02-12 00:00:00-08"),
        ("quarter", "2001-01-01 00:00:00-08"), ("decade", "2000-01-01 00:00:00-08"),
        ("century", "2001-01-01 00:00:00-08"), ("millennium", "2001-01-01 00:00:00-08"),
    ],
)  # fmt: skip
def test_date_trunc(field: str, expected: str) -> None:
    moment = truncate_timestamptz(HERE, field, timestamptz_in(HERE, MOMENT))
    assert timestamptz_out(HERE, moment) == expected


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("Australia/Sydney", "2001-02-16 05:00:00-08"),
        ("australia/SYDNEY", "2001-02-16 05:00:00-08"),
        ("+5", "2001-02-16 21:00:00-08"),
        ("z", "2001-02-16 16:00:00-08"),
    ],
)
def test_date_trunc_in_a_zone(zone: str, expected: str) -> None:
    moment = timestamptz_in(HERE, "2001-02-16 23:38:40")
    assert timestamptz_out(HERE, truncate_timestamptz_in("day", moment, zone)) == expected


def test_codes() -> None:
    moment, span = timestamptz_in(HERE, MOMENT), interval_in("1 day")
    assert code_of(extract_from_timestamptz, HERE, "nope", moment) is Code.INVALID_ARGUMENT
    assert code_of(extract_from_timestamptz, HERE, "now", moment) is Code.UNIMPLEMENTED
    assert code_of(extract_from_date, "hour", date_in(MOMENT)) is Code.UNIMPLEMENTED
    assert code_of(extract_from_interval, "week", span) is Code.UNIMPLEMENTED
    assert code_of(extract_from_interval, "infinity", span) is Code.INVALID_ARGUMENT
    assert code_of(truncate_timestamptz, HERE, "dow", moment) is Code.INVALID_ARGUMENT
    assert code_of(truncate_timestamptz, HERE, "timezone", moment) is Code.UNIMPLEMENTED
    assert code_of(truncate_timestamptz_in, "day", moment, "PST") is Code.INVALID_ARGUMENT

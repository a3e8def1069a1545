"""Times are parsed from the forms in which tests write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from spanemu.control.clock import as_datetime, datetime_of, nanos_of

NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "moment",
    [
        "2026-01-01T00:00Z",
        "2026-01-01T01:00:00+01:00",
        datetime(2026, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_equivalent_forms_of_a_time_are_equal(moment: datetime | str) -> None:
    assert as_datetime(moment) == NEW_YEAR


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        as_datetime("2026-01-01T00:00")


def test_a_date_means_midnight_in_utc() -> None:
    assert as_datetime("2026-01-01") == NEW_YEAR


def test_nanoseconds_round_trip() -> None:
    exact = NEW_YEAR + timedelta(microseconds=123_457)
    assert nanos_of(exact) == 1_767_225_600_123_457_000
    assert datetime_of(nanos_of(exact)) == exact
    assert datetime_of(nanos_of(exact) + 999) == exact

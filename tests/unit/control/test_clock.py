"""Times as tests write them."""

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
def test_one_moment_in_many_spellings(moment: datetime | str) -> None:
    assert as_datetime(moment) == NEW_YEAR


def test_a_moment_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="no time zone"):
        as_datetime("2026-01-01T00:00")


def test_a_date_is_its_midnight() -> None:
    assert as_datetime("2026-01-01") == NEW_YEAR


def test_nanoseconds_there_and_back() -> None:
    exact = NEW_YEAR + timedelta(microseconds=123_457)
    assert nanos_of(exact) == 1_767_225_600_123_457_000
    assert datetime_of(nanos_of(exact)) == exact
    assert datetime_of(nanos_of(exact) + 999) == exact

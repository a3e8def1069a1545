"""DATE text and day numbers."""

from datetime import date

import pytest

from spanemu.values import date as dates
from spanemu.values.errors import BadValue


def test_text_goes_both_ways() -> None:
    assert dates.parse("2020-1-2") == date(2020, 1, 2)
    assert dates.format(date(7, 1, 2)) == "0007-01-02"


@pytest.mark.parametrize(
    "text",
    ["", "2020", "2020-01", "20-01-01", "2020-01-01 ", "2020-13-01", "2021-02-29", "0000-1-1"],
)
def test_what_is_no_date_is_refused(text: str) -> None:
    with pytest.raises(BadValue) as caught:
        dates.parse(text)
    assert (caught.value.value, caught.value.type_text) == (text, "DATE")


def test_day_numbers() -> None:
    assert dates.to_unix_days(date(1970, 1, 1)) == 0
    assert dates.from_unix_days(-1) == date(1969, 12, 31)
    assert dates.from_unix_days(dates.to_unix_days(date.max)) == date.max
    for days in (dates.to_unix_days(date.max) + 1, dates.to_unix_days(date.min) - 1, 10**30):
        with pytest.raises(BadValue):
            dates.from_unix_days(days)

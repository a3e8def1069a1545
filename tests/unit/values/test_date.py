"""DATE text and day numbers."""

from datetime import date

import pytest

from spanemu.values import date as dates
from spanemu.values.types import BadValue


def test_dates_are_parsed_and_formatted() -> None:
    assert dates.parse("2020-1-2") == date(2020, 1, 2)
    assert dates.format(date(7, 1, 2)) == "0007-01-02"


@pytest.mark.parametrize(
    "text",
    ["", "2020", "2020-01", "20-01-01", "2020-01-01 ", "2020-13-01", "2021-02-29", "0000-1-1"],
)
def test_malformed_dates_are_refused(text: str) -> None:
    with pytest.raises(BadValue) as caught:
        dates.parse(text)
    assert (caught.value.value, caught.value.type_text) == (text, "DATE")

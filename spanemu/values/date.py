"""DATE: `datetime.date` and its text, year 1 to 9999."""

from __future__ import annotations

import re
from datetime import date

from spanemu.base.deferred import lazy_pattern
from spanemu.values.types import BadValue

_LENGTH = len("YYYY-MM-DD")
_DATE = lazy_pattern(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)

EPOCH = date(1970, 1, 1)
EPOCH_ORDINAL = EPOCH.toordinal()


def parse(text: str) -> date:
    """Parse `YYYY-[M]M-[D]D`: the wire form, and the only form that SQL accepts."""
    try:
        if len(text) == _LENGTH and text[4] == text[7] == "-":
            return date.fromisoformat(text)
        if match := _DATE.fullmatch(text):
            return date(*map(int, match.groups()))
    except ValueError:
        raise BadValue(text, "DATE", "no such day" if _DATE.fullmatch(text) else "") from None
    raise BadValue(text, "DATE")


def format(day: date) -> str:  # noqa: A001
    """Return `YYYY-MM-DD`, with the year in four digits."""
    return day.isoformat()

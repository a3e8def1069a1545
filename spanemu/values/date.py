"""DATE: `datetime.date` and its text, year 1 to 9999."""

from __future__ import annotations

import re
from datetime import date

from spanemu.values.errors import BadValue

_LENGTH = len("YYYY-MM-DD")
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})", re.ASCII)

DATE_MIN = date.min
DATE_MAX = date.max
EPOCH = date(1970, 1, 1)
EPOCH_ORDINAL = EPOCH.toordinal()


def parse(text: str) -> date:
    """`YYYY-[M]M-[D]D`: the wire form, and the only one that SQL accepts."""
    try:
        if len(text) == _LENGTH and text[4] == text[7] == "-":
            return date.fromisoformat(text)
        if found := _DATE.fullmatch(text):
            return date(*map(int, found.groups()))
    except ValueError:
        raise BadValue(text, "DATE", "no such day" if _DATE.fullmatch(text) else "") from None
    raise BadValue(text, "DATE")


def format(day: date) -> str:  # noqa: A001
    """`YYYY-MM-DD`, the year in four digits."""
    return day.isoformat()


def from_unix_days(days: int) -> date:
    """The date that many days after 1970-01-01."""
    try:
        return date.fromordinal(EPOCH_ORDINAL + days)
    except (ValueError, OverflowError):
        raise BadValue(days, "DATE", "out of range") from None


def to_unix_days(day: date) -> int:
    """Days since 1970-01-01, negative before it."""
    return day.toordinal() - EPOCH_ORDINAL

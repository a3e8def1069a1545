"""INTERVAL: months, days and nanoseconds as separate parts; compared with months of 30 days.

Text forms are SQL's `Y-M D H:M:S.F` and ISO 8601's `P1Y2M3DT4H5M6.5S`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from spanemu.base.clock import (
    NANOS_PER_DAY,
    NANOS_PER_HOUR,
    NANOS_PER_MICRO,
    NANOS_PER_MILLI,
    NANOS_PER_MINUTE,
    NANOS_PER_SECOND,
)
from spanemu.base.deferred import lazy_pattern
from spanemu.base.record import dataclass
from spanemu.values.timestamp import fraction_in_threes
from spanemu.values.types import BadValue

MONTHS_MAX = 120_000
DAYS_MAX = 3_660_000
NANOS_MAX = DAYS_MAX * NANOS_PER_DAY
DAYS_PER_MONTH = 30

_ISO_PART = lazy_pattern(r"(-?)(\d{1,19})(?:[.,](\d{1,9}))?([YMWDHS])", re.ASCII)
_DATE_UNITS = {"Y": (12, 0), "M": (1, 0), "W": (0, 7), "D": (0, 1)}
_TIME_UNITS = {"H": NANOS_PER_HOUR, "M": NANOS_PER_MINUTE, "S": NANOS_PER_SECOND}

# One unit of each part as (months, days, nanoseconds).
PART_SIZES: dict[str, tuple[int, int, int]] = {
    "YEAR": (12, 0, 0),
    "QUARTER": (3, 0, 0),
    "MONTH": (1, 0, 0),
    "WEEK": (0, 7, 0),
    "DAY": (0, 1, 0),
    "HOUR": (0, 0, NANOS_PER_HOUR),
    "MINUTE": (0, 0, NANOS_PER_MINUTE),
    "SECOND": (0, 0, NANOS_PER_SECOND),
    "MILLISECOND": (0, 0, NANOS_PER_MILLI),
    "MICROSECOND": (0, 0, NANOS_PER_MICRO),
    "NANOSECOND": (0, 0, 1),
}

# The parts of a range in order: the separator before the part, and its digits. Months and the
# time have one sign each, before their first part; days have their own sign.
RANGE_PARTS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
_RANGE_SEPARATORS = ("", "-", " ", " ", ":", ":")
_SIGNS = ("month_sign", "month_sign", "day_sign", "time_sign", "time_sign", "time_sign")

# The range of a text without a range, by its spaces, colons, and dashes after a digit.
_RANGE_BY_SHAPE: dict[tuple[int, int, int], tuple[str, str]] = {
    (2, 2, 1): ("YEAR", "SECOND"),
    (2, 1, 1): ("YEAR", "MINUTE"),
    (2, 0, 1): ("YEAR", "HOUR"),
    (1, 0, 1): ("YEAR", "DAY"),
    (0, 0, 1): ("YEAR", "MONTH"),
    (2, 0, 0): ("MONTH", "HOUR"),
    (2, 1, 0): ("MONTH", "MINUTE"),
    (2, 2, 0): ("MONTH", "SECOND"),
    (1, 1, 0): ("DAY", "MINUTE"),
    (1, 2, 0): ("DAY", "SECOND"),
    (0, 2, 0): ("HOUR", "SECOND"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Interval:
    """A span of time. Equal intervals may differ in their parts: 1 month = 30 days = 720 hours."""

    months: int = 0
    days: int = 0
    nanos: int = 0

    @property
    def total_nanos(self) -> int:
        """The length, with months of 30 days and days of 24 hours."""
        return (self.months * DAYS_PER_MONTH + self.days) * NANOS_PER_DAY + self.nanos

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and self.total_nanos == other.total_nanos

    def __hash__(self) -> int:
        return hash(self.total_nanos)

    def __lt__(self, other: Interval) -> bool:
        return self.total_nanos < other.total_nanos

    def __le__(self, other: Interval) -> bool:
        return self.total_nanos <= other.total_nanos

    def __gt__(self, other: Interval) -> bool:
        return self.total_nanos > other.total_nanos

    def __ge__(self, other: Interval) -> bool:
        return self.total_nanos >= other.total_nanos

    def __neg__(self) -> Interval:
        return Interval(-self.months, -self.days, -self.nanos)

    def __add__(self, other: Interval) -> Interval:
        return make(self.months + other.months, self.days + other.days, self.nanos + other.nanos)

    def __sub__(self, other: Interval) -> Interval:
        return make(self.months - other.months, self.days - other.days, self.nanos - other.nanos)

    def __mul__(self, factor: int) -> Interval:
        return make(self.months * factor, self.days * factor, self.nanos * factor)

    def is_identical(self, other: Interval) -> bool:
        """Return whether the parts are equal, too."""
        return (self.months, self.days, self.nanos) == (other.months, other.days, other.nanos)


def make(months: int, days: int, nanos: int) -> Interval:
    """Return an interval of these parts; raise BadValue if a part exceeds 10,000 years."""
    if abs(months) > MONTHS_MAX or abs(days) > DAYS_MAX or abs(nanos) > NANOS_MAX:
        raise BadValue((months, days, nanos), "INTERVAL", "out of range")
    return Interval(months, days, nanos)


def divide(interval: Interval, divisor: int) -> Interval:
    """Divide each part, carrying remainders of months to days and of days to the time."""
    months, left = _truncated(interval.months, divisor)
    days, rest = _truncated(interval.days + left * DAYS_PER_MONTH, divisor)
    nanos, _ = _truncated(interval.nanos + rest * NANOS_PER_DAY, divisor)
    return make(months, days, nanos)


def justify_hours(interval: Interval) -> Interval:
    """Convert every 24 hours to a day, with one sign for both parts (JUSTIFY_HOURS)."""
    days, nanos = _carried(interval.days, interval.nanos, NANOS_PER_DAY)
    return make(interval.months, days, nanos)


def justify_days(interval: Interval) -> Interval:
    """Convert every 30 days to a month, with one sign for both parts (JUSTIFY_DAYS)."""
    months, days = _carried(interval.months, interval.days, DAYS_PER_MONTH)
    return make(months, days, interval.nanos)


def justify(interval: Interval) -> Interval:
    """Convert hours to days and days to months, with one sign for all (JUSTIFY_INTERVAL)."""
    days, nanos = _truncated(interval.total_nanos, NANOS_PER_DAY)
    months, days = _truncated(days, DAYS_PER_MONTH)
    return make(months, days, nanos)


def _truncated(number: int, divisor: int) -> tuple[int, int]:
    """Return quotient and remainder, with the quotient truncated toward zero."""
    quotient = abs(number) // abs(divisor)
    if (number < 0) != (divisor < 0):
        quotient = -quotient
    return quotient, number - quotient * divisor


def _carried(high: int, low: int, size: int) -> tuple[int, int]:
    """Return two parts with excess carried from the lower to the higher, with a single sign."""
    return _truncated(high * size + low, size)


def parse(text: str) -> Interval:
    """Parse ISO 8601 if the text starts with P, or SQL's form, as in a CAST from STRING."""
    return parse_iso(text) if text.startswith("P") else parse_sql(text)


def parse_sql(text: str) -> Interval:
    """Parse `[-]Y-M [-]D [-]H:M:S[.F]`, or an unambiguous shorter form."""
    dashes = sum(text[at] == "-" and text[at - 1].isdigit() for at in range(1, min(len(text), 99)))
    shape = _RANGE_BY_SHAPE.get((text.count(" "), text.count(":"), dashes))
    if shape is None:
        raise BadValue(text, "INTERVAL")
    return parse_range(text, *shape)


def parse_range(text: str, start: str, end: str) -> Interval:
    """Parse the text of INTERVAL 'text' start TO end, such as `28 16:15` for DAY TO MINUTE."""
    match = _range_pattern(start, end).fullmatch(text)
    if match is None:
        raise BadValue(text, "INTERVAL")
    shown = {name: digits or "" for name, digits in match.groupdict().items()}
    months, days, nanos = (
        sum(int(shown.get(part) or 0) * PART_SIZES[part][axis] for part in RANGE_PARTS)
        for axis in range(3)
    )
    nanos += int(shown.get("fraction", "").ljust(9, "0"))
    try:
        return make(
            -months if shown.get("month_sign") == "-" else months,
            -days if shown.get("day_sign") == "-" else days,
            -nanos if shown.get("time_sign") == "-" else nanos,
        )
    except BadValue as failure:
        raise BadValue(text, "INTERVAL", failure.reason) from None


@lru_cache(maxsize=len(RANGE_PARTS) ** 2)
def _range_pattern(start: str, end: str) -> re.Pattern[str]:
    first, last = RANGE_PARTS.index(start), RANGE_PARTS.index(end)
    pattern, signed = "", ""
    for at in range(first, last + 1):
        if at > first:
            pattern += _RANGE_SEPARATORS[at]
        if _SIGNS[at] != signed:
            signed = _SIGNS[at]
            pattern += f"(?P<{signed}>[+-]?)"
        pattern += rf"(?P<{RANGE_PARTS[at]}>\d{{1,19}})"
    if end == "SECOND":
        pattern += r"(?:\.(?P<fraction>\d{1,9}))?"
    return re.compile(pattern, re.ASCII)


def parse_iso(text: str) -> Interval:
    """Parse `P[nY][nM][nW][nD][T[nH][nM][n[.f]S]]`; each number may have a sign."""
    if not text.startswith("P") or len(text) < 2:
        raise BadValue(text, "INTERVAL")
    dates, _, times = text[1:].partition("T")
    months = days = nanos = 0
    for number, fraction, unit in _iso_parts(dates, text):
        if fraction or unit not in _DATE_UNITS:
            raise BadValue(text, "INTERVAL")
        months += number * _DATE_UNITS[unit][0]
        days += number * _DATE_UNITS[unit][1]
    for number, fraction, unit in _iso_parts(times, text):
        if unit not in _TIME_UNITS or (fraction and unit != "S"):
            raise BadValue(text, "INTERVAL")
        nanos += number * _TIME_UNITS[unit] + fraction
    try:
        return make(months, days, nanos)
    except BadValue as failure:
        raise BadValue(text, "INTERVAL", failure.reason) from None


def _iso_parts(text: str, whole: str) -> list[tuple[int, int, str]]:
    parts, at = [], 0
    while at < len(text):
        match = _ISO_PART.match(text, at)
        if match is None:
            raise BadValue(whole, "INTERVAL")
        sign, digits, fraction, unit = match.groups()
        factor = -1 if sign == "-" else 1
        nanos = int((fraction or "").ljust(9, "0"))
        parts.append((factor * int(digits), factor * nanos, unit))
        at = match.end()
    return parts


def format_sql(interval: Interval) -> str:
    """Return the text of CAST(i AS STRING): `1-2 3 4:5:6.789`."""
    sign, months = ("-", -interval.months) if interval.months < 0 else ("", interval.months)
    time_sign, nanos = ("-", -interval.nanos) if interval.nanos < 0 else ("", interval.nanos)
    seconds, fraction = divmod(nanos, NANOS_PER_SECOND)
    return (
        f"{sign}{months // 12}-{months % 12} {interval.days} "
        f"{time_sign}{seconds // 3_600}:{seconds // 60 % 60}:{seconds % 60}"
        f"{fraction_in_threes(fraction)}"
    )


def format_iso(interval: Interval) -> str:
    """Return the wire form, without parts that are zero; `P0Y` if all are."""
    years, months = _signed_divmod(interval.months, 12)
    seconds, fraction = _signed_divmod(interval.nanos, NANOS_PER_SECOND)
    minutes, seconds = _signed_divmod(seconds, 60)
    hours, minutes = _signed_divmod(minutes, 60)
    dates = "".join(
        f"{number}{unit}"
        for number, unit in ((years, "Y"), (months, "M"), (interval.days, "D"))
        if number
    )
    times = "".join(f"{number}{unit}" for number, unit in ((hours, "H"), (minutes, "M")) if number)
    if seconds or fraction:
        sign = "-" if interval.nanos < 0 else ""
        shown = f".{abs(fraction):09d}".rstrip("0") if fraction else ""
        times += f"{sign}{abs(seconds)}{shown}S"
    if times:
        return f"P{dates}T{times}"
    return f"P{dates}" if dates else "P0Y"


def _signed_divmod(number: int, size: int) -> tuple[int, int]:
    """Return quotient and remainder, both with the sign of the number."""
    quotient, rest = divmod(abs(number), size)
    return (-quotient, -rest) if number < 0 else (quotient, rest)

"""Making intervals and taking them apart, by the chapter "Interval functions".

`INTERVAL n part` is `$interval(n, part)`; `INTERVAL 'text' part TO part` is
`$interval_range(text, part, part)`. Arithmetic is in `interval_arithmetic`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from spanemu.sql.functions.errors import BadArgument, BadDatePart, BadValue
from spanemu.sql.functions.notation import chapter, overload
from spanemu.values import interval as intervals
from spanemu.values.errors import BadValue as UnreadableValue
from spanemu.values.interval import Interval
from spanemu.values.timestamp import NANOS_PER_SECOND

_TEXT_MAX = 100
_RANGE_PARTS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")

_AMOUNT = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<whole>\d+)(?:\.(?P<more>\d{1,9}))?|\.(?P<only>\d{1,9}))", re.ASCII
)

# Months, days and nanoseconds of one part.
_SIZES: Mapping[str, tuple[int, int, int]] = {
    "YEAR": (12, 0, 0),
    "QUARTER": (3, 0, 0),
    "MONTH": (1, 0, 0),
    "WEEK": (0, 7, 0),
    "DAY": (0, 1, 0),
    "HOUR": (0, 0, 3_600 * NANOS_PER_SECOND),
    "MINUTE": (0, 0, 60 * NANOS_PER_SECOND),
    "SECOND": (0, 0, NANOS_PER_SECOND),
    "MILLISECOND": (0, 0, 1_000_000),
    "MICROSECOND": (0, 0, 1_000),
    "NANOSECOND": (0, 0, 1),
}


def interval(amount: int, part: str) -> Interval:
    """INTERVAL amount part."""
    size = _SIZES.get(part)
    if size is None:
        raise BadDatePart(part, "INTERVAL")
    months, days, nanos = size
    return _made(amount * months, amount * days, amount * nanos, f"INTERVAL {amount} {part}")


def interval_of_text(text: str, part: str) -> Interval:
    """INTERVAL 'amount' part: seconds may have a fraction."""
    if part not in _SIZES:
        raise BadDatePart(part, "INTERVAL")
    found = _AMOUNT.fullmatch(text) if len(text) <= _TEXT_MAX else None
    fraction = (found["more"] or found["only"]) if found else None
    if found is None or (fraction and part != "SECOND"):
        raise BadValue("interval", f"'{text}' {part}")
    whole = interval(int(found["whole"] or 0), part)
    nanos = whole.nanos + int((fraction or "").ljust(9, "0"))
    expression = f"INTERVAL '{text}' {part}"
    if found["sign"] == "-":
        return _made(-whole.months, -whole.days, -nanos, expression)
    return _made(whole.months, whole.days, nanos, expression)


def interval_range(text: str, first: str, last: str) -> Interval:
    """INTERVAL 'text' first TO last."""
    found = _range_pattern(first, last).fullmatch(text) if len(text) <= _TEXT_MAX else None
    if found is None:
        raise BadValue("interval", f"'{text}' {first} TO {last}")
    read = found.groupdict()
    months = int(read.get("YEAR") or 0) * 12 + int(read.get("MONTH") or 0)
    seconds = (
        int(read.get("HOUR") or 0) * 3_600
        + int(read.get("MINUTE") or 0) * 60
        + int(read.get("SECOND") or 0)
    )
    nanos = seconds * NANOS_PER_SECOND + int((read.get("fraction") or "").ljust(9, "0"))
    return _made(
        -months if read.get("month_sign") == "-" else months,
        int(read.get("DAY") or 0),
        -nanos if read.get("time_sign") == "-" else nanos,
        f"INTERVAL '{text}' {first} TO {last}",
    )


@lru_cache(maxsize=64)
def _range_pattern(first: str, last: str) -> re.Pattern[str]:
    """Reads `Y-M D H:M:S`, or what lies between two of its parts. A sign holds for its group."""
    if first not in _RANGE_PARTS or last not in _RANGE_PARTS:
        raise BadDatePart(f"{first} TO {last}", "INTERVAL")
    start, stop = _RANGE_PARTS.index(first), _RANGE_PARTS.index(last)
    if start >= stop:
        raise BadDatePart(f"{first} TO {last}", "INTERVAL")
    parts = _RANGE_PARTS[start : stop + 1]
    groups = []
    if months := [part for part in parts if part in ("YEAR", "MONTH")]:
        groups.append("(?P<month_sign>[+-]?)" + "-".join(rf"(?P<{part}>\d+)" for part in months))
    if "DAY" in parts:
        groups.append(r"(?P<DAY>[+-]?\d+)")
    if clock := [part for part in parts if part in ("HOUR", "MINUTE", "SECOND")]:
        fraction = r"(?:\.(?P<fraction>\d{1,9}))?" if last == "SECOND" else ""
        numbers = ":".join(rf"(?P<{part}>\d+)" for part in clock)
        groups.append(f"(?P<time_sign>[+-]?){numbers}{fraction}")
    return re.compile(" ".join(groups), re.ASCII)


def make_interval(*parts: int) -> Interval:
    """MAKE_INTERVAL: years, months, days, hours, minutes, seconds; those left out are zero."""
    year, month, day, hour, minute, second = (*parts, *(0,) * (len(_RANGE_PARTS) - len(parts)))
    seconds = hour * 3_600 + minute * 60 + second
    return _made(year * 12 + month, day, seconds * NANOS_PER_SECOND, "MAKE_INTERVAL")


def justify_hours(value: Interval) -> Interval:
    """24 hours become a day."""
    try:
        return intervals.justify_hours(value)
    except UnreadableValue:
        raise _out_of_range("JUSTIFY_HOURS") from None


def justify_days(value: Interval) -> Interval:
    """30 days become a month."""
    try:
        return intervals.justify_days(value)
    except UnreadableValue:
        raise _out_of_range("JUSTIFY_DAYS") from None


def justify_interval(value: Interval) -> Interval:
    """Both, and all parts of one sign."""
    try:
        return intervals.justify(value)
    except UnreadableValue:
        raise _out_of_range("JUSTIFY_INTERVAL") from None


def extract_from_interval(value: Interval, part: str) -> int:
    """EXTRACT(part FROM interval): a part has the sign of its group."""
    if part == "DAY":
        return value.days
    if part in ("YEAR", "MONTH"):
        months = abs(value.months)
        number = months // 12 if part == "YEAR" else months % 12
        return -number if value.months < 0 else number
    unit = _CLOCK.get(part)
    if unit is None:
        raise BadDatePart(part, "EXTRACT from an INTERVAL")
    size, wrap = unit
    number = abs(value.nanos) // size
    if wrap:
        number %= wrap
    return -number if value.nanos < 0 else number


# The size of each part in nanoseconds, and after how many it starts again from zero.
_CLOCK: Mapping[str, tuple[int, int]] = {
    "HOUR": (3_600 * NANOS_PER_SECOND, 0),
    "MINUTE": (60 * NANOS_PER_SECOND, 60),
    "SECOND": (NANOS_PER_SECOND, 60),
    "MILLISECOND": (1_000_000, 1_000),
    "MICROSECOND": (1_000, 1_000_000),
    "NANOSECOND": (1, NANOS_PER_SECOND),
}


def _made(months: int, days: int, nanos: int, expression: str) -> Interval:
    try:
        return intervals.make(months, days, nanos)
    except UnreadableValue:
        raise _out_of_range(expression) from None


def _out_of_range(expression: str) -> BadArgument:
    return BadArgument(f"Interval out of range: {expression}")


FUNCTIONS = chapter(
    "interval",
    {
        "$interval": (
            overload("(INT64, DATE_PART) -> INTERVAL", interval),
            overload("(STRING, DATE_PART) -> INTERVAL", interval_of_text),
        ),
        "$interval_range": (
            overload("(STRING, DATE_PART, DATE_PART) -> INTERVAL", interval_range),
        ),
        "MAKE_INTERVAL": (
            overload(
                "([year=>INT64 = 0], [month=>INT64 = 0], [day=>INT64 = 0], [hour=>INT64 = 0], "
                "[minute=>INT64 = 0], [second=>INT64 = 0]) -> INTERVAL",
                make_interval,
            ),
        ),
        "JUSTIFY_HOURS": (overload("(INTERVAL) -> INTERVAL", justify_hours),),
        "JUSTIFY_DAYS": (overload("(INTERVAL) -> INTERVAL", justify_days),),
        "JUSTIFY_INTERVAL": (overload("(INTERVAL) -> INTERVAL", justify_interval),),
    },
)

"""Intervals, by the chapter "Interval functions", and arithmetic with them.

`INTERVAL n part` is `$interval(n, part)`; `INTERVAL 'text' part TO part` is
`$interval_range(text, part, part)`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

from spanemu.base.clock import (
    NANOS_PER_DAY,
    NANOS_PER_HOUR,
    NANOS_PER_MICRO,
    NANOS_PER_MILLI,
    NANOS_PER_MINUTE,
    NANOS_PER_SECOND,
)
from spanemu.base.deferred import lazy_pattern
from spanemu.sql.functions.errors import (
    BadArgument,
    BadDatePart,
    BadValue,
    DivisionByZero,
    Overflow,
)
from spanemu.sql.functions.notation import chapter, overload
from spanemu.values import interval as intervals
from spanemu.values.interval import PART_SIZES, RANGE_PARTS, Interval
from spanemu.values.timestamp import TIMESTAMP_MAX, TIMESTAMP_MIN, format_sql
from spanemu.values.types import BadValue as UnreadableValue

_TEXT_MAX = 100

_AMOUNT = lazy_pattern(
    r"(?P<sign>[+-]?)(?:(?P<whole>\d+)(?:\.(?P<more>\d{1,9}))?|\.(?P<only>\d{1,9}))", re.ASCII
)


def interval(amount: int, part: str) -> Interval:
    """Return `INTERVAL amount part`."""
    size = PART_SIZES.get(part)
    if size is None:
        raise BadDatePart(part, "INTERVAL")
    months, days, nanos = size
    return _make(amount * months, amount * days, amount * nanos, f"INTERVAL {amount} {part}")


def interval_of_text(text: str, part: str) -> Interval:
    """Return `INTERVAL 'amount' part`, where seconds may have a fraction."""
    if part not in PART_SIZES:
        raise BadDatePart(part, "INTERVAL")
    match = _AMOUNT.fullmatch(text) if len(text) <= _TEXT_MAX else None
    fraction = (match["more"] or match["only"]) if match else None
    if match is None or (fraction and part != "SECOND"):
        raise BadValue("interval", f"'{text}' {part}")
    whole = interval(int(match["whole"] or 0), part)
    nanos = whole.nanos + int((fraction or "").ljust(9, "0"))
    expression = f"INTERVAL '{text}' {part}"
    if match["sign"] == "-":
        return _make(-whole.months, -whole.days, -nanos, expression)
    return _make(whole.months, whole.days, nanos, expression)


def interval_range(text: str, first: str, last: str) -> Interval:
    """Return `INTERVAL 'text' first TO last`."""
    known = first in RANGE_PARTS and last in RANGE_PARTS
    if not known or RANGE_PARTS.index(first) >= RANGE_PARTS.index(last):
        raise BadDatePart(f"{first} TO {last}", "INTERVAL")
    try:
        return intervals.parse_range(text, first, last)
    except UnreadableValue as failure:
        expression = f"'{text}' {first} TO {last}"
        if failure.reason:
            raise _out_of_range(f"INTERVAL {expression}") from None
        raise BadValue("interval", expression) from None


def make_interval(*parts: int) -> Interval:
    """Return `MAKE_INTERVAL(year, month, day, hour, minute, second)`; omitted parts are zero."""
    year, month, day, hour, minute, second = (*parts, *(0,) * (len(RANGE_PARTS) - len(parts)))
    seconds = hour * 3_600 + minute * 60 + second
    return _make(year * 12 + month, day, seconds * NANOS_PER_SECOND, "MAKE_INTERVAL")


def justify_hours(value: Interval) -> Interval:
    """Return `JUSTIFY_HOURS(value)`, where 24 hours become a day."""
    try:
        return intervals.justify_hours(value)
    except UnreadableValue:
        raise _out_of_range("JUSTIFY_HOURS") from None


def justify_days(value: Interval) -> Interval:
    """Return `JUSTIFY_DAYS(value)`, where 30 days become a month."""
    try:
        return intervals.justify_days(value)
    except UnreadableValue:
        raise _out_of_range("JUSTIFY_DAYS") from None


def justify_interval(value: Interval) -> Interval:
    """Return `JUSTIFY_INTERVAL(value)`.

    Hours become days and days become months, and all parts get the same sign.
    """
    try:
        return intervals.justify(value)
    except UnreadableValue:
        raise _out_of_range("JUSTIFY_INTERVAL") from None


def extract_from_interval(value: Interval, part: str) -> int:
    """Return `EXTRACT(part FROM interval)`.

    A part has the sign of its group: months, days or the time of day.
    """
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


# The size of each part in nanoseconds, and the number at which it wraps to zero (0: never).
_CLOCK: Mapping[str, tuple[int, int]] = {
    "HOUR": (NANOS_PER_HOUR, 0),
    "MINUTE": (NANOS_PER_MINUTE, 60),
    "SECOND": (NANOS_PER_SECOND, 60),
    "MILLISECOND": (NANOS_PER_MILLI, 1_000),
    "MICROSECOND": (NANOS_PER_MICRO, 1_000_000),
    "NANOSECOND": (1, NANOS_PER_SECOND),
}


def _make(months: int, days: int, nanos: int, expression: str) -> Interval:
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


def add_intervals(left: Interval, right: Interval) -> Interval:
    """Return `INTERVAL + INTERVAL`, part by part."""
    try:
        return left + right
    except UnreadableValue:
        raise _overflow(left, "+", right) from None


def subtract_intervals(left: Interval, right: Interval) -> Interval:
    """Return `INTERVAL - INTERVAL`, part by part."""
    try:
        return left - right
    except UnreadableValue:
        raise _overflow(left, "-", right) from None


def multiply_interval(left: Interval, factor: int) -> Interval:
    """Return `INTERVAL * INT64`, part by part."""
    try:
        return left * factor
    except UnreadableValue:
        raise Overflow("interval", f"{intervals.format_sql(left)} * {factor}") from None


def multiply_by_interval(factor: int, right: Interval) -> Interval:
    """Return `INT64 * INTERVAL`."""
    return multiply_interval(right, factor)


def divide_interval(left: Interval, divisor: int) -> Interval:
    """Return `INTERVAL / INT64`; the remainder of a part is carried to the next smaller part."""
    if not divisor:
        raise DivisionByZero(f"{intervals.format_sql(left)} / 0")
    return intervals.divide(left, divisor)


def negate_interval(value: Interval) -> Interval:
    """Return `-INTERVAL`."""
    return -value


def add_to_timestamp(moment: int, span: Interval) -> int:
    """Return `TIMESTAMP + INTERVAL`, where a day has 24 hours."""
    return _moved(moment, span, 1)


def add_timestamp(span: Interval, moment: int) -> int:
    """Return `INTERVAL + TIMESTAMP`."""
    return _moved(moment, span, 1)


def subtract_from_timestamp(moment: int, span: Interval) -> int:
    """Return `TIMESTAMP - INTERVAL`."""
    return _moved(moment, span, -1)


def timestamp_difference(left: int, right: int) -> Interval:
    """Return `TIMESTAMP - TIMESTAMP`, as an interval with a time part only."""
    return Interval(0, 0, left - right)


def date_difference(left: date, right: date) -> Interval:
    """Return `DATE - DATE`, in days."""
    return Interval(0, left.toordinal() - right.toordinal(), 0)


def _moved(moment: int, span: Interval, direction: int) -> int:
    if span.months:
        raise BadArgument(
            "TIMESTAMP +/- INTERVAL is not supported for intervals with non-zero MONTH or YEAR part"
        )
    moved = moment + direction * (span.days * NANOS_PER_DAY + span.nanos)
    if TIMESTAMP_MIN <= moved <= TIMESTAMP_MAX:
        return moved
    symbol = "+" if direction > 0 else "-"
    raise Overflow(
        "timestamp", f"{format_sql(moment, 'UTC')} {symbol} {intervals.format_sql(span)}"
    )


def _overflow(left: Interval, symbol: str, right: Interval) -> Overflow:
    return Overflow(
        "interval", f"{intervals.format_sql(left)} {symbol} {intervals.format_sql(right)}"
    )

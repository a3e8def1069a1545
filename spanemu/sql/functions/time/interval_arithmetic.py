"""Arithmetic with INTERVAL: sums, multiples, and timestamps plus or minus an interval."""

from __future__ import annotations

from datetime import date

from spanemu.base.nanos import NANOS_PER_DAY
from spanemu.sql.functions.errors import BadArgument, DivisionByZero, Overflow
from spanemu.values import interval
from spanemu.values.errors import BadValue
from spanemu.values.interval import Interval
from spanemu.values.timestamp import TIMESTAMP_MAX, TIMESTAMP_MIN, format_sql


def add_intervals(left: Interval, right: Interval) -> Interval:
    """Return `INTERVAL + INTERVAL`, part by part."""
    try:
        return left + right
    except BadValue:
        raise _overflow(left, "+", right) from None


def subtract_intervals(left: Interval, right: Interval) -> Interval:
    """Return `INTERVAL - INTERVAL`, part by part."""
    try:
        return left - right
    except BadValue:
        raise _overflow(left, "-", right) from None


def multiply_interval(left: Interval, factor: int) -> Interval:
    """Return `INTERVAL * INT64`, part by part."""
    try:
        return left * factor
    except BadValue:
        raise Overflow("interval", f"{interval.format_sql(left)} * {factor}") from None


def multiply_by_interval(factor: int, right: Interval) -> Interval:
    """Return `INT64 * INTERVAL`."""
    return multiply_interval(right, factor)


def divide_interval(left: Interval, divisor: int) -> Interval:
    """Return `INTERVAL / INT64`; the remainder of a part goes to the next smaller part."""
    if not divisor:
        raise DivisionByZero(f"{interval.format_sql(left)} / 0")
    return interval.divide(left, divisor)


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
    raise Overflow("timestamp", f"{format_sql(moment, 'UTC')} {symbol} {interval.format_sql(span)}")


def _overflow(left: Interval, symbol: str, right: Interval) -> Overflow:
    return Overflow(
        "interval", f"{interval.format_sql(left)} {symbol} {interval.format_sql(right)}"
    )

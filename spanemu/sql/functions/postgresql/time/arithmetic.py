"""Arithmetic with dates, timestamps and intervals: the functions behind the operators.

A timestamp takes part without its nanoseconds, as PostgreSQL has none.
"""

from __future__ import annotations

from datetime import date

from spanemu.base.clock import NANOS_PER_MICRO
from spanemu.sql.functions.errors import DivisionByZero
from spanemu.sql.functions.postgresql.errors import (
    StrideHasMonths,
    StrideNotPositive,
    ValueOutOfRange,
)
from spanemu.sql.functions.postgresql.time.date_time import days_in_month
from spanemu.sql.functions.postgresql.time.date_time_decoding import MICROS_PER_DAY
from spanemu.sql.functions.postgresql.time.text import (
    interval_in,
    make_interval_value,
    micros_of,
    whole_micros,
)
from spanemu.sql.functions.postgresql.time.zones import (
    civil_day,
    date_in_range,
    day_number,
    local_of,
    timestamp_in_range,
    unlimited_instant,
)
from spanemu.sql.functions.registry import Context
from spanemu.values import interval as intervals
from spanemu.values.interval import Interval
from spanemu.values.timestamp import zone_named
from spanemu.values.types import BadValue

_SECONDS_PER_DAY = 86_400
_DAYS_PER_MONTH = 30
_MONTHS_PER_YEAR = 12
_DAYS_PER_WEEK = 7
_MICROS_PER_SECOND = 1_000_000
_AMOUNTS = 7  # that make_interval takes
_INT32_MAX = 2**31 - 1
_INT64_MAX = 2**63 - 1

# ---------------------------------------------------------------------------- dates


def add_days(day: date, days: int) -> date:
    """Return `date + bigint`."""
    return date_in_range(day.toordinal() + days)


def subtract_days(day: date, days: int) -> date:
    """Return `date - bigint`."""
    return date_in_range(day.toordinal() - days)


def days_between(end: date, start: date) -> int:
    """Return `date - date`, in days."""
    return end.toordinal() - start.toordinal()


# ---------------------------------------------------------------------------- timestamps


def add_interval(context: Context, moment: int, span: Interval) -> int:
    """Return `timestamptz + interval`: months, then days of local time, then the time."""
    return _moved(context, moment, span, 1)


def subtract_interval(context: Context, moment: int, span: Interval) -> int:
    """Return `timestamptz - interval`."""
    return _moved(context, moment, span, -1)


def add_interval_text(context: Context, moment: int, text: str) -> int:
    """Return `spanner.timestamptz_add(timestamptz, text)`."""
    return _moved(context, moment, interval_in(text), 1)


def subtract_interval_text(context: Context, moment: int, text: str) -> int:
    """Return `spanner.timestamptz_subtract(timestamptz, text)`."""
    return _moved(context, moment, interval_in(text), -1)


def timestamp_difference(end: int, start: int) -> Interval:
    """Return `timestamptz - timestamptz`, as a time without days."""
    return Interval(0, 0, whole_micros(end) - whole_micros(start))


def _moved(context: Context, moment: int, span: Interval, direction: int) -> int:
    moment, zone = whole_micros(moment), zone_named(context.time_zone)
    if span.months:
        local, _ = local_of(moment, zone)
        months = local.year * _MONTHS_PER_YEAR + local.month - 1 + direction * span.months
        year, month = divmod(months, _MONTHS_PER_YEAR)
        day = min(local.day, days_in_month(year, month + 1))
        moment = unlimited_instant(local._replace(year=year, month=month + 1, day=day), zone)
    if span.days:
        local, _ = local_of(moment, zone)
        ordinal = day_number(local.year, local.month, local.day) + direction * span.days
        year, month, day = civil_day(ordinal)
        moment = unlimited_instant(local._replace(year=year, month=month, day=day), zone)
    return timestamp_in_range(moment + direction * micros_of(span) * NANOS_PER_MICRO)


def bin_timestamp(stride_text: str, moment: int, origin: int) -> int:
    """Return `spanner.date_bin(text, timestamptz, timestamptz)`: the start of the bin."""
    span = interval_in(stride_text)
    if span.months:
        raise StrideHasMonths
    stride = (span.days * MICROS_PER_DAY + micros_of(span)) * NANOS_PER_MICRO
    if stride <= 0:
        raise StrideNotPositive
    moment, origin = whole_micros(moment), whole_micros(origin)
    return timestamp_in_range(moment - (moment - origin) % stride)


# ---------------------------------------------------------------------------- intervals


def add_intervals(left: Interval, right: Interval) -> Interval:
    """Return `interval + interval`, part by part."""
    try:
        return left + right
    except BadValue:
        raise ValueOutOfRange("Interval") from None


def subtract_intervals(left: Interval, right: Interval) -> Interval:
    """Return `interval - interval`, part by part."""
    try:
        return left - right
    except BadValue:
        raise ValueOutOfRange("Interval") from None


def negate_interval(span: Interval) -> Interval:
    """Return `-interval`."""
    return -span


def multiply_interval(span: Interval, factor: float) -> Interval:
    """Return `interval * float8`; fractions of months go to days, of days to the time."""
    return _scaled(span, span.months * factor, span.days * factor, micros_of(span) * factor)


def divide_interval(span: Interval, divisor: float) -> Interval:
    """Return `interval / float8`; fractions go to smaller parts as in a product."""
    if not divisor:
        raise DivisionByZero(f"{intervals.format_iso(span)} / 0")
    return _scaled(span, span.months / divisor, span.days / divisor, micros_of(span) / divisor)


def _scaled(span: Interval, months: float, days: float, micros: float) -> Interval:
    # A comparison with NaN is false.
    if not (abs(months) <= _INT32_MAX and abs(days) <= _INT32_MAX and abs(micros) <= _INT64_MAX):
        raise ValueOutOfRange("Interval")
    whole_months, whole_days = int(months), int(days)
    more_days = _to_micros((months - whole_months) * _DAYS_PER_MONTH)
    fraction = days - whole_days + more_days - int(more_days)
    seconds = _to_micros(fraction * _SECONDS_PER_DAY)
    if abs(seconds) >= _SECONDS_PER_DAY:
        carried = int(seconds / _SECONDS_PER_DAY)
        whole_days += carried
        seconds -= carried * _SECONDS_PER_DAY
    total = round(micros + seconds * _MICROS_PER_SECOND)
    return make_interval_value(whole_months, whole_days + int(more_days), total)


def _to_micros(number: float) -> float:
    """Return the number rounded to six digits after the point."""
    return round(number * _MICROS_PER_SECOND) / _MICROS_PER_SECOND


def justify_hours(span: Interval) -> Interval:
    """Return `justify_hours(interval)`, where 24 hours become a day."""
    try:
        return intervals.justify_hours(span)
    except BadValue:
        raise ValueOutOfRange("Interval") from None


def justify_days(span: Interval) -> Interval:
    """Return `justify_days(interval)`, where 30 days become a month."""
    try:
        return intervals.justify_days(span)
    except BadValue:
        raise ValueOutOfRange("Interval") from None


def justify_interval(span: Interval) -> Interval:
    """Return `justify_interval(interval)`, where all parts get one sign."""
    try:
        return intervals.justify(span)
    except BadValue:
        raise ValueOutOfRange("Interval") from None


def make_interval(*amounts: float) -> Interval:
    """Return `make_interval(years, months, weeks, days, hours, mins, secs)`; omitted ones are 0."""
    padded = list(amounts) + [0.0] * (_AMOUNTS - len(amounts))
    whole, micros = padded[:-1], padded[-1] * _MICROS_PER_SECOND
    if any(abs(amount) > _INT32_MAX for amount in whole) or not abs(micros) <= _INT64_MAX:
        raise ValueOutOfRange("Interval")
    years, months, weeks, days, hours, minutes = map(int, whole)
    return make_interval_value(
        years * _MONTHS_PER_YEAR + months,
        weeks * _DAYS_PER_WEEK + days,
        (hours * 60 + minutes) * 60 * _MICROS_PER_SECOND + round(micros),
    )

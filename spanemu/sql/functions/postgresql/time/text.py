"""Input and output texts of date, timestamptz and interval.

Texts of dates are read in the order month, day, year, and written in ISO's form. A text without a
zone is read in the default zone of the database, and a timestamp is written in that zone.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from spanemu.base.clock import NANOS_PER_MICRO
from spanemu.sql.functions.postgresql.errors import (
    InvalidTimeText,
    Problem,
    SpecialTimeRefused,
    Undecodable,
    ValueOutOfRange,
)
from spanemu.sql.functions.postgresql.time.date_time import DateTime
from spanemu.sql.functions.postgresql.time.date_time_decoding import DateTimeDecoder
from spanemu.sql.functions.postgresql.time.fields import (
    DATE_TEXT_MAX,
    INTERVAL_TEXT_MAX,
    split_fields,
)
from spanemu.sql.functions.postgresql.time.interval_decoding import (
    MICROS_PER_HOUR,
    MICROS_PER_SECOND,
    MONTHS_PER_YEAR,
    Span,
    decode_interval,
    decode_iso,
)
from spanemu.sql.functions.postgresql.time.zones import (
    Local,
    date_in_range,
    day_number,
    instant_of,
    local_of,
)
from spanemu.sql.functions.registry import Context
from spanemu.values import interval as intervals
from spanemu.values.interval import Interval
from spanemu.values.timestamp import fixed_zone, zone_named
from spanemu.values.types import BadValue

_REFUSED = {
    "epoch": "epoch is",
    "infinity": "infinity and -infinity are",
    "-infinity": "infinity and -infinity are",
}


_INTERVAL = "interval"
_NO_TIME = MICROS_PER_HOUR * (1 << 40)

# The units that remain of INTERVAL 'text' FIELD: a number of months, whether days remain, and a
# number of microseconds.
_KEPT: Mapping[str, tuple[int, bool, int]] = {
    "YEAR": (MONTHS_PER_YEAR, False, _NO_TIME),
    "MONTH": (1, False, _NO_TIME),
    "DAY": (1, True, _NO_TIME),
    "HOUR": (1, True, MICROS_PER_HOUR),
    "MINUTE": (1, True, 60 * MICROS_PER_SECOND),
    "SECOND": (1, True, 1),
}


def date_in(text: str) -> date:
    """Return the date of a text; a time of day and a zone in the text are ignored."""
    value = _decode_date_time(text, "date")
    return date_in_range(day_number(value.year, value.month, value.day))


def date_out(day: date) -> str:
    """Return the text of a date."""
    return day.isoformat()


def timestamptz_in(context: Context, text: str) -> int:
    """Return the timestamp of a text, rounded to microseconds."""
    value = _decode_date_time(text, "timestamp with time zone")
    zone = value.zone or zone_named(context.time_zone)
    if value.offset is not None:
        zone = fixed_zone(value.offset)
    return instant_of(value.local(), zone)


def timestamptz_out(context: Context, nanos: int) -> str:
    """Return the text of a timestamp in the default zone, with at most six digits of seconds."""
    local, offset = local_of(nanos, zone_named(context.time_zone))
    return local_text(local) + offset_text(offset) + (" BC" if local.year <= 0 else "")


def timestamptz_of_date(context: Context, day: date) -> int:
    """Return the midnight at which a day begins in the default zone."""
    return instant_of(Local(day.year, day.month, day.day), zone_named(context.time_zone))


def date_of_timestamptz(context: Context, nanos: int) -> date:
    """Return the date at a timestamp in the default zone."""
    local, _ = local_of(nanos, zone_named(context.time_zone))
    return date_in_range(day_number(local.year, local.month, local.day))


def local_text(local: Local) -> str:
    """Return a date and a time of day as `2024-01-02 03:04:05.5`; the era is not shown."""
    year = local.year if local.year > 0 else 1 - local.year
    fraction = f".{local.micros:06d}".rstrip("0") if local.micros else ""
    return (
        f"{year:04d}-{local.month:02d}-{local.day:02d} "
        f"{local.hour:02d}:{local.minute:02d}:{local.second:02d}{fraction}"
    )


def offset_text(offset: int) -> str:
    """Return an offset as `-08`, with minutes and seconds where they are not zero."""
    minutes, seconds = divmod(abs(offset), 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{'-' if offset < 0 else '+'}{hours:02d}"
    if minutes or seconds:
        text += f":{minutes:02d}"
    return f"{text}:{seconds:02d}" if seconds else text


def whole_micros(nanos: int) -> int:
    """Return a timestamp cut to microseconds, the precision of PostgreSQL's functions."""
    return nanos - nanos % NANOS_PER_MICRO


def _decode_date_time(text: str, type_name: str) -> DateTime:
    try:
        value = DateTimeDecoder(split_fields(text, DATE_TEXT_MAX)).decode()
    except Undecodable as failure:
        raise failure.error(text, type_name) from None
    if value.special in _REFUSED:
        raise SpecialTimeRefused(_REFUSED[value.special])
    if value.special:
        raise InvalidTimeText(type_name, text)
    return value


def interval_in(text: str, fields: str = "") -> Interval:
    """Return the interval of a text in any of the forms that PostgreSQL accepts.

    `fields` is the field or range that follows a literal: DAY, or HOUR TO SECOND. It is the unit of
    a last number without unit, and the interval loses what is smaller than its last field.
    """
    last = fields.rpartition(" ")[2] or "SECOND"
    try:
        span = _decode_interval(text, last.lower(), fields == "MINUTE TO SECOND")
    except Undecodable as failure:
        if failure.problem is Problem.FIELD:
            raise Undecodable(Problem.INTERVAL).error(text, _INTERVAL) from None
        raise InvalidTimeText(_INTERVAL, text) from None
    months, keeps_days, micros = _KEPT[last]
    return make_interval_value(
        span.months - _remainder(span.months, months),
        span.days if keeps_days else 0,
        span.micros - _remainder(span.micros, micros),
    )


def interval_out(value: Interval) -> str:
    """Return the ISO 8601 text of an interval, rounded to microseconds."""
    shown = Interval(value.months, value.days, micros_of(value) * NANOS_PER_MICRO)
    text = intervals.format_iso(shown)
    return "PT0S" if text == "P0Y" else text


def make_interval_value(months: int, days: int, micros: int) -> Interval:
    """Return an interval of these parts; raise ValueOutOfRange beyond Spanner's limits."""
    try:
        return intervals.make(months, days, micros * NANOS_PER_MICRO)
    except BadValue:
        raise ValueOutOfRange("Interval") from None


def micros_of(value: Interval) -> int:
    """Return the time of an interval in microseconds, where halves round away from zero."""
    micros, rest = divmod(abs(value.nanos), NANOS_PER_MICRO)
    micros += rest >= NANOS_PER_MICRO // 2
    return -micros if value.nanos < 0 else micros


def _decode_interval(text: str, last_unit: str, minutes_first: bool) -> Span:
    try:
        return decode_interval(split_fields(text, INTERVAL_TEXT_MAX), last_unit, minutes_first)
    except Undecodable as failure:
        if failure.problem is not Problem.FORMAT:
            raise
        return decode_iso(text)


def _remainder(number: int, size: int) -> int:
    rest = abs(number) % size
    return -rest if number < 0 else rest

"""extract and date_trunc: the fields of dates, timestamps and intervals.

A unit is a text in any letter case, with the abbreviations that intervals know: hour, hr, h. The
results of extract are numeric, with six digits after the point for seconds and epochs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal

from spanemu.base.clock import NANOS_PER_MICRO
from spanemu.sql.functions.postgresql.errors import UnknownUnit, UnsupportedUnit
from spanemu.sql.functions.postgresql.time.date_time import (
    iso_week,
    truncated_quotient,
    truncated_remainder,
)
from spanemu.sql.functions.postgresql.time.date_time_decoding import (
    JULIAN_EPOCH,
    MICROS_PER_DAY,
)
from spanemu.sql.functions.postgresql.time.fields import (
    DATE_WORDS,
    WordKind,
    date_word,
    interval_word,
)
from spanemu.sql.functions.postgresql.time.text import micros_of, whole_micros
from spanemu.sql.functions.postgresql.time.zones import (
    Local,
    civil_day,
    day_number,
    instant_of,
    local_of,
    timestamp_in_range,
    zone_of_argument,
)
from spanemu.sql.functions.registry import Context
from spanemu.values import pg_numeric
from spanemu.values.date import EPOCH_ORDINAL
from spanemu.values.interval import Interval
from spanemu.values.timestamp import Zone, zone_named

_TIMESTAMP, _DATE, _INTERVAL = "timestamp with time zone", "date", "interval"
_SECONDS_PER_DAY = 86_400
_MICROS = 1_000_000
_MICROS_PER_DAY = Decimal(MICROS_PER_DAY)


def _unit(text: str, type_name: str) -> str:
    """Return the canonical name of a unit; raise UnknownUnit for any other text."""
    lower = text.lower()
    word = interval_word(lower) or date_word(lower)
    if word is None or word.kind not in (WordKind.UNIT, WordKind.RESERVED):
        raise UnknownUnit(lower, type_name)
    return word.name


# ---------------------------------------------------------------------------- extract


def extract_from_timestamptz(context: Context, field: str, moment: int) -> Decimal:
    """Return `extract(field FROM timestamptz)` in the default zone."""
    unit = _unit(field, _TIMESTAMP)
    if unit == "epoch":
        return _scaled(moment // NANOS_PER_MICRO, 6)
    local, offset = local_of(moment, zone_named(context.time_zone))
    if unit in _ZONE_FIELDS:
        return Decimal(_ZONE_FIELDS[unit](offset))
    if unit == "julian":
        return _julian(local)
    if unit in _FRACTIONS:
        return _scaled(local.second * _MICROS + local.micros, _FRACTIONS[unit])
    if unit in _CLOCK:
        return Decimal(_CLOCK[unit](local))
    if unit in _CALENDAR:
        return Decimal(_CALENDAR[unit](local.year, local.month, local.day))
    raise UnsupportedUnit(field.lower(), _TIMESTAMP)


def extract_from_date(field: str, day: date) -> Decimal:
    """Return `extract(field FROM date)`."""
    unit = _unit(field, _DATE)
    if unit == "epoch":
        return Decimal((day.toordinal() - EPOCH_ORDINAL) * _SECONDS_PER_DAY)
    if unit == "julian":
        return Decimal(day.toordinal() + JULIAN_EPOCH)
    if unit in _CALENDAR:
        return Decimal(_CALENDAR[unit](day.year, day.month, day.day))
    raise UnsupportedUnit(field.lower(), _DATE)


def extract_from_interval(field: str, span: Interval) -> Decimal:
    """Return `extract(field FROM interval)`."""
    unit = _unit(field, _INTERVAL)
    micros = micros_of(span)
    if unit == "epoch":
        return _scaled(_interval_seconds(span) * _MICROS + micros, 6)
    if unit in _FRACTIONS:
        return _scaled(truncated_remainder(micros, 60 * _MICROS), _FRACTIONS[unit])
    if unit in _INTERVAL_FIELDS:
        return Decimal(_INTERVAL_FIELDS[unit](span.months, span.days, micros))
    if unit in _RESERVED:
        raise UnknownUnit(field.lower(), _INTERVAL)
    raise UnsupportedUnit(field.lower(), _INTERVAL)


def _scaled(number: int, scale: int) -> Decimal:
    """Return an integer divided by a power of ten, with that many digits after the point."""
    return Decimal(number).scaleb(-scale)


def _julian(local: Local) -> Decimal:
    """Return the Julian day with the time of day as a fraction."""
    day = Decimal(day_number(local.year, local.month, local.day) + JULIAN_EPOCH)
    seconds = (local.hour * 60 + local.minute) * 60 + local.second
    micros = Decimal(seconds * _MICROS + local.micros)
    return pg_numeric.add(day, pg_numeric.divide(micros, _MICROS_PER_DAY))


def _interval_seconds(span: Interval) -> int:
    """Return the seconds of months and days, where a year has 365.25 days."""
    years = truncated_quotient(span.months, 12)
    months = truncated_remainder(span.months, 12)
    return (1_461 * years + 120 * months + 4 * span.days) * (_SECONDS_PER_DAY // 4)


def _shown_year(year: int) -> int:
    """Return the year as PostgreSQL counts, without a year zero: 1 BC is -1."""
    return year if year > 0 else year - 1


def _decade(year: int, _month: int, _day: int) -> int:
    return year // 10 if year > 0 else -((8 - (year - 1)) // 10)


def _century(year: int, _month: int, _day: int) -> int:
    return (year + 99) // 100 if year > 0 else -((99 - (year - 1)) // 100)


def _millennium(year: int, _month: int, _day: int) -> int:
    return (year + 999) // 1_000 if year > 0 else -((999 - (year - 1)) // 1_000)


def _weekday(year: int, month: int, day: int) -> int:
    """Return the number of a weekday, where Sunday is 0."""
    return day_number(year, month, day) % 7


_CALENDAR: Mapping[str, Callable[[int, int, int], int]] = {
    "day": lambda _year, _month, day: day,
    "month": lambda _year, month, _day: month,
    "quarter": lambda _year, month, _day: (month - 1) // 3 + 1,
    "year": lambda year, _month, _day: _shown_year(year),
    "decade": _decade,
    "century": _century,
    "millennium": _millennium,
    "week": lambda year, month, day: iso_week(year, month, day)[1],
    "isoyear": lambda year, month, day: _shown_year(iso_week(year, month, day)[0]),
    "dow": _weekday,
    "isodow": lambda year, month, day: _weekday(year, month, day) or 7,
    "doy": lambda year, month, day: day_number(year, month, day) - day_number(year, 1, 1) + 1,
}
_CLOCK: Mapping[str, Callable[[Local], int]] = {
    "hour": lambda local: local.hour,
    "minute": lambda local: local.minute,
}
_RESERVED = frozenset(word.name for word in DATE_WORDS.values() if word.kind is WordKind.RESERVED)
_FRACTIONS = {"second": 6, "millisecond": 3, "microsecond": 0}
_ZONE_FIELDS: Mapping[str, Callable[[int], int]] = {
    "timezone": lambda offset: offset,
    "timezone_hour": lambda offset: truncated_quotient(offset, 3_600),
    "timezone_minute": lambda offset: truncated_remainder(truncated_quotient(offset, 60), 60),
}
_INTERVAL_FIELDS: Mapping[str, Callable[[int, int, int], int]] = {
    "minute": lambda _months, _days, micros: truncated_remainder(
        truncated_quotient(micros, 60 * _MICROS), 60
    ),
    "hour": lambda _months, _days, micros: truncated_quotient(micros, 3_600 * _MICROS),
    "day": lambda _months, days, _micros: days,
    "month": lambda months, _days, _micros: truncated_remainder(months, 12),
    "quarter": lambda months, _days, _micros: (
        truncated_quotient(truncated_remainder(months, 12), 3) + 1
    ),
    "year": lambda months, _days, _micros: truncated_quotient(months, 12),
    "decade": lambda months, _days, _micros: truncated_quotient(months, 120),
    "century": lambda months, _days, _micros: truncated_quotient(months, 1_200),
    "millennium": lambda months, _days, _micros: truncated_quotient(months, 12_000),
}


# ---------------------------------------------------------------------------- date_trunc


def truncate_timestamptz(context: Context, field: str, moment: int) -> int:
    """Return `date_trunc(text, timestamptz)` in the default zone."""
    return _truncated(field, moment, zone_named(context.time_zone))


def truncate_timestamptz_in(field: str, moment: int, zone_name: str) -> int:
    """Return `date_trunc(text, timestamptz, text)` in a zone."""
    return _truncated(field, moment, zone_of_argument(zone_name))


def _truncated(field: str, moment: int, zone: Zone) -> int:
    lower = field.lower()
    word = interval_word(lower)
    if word is None or word.kind is not WordKind.UNIT:
        raise UnknownUnit(lower, _TIMESTAMP)
    moment = whole_micros(moment)
    local, offset = local_of(moment, zone)
    if word.name in _TRUNCATED_DAYS:
        year, month, day = _TRUNCATED_DAYS[word.name](local.year, local.month, local.day)
        return instant_of(Local(year, month, day), zone)
    size = _TRUNCATED_TIMES.get(word.name)
    if size is None:
        raise UnsupportedUnit(lower, _TIMESTAMP)
    return timestamp_in_range(
        moment - (moment // NANOS_PER_MICRO + offset * _MICROS) % size * 1_000
    )


def _monday(year: int, month: int, day: int) -> tuple[int, int, int]:
    ordinal = day_number(year, month, day)  # Ordinal 1 is a Monday.
    return civil_day(ordinal - (ordinal - 1) % 7)


def _first_of_millennium(year: int) -> int:
    if year > 0:
        return (year + 999) // 1_000 * 1_000 - 999
    return -((999 - (year - 1)) // 1_000) * 1_000 + 1


def _first_of_century(year: int) -> int:
    return (year + 99) // 100 * 100 - 99 if year > 0 else -((99 - (year - 1)) // 100) * 100 + 1


_TRUNCATED_DAYS: Mapping[str, Callable[[int, int, int], tuple[int, int, int]]] = {
    "millennium": lambda year, _month, _day: (_first_of_millennium(year), 1, 1),
    "century": lambda year, _month, _day: (_first_of_century(year), 1, 1),
    "decade": lambda year, month, day: (_decade(year, month, day) * 10, 1, 1),
    "year": lambda year, _month, _day: (year, 1, 1),
    "quarter": lambda year, month, _day: (year, (month - 1) // 3 * 3 + 1, 1),
    "month": lambda year, month, _day: (year, month, 1),
    "week": _monday,
    "day": lambda year, month, day: (year, month, day),
}
_TRUNCATED_TIMES = {
    "hour": 3_600 * _MICROS,
    "minute": 60 * _MICROS,
    "second": _MICROS,
    "millisecond": 1_000,
    "microsecond": 1,
}

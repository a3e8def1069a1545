"""to_date and to_timestamp: a date and a time from the fields that a template found."""

from __future__ import annotations

from calendar import isleap
from dataclasses import dataclass, field
from datetime import date

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.sql.functions.postgresql.errors import BadFormattedText, Problem, Undecodable
from spanemu.sql.functions.postgresql.formatting.date_reader import DateReader, ReadFields
from spanemu.sql.functions.postgresql.formatting.date_template import Calendar, date_template
from spanemu.sql.functions.postgresql.time.date_time import days_in_month, week_start
from spanemu.sql.functions.postgresql.time.date_time_decoding import JULIAN_EPOCH
from spanemu.sql.functions.postgresql.time.zones import (
    Local,
    civil_day,
    date_in_range,
    day_number,
    instant_of,
    timestamp_in_range,
)
from spanemu.sql.functions.registry import Context
from spanemu.values.timestamp import fixed_zone, zone_named

_DAYS_BEFORE_MONTH = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365)
_ZONE_HOURS_MAX = 15
_DATE = frozenset({"year", "month", "day"})


def to_date(text: str, template: str) -> date:
    """Return `to_date(text, text)`."""
    local = _assembled(_read(text, template), text)
    return date_in_range(day_number(local.year, local.month, local.day))


def to_timestamp(context: Context, text: str, template: str) -> int:
    """Return `to_timestamp(text, text)`, in the default zone unless the text has an offset."""
    fields = _read(text, template)
    local = _assembled(fields, text)
    zone = zone_named(context.time_zone)
    if fields.zone_sign:
        seconds = fields.zone_hours * 3_600 + fields.zone_minutes * 60
        zone = fixed_zone(fields.zone_sign * seconds)
    moment = instant_of(local, zone)
    if fields.precision:
        size = NANOS_PER_SECOND // 10**fields.precision
        moment = timestamp_in_range((moment + size // 2) // size * size)
    return moment


def _read(text: str, template: str) -> ReadFields:
    return DateReader(text).read(date_template(template))


@dataclass(slots=True)
class _Day:
    """The date that is being assembled, and the parts of it that were given."""

    year: int = 0
    month: int = 1
    day: int = 1
    given: set[str] = field(default_factory=set)

    def set_ordinal(self, ordinal: int) -> None:
        """Set the date to a proleptic ordinal."""
        self.year, self.month, self.day = civil_day(ordinal)
        self.given |= _DATE

    def is_possible(self) -> bool:
        """Return whether the parts that were given can be parts of a date."""
        if "month" in self.given and not 1 <= self.month <= 12:
            return False
        if "day" in self.given and not 1 <= self.day <= 31:
            return False
        return not self.given >= _DATE or self.day <= days_in_month(self.year, self.month)


def _assembled(fields: ReadFields, text: str) -> Local:
    hour, minute, second = _time_of_day(fields)
    day = _day(fields)
    micros = fields.milliseconds * 1_000 + fields.micros
    is_time = 0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60 and 0 <= micros < 1_000_000
    if not is_time or not day.is_possible():
        raise Undecodable(Problem.FIELD).error(text, "timestamp")
    if fields.zone_sign and not (
        0 <= fields.zone_hours <= _ZONE_HOURS_MAX and 0 <= fields.zone_minutes < 60
    ):
        raise Undecodable(Problem.ZONE).error(text, "timestamp")
    return Local(day.year, day.month, day.day, hour, minute, second, micros)


def _time_of_day(fields: ReadFields) -> tuple[int, int, int]:
    minutes, second = divmod(fields.seconds_of_day, 60)
    hour, minute = divmod(minutes, 60)
    hour, minute = fields.hour or hour, fields.minute or minute
    second = fields.second or second
    if fields.twelve_hours:
        if not 1 <= hour <= 12:
            raise BadFormattedText(
                f'hour "{hour}" is invalid for the 12-hour clock\n'
                "Hint: Use the 24-hour clock, or give an hour between 1 and 12."
            )
        hour = hour % 12 + 12 * fields.afternoon
    return hour, minute, second


def _day(fields: ReadFields) -> _Day:
    day = _Day(_year(fields))
    if fields.year or fields.century:
        day.given.add("year")
    if fields.julian:
        day.set_ordinal(fields.julian - JULIAN_EPOCH)
    day_of_year = fields.day_of_year
    if fields.week and fields.calendar is Calendar.ISO_WEEK:
        day.set_ordinal(_iso_week_day(day.year, fields) - JULIAN_EPOCH)
    elif fields.week:
        day_of_year = (fields.week - 1) * 7 + 1
    day_of_month = (fields.week_of_month - 1) * 7 + 1 if fields.week_of_month else fields.day
    if day_of_month:
        day.day = day_of_month
        day.given.add("day")
    if fields.month:
        day.month = fields.month
        day.given.add("month")
    if day_of_year and (day.month <= 1 or day.day <= 1):
        _set_day_of_year(day, day_of_year, fields)
    return day


def _year(fields: ReadFields) -> int:
    """Return the year, where 1 BC is 0; a year of two digits is in the century if that is given."""
    century = -fields.century if fields.before_christ else fields.century
    if not fields.year:
        if not century:
            return 0
        return (century - 1) * 100 + 1 if century >= 0 else century * 100 + 1
    if century and fields.year_digits <= 2:
        year = fields.year % 100 if fields.year >= 0 else -(-fields.year % 100)
        if not year:
            return century * 100 + (0 if century >= 0 else 1)
        return year + (century - 1) * 100 if century >= 0 else (century + 1) * 100 - year + 1
    year = -fields.year if fields.before_christ else fields.year
    return year + 1 if year < 0 else year


def _iso_week_day(year: int, fields: ReadFields) -> int:
    """Return the Julian day of a weekday, where Sunday is 1, in an ISO week; else of its Monday."""
    monday = week_start(year, fields.week)
    if not fields.weekday:
        return monday
    return monday + (fields.weekday - 2 if fields.weekday > 1 else 6)


def _set_day_of_year(day: _Day, number: int, fields: ReadFields) -> None:
    if not day.year and not fields.before_christ:
        raise BadFormattedText("cannot calculate day of year without year information")
    if fields.calendar is Calendar.ISO_WEEK:
        day.set_ordinal(week_start(day.year, 1) - 1 + number - JULIAN_EPOCH)
        return
    before = [
        days + (isleap(day.year) and month >= 2) for month, days in enumerate(_DAYS_BEFORE_MONTH)
    ]
    month = next((m for m in range(1, 13) if number <= before[m]), 13)
    if day.month <= 1:
        day.month = month
    if day.day <= 1:
        day.day = number - before[month - 1]
    day.given |= {"month", "day"}

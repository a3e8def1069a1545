"""Date parts: the operations of each part on a DATE, and instants in a time zone.

    count_boundaries(end, start, part)   the number of boundaries between two dates
    truncate(day, part)                  the first day of the part that contains `day`
    EXTRACTIONS[part](day)               EXTRACT(part FROM day)
    add_parts(day, amount, part)         `amount` parts later

A part is a str as the analyzer passes it: in upper case, a week's first day in parentheses
("WEEK(MONDAY)"). `ALLOWED` holds the parts that each function accepts, so that the analyzer can
refuse other parts without data; the other tables have parts as keys as well.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.sql.functions.errors import BadArgument, BadDatePart, BadTimeZone
from spanemu.values.date import EPOCH_ORDINAL
from spanemu.values.timestamp import TIMESTAMP_MAX, TIMESTAMP_MIN, Zone, format_utc, zone_named
from spanemu.values.types import BadValue

ORDINAL_MIN = date.min.toordinal()
ORDINAL_MAX = date.max.toordinal()

# The calendar repeats itself, weekdays included, after this many days and years. By it, the days
# before year 1 and after year 9999 that a zone's clock can show have parts like others.
CYCLE_DAYS = 146_097
CYCLE_YEARS = 400

_WEEKDAYS = ("MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY")

# Days from Monday to the first day of the week.
WEEK_STARTS: Mapping[str, int] = {
    "WEEK": 6,
    "ISOWEEK": 0,
    **{f"WEEK({name})": index for index, name in enumerate(_WEEKDAYS)},
}

_DATE_GRANULARITIES = frozenset({"DAY", "MONTH", "QUARTER", "YEAR", "ISOYEAR", *WEEK_STARTS})
_TIME_PARTS = frozenset({"HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND", "NANOSECOND"})
_DATE_STEPS = frozenset({"DAY", "WEEK", "MONTH", "QUARTER", "YEAR"})
_EXTRACTED = _DATE_GRANULARITIES | {"DAYOFWEEK", "DAYOFYEAR"}

# Function -> the parts it accepts; the key is "NAME TYPE" where the first argument's type matters.
ALLOWED: Mapping[str, frozenset[str]] = {
    "DATE_ADD": _DATE_STEPS,
    "DATE_SUB": _DATE_STEPS,
    "ADDDATE": _DATE_STEPS,
    "SUBDATE": _DATE_STEPS,
    "GENERATE_DATE_ARRAY": _DATE_STEPS,
    "DATE_DIFF": _DATE_GRANULARITIES,
    "DATE_TRUNC": _DATE_GRANULARITIES,
    "TIMESTAMP_ADD": _TIME_PARTS | {"DAY"},
    "TIMESTAMP_SUB": _TIME_PARTS | {"DAY"},
    "TIMESTAMP_DIFF": _TIME_PARTS | {"DAY"},
    "TIMESTAMP_TRUNC": _TIME_PARTS | _DATE_GRANULARITIES,
    "$extract DATE": _EXTRACTED,
    "$extract TIMESTAMP": _EXTRACTED | _TIME_PARTS | {"DATE"},
    "$extract INTERVAL": (_TIME_PARTS | {"YEAR", "MONTH", "DAY"}),
    "$interval": _TIME_PARTS | _DATE_STEPS,
    "$interval_range": frozenset({"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"}),
}


def date_from_ordinal(ordinal: int, expression: str) -> date:
    """Return the date of a proleptic ordinal.

    Raise BadArgument, which shows `expression`, for an ordinal out of the range of DATE.
    """
    if ORDINAL_MIN <= ordinal <= ORDINAL_MAX:
        return date.fromordinal(ordinal)
    raise BadArgument(f"Date out of range: {expression}")


def add_parts(day: date, amount: int, part: str) -> date:
    """Return `day` plus `amount` parts.

    A day beyond the end of the resulting month becomes the last day of that month.
    """
    unit = _STEPS.get(part)
    if unit is None:
        raise BadDatePart(part, "DATE_ADD")
    days, months = unit
    if days:
        return date_from_ordinal(day.toordinal() + days * amount, f"{day} + {amount} {part}")
    return add_months(day, months * amount)


def add_months(day: date, months: int) -> date:
    """Return `day` plus `months`, at most the last day of the resulting month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    if not 1 <= year <= 9_999:
        raise BadArgument(f"Date out of range: {day} + {months} MONTH")
    month += 1
    number = day.day
    if number > 28:
        number = min(number, monthrange(year, month)[1])
    return date(year, month, number)


def count_boundaries(end: date, start: date, part: str) -> int:
    """Return the number of boundaries of the part between the dates."""
    function = _DIFFERENCES.get(part)
    if function is None:
        raise BadDatePart(part, "DATE_DIFF")
    return function(end, start)


def truncate(day: date, part: str) -> date:
    """Return the first day of the part that contains `day`."""
    function = _TRUNCATIONS.get(part)
    if function is None:
        raise BadDatePart(part, "DATE_TRUNC")
    return function(day)


def week_of_year(day: date, first: int) -> int:
    """Return the number of the week in the year, where weeks begin `first` days after Monday.

    Days before the first week that begins in the year are in week 0.
    """
    day_of_year = day.toordinal() - date(day.year, 1, 1).toordinal()
    return (day_of_year + 7 - (day.weekday() - first) % 7) // 7


def _months(day: date) -> int:
    return day.year * 12 + day.month


def _iso_year(day: date) -> int:
    return day.isocalendar()[0]


def _weeks_between(first: int) -> Callable[[date, date], int]:
    # Ordinal 1 is a Monday.
    shift = 1 + first
    return lambda end, start: (end.toordinal() - shift) // 7 - (start.toordinal() - shift) // 7


def _week_start(first: int) -> Callable[[date], date]:
    def start(day: date) -> date:
        ordinal = day.toordinal()
        return date_from_ordinal(ordinal - (ordinal - 1 - first) % 7, f"week of {day}")

    return start


def _week_number(first: int) -> Callable[[date], int]:
    return lambda day: week_of_year(day, first)


# The days and months of a part; one of the two is zero.
_STEPS: Mapping[str, tuple[int, int]] = {
    "DAY": (1, 0),
    "WEEK": (7, 0),
    "MONTH": (0, 1),
    "QUARTER": (0, 3),
    "YEAR": (0, 12),
}

_DIFFERENCES: Mapping[str, Callable[[date, date], int]] = {
    "DAY": lambda end, start: end.toordinal() - start.toordinal(),
    "MONTH": lambda end, start: _months(end) - _months(start),
    "QUARTER": lambda end, start: (_months(end) - 1) // 3 - (_months(start) - 1) // 3,
    "YEAR": lambda end, start: end.year - start.year,
    "ISOYEAR": lambda end, start: _iso_year(end) - _iso_year(start),
    **{part: _weeks_between(first) for part, first in WEEK_STARTS.items()},
}

_TRUNCATIONS: Mapping[str, Callable[[date], date]] = {
    "DAY": lambda day: day,
    "MONTH": lambda day: day.replace(day=1),
    "QUARTER": lambda day: date(day.year, (day.month - 1) // 3 * 3 + 1, 1),
    "YEAR": lambda day: date(day.year, 1, 1),
    "ISOYEAR": lambda day: date.fromisocalendar(_iso_year(day), 1, 1),
    **{part: _week_start(first) for part, first in WEEK_STARTS.items()},
}

EXTRACTIONS: Mapping[str, Callable[[date], int]] = {
    "YEAR": lambda day: day.year,
    "ISOYEAR": _iso_year,
    "QUARTER": lambda day: (day.month + 2) // 3,
    "MONTH": lambda day: day.month,
    "DAY": lambda day: day.day,
    "DAYOFYEAR": lambda day: day.toordinal() - date(day.year, 1, 1).toordinal() + 1,
    "DAYOFWEEK": lambda day: day.isoweekday() % 7 + 1,
    **{part: _week_number(first) for part, first in WEEK_STARTS.items()},
    "ISOWEEK": lambda day: day.isocalendar()[1],
}


SECONDS_PER_DAY = 86_400


def find_zone(name: str) -> Zone:
    """Return the time zone of that name or offset. Raise BadTimeZone."""
    try:
        return zone_named(name)
    except BadValue:
        raise BadTimeZone(name) from None


def local_seconds(nanos: int, zone_name: str) -> int:
    """Return the local time of the instant in a zone, in seconds since the local 1970-01-01."""
    seconds = nanos // NANOS_PER_SECOND
    return seconds + find_zone(zone_name).offset_at(seconds)


def date_in_zone(nanos: int, zone_name: str) -> date:
    """Return the date in a time zone at an instant."""
    ordinal = EPOCH_ORDINAL + local_seconds(nanos, zone_name) // SECONDS_PER_DAY
    if ORDINAL_MIN <= ordinal <= ORDINAL_MAX:
        return date.fromordinal(ordinal)
    raise BadArgument(f"Date out of range: {format_utc(nanos)} in time zone {zone_name}")


def midnight(day: date, zone_name: str) -> int:
    """Return the instant at which the date begins in a time zone."""
    expression = f"start of {day} in time zone {zone_name}"
    return check_timestamp(_midnight(day.toordinal(), zone_name), expression)


def start_of_part(nanos: int, part: str, zone_name: str) -> int:
    """Return the instant at which the part of the calendar that contains `nanos` begins."""
    ordinal = EPOCH_ORDINAL + local_seconds(nanos, zone_name) // SECONDS_PER_DAY
    shift = CYCLE_DAYS if ordinal < ORDINAL_MIN else -CYCLE_DAYS if ordinal > ORDINAL_MAX else 0
    first = truncate(date.fromordinal(ordinal + shift), part).toordinal() - shift
    expression = f"start of {part} of {format_utc(nanos)} in time zone {zone_name}"
    return check_timestamp(_midnight(first, zone_name), expression)


def _midnight(ordinal: int, zone_name: str) -> int:
    local = (ordinal - EPOCH_ORDINAL) * SECONDS_PER_DAY
    return find_zone(zone_name).instant_of(local) * NANOS_PER_SECOND


def check_timestamp(nanos: int, expression: str) -> int:
    """Return `nanos` if it is a TIMESTAMP. Raise BadArgument, which shows `expression`."""
    if TIMESTAMP_MIN <= nanos <= TIMESTAMP_MAX:
        return nanos
    raise BadArgument(f"Timestamp out of range: {expression}")

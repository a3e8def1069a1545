"""Time zones by the names that PostgreSQL accepts, and local times in them.

A zone is a name of the tz database in any letter case, or a POSIX text such as `foo+3`, whose sign
counts west of Greenwich. Abbreviations such as PST are unknown, as in Spanner; EST and MST are
names of the tz database.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import cache, lru_cache
from importlib.resources import files

from spanemu.base.clock import NANOS_PER_MICRO, NANOS_PER_SECOND
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.postgresql.errors import (
    Problem,
    Undecodable,
    UnknownTimeZone,
    ValueOutOfRange,
)
from spanemu.values.date import EPOCH_ORDINAL
from spanemu.values.timestamp import TIMESTAMP_MAX, TIMESTAMP_MIN, Zone, fixed_zone, zone_named

_POSIX = re.compile(
    r"(?:[^-+,\d<>]*|<[^>]+>)([-+]?)(\d{1,3})(?::(\d{1,2})(?::(\d{1,2}))?)?", re.ASCII
)
_OFFSET = re.compile(r"([-+])(\d*)(?::(\d+)(?::(\d+))?)?(.*)", re.ASCII | re.DOTALL)
_POSIX_HOURS_MAX = 167
_OFFSET_HOURS_MAX = 15
_NAME_MAX = 255
_DAYS_PER_CYCLE = 146_097  # of the calendar, 400 years
SECONDS_PER_DAY = 86_400


class Local(NamedTuple):
    """A date and a time of day. Years before 1 are counted as 0, -1, -2."""

    year: int
    month: int
    day: int
    hour: int = 0
    minute: int = 0
    second: int = 0
    micros: int = 0


@lru_cache(maxsize=256)
def find_zone(name: str) -> Zone | None:
    """Return the zone with a name of the tz database or a POSIX text, in any letter case."""
    key = _names().get(name.lower())
    if key is not None:
        return zone_named(key)
    match = _POSIX.fullmatch(name) if len(name) <= _NAME_MAX else None
    if match is None or int(match[2]) > _POSIX_HOURS_MAX:
        return None
    seconds = int(match[2]) * 3_600 + int(match[3] or 0) * 60 + int(match[4] or 0)
    if int(match[3] or 0) >= 60 or int(match[4] or 0) >= 60 or seconds >= SECONDS_PER_DAY:
        return None
    return fixed_zone(seconds if match[1] == "-" else -seconds)


@cache
def _names() -> Mapping[str, str]:
    names = files("tzdata").joinpath("zones").read_text("ascii").split()
    return {name.lower(): name for name in names}


def zone_of_argument(text: str) -> Zone:
    """Return the zone that a function's argument names; raise UnknownTimeZone for any other text.

    An offset is a POSIX text without a name: +5 is west of Greenwich.
    """
    zone = fixed_zone(0) if text.lower() == "z" else find_zone(text)
    if zone is None:
        raise UnknownTimeZone(text)
    return zone


def offset_of(text: str) -> int:
    """Return the seconds east of Greenwich of an offset such as -8, +0530 or +05:30:15."""
    match = _OFFSET.fullmatch(text)
    if match is None:
        raise Undecodable(Problem.FORMAT)
    hours, minutes, seconds = (int(part[:9]) if part else 0 for part in match.group(2, 3, 4))
    if match[3] is None and not match[5] and len(text) > 3:
        hours, minutes = divmod(hours, 100)
    if hours > _OFFSET_HOURS_MAX or minutes >= 60 or seconds >= 60:
        raise Undecodable(Problem.ZONE)
    if match[5]:
        raise Undecodable(Problem.FORMAT)
    total = hours * 3_600 + minutes * 60 + seconds
    return -total if match[1] == "-" else total


# ---------------------------------------------------------------------------- calendar


def day_number(year: int, month: int, day: int) -> int:
    """Return the proleptic ordinal of a day in any year; months and days must be possible."""
    cycles, rest = divmod(year - 1, 400)
    return date(rest + 1, month, 1).toordinal() + day - 1 + cycles * _DAYS_PER_CYCLE


def civil_day(ordinal: int) -> tuple[int, int, int]:
    """Return year, month and day of a proleptic ordinal of any size."""
    cycles, rest = divmod(ordinal - 1, _DAYS_PER_CYCLE)
    day = date.fromordinal(rest + 1)
    return day.year + cycles * 400, day.month, day.day


def date_in_range(ordinal: int) -> date:
    """Return the date of an ordinal; raise ValueOutOfRange outside the years 1 to 9999."""
    if not 1 <= ordinal <= date.max.toordinal():
        raise ValueOutOfRange("Date")
    return date.fromordinal(ordinal)


def timestamp_in_range(nanos: int) -> int:
    """Return `nanos`; raise ValueOutOfRange outside the years 1 to 9999."""
    if not TIMESTAMP_MIN <= nanos <= TIMESTAMP_MAX:
        raise ValueOutOfRange("Timestamp")
    return nanos


# ---------------------------------------------------------------------------- local times


def local_seconds(local: Local) -> int:
    """Return the seconds of a local time since 1970-01-01 00:00:00 in its zone."""
    days = day_number(local.year, local.month, local.day) - EPOCH_ORDINAL
    return days * SECONDS_PER_DAY + local.hour * 3_600 + local.minute * 60 + local.second


def instant_of(local: Local, zone: Zone) -> int:
    """Return the instant of a local time, in nanoseconds.

    In the hour that a zone repeats, a local time is standard time; in the hour that a zone skips,
    it moves forward.
    """
    return timestamp_in_range(unlimited_instant(local, zone))


def unlimited_instant(local: Local, zone: Zone) -> int:
    """Return the instant of a local time as `instant_of` does, in any year."""
    seconds = zone.last_instant_of(local_seconds(local))
    return seconds * NANOS_PER_SECOND + local.micros * NANOS_PER_MICRO


def local_of(nanos: int, zone: Zone) -> tuple[Local, int]:
    """Return date and time of day of an instant in a zone, and its offset in seconds."""
    seconds, rest = divmod(nanos, NANOS_PER_SECOND)
    offset = zone.offset_at(seconds)
    days, seconds = divmod(seconds + offset, SECONDS_PER_DAY)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    day = civil_day(days + EPOCH_ORDINAL)
    return Local(*day, hour, minute, second, rest // NANOS_PER_MICRO), offset

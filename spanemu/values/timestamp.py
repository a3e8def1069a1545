"""TIMESTAMP: nanoseconds since 1970-01-01T00:00:00Z, from year 1 to 9999, and its text forms.

Wire text is RFC 3339 in UTC. SQL text is less strict and may name a zone; text without a zone is
read in a default zone. `zone` implements the zones.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from functools import lru_cache

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.deferred import lazy_pattern
from spanemu.values.errors import BadValue
from spanemu.values.zone import Civil, Zone, fixed_zone, zone_named

TIMESTAMP_MIN = -62_135_596_800 * NANOS_PER_SECOND
TIMESTAMP_MAX = 253_402_300_800 * NANOS_PER_SECOND - 1

_EPOCH = datetime(1970, 1, 1)
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_LAST_ORDINAL = date.max.toordinal()
_YEARS_PER_CYCLE, _DAYS_PER_CYCLE = 400, 146_097  # The calendar's cycle.
_UTC = fixed_zone(0)
_DIGITS = tuple(f"{number:02d}" for number in range(60))
_MINUTES = tuple(f"T{hour}:{minute}:" for hour in _DIGITS[:24] for minute in _DIGITS)  # of a day

_RFC3339 = lazy_pattern(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z", re.ASCII)
_SQL = lazy_pattern(
    r"(?P<year>\d{4,5})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?:"
    r"[ Tt](?P<hour>\d{1,2}):(?P<minute>\d{1,2}):(?P<second>\d{1,2})(?:\.(?P<fraction>\d{1,9}))?"
    r"(?:(?P<zulu>[Zz])|(?P<offset>[+-].+)| (?P<name>[^+-].*))?"
    r"|[ Tt](?P<lone_offset>[+-].+)"
    r")?",
    re.ASCII,
)


def parse_utc(text: str) -> int:
    """Parse RFC 3339 with a capital Z and at most nine fraction digits: the wire form."""
    match = _RFC3339.fullmatch(text)
    if match is None:
        reason = "" if text.endswith("Z") else "must end with an uppercase literal 'Z'"
        raise BadValue(text, "TIMESTAMP", reason)
    moment, fraction = match.groups()
    try:
        since = datetime.fromisoformat(moment) - _EPOCH
    except ValueError:  # Not a valid day or time, except for a leap second.
        return parse_sql(text, "UTC")
    nanos = (since.days * 86_400 + since.seconds) * NANOS_PER_SECOND
    return nanos + int(fraction.ljust(9, "0")) if fraction else nanos


def format_utc(nanos: int) -> str:
    """Return RFC 3339 text in UTC, with the fraction without trailing zeros."""
    seconds = nanos // NANOS_PER_SECOND  # `divmod` takes twice as long
    days = seconds // 86_400
    second = seconds - days * 86_400
    minute = second // 60
    text = f"{_day_text(days)}{_MINUTES[minute]}{_DIGITS[second - minute * 60]}"
    fraction = nanos - seconds * NANOS_PER_SECOND
    if fraction:
        digits = str(NANOS_PER_SECOND + fraction)  # nine digits after a 1
        return f"{text}.{digits[1:].rstrip('0')}Z"
    return text + "Z"


@lru_cache(maxsize=8192)
def _day_text(days: int) -> str:
    return date.fromordinal(_EPOCH_ORDINAL + days).isoformat()


def parse_sql(text: str, default_zone: str) -> int:
    """Parse a timestamp as SQL writes it, with optional time, fraction and zone."""
    match = _SQL.fullmatch(text)
    if match is None:
        raise BadValue(text, "TIMESTAMP")
    part = match.groupdict()
    fields = Civil(
        int(part["year"]),
        int(part["month"]),
        int(part["day"]),
        int(part["hour"] or 0),
        int(part["minute"] or 0),
        int(part["second"] or 0),
        int((part["fraction"] or "").ljust(9, "0")),
    )
    named = part["offset"] or part["name"] or part["lone_offset"] or default_zone
    try:
        return from_fields(fields, _UTC if part["zulu"] else zone_named(named))
    except BadValue as failure:
        raise BadValue(text, "TIMESTAMP", failure.reason) from None


def names_zone(text: str) -> bool:
    """Return whether a text for `parse_sql` names its zone."""
    match = _SQL.fullmatch(text)
    return match is not None and any(match.group("zulu", "offset", "name", "lone_offset"))


def format_sql(nanos: int, zone: str) -> str:
    """Return the text of CAST(ts AS STRING): `2020-06-02 23:57:12.120-07`.

    The fraction has 0, 3, 6 or 9 digits.
    """
    offset = shown_offset(nanos, zone)
    fields = _fields(nanos, offset)
    return (
        f"{fields.year:04d}-{fields.month:02d}-{fields.day:02d} "
        f"{fields.hour:02d}:{fields.minute:02d}:{fields.second:02d}"
        f"{fraction_in_threes(fields.nanos)}{offset_text(offset)}"
    )


def shown_offset(nanos: int, zone: str) -> int:
    """Return the offset that a text shows at an instant, in seconds, always in whole minutes.

    Old local mean times have odd seconds, which are dropped from the offset and the local time.
    """
    offset = zone_named(zone).offset_at(nanos // NANOS_PER_SECOND)
    return offset - offset % 60 if offset >= 0 else offset + -offset % 60


def offset_text(offset: int) -> str:
    """Return an offset as `+05:30`, or as `-07` for whole hours."""
    sign, minutes = ("-", -offset // 60) if offset < 0 else ("+", offset // 60)
    hours, rest = divmod(minutes, 60)
    return f"{sign}{hours:02d}:{rest:02d}" if rest else f"{sign}{hours:02d}"


def fraction_in_threes(nanos: int) -> str:
    """Return a fraction of a second as "", ".123", ".123456" or ".123456789"."""
    if not nanos:
        return ""
    if nanos % 1_000:
        return f".{nanos:09d}"
    if nanos % 1_000_000:
        return f".{nanos // 1_000:06d}"
    return f".{nanos // 1_000_000:03d}"


def civil(nanos: int, zone: str) -> Civil:
    """Return date and time of day in `zone` at an instant; the year is 0 to 10000."""
    return _fields(nanos, zone_named(zone).offset_at(nanos // NANOS_PER_SECOND))


def from_civil(fields: Civil, zone: str) -> int:
    """Return the instant of a local time in `zone`; see `Zone.instant_of`."""
    return from_fields(fields, zone_named(zone))


def from_fields(fields: Civil, zone: Zone) -> int:
    """Return the instant of a local time in `zone`; second 60 is the next minute's first."""
    year, month, day, hour, minute, second, nanos = fields
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second <= 60):
        raise BadValue(fields, "TIMESTAMP", "no such time")
    cycles, year_of_cycle = divmod(year - 1, _YEARS_PER_CYCLE)
    try:
        ordinal = date(year_of_cycle + 1, month, day).toordinal() + cycles * _DAYS_PER_CYCLE
    except ValueError:
        raise BadValue(fields, "TIMESTAMP", "no such day") from None
    local = (ordinal - _EPOCH_ORDINAL) * 86_400 + hour * 3_600 + minute * 60 + second
    return in_range(zone.instant_of(local) * NANOS_PER_SECOND + nanos)


def in_range(nanos: int) -> int:
    """Return `nanos`; raise BadValue if it is out of the range of TIMESTAMP."""
    if not TIMESTAMP_MIN <= nanos <= TIMESTAMP_MAX:
        raise BadValue(nanos, "TIMESTAMP", "out of range")
    return nanos


def _fields(nanos: int, offset: int) -> Civil:
    seconds, fraction = divmod(nanos, NANOS_PER_SECOND)
    days, rest = divmod(seconds + offset, 86_400)
    hour, rest = divmod(rest, 3_600)
    minute, second = divmod(rest, 60)
    ordinal = _EPOCH_ORDINAL + days
    if ordinal < 1:  # In zones behind UTC, the first day of year 1 begins in year 0.
        return Civil(0, 12, 31 + ordinal, hour, minute, second, fraction)
    if ordinal > _LAST_ORDINAL:
        return Civil(10_000, 1, ordinal - _LAST_ORDINAL, hour, minute, second, fraction)
    day = date.fromordinal(ordinal)
    return Civil(day.year, day.month, day.day, hour, minute, second, fraction)

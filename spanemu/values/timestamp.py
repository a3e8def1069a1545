"""TIMESTAMP: nanoseconds since 1970-01-01T00:00:00Z, from year 1 to 9999, and its texts.

Wire text is RFC 3339 in UTC. SQL text is looser and may name a zone; without one it is read in a
default zone. Zones themselves are the business of `zone`.
"""

from __future__ import annotations

import re
from datetime import date, datetime, timedelta

from spanemu.base.nanos import NANOS_PER_SECOND
from spanemu.values.errors import BadValue
from spanemu.values.zone import Civil, Zone, fixed_zone, zone_named

TIMESTAMP_MIN = -62_135_596_800 * NANOS_PER_SECOND
TIMESTAMP_MAX = 253_402_300_800 * NANOS_PER_SECOND - 1

_EPOCH = datetime(1970, 1, 1)
_EPOCH_ORDINAL = date(1970, 1, 1).toordinal()
_LAST_ORDINAL = date.max.toordinal()
_YEARS_PER_CYCLE, _DAYS_PER_CYCLE = 400, 146_097  # The calendar repeats itself.
_UTC = fixed_zone(0)

_RFC3339 = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z", re.ASCII)
_SQL = re.compile(
    r"(?P<year>\d{4,5})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?:"
    r"[ Tt](?P<hour>\d{1,2}):(?P<minute>\d{1,2}):(?P<second>\d{1,2})(?:\.(?P<fraction>\d{1,9}))?"
    r"(?:(?P<zulu>[Zz])|(?P<offset>[+-].+)| (?P<name>[^+-].*))?"
    r"|[ Tt](?P<lone_offset>[+-].+)"
    r")?",
    re.ASCII,
)


def parse_utc(text: str) -> int:
    """RFC 3339 with a capital Z and at most nine fraction digits, as on the wire."""
    found = _RFC3339.fullmatch(text)
    if found is None:
        reason = "" if text.endswith("Z") else "must end with an uppercase literal 'Z'"
        raise BadValue(text, "TIMESTAMP", reason)
    moment, fraction = found.groups()
    try:
        since = datetime.fromisoformat(moment) - _EPOCH
    except ValueError:  # No such day or time, unless it is a leap second.
        return parse_sql(text, "UTC")
    nanos = (since.days * 86_400 + since.seconds) * NANOS_PER_SECOND
    return nanos + int(fraction.ljust(9, "0")) if fraction else nanos


def format_utc(nanos: int) -> str:
    """RFC 3339 in UTC; the fraction without trailing zeros."""
    seconds, fraction = divmod(nanos, NANOS_PER_SECOND)
    text = (_EPOCH + timedelta(0, seconds)).isoformat()
    if fraction:
        return f"{text}.{fraction:09d}".rstrip("0") + "Z"
    return text + "Z"


def parse_sql(text: str, default_zone: str) -> int:
    """A timestamp as SQL writes it: time, fraction and zone may be left out."""
    found = _SQL.fullmatch(text)
    if found is None:
        raise BadValue(text, "TIMESTAMP")
    part = found.groupdict()
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
    """Whether a text that `parse_sql` reads says in which zone it is meant."""
    found = _SQL.fullmatch(text)
    return found is not None and any(found.group("zulu", "offset", "name", "lone_offset"))


def format_sql(nanos: int, zone: str) -> str:
    """As CAST(ts AS STRING): `2020-06-02 23:57:12.120-07`, the fraction in threes of digits."""
    offset = shown_offset(nanos, zone)
    fields = _fields(nanos, offset)
    return (
        f"{fields.year:04d}-{fields.month:02d}-{fields.day:02d} "
        f"{fields.hour:02d}:{fields.minute:02d}:{fields.second:02d}"
        f"{fraction_in_threes(fields.nanos)}{offset_text(offset)}"
    )


def shown_offset(nanos: int, zone: str) -> int:
    """The offset with which a text shows that instant, in seconds: always whole minutes.

    Old local mean times are off by odd seconds; those are dropped from offset and clock alike.
    """
    offset = zone_named(zone).offset_at(nanos // NANOS_PER_SECOND)
    return offset - offset % 60 if offset >= 0 else offset + -offset % 60


def offset_text(offset: int) -> str:
    """`+05:30`, or `-07` for whole hours."""
    sign, minutes = ("-", -offset // 60) if offset < 0 else ("+", offset // 60)
    hours, rest = divmod(minutes, 60)
    return f"{sign}{hours:02d}:{rest:02d}" if rest else f"{sign}{hours:02d}"


def fraction_in_threes(nanos: int) -> str:
    """A fraction of a second as "", ".123", ".123456" or ".123456789"."""
    if not nanos:
        return ""
    if nanos % 1_000:
        return f".{nanos:09d}"
    if nanos % 1_000_000:
        return f".{nanos // 1_000:06d}"
    return f".{nanos // 1_000_000:03d}"


def civil(nanos: int, zone: str) -> Civil:
    """The clock and calendar of `zone` at that instant; near the ends it may be year 0 or 10000."""
    return _fields(nanos, zone_named(zone).offset_at(nanos // NANOS_PER_SECOND))


def from_civil(fields: Civil, zone: str) -> int:
    """The instant at which `zone` shows these fields; see `Zone.instant_of`."""
    return from_fields(fields, zone_named(zone))


def from_fields(fields: Civil, zone: Zone) -> int:
    """The instant at which `zone` shows these fields; second 60 is the next minute's first."""
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
    """`nanos`, if it is a TIMESTAMP."""
    if not TIMESTAMP_MIN <= nanos <= TIMESTAMP_MAX:
        raise BadValue(nanos, "TIMESTAMP", "out of range")
    return nanos


def _fields(nanos: int, offset: int) -> Civil:
    seconds, fraction = divmod(nanos, NANOS_PER_SECOND)
    days, rest = divmod(seconds + offset, 86_400)
    hour, rest = divmod(rest, 3_600)
    minute, second = divmod(rest, 60)
    ordinal = _EPOCH_ORDINAL + days
    if ordinal < 1:  # West of Greenwich, year 1 begins in year 0.
        return Civil(0, 12, 31 + ordinal, hour, minute, second, fraction)
    if ordinal > _LAST_ORDINAL:
        return Civil(10_000, 1, ordinal - _LAST_ORDINAL, hour, minute, second, fraction)
    day = date.fromordinal(ordinal)
    return Civil(day.year, day.month, day.day, hour, minute, second, fraction)

"""TIMESTAMP: nanoseconds since 1970-01-01T00:00:00Z, year 1 to 9999, its texts, and time zones.

Wire text is RFC 3339 in UTC. SQL text is less strict and may name a zone; text without a zone is
read in a default zone.

A zone is named as in the tz database (the `tzdata` package, so that results do not depend on the
machine), or by its offset (`+05:30`). Local times that a zone skips or repeats are resolved as in
GoogleSQL; see `Zone.instant_of`.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from importlib.resources import files

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.deferred import lazy_pattern
from spanemu.base.record import NamedTuple
from spanemu.values.types import BadValue

_OFFSET = lazy_pattern(r"(?:UTC)?([+-])(\d{1,2})(?::?(\d{1,2}))?", re.ASCII)
_OFFSET_SECONDS_MAX = 14 * 3_600
# Two days inside the range of `datetime`, so that no local time leaves it. No zone changes its
# offset near these limits.
_FIRST_SECOND = -62_135_596_800 + 172_800
_LAST_SECOND = 253_402_300_799 - 172_800


class Civil(NamedTuple):
    """A date and time of day in some zone."""

    year: int
    month: int
    day: int
    hour: int = 0
    minute: int = 0
    second: int = 0
    nanos: int = 0


class Zone:
    """One time zone. Instants and local times are seconds since 1970-01-01T00:00:00."""

    __slots__ = ("_epoch", "_fixed", "_rules", "name")

    def __init__(self, name: str, rules: tzinfo, fixed: int | None = None) -> None:
        self.name = name
        self._rules = rules
        self._fixed = fixed
        self._epoch = datetime(1970, 1, 1, tzinfo=rules)  # Midnight in this zone.

    def __repr__(self) -> str:
        return f"Zone({self.name})"

    def offset_at(self, instant: int) -> int:
        """Return how many seconds local time is ahead of UTC at `instant`."""
        if self._fixed is not None:
            return self._fixed
        instant = min(max(instant, _FIRST_SECOND), _LAST_SECOND)
        return _seconds(self._rules.fromutc(self._epoch + timedelta(0, instant)).utcoffset())

    def instant_of(self, local: int) -> int:
        """Return the instant of a local time.

        A repeated local time gives its first instant; a skipped one uses the offset before the gap.
        """
        if self._fixed is not None:
            return local - self._fixed
        return local - _seconds(self._clock(local).utcoffset())

    def last_instant_of(self, local: int) -> int:
        """Return the last instant of a local time, as PostgreSQL reads it.

        A repeated local time gives its second instant; a skipped one uses the offset before
        the gap.
        """
        if self._fixed is not None:
            return local - self._fixed
        clock = self._clock(local)
        first, second = clock.utcoffset(), clock.replace(fold=1).utcoffset()
        return local - min(_seconds(first), _seconds(second))

    def abbreviation_at(self, instant: int) -> str:
        """Return the abbreviated name of local time at `instant`, such as PST."""
        instant = min(max(instant, _FIRST_SECOND), _LAST_SECOND)
        return self._rules.fromutc(self._epoch + timedelta(0, instant)).tzname() or ""

    def _clock(self, local: int) -> datetime:
        return self._epoch + timedelta(0, min(max(local, _FIRST_SECOND), _LAST_SECOND))


@lru_cache(maxsize=1024)
def zone_named(name: str) -> Zone:
    """Return the zone with that name or offset."""
    if match := _OFFSET.fullmatch(name):
        sign, hours, minutes = match.groups()
        seconds = int(hours) * 3_600 + int(minutes or 0) * 60
        if int(minutes or 0) >= 60 or seconds > _OFFSET_SECONDS_MAX:
            raise BadValue(name, "time zone", "offset out of range")
        return fixed_zone(-seconds if sign == "-" else seconds)
    if name not in _names():
        raise BadValue(name, "time zone", "no such time zone")
    if name in ("UTC", "Etc/UTC"):
        return Zone(name, UTC, 0)
    from zoneinfo import ZoneInfo

    source = files("tzdata").joinpath("zoneinfo", *name.split("/"))
    with source.open("rb") as data:
        return Zone(name, ZoneInfo.from_file(data, key=name))


@lru_cache(maxsize=256)
def fixed_zone(offset: int) -> Zone:
    """Return a zone that is always `offset` seconds ahead of UTC."""
    rules = timezone(timedelta(0, offset))
    return Zone(str(rules), rules, offset)


@lru_cache(maxsize=1)
def _names() -> frozenset[str]:
    return frozenset(files("tzdata").joinpath("zones").read_text("ascii").split())


def _seconds(offset: timedelta | None) -> int:
    assert offset is not None
    return offset.days * 86_400 + offset.seconds


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

"""Between an instant and the calendar of a zone: what date and timestamp functions share.

A zone is named as `values.zone` reads it; a bad name is the query's mistake, and reported as such.
"""

from __future__ import annotations

from datetime import date

from spanemu.base.nanos import NANOS_PER_SECOND
from spanemu.sql.functions.errors import BadArgument, BadTimeZone
from spanemu.values.date import EPOCH_ORDINAL
from spanemu.values.errors import BadValue
from spanemu.values.timestamp import TIMESTAMP_MAX, TIMESTAMP_MIN, format_utc
from spanemu.values.zone import Zone, zone_named

SECONDS_PER_DAY = 86_400

_ORDINAL_MAX = date.max.toordinal()


def zone(name: str) -> Zone:
    """The zone of that name or offset."""
    try:
        return zone_named(name)
    except BadValue:
        raise BadTimeZone(name) from None


def local_seconds(nanos: int, where: str) -> int:
    """What clocks of the zone show at the instant, in seconds since their 1970-01-01."""
    seconds = nanos // NANOS_PER_SECOND
    return seconds + zone(where).offset_at(seconds)


def day_in(nanos: int, where: str) -> date:
    """The date in a zone at an instant."""
    ordinal = EPOCH_ORDINAL + local_seconds(nanos, where) // SECONDS_PER_DAY
    if 1 <= ordinal <= _ORDINAL_MAX:
        return date.fromordinal(ordinal)
    raise BadArgument(f"Date out of range: {format_utc(nanos)} in time zone {where}")


def midnight(day: date, where: str) -> int:
    """The instant at which the date begins in a zone."""
    local = (day.toordinal() - EPOCH_ORDINAL) * SECONDS_PER_DAY
    nanos = zone(where).instant_of(local) * NANOS_PER_SECOND
    return checked(nanos, f"start of {day} in time zone {where}")


def checked(nanos: int, expression: str) -> int:
    """`nanos` if it is a TIMESTAMP; `expression` says in a message what came to it."""
    if TIMESTAMP_MIN <= nanos <= TIMESTAMP_MAX:
        return nanos
    raise BadArgument(f"Timestamp out of range: {expression}")

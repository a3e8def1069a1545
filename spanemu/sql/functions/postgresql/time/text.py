"""Input and output texts of date and timestamptz.

Texts are read in the order month, day, year, and written in ISO's form. A text without a zone is
read in the default zone of the database, and a timestamp is written in that zone.
"""

from __future__ import annotations

from datetime import date

from spanemu.base.clock import NANOS_PER_MICRO
from spanemu.sql.functions.postgresql.time.date_time import DateTime
from spanemu.sql.functions.postgresql.time.date_time_decoding import DateTimeDecoder
from spanemu.sql.functions.postgresql.time.errors import (
    InvalidTimeText,
    SpecialTimeRefused,
    Undecodable,
)
from spanemu.sql.functions.postgresql.time.fields import DATE_TEXT_MAX, split_fields
from spanemu.sql.functions.postgresql.time.zones import (
    Local,
    date_in_range,
    day_number,
    instant_of,
    local_of,
)
from spanemu.sql.functions.registry import Context
from spanemu.values.timestamp import fixed_zone, zone_named

_REFUSED = {
    "epoch": "epoch is",
    "infinity": "infinity and -infinity are",
    "-infinity": "infinity and -infinity are",
}


def date_in(text: str) -> date:
    """Return the date of a text; a time of day and a zone in the text are ignored."""
    value = _decode(text, "date")
    return date_in_range(day_number(value.year, value.month, value.day))


def date_out(day: date) -> str:
    """Return the text of a date."""
    return day.isoformat()


def timestamptz_in(context: Context, text: str) -> int:
    """Return the timestamp of a text, rounded to microseconds."""
    value = _decode(text, "timestamp with time zone")
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
    """Return a timestamp without nanoseconds, which PostgreSQL's functions do not see."""
    return nanos - nanos % NANOS_PER_MICRO


def _decode(text: str, type_name: str) -> DateTime:
    try:
        value = DateTimeDecoder(split_fields(text, DATE_TEXT_MAX)).decode()
    except Undecodable as failure:
        raise failure.error(text, type_name) from None
    if value.special in _REFUSED:
        raise SpecialTimeRefused(_REFUSED[value.special])
    if value.special:
        raise InvalidTimeText(type_name, text)
    return value

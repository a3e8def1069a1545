"""Functions on timestamps, by the chapter "Timestamp functions", and EXTRACT.

`INTERVAL n part` as an argument of TIMESTAMP_ADD or TIMESTAMP_SUB is two arguments here: an INT64
and the part. `EXTRACT(part FROM x [AT TIME ZONE z])` is `$extract(x, part [, z])`, except
that `EXTRACT(DATE FROM x ...)` is `$extract_date(x [, z])`, whose type is DATE. STRING(timestamp)
is declared in `json`, together with STRING(json).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, NoReturn

from spanemu.base.clock import (
    NANOS_PER_DAY,
    NANOS_PER_HOUR,
    NANOS_PER_MICRO,
    NANOS_PER_MILLI,
    NANOS_PER_MINUTE,
    NANOS_PER_SECOND,
)
from spanemu.sql.functions.errors import BadArgument, BadDatePart, InvalidText, Overflow
from spanemu.sql.functions.notation import chapter, function, overload
from spanemu.sql.functions.registry import Context
from spanemu.sql.functions.time.date import extract_from_date
from spanemu.sql.functions.time.date_parts import (
    EXTRACTIONS,
    SECONDS_PER_DAY,
    check_timestamp,
    date_in_zone,
    find_zone,
    local_seconds,
    midnight,
    start_of_part,
)
from spanemu.sql.functions.time.formatting import format_timestamp, moment_of
from spanemu.sql.functions.time.interval import extract_from_interval
from spanemu.sql.functions.time.parsing import parse_timestamp
from spanemu.values import timestamp as timestamps
from spanemu.values.types import BadValue as UnreadableValue

_INT64_MAX = 2**63 - 1
_INT64_MIN = -(2**63)

NANOS_PER_PART: Mapping[str, int] = {
    "NANOSECOND": 1,
    "MICROSECOND": NANOS_PER_MICRO,
    "MILLISECOND": NANOS_PER_MILLI,
    "SECOND": NANOS_PER_SECOND,
    "MINUTE": NANOS_PER_MINUTE,
    "HOUR": NANOS_PER_HOUR,
    "DAY": NANOS_PER_DAY,
}


def current_timestamp(context: Context) -> int:
    """Return `CURRENT_TIMESTAMP()`: the statement's time."""
    return context.now


def timestamp_add(nanos: int, amount: int, part: str) -> int:
    """Return `TIMESTAMP_ADD(timestamp, INTERVAL amount part)`; a day has 24 hours."""
    size = NANOS_PER_PART.get(part)
    if size is None:
        raise BadDatePart(part, "TIMESTAMP_ADD")
    later = nanos + amount * size
    if timestamps.TIMESTAMP_MIN <= later <= timestamps.TIMESTAMP_MAX:
        return later
    return check_timestamp(later, f"{timestamps.format_utc(nanos)} + {amount} {part}")


def timestamp_sub(nanos: int, amount: int, part: str) -> int:
    """Return `TIMESTAMP_SUB(timestamp, INTERVAL amount part)`; a day has 24 hours."""
    return timestamp_add(nanos, -amount, part)


def timestamp_diff(end: int, start: int, part: str) -> int:
    """Return `TIMESTAMP_DIFF(end, start, part)`: whole parts, truncated toward zero."""
    size = NANOS_PER_PART.get(part)
    if size is None:
        raise BadDatePart(part, "TIMESTAMP_DIFF")
    difference = end - start
    parts = difference // size if difference >= 0 else -(-difference // size)
    if not _INT64_MIN <= parts <= _INT64_MAX:
        raise Overflow(
            "int64",
            f"TIMESTAMP_DIFF({timestamps.format_utc(end)}, {timestamps.format_utc(start)}, {part})",
        )
    return parts


def timestamp_trunc(context: Context, nanos: int, part: str, zone_name: str | None = None) -> int:
    """Return `TIMESTAMP_TRUNC(timestamp, part [, zone])`, by a zone's clock and calendar."""
    size = NANOS_PER_PART.get(part)
    if size is not None and size <= NANOS_PER_SECOND:
        if zone_name is not None:
            find_zone(zone_name)  # Raises BadTimeZone.
        return nanos - nanos % size
    name = context.time_zone if zone_name is None else zone_name
    if size is not None and size < NANOS_PER_DAY:
        # The offset at this instant applies to the whole hour or minute, also across a change.
        seconds, width = local_seconds(nanos, name), size // NANOS_PER_SECOND
        start = nanos // NANOS_PER_SECOND - seconds % width
        return check_timestamp(start * NANOS_PER_SECOND, f"start of {part}")
    return start_of_part(nanos, part, name)


def timestamp_of_string(context: Context, text: str) -> int:
    """Return `TIMESTAMP(text)`; a text without a time zone is in the default zone."""
    return _parsed(text, context.time_zone)


def timestamp_of_string_in(text: str, zone_name: str) -> int:
    """Return `TIMESTAMP(text, zone)`. Raise BadArgument for a text that names a zone as well."""
    find_zone(zone_name)
    if timestamps.names_zone(text):
        raise BadArgument(
            "The string of TIMESTAMP(string, time zone) must not contain a time zone itself"
        )
    return _parsed(text, zone_name)


def timestamp_of_date(context: Context, day: date, zone_name: str | None = None) -> int:
    """Return `TIMESTAMP(date [, zone])`: the first instant of the date."""
    return midnight(day, context.time_zone if zone_name is None else zone_name)


def string_of_timestamp(context: Context, nanos: int, zone_name: str | None = None) -> str:
    """Return `STRING(timestamp [, zone])`."""
    zone = find_zone(context.time_zone if zone_name is None else zone_name)
    return timestamps.format_sql(nanos, zone.name)


def timestamp_of_seconds(seconds: int) -> int:
    """Return `TIMESTAMP_SECONDS(seconds)`."""
    return check_timestamp(seconds * NANOS_PER_SECOND, f"{seconds} seconds")


def timestamp_of_millis(millis: int) -> int:
    """Return `TIMESTAMP_MILLIS(millis)`."""
    return check_timestamp(millis * NANOS_PER_MILLI, f"{millis} milliseconds")


def timestamp_of_micros(micros: int) -> int:
    """Return `TIMESTAMP_MICROS(micros)`."""
    return check_timestamp(micros * NANOS_PER_MICRO, f"{micros} microseconds")


def unix_seconds(nanos: int) -> int:
    """Return `UNIX_SECONDS(timestamp)`."""
    return nanos // NANOS_PER_SECOND


def unix_millis(nanos: int) -> int:
    """Return `UNIX_MILLIS(timestamp)`."""
    return nanos // NANOS_PER_MILLI


def unix_micros(nanos: int) -> int:
    """Return `UNIX_MICROS(timestamp)`."""
    return nanos // NANOS_PER_MICRO


def extract_from_timestamp(
    context: Context, nanos: int, part: str, zone_name: str | None = None
) -> int:
    """Return `EXTRACT(part FROM timestamp [AT TIME ZONE zone])`."""
    name = context.time_zone if zone_name is None else zone_name
    of_clock = _CLOCK.get(part)
    if of_clock is not None:
        return of_clock(local_seconds(nanos, name), nanos % NANOS_PER_SECOND)
    of_day = EXTRACTIONS.get(part)
    if of_day is None:
        raise BadDatePart(part, "EXTRACT from a TIMESTAMP")
    moment = moment_of(nanos, name)
    number = of_day(moment.day)
    # A day before year 1 or after year 9999 has parts, although it is out of the range of DATE.
    return number - moment.shift if moment.shift and part in ("YEAR", "ISOYEAR") else number


def extract_date(context: Context, nanos: int, zone_name: str | None = None) -> date:
    """Return `EXTRACT(DATE FROM timestamp [AT TIME ZONE zone])`."""
    return date_in_zone(nanos, context.time_zone if zone_name is None else zone_name)


def pending_commit_timestamp() -> NoReturn:
    """Raise BadArgument: `PENDING_COMMIT_TIMESTAMP()` has no value in an expression.

    Assignments recognize the call and never evaluate it.
    """
    raise BadArgument(
        "The PENDING_COMMIT_TIMESTAMP() function may only be used as a value "
        "for INSERT or UPDATE of an appropriately typed column"
    )


def _parsed(text: str, default_zone: str) -> int:
    try:
        return timestamps.parse_sql(text, default_zone)
    except UnreadableValue:
        raise InvalidText("timestamp", text) from None


_CLOCK: Mapping[str, Callable[[int, int], int]] = {
    "NANOSECOND": lambda _, nanos: nanos,
    "MICROSECOND": lambda _, nanos: nanos // NANOS_PER_MICRO,
    "MILLISECOND": lambda _, nanos: nanos // NANOS_PER_MILLI,
    "SECOND": lambda seconds, _: seconds % 60,
    "MINUTE": lambda seconds, _: seconds // 60 % 60,
    "HOUR": lambda seconds, _: seconds % SECONDS_PER_DAY // 3_600,
}

_NOW: Any = overload("() -> TIMESTAMP", current_timestamp, context=True, stable=True)

FUNCTIONS = chapter(
    "timestamp",
    {
        "CURRENT_TIMESTAMP": (_NOW,),
        "$extract": (
            overload("(DATE, DATE_PART) -> INT64", extract_from_date),
            overload(
                "(TIMESTAMP, DATE_PART, [STRING]) -> INT64", extract_from_timestamp, context=True
            ),
            overload("(INTERVAL, DATE_PART) -> INT64", extract_from_interval),
        ),
        "$extract_date": (overload("(TIMESTAMP, [STRING]) -> DATE", extract_date, context=True),),
        "FORMAT_TIMESTAMP": function(
            (overload("(STRING, TIMESTAMP, [STRING]) -> STRING", format_timestamp, context=True),),
            is_slow=True,
        ),
        "PARSE_TIMESTAMP": function(
            (overload("(STRING, STRING, [STRING]) -> TIMESTAMP", parse_timestamp, context=True),),
            is_slow=True,
        ),
        "PENDING_COMMIT_TIMESTAMP": (
            overload("() -> TIMESTAMP", pending_commit_timestamp, volatile=True),
        ),
        "TIMESTAMP": (
            overload("(STRING) -> TIMESTAMP", timestamp_of_string, context=True),
            overload("(STRING, STRING) -> TIMESTAMP", timestamp_of_string_in),
            overload("(DATE, [STRING]) -> TIMESTAMP", timestamp_of_date, context=True),
        ),
        "TIMESTAMP_ADD": (overload("(TIMESTAMP, INT64, DATE_PART) -> TIMESTAMP", timestamp_add),),
        "TIMESTAMP_SUB": (overload("(TIMESTAMP, INT64, DATE_PART) -> TIMESTAMP", timestamp_sub),),
        "TIMESTAMP_DIFF": (overload("(TIMESTAMP, TIMESTAMP, DATE_PART) -> INT64", timestamp_diff),),
        "TIMESTAMP_TRUNC": (
            overload(
                "(TIMESTAMP, DATE_PART, [STRING]) -> TIMESTAMP", timestamp_trunc, context=True
            ),
        ),
        "TIMESTAMP_SECONDS": (overload("(INT64) -> TIMESTAMP", timestamp_of_seconds),),
        "TIMESTAMP_MILLIS": (overload("(INT64) -> TIMESTAMP", timestamp_of_millis),),
        "TIMESTAMP_MICROS": (overload("(INT64) -> TIMESTAMP", timestamp_of_micros),),
        "UNIX_SECONDS": (overload("(TIMESTAMP) -> INT64", unix_seconds),),
        "UNIX_MILLIS": (overload("(TIMESTAMP) -> INT64", unix_millis),),
        "UNIX_MICROS": (overload("(TIMESTAMP) -> INT64", unix_micros),),
    },
)

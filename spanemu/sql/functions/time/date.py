"""Functions on dates, by the chapter "Date functions".

`INTERVAL n part` as an argument of DATE_ADD or DATE_SUB is two arguments here: an INT64 and the
part. `date_parts` defines the parts; `formatting` and `parsing` convert to and from text.
"""

from __future__ import annotations

from datetime import date

from spanemu.sql.functions.errors import BadArgument, BadDatePart
from spanemu.sql.functions.notation import chapter, function, overload
from spanemu.sql.functions.registry import Context
from spanemu.sql.functions.time.date_parts import (
    EXTRACTIONS,
    add_parts,
    count_boundaries,
    date_from_ordinal,
    date_in_zone,
    truncate,
)
from spanemu.sql.functions.time.formatting import format_date
from spanemu.sql.functions.time.parsing import parse_date
from spanemu.values.date import EPOCH_ORDINAL


def current_date(context: Context) -> date:
    """Return `CURRENT_DATE()`: the date of the statement's time in the default time zone."""
    return date_in_zone(context.now, context.time_zone)


def current_date_in(context: Context, zone: str) -> date:
    """Return `CURRENT_DATE(zone)`."""
    return date_in_zone(context.now, zone)


def date_of_parts(year: int, month: int, day: int) -> date:
    """Return `DATE(year, month, day)`."""
    try:
        return date(year, month, day)
    except (ValueError, OverflowError):
        raise BadArgument(f"Input calculates to invalid date: {year}-{month}-{day}") from None


def date_of_timestamp(context: Context, timestamp: int, zone: str | None = None) -> date:
    """Return `DATE(timestamp [, zone])`."""
    return date_in_zone(timestamp, context.time_zone if zone is None else zone)


def date_sub(day: date, amount: int, part: str) -> date:
    """Return `DATE_SUB(day, INTERVAL amount part)`."""
    return add_parts(day, -amount, part)


def date_from_unix_date(days: int) -> date:
    """Return `DATE_FROM_UNIX_DATE(days)`, which counts days from 1970-01-01."""
    return date_from_ordinal(EPOCH_ORDINAL + days, f"{days} days after 1970-01-01")


def unix_date(day: date) -> int:
    """Return `UNIX_DATE(day)`: the number of days since 1970-01-01."""
    return day.toordinal() - EPOCH_ORDINAL


def extract_from_date(day: date, part: str) -> int:
    """Return `EXTRACT(part FROM date)`."""
    function = EXTRACTIONS.get(part)
    if function is None:
        raise BadDatePart(part, "EXTRACT from a DATE")
    return function(day)


_ADD = (overload("(DATE, INT64, DATE_PART) -> DATE", add_parts),)
_SUB = (overload("(DATE, INT64, DATE_PART) -> DATE", date_sub),)

FUNCTIONS = chapter(
    "date",
    {
        "CURRENT_DATE": (
            overload("() -> DATE", current_date, context=True, stable=True),
            overload("(STRING) -> DATE", current_date_in, context=True, stable=True),
        ),
        "DATE": (
            overload("(INT64, INT64, INT64) -> DATE", date_of_parts),
            overload("(TIMESTAMP, [STRING]) -> DATE", date_of_timestamp, context=True),
        ),
        "DATE_ADD|ADDDATE": _ADD,
        "DATE_SUB|SUBDATE": _SUB,
        "DATE_DIFF": (overload("(DATE, DATE, DATE_PART) -> INT64", count_boundaries),),
        "DATE_TRUNC": (overload("(DATE, DATE_PART) -> DATE", truncate),),
        "DATE_FROM_UNIX_DATE": (overload("(INT64) -> DATE", date_from_unix_date),),
        "UNIX_DATE": (overload("(DATE) -> INT64", unix_date),),
        "FORMAT_DATE": function((overload("(STRING, DATE) -> STRING", format_date),), is_slow=True),
        "PARSE_DATE": function((overload("(STRING, STRING) -> DATE", parse_date),), is_slow=True),
    },
)

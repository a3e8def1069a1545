"""PARSE_DATE and PARSE_TIMESTAMP: parsing a text by a format string.

`parse_elements` parses the elements of a format into fields; this module combines the fields into a
date or an instant.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date

from spanemu.base.clock import NANOS_PER_SECOND
from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.errors import UnparseableText
from spanemu.sql.functions.registry import Context
from spanemu.sql.functions.time.date_parts import (
    CYCLE_DAYS,
    CYCLE_YEARS,
    SECONDS_PER_DAY,
    check_timestamp,
    find_zone,
)
from spanemu.sql.functions.time.parse_elements import compiled, skip_spaces
from spanemu.sql.functions.time.parse_fields import Fields, resolve_date
from spanemu.values.date import EPOCH_ORDINAL


def parse_date(pattern: str, text: str) -> date:
    """Return `PARSE_DATE(format, text)`."""
    fields = _read(pattern, text, True)
    year = resolve_date(fields, _full_year(fields), text, pattern)
    if not 1 <= year <= 9_999:
        raise UnparseableText(text, pattern)
    _check_day(year, fields, text, pattern)
    return date(year, fields.month, fields.day)


def parse_timestamp(context: Context, pattern: str, text: str, zone_name: str | None = None) -> int:
    """Return `PARSE_TIMESTAMP(format, text [, zone])`."""
    default = find_zone(context.time_zone if zone_name is None else zone_name)
    fields = _read(pattern, text, False)
    if fields.instant is not None:
        return check_timestamp(fields.instant * NANOS_PER_SECOND, text)
    hour = fields.hour + 12 if fields.hour_of_twelve and fields.afternoon else fields.hour
    local = (
        _days(resolve_date(fields, _full_year(fields), text, pattern), fields, text, pattern)
        * SECONDS_PER_DAY
        + hour * 3_600
        + fields.minute * 60
        + fields.second
    )
    nanos = fields.nanos
    if fields.second == 60:  # A leap second is the next minute's first; its fraction is dropped.
        nanos = 0
    if fields.offset is not None:
        seconds = local - fields.offset
    else:
        seconds = (fields.zone or default).instant_of(local)
    return check_timestamp(seconds * NANOS_PER_SECOND + nanos, text)


def _read(pattern: str, text: str, for_date: bool) -> Fields:
    fields = Fields()
    steps = compiled(pattern, for_date)
    at = skip_spaces(fields, text, 0)
    for step in interruptible(steps):
        if at == len(text) and step is not skip_spaces:
            raise UnparseableText(text, pattern)
        at = step(fields, text, at)
        if at < 0:
            raise UnparseableText(text, pattern)
    if skip_spaces(fields, text, at) != len(text):
        raise UnparseableText(text, pattern)
    return fields


def _full_year(fields: Fields) -> int:
    if fields.year_of_century is None:
        return fields.year
    return fields.century * 100 + fields.year_of_century


def _check_day(year: int, fields: Fields, text: str, pattern: str) -> None:
    equivalent_year = year + CYCLE_YEARS if year < 1 else year
    if fields.day > 28 and fields.day > monthrange(equivalent_year, fields.month)[1]:
        raise UnparseableText(text, pattern)


def _days(year: int, fields: Fields, text: str, pattern: str) -> int:
    """Return the days since 1970-01-01; years 0 and 10000 may be a TIMESTAMP in some time zone."""
    _check_day(year, fields, text, pattern)
    if year < 1:
        return date(year + CYCLE_YEARS, fields.month, fields.day).toordinal() - (
            CYCLE_DAYS + EPOCH_ORDINAL
        )
    if year > 9_999:
        return date(year - CYCLE_YEARS, fields.month, fields.day).toordinal() + (
            CYCLE_DAYS - EPOCH_ORDINAL
        )
    return date(year, fields.month, fields.day).toordinal() - EPOCH_ORDINAL

"""The fields that PARSE_DATE and PARSE_TIMESTAMP read from a text."""

from __future__ import annotations

from datetime import date

from spanemu.sql.functions.errors import BadArgument, UnparseableText
from spanemu.values.timestamp import Zone


class Fields:
    """The fields read from a text.

    A field that the text leaves out is that of 1970-01-01 00:00:00.
    """

    __slots__ = (
        "afternoon",
        "century",
        "century_given",
        "day",
        "day_of_year",
        "hour",
        "hour_of_twelve",
        "instant",
        "iso_year",
        "minute",
        "month",
        "nanos",
        "offset",
        "order",
        "second",
        "week",
        "week_start",
        "year",
        "year_of_century",
        "zone",
    )

    def __init__(self) -> None:
        self.year = 1970
        self.month = self.day = 1
        self.hour = self.minute = self.second = self.nanos = 0
        self.year_of_century: int | None = None  # set if the latest was %y or %C
        self.century = 0
        self.century_given = False
        self.hour_of_twelve = self.afternoon = False
        self.instant: int | None = None  # %s, which overrides all other fields
        self.offset: int | None = None  # seconds
        self.zone: Zone | None = None
        self.week = self.week_start = self.day_of_year = self.iso_year = 0
        self.order: dict[str, int] = {}  # part of the date -> the rank of its latest element

    def record(self, part: str) -> None:
        """Record that the latest element of the text specifies `part` of the date."""
        self.order[part] = len(self.order) + max(self.order.values(), default=0) + 1


def resolve_date(fields: Fields, year: int, text: str, pattern: str) -> int:
    """Set the month and day that `fields` give by week or day of year; return the final year."""
    order = fields.order
    week, day, weekday = order.get("week", 0), order.get("day_of_year", 0), "weekday" in order
    if not week and not day:
        by_iso_year = "iso_year" in order and not order.keys() & {"year", "month", "day"}
        return _start_of_iso_year(fields, text, pattern) if by_iso_year else year
    if not 1 <= year <= 9_999:
        raise UnparseableText(text, pattern)
    by_day = day > week or (day and not weekday)
    if not by_day and weekday:
        raise BadArgument("Weekday parse elements are not supported yet")
    resolved = _day_of_year(fields, year, text, pattern) if by_day else _start_of_week(fields, year)
    since = day if by_day else week
    if order.get("month", 0) < since:
        fields.month = resolved.month
    if order.get("day", 0) < since:
        fields.day = resolved.day
    return year if order.get("year", 0) > since else resolved.year


def _day_of_year(fields: Fields, year: int, text: str, pattern: str) -> date:
    first = date(year, 1, 1).toordinal()
    if first + fields.day_of_year > date(year, 12, 31).toordinal() + 1:
        raise UnparseableText(text, pattern)
    return date.fromordinal(first + fields.day_of_year - 1)


def _start_of_iso_year(fields: Fields, text: str, pattern: str) -> int:
    if "iso_week" in fields.order:
        raise BadArgument("ISO parse elements are not supported yet")
    try:
        first = date.fromisocalendar(fields.iso_year, 1, 1)
    except ValueError:
        raise UnparseableText(text, pattern) from None
    fields.month, fields.day = first.month, first.day
    return first.year


def _start_of_week(fields: Fields, year: int) -> date:
    """Return the first day of the week; days before the first whole week are in week 0."""
    first = date(year, 1, 1)
    into_week = (first.weekday() - fields.week_start) % 7
    lowest = 0 if into_week else 1
    start = first.toordinal() - into_week + 7 * (fields.week - lowest)
    if fields.week < lowest or start > date(year, 12, 31).toordinal():
        raise BadArgument(f"Week number {fields.week} is invalid for year {year}")
    if start < 1:
        raise BadArgument("Invalid result from parsing function")
    return date.fromordinal(start)

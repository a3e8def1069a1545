"""The parts of a decoded date or timestamp, the texts of its parts, Julian days and ISO weeks."""

from __future__ import annotations

import re
from calendar import isleap, monthrange
from dataclasses import dataclass

from spanemu.sql.functions.postgresql.errors import Problem, Undecodable
from spanemu.sql.functions.postgresql.time.fields import INT64_MAX, fraction_micros, leading_integer
from spanemu.sql.functions.postgresql.time.zones import Local
from spanemu.values.timestamp import Zone

_CENTURY_PIVOT = 70
_PIECE = re.compile(r"[^a-z\d]*(\d+|[a-z]+)", re.ASCII)


@dataclass(slots=True)
class DateTime:
    """The parts of a decoded text. `special` names infinity and other words in place of a date.

    `offset` is in seconds east of Greenwich; without `zone` and `offset` the default zone applies.
    """

    year: int = 0
    month: int = 0
    day: int = 0
    hour: int = 0
    minute: int = 0
    second: int = 0
    micros: int = 0
    day_of_year: int = 0
    offset: int | None = None
    zone: Zone | None = None
    special: str = ""

    def local(self) -> Local:
        """Return date and time of day."""
        return Local(
            self.year, self.month, self.day, self.hour, self.minute, self.second, self.micros
        )


def days_in_month(year: int, month: int) -> int:
    """Return the number of days of a month in any year."""
    return monthrange(2000 if isleap(year) else 2001, month)[1]


def with_century(year: int) -> int:
    """Return the year that a number of one or two digits means: 1970 to 2069."""
    if year >= 100:
        return year
    return year + (2000 if year < _CENTURY_PIVOT else 1900)


def clock_of(text: str, minutes_first: bool = False) -> tuple[int, int, int, int]:
    """Return hours, minutes, seconds and microseconds of a text with colons.

    Of two numbers the first is hours; minutes if the second has a fraction or `minutes_first`.
    """
    hour, rest = leading_integer(text, INT64_MAX)
    minute, rest = _digits(rest[1:])
    second = micros = 0
    if rest[:1] == ":":
        second, rest = _digits(rest[1:])
        micros = fraction_micros(rest) if rest else 0
    elif rest[:1] == "." or (minutes_first and not rest):
        micros = fraction_micros(rest) if rest else 0
        hour, minute, second = 0, hour, minute
    elif rest:
        raise Undecodable(Problem.FORMAT)
    if hour < 0 or not 0 <= minute <= 59 or not 0 <= second <= 60:
        raise Undecodable(Problem.FIELD)
    return hour, minute, second, micros


def _digits(text: str) -> tuple[int, str]:
    """Return the number at the start of a text, zero without digits, and the rest of the text."""
    return leading_integer(text) if text[:1].isdecimal() else (0, text)


def date_pieces(text: str) -> list[str]:
    """Cut a date with delimiters into runs of digits and runs of letters.

    The character after a run is a delimiter, even if it is a letter or a digit.
    """
    pieces: list[str] = []
    at = 0
    while at < len(text):
        match = _PIECE.match(text, at)
        if match is None:
            raise Undecodable(Problem.FORMAT)
        pieces.append(match[1])
        at = match.end() + 1
    return pieces


WEEK = 7


def truncated_quotient(number: int, divisor: int) -> int:
    """Return the quotient, truncated toward zero."""
    quotient = abs(number) // divisor
    return -quotient if number < 0 else quotient


def truncated_remainder(number: int, divisor: int) -> int:
    """Return the remainder of `truncated_quotient`, with the sign of the number."""
    return number - truncated_quotient(number, divisor) * divisor


def julian_day(year: int, month: int, day: int) -> int:
    """Return the Julian day of a date; an interval's numbers need not be possible dates."""
    if month > 2:
        month, year = month + 1, year + 4_800
    else:
        month, year = month + 13, year + 4_799
    century = truncated_quotient(year, 100)
    days = year * 365 - 32_167
    days += truncated_quotient(year, 4) - century + truncated_quotient(century, 4)
    return days + truncated_quotient(7_834 * month, 256) + day


def week_start(year: int, week: int) -> int:
    """Return the Julian day of the Monday of a week of an ISO year."""
    fourth = julian_day(year, 1, 4)
    return fourth - fourth % WEEK + (week - 1) * WEEK


def iso_week(year: int, month: int, day: int) -> tuple[int, int]:
    """Return the ISO year and the week of a date."""
    number = julian_day(year, month, day)
    if number < week_start(year, 1):
        year -= 1
    week = truncated_quotient(number - week_start(year, 1), WEEK) + 1
    if week >= 52 and number >= week_start(year + 1, 1):
        year += 1
        week = truncated_quotient(number - week_start(year, 1), WEEK) + 1
    return year, week


def iso_day_of_year(year: int, month: int, day: int) -> int:
    """Return the number of a date's day in its ISO year."""
    number = julian_day(year, month, day)
    return number - week_start(iso_week(year, month, day)[0], 1) + 1

"""Julian days and ISO weeks of any year, as PostgreSQL computes them."""

from __future__ import annotations

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

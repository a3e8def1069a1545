"""Fields of an interval, interpreted from right to left, and the ISO 8601 forms.

    "1 year 2 mons -3 days 04:05:06.5", "@ 1 day ago", "1-2 3 4:05:06"   PostgreSQL, verbose, SQL
    "P1Y2M3DT4H5M6.5S", "P0001-02-03T04:05:06", "P00010203T040506"       ISO 8601

A number's unit stands to its right, so the decoder goes backwards.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from spanemu.sql.functions.postgresql.errors import Problem, Undecodable
from spanemu.sql.functions.postgresql.time.date_time import clock_of
from spanemu.sql.functions.postgresql.time.date_time_decoding import (
    MICROS_PER_DAY,
    SECOND_PARTS,
    TIME_PARTS,
)
from spanemu.sql.functions.postgresql.time.fields import (
    INT64_MAX,
    Field,
    Kind,
    WordKind,
    fraction_of,
    interval_word,
    leading_integer,
)

MICROS_PER_SECOND = 1_000_000
MICROS_PER_HOUR = 3_600 * MICROS_PER_SECOND
MONTHS_PER_YEAR = 12
DAYS_PER_MONTH = 30
DAYS_PER_WEEK = 7

_TIME_UNITS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": MICROS_PER_SECOND,
    "minute": 60 * MICROS_PER_SECOND,
    "hour": MICROS_PER_HOUR,
}
_YEAR_UNITS = {"year": 1, "decade": 10, "century": 100, "millennium": 1_000}


@dataclass(slots=True)
class Span:
    """The amounts of an interval that is being decoded."""

    months: int = 0
    days: int = 0
    micros: int = 0

    def add(self, unit: str, whole: int, fraction: float) -> None:
        """Add an amount of a unit; a fraction of a unit is carried to smaller units.

        A fraction of a year goes to whole months, of a month or week to days and microseconds.
        """
        if unit in _TIME_UNITS:
            self.micros += whole * _TIME_UNITS[unit]
            self._add_micros(fraction, _TIME_UNITS[unit])
        elif unit in _YEAR_UNITS:
            months = _YEAR_UNITS[unit] * MONTHS_PER_YEAR
            self.months += whole * months + round(fraction * _YEAR_UNITS[unit] * MONTHS_PER_YEAR)
        elif unit == "month":
            self.months += whole
            self._add_days(fraction, DAYS_PER_MONTH)
        elif unit == "week":
            self.days += whole * DAYS_PER_WEEK
            self._add_days(fraction, DAYS_PER_WEEK)
        elif unit == "day":
            self.days += whole
            self._add_micros(fraction, MICROS_PER_DAY)
        else:
            raise Undecodable(Problem.FORMAT)

    def _add_days(self, fraction: float, days: int) -> None:
        amount = fraction * days
        self.days += int(amount)
        self._add_micros(amount - int(amount), MICROS_PER_DAY)

    def _add_micros(self, fraction: float, micros: int) -> None:
        amount = fraction * micros
        whole = int(amount)
        rest = amount - whole
        self.micros += whole + (rest > 0.5) - (rest < -0.5)

    def negate(self) -> None:
        """Change the sign of all amounts."""
        self.months, self.days, self.micros = -self.months, -self.days, -self.micros


# ---------------------------------------------------------------------------- forms with units


def decode_interval(fields: list[Field], last_unit: str, minutes_first: bool) -> Span:
    """Return the interval of fields; `last_unit` is the unit of a last number without unit.

    With `minutes_first`, 1:30 is a minute and 30 seconds.
    """
    span, seen, unit, is_ago = Span(), set[str](), "", False
    for item in reversed(fields):
        parts: frozenset[str] = frozenset()
        if item.kind in (Kind.WORD, Kind.SIGNED_WORD):
            unit, is_ago = _unit_word(item.text, unit, is_ago)
        elif _is_clock(item):
            span.micros = _clock_micros(item.text, minutes_first)
            parts, unit = TIME_PARTS, "day"
        else:
            unit, parts = _add_number(span, item.text, unit or last_unit)
        if parts & seen:
            raise Undecodable(Problem.FORMAT)
        seen |= parts
    if not seen:
        raise Undecodable(Problem.FORMAT)
    if is_ago:
        span.negate()
    return span


def _unit_word(text: str, unit: str, is_ago: bool) -> tuple[str, bool]:
    word = interval_word(text)
    if word is None:
        raise Undecodable(Problem.FORMAT)
    if word.kind is WordKind.AGO:
        # The word takes the place of a unit, so that a number before it needs its own.
        return "ago", True
    return (word.name, is_ago) if word.kind is WordKind.UNIT else (unit, is_ago)


def _is_clock(item: Field) -> bool:
    return item.kind is Kind.TIME or (item.kind is Kind.ZONE and ":" in item.text)


def _clock_micros(text: str, minutes_first: bool) -> int:
    try:
        hour, minute, second, micros = clock_of(text.lstrip("+-"), minutes_first)
    except Undecodable:
        if text[0].isdecimal():
            raise
        raise Undecodable(Problem.FORMAT) from None
    total = ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND + micros
    return -total if text[0] == "-" else total


def _add_number(span: Span, text: str, unit: str) -> tuple[str, frozenset[str]]:
    """Add a number to the interval; return the unit of the next number, and the parts given."""
    whole, rest = (0, text) if text[0] == "." else leading_integer(text, INT64_MAX)
    fraction = 0.0
    if rest[:1] == "-":  # SQL's years-months
        months, rest = leading_integer(rest[1:]) if rest[1:] else (0, "")
        if not 0 <= months < MONTHS_PER_YEAR:
            raise Undecodable(Problem.FIELD)
        unit = "month"
        whole = whole * MONTHS_PER_YEAR + (-months if text[0] == "-" else months)
        if rest:
            raise Undecodable(Problem.FORMAT)
    elif rest:
        fraction = fraction_of(rest)
    span.add(unit, whole, -fraction if text[0] == "-" else fraction)
    if unit == "second" and fraction:
        return unit, SECOND_PARTS
    return ("day" if unit == "hour" else unit), frozenset({unit})


# ---------------------------------------------------------------------------- ISO 8601

_NUMBER = re.compile(r"-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?", re.ASCII)
_DATE_LETTERS: Mapping[str, str] = {"Y": "year", "M": "month", "W": "week", "D": "day"}
_TIME_LETTERS: Mapping[str, str] = {"H": "hour", "M": "minute", "S": "second"}
_NUMBER_MAX = 1.0e15


def decode_iso(text: str) -> Span:
    """Return the interval of an ISO 8601 text; raise Undecodable for any other text."""
    if len(text) < 2 or text[0] != "P":
        raise Undecodable(Problem.FORMAT)
    span = Span()
    dates, mark, times = text[1:].partition("T")
    _add_section(span, dates, _DATE_LETTERS, "-")
    if mark:
        for section in times.split("T"):
            _add_section(span, section, _TIME_LETTERS, ":")
    return span


def _add_section(span: Span, text: str, letters: Mapping[str, str], delimiter: str) -> None:
    """Add the part before or after T: amounts with letters, or the alternative form."""
    at, has_amounts = 0, False
    while at < len(text):
        whole, fraction, end = _read_number(text, at)
        letter = text[end : end + 1]
        if letter in letters:
            span.add(letters[letter], whole, fraction)
            at, has_amounts = end + 1, True
        elif not has_amounts and letter in ("", delimiter):
            return _add_alternative(span, text, letters, delimiter)
        else:
            raise Undecodable(Problem.FORMAT)
    return None


def _add_alternative(span: Span, text: str, letters: Mapping[str, str], delimiter: str) -> None:
    """Add yyyy-mm-dd or hh:mm:ss, or either without delimiters."""
    units = [letters[letter] for letter in ("YMD" if delimiter == "-" else "HMS")]
    whole, fraction, end = _read_number(text, 0)
    digits = len(re.match(r"-?(\d*)", text)[1])  # type: ignore[index]
    if end == len(text) and digits == (8 if delimiter == "-" else 6):
        year, rest = _truncated(whole, 10_000)
        month, day = _truncated(rest, 100)
        for unit, amount in zip(units, (year, month, day), strict=True):
            span.add(unit, amount, 0.0)
        span.add("day" if delimiter == "-" else "microsecond", 0, fraction)
        return
    at = 0
    for unit in units:
        whole, fraction, at = _read_number(text, at)
        span.add(unit, whole, fraction)
        if at == len(text):
            return
        if text[at] != delimiter:
            break
        at += 1
    raise Undecodable(Problem.FORMAT)


def _read_number(text: str, at: int) -> tuple[int, float, int]:
    """Return the whole part, the fraction and the end of the number at a position."""
    match = _NUMBER.match(text, at)
    if match is None:
        raise Undecodable(Problem.FORMAT)
    number = float(match[0])
    if not abs(number) <= _NUMBER_MAX:
        raise Undecodable(Problem.FIELD)
    whole = math.trunc(number)
    return whole, number - whole, match.end()


def _truncated(number: int, size: int) -> tuple[int, int]:
    quotient, rest = divmod(abs(number), size)
    return (-quotient, -rest) if number < 0 else (quotient, rest)

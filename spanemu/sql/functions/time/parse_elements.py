"""The elements of the format strings of PARSE_DATE and PARSE_TIMESTAMP, as steps of a parser.

A step takes the fields parsed before, the text and an offset. It returns the offset after the text
that it consumed, or -1 if the text does not match. Where several elements specify the same part of
a date, `parse_fields` decides after the whole text is read. White space in the format matches any
amount of white space in the text, also none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from spanemu.base.deadline_checks import interruptible_stream
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.text.pattern_cache import pattern_cache
from spanemu.sql.functions.time.date_parts import find_zone
from spanemu.sql.functions.time.formatting import CLOCK_ELEMENTS, DAYS, MONTHS
from spanemu.sql.functions.time.parse_fields import Fields

_SPACES = " \t\n\v\f\r"
_OFFSET_HOURS_MAX = 14
# Fields of the date, whose order in the format matters -> the part that they specify.
_ORDERED: Mapping[str, str] = {
    "year": "year",
    "year_of_century": "year",
    "century": "year",
    "month": "month",
    "day": "day",
    "week": "week",
    "day_of_year": "day_of_year",
    "iso_year": "iso_year",
}


Step = Callable[[Fields, str, int], int]


class _Number(NamedTuple):
    """An element that is a number and sets the field of that name ("" sets none)."""

    digits: int
    low: int
    high: int
    field: str = ""


@pattern_cache
def compiled(pattern: str, for_date: bool) -> tuple[Step, ...]:
    """Return the steps of a format string.

    Raise BadArgument for an unknown element, and for an element of the clock if the format is for
    dates.
    """
    return tuple(interruptible_stream(_steps(pattern, for_date)))


def _steps(pattern: str, for_date: bool) -> Iterator[Step]:
    at = 0
    while at < len(pattern):
        char = pattern[at]
        if char == "%":
            at, step = _element(pattern, at + 1, for_date)
            yield step
        else:
            yield skip_spaces if char in _SPACES else _literal(char)
            at += 1


def _element(pattern: str, at: int, for_date: bool) -> tuple[int, Step]:
    """Return the end of the element after a % and its step."""
    if at == len(pattern):
        raise BadArgument("Format string cannot end with a single '%'")
    name = pattern[at]
    step: Step | None = None
    end = at + 1
    if name == "E":
        end, name, step = _extended(pattern, at + 1)
    elif name == "O" and at + 1 < len(pattern):
        name = pattern[at + 1]
        end = at + 2
    # A fifth digit of a year (or third of a century) belongs to the following element.
    tight = pattern[end : end + 1] == "%"
    if step is None:
        step = (_TIGHT.get(name) if tight else None) or ELEMENTS.get(name)
    if for_date and name in CLOCK_ELEMENTS:
        raise BadArgument(f"Invalid format: %{pattern[at:end]} is not allowed for the DATE type")
    if step is None:
        raise BadArgument(f"Invalid format: %{pattern[at:end]} cannot be used for parsing")
    return end, step


def _extended(pattern: str, at: int) -> tuple[int, str, Step | None]:
    """Return the end, the plain name and the step of an element with E: %Ez, %E4Y, %E3S, %E*S.

    Any other element with E means the same as without.
    """
    if pattern.startswith("z", at):
        return at + 1, "z", _rfc3339_offset
    if pattern.startswith("4Y", at):
        return at + 2, "Y", _year_of_four
    if pattern.startswith("*S", at):
        return at + 2, "S", _seconds_with(None)
    if pattern[at : at + 1] in tuple("0123456789") and pattern[at + 1 : at + 2] == "S":
        return at + 2, "S", _seconds_with(int(pattern[at]))
    return at + 1, pattern[at : at + 1], None


def skip_spaces(_: Fields, text: str, at: int) -> int:
    """Return the offset after any white space at `at`: the step of white space in a format."""
    while at < len(text) and text[at] in _SPACES:
        at += 1
    return at


def _literal(char: str) -> Step:
    return lambda _, text, at: at + 1 if text[at : at + 1] == char else -1


def _digits(text: str, at: int, most: int) -> int:
    """Return the end of a run of at most `most` digits."""
    end = at
    while end < len(text) and end - at < most and text[end] in "0123456789":
        end += 1
    return end


def _number(number: _Number) -> Step:
    """Return the step of a numeric element. The step fails for a number out of range."""
    digits, low, high, field = number

    def step(fields: Fields, text: str, at: int) -> int:
        end = _digits(text, at, digits)
        if end == at:
            return -1
        value = int(text[at:end])
        if not low <= value <= high:
            return -1
        if field:
            setattr(fields, field, value)
            if field in _ORDERED:
                fields.record(_ORDERED[field])
        return end

    return step


def _after_spaces(step: Step) -> Step:
    return lambda fields, text, at: step(fields, text, skip_spaces(fields, text, at))


def _then(step: Step, effect: Callable[[Fields], None]) -> Step:
    def both(fields: Fields, text: str, at: int) -> int:
        end = step(fields, text, at)
        if end >= 0:
            effect(fields)
        return end

    return both


def _joined(pattern: str) -> Step:
    """Return the step of an element that stands for several others."""

    def step(fields: Fields, text: str, at: int) -> int:
        for part in compiled(pattern, False):
            at = part(fields, text, at)
            if at < 0:
                break
        return at

    return step


def _name(names: tuple[str, ...], field: str) -> Step:
    """Return the step of a full or short English name in any letter case.

    The step sets the field to the number of the name, counted from 1.
    """
    long_first = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in names)
    pattern = re.compile(long_first, re.IGNORECASE | re.ASCII)
    numbers = {name[:3].lower(): number for number, name in enumerate(names, 1)}

    def step(fields: Fields, text: str, at: int) -> int:
        match = pattern.match(text, at)
        if match is None:
            return -1
        if field:
            setattr(fields, field, numbers[match[0][:3].lower()])
        fields.record(field or "weekday")
        return match.end()

    return step


def _am_or_pm(fields: Fields, text: str, at: int) -> int:
    word = text[at : at + 2].lower()
    if word not in ("am", "pm"):
        return -1
    fields.afternoon = word == "pm"
    return at + 2


def _year_given(fields: Fields) -> None:
    fields.year_of_century = None
    fields.century_given = False


def _year_of_four(fields: Fields, text: str, at: int) -> int:
    end = _YEAR_OF_FOUR(fields, text, at)
    return end if end == at + 4 else -1


def _short_year_given(fields: Fields) -> None:
    year = fields.year_of_century or 0
    if not fields.century_given:
        fields.century = 20 if year < 69 else 19


def _short_iso_year_given(fields: Fields) -> None:
    fields.iso_year += 2000 if fields.iso_year < 69 else 1900


def _century_given(fields: Fields) -> None:
    fields.century_given = True
    if fields.year_of_century is None:
        fields.year_of_century = 0


def _quarter(fields: Fields, text: str, at: int) -> int:
    if text[at : at + 1] not in tuple("1234"):
        return -1
    fields.month = int(text[at]) * 3 - 2
    fields.day = 1
    fields.record("month")
    fields.record("day")
    return at + 1


def _hour_given(fields: Fields) -> None:
    fields.hour_of_twelve = False


def _twelve_given(fields: Fields) -> None:
    fields.hour %= 12
    fields.hour_of_twelve = True


def _epoch_seconds(fields: Fields, text: str, at: int) -> int:
    start = at + (text[at : at + 1] == "-")
    end = _digits(text, start, 12)
    if end == start:
        return -1
    fields.instant = int(text[at:end])
    return end


def _seconds_with(most: int | None) -> Step:
    """Return the step of seconds with an optional fraction of at most `most` digits.

    None stands for any number of digits.
    """

    def step(fields: Fields, text: str, at: int) -> int:
        end = _SECONDS(fields, text, at)
        if end < 0 or most == 0 or text[end : end + 1] != ".":
            return end
        stop = _digits(text, end + 1, len(text) if most is None else most)
        if stop == end + 1:
            return -1
        fields.nanos = int(text[end + 1 : stop][:9].ljust(9, "0"))
        return stop

    return step


def _offset(fields: Fields, text: str, at: int, separator: str) -> int:
    if text[at : at + 1] not in ("+", "-") or _digits(text, at + 1, 2) != at + 3:
        return -1
    hours, minutes, end = int(text[at + 1 : at + 3]), 0, at + 3
    start = end + (separator != "" and text.startswith(separator, end))
    if _digits(text, start, 2) == start + 2:
        minutes, end = int(text[start : start + 2]), start + 2
    if minutes > 59 or hours * 60 + minutes > _OFFSET_HOURS_MAX * 60:
        return -1
    seconds = hours * 3_600 + minutes * 60
    fields.offset = -seconds if text[at] == "-" else seconds
    return end


def _plain_offset(fields: Fields, text: str, at: int) -> int:
    return _offset(fields, text, at, "")


def _rfc3339_offset(fields: Fields, text: str, at: int) -> int:
    if text[at : at + 1] == "Z":
        fields.offset = 0
        return at + 1
    return _offset(fields, text, at, ":")


def _zone(fields: Fields, text: str, at: int) -> int:
    end = at
    while end < len(text) and text[end] not in _SPACES:
        end += 1
    if end == at:
        return -1
    fields.zone = find_zone(text[at:end])
    fields.offset = None
    return end


def _us_date_given(fields: Fields) -> None:
    """Make `fields` hold a whole date: a later %C replaces the century and the year in it."""
    if fields.year_of_century is not None:
        fields.year = fields.century * 100 + fields.year_of_century
    _year_given(fields)


def _recording(number: _Number, part: str) -> Step:
    return _then(_number(number), lambda fields: fields.record(part))


def _week(starts: int) -> Step:
    """Return the step of a week of the year, whose weeks start on a Monday (0) or Sunday (6)."""

    def given(fields: Fields) -> None:
        fields.week_start = starts

    return _then(_number(_Number(2, 0, 53, "week")), given)


_SECONDS = _number(_Number(2, 0, 60, "second"))
_YEAR_OF_FOUR = _then(_number(_Number(4, 0, 9_999, "year")), _year_given)
_MONTH_NAME = _name(MONTHS, "month")
_DAY_NAME = _name(DAYS, "")
_TWELVE = _then(_after_spaces(_number(_Number(2, 1, 12, "hour"))), _twelve_given)
_DAY = _number(_Number(2, 1, 31, "day"))
_HOUR = _then(_number(_Number(2, 0, 23, "hour")), _hour_given)

_US_DATE = _then(_joined("%m/%d/%y"), _us_date_given)

ELEMENTS: Mapping[str, Step] = {
    "A": _DAY_NAME,
    "a": _DAY_NAME,
    "B": _MONTH_NAME,
    "b": _MONTH_NAME,
    "C": _then(_number(_Number(3, 0, 100, "century")), _century_given),
    "c": _joined("%a %b %e %H:%M:%S %Y"),
    "D": _US_DATE,
    "d": _DAY,
    "e": _after_spaces(_DAY),
    "F": _joined("%Y-%m-%d"),
    "G": _number(_Number(20, 0, 99_999, "iso_year")),
    "g": _then(_number(_Number(2, 0, 99, "iso_year")), _short_iso_year_given),
    "H": _HOUR,
    "h": _MONTH_NAME,
    "I": _TWELVE,
    "j": _number(_Number(3, 1, 366, "day_of_year")),
    "k": _after_spaces(_HOUR),
    "l": _TWELVE,
    "M": _number(_Number(2, 0, 59, "minute")),
    "m": _number(_Number(2, 1, 12, "month")),
    "n": skip_spaces,
    "p": _am_or_pm,
    "Q": _quarter,
    "R": _joined("%H:%M"),
    "r": _joined("%I:%M:%S %p"),
    "S": _SECONDS,
    "s": _epoch_seconds,
    "T": _joined("%H:%M:%S"),
    "t": skip_spaces,
    "U": _week(6),
    "u": _recording(_Number(1, 1, 7), "weekday"),
    "V": _recording(_Number(2, 1, 53), "iso_week"),
    "W": _week(0),
    "w": _recording(_Number(1, 0, 6), "weekday"),
    "X": _joined("%H:%M:%S"),
    "x": _US_DATE,
    "Y": _then(_number(_Number(5, 0, 10_000, "year")), _year_given),
    "y": _then(_number(_Number(2, 0, 99, "year_of_century")), _short_year_given),
    "Z": _zone,
    "z": _plain_offset,
    "%": _literal("%"),
}

_TIGHT: Mapping[str, Step] = {
    "C": _then(_number(_Number(2, 0, 99, "century")), _century_given),
    "Y": _YEAR_OF_FOUR,
}

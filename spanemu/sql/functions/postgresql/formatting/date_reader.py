"""Fields of a text, read by the template of a date or timestamp."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.functions.postgresql.errors import BadFormattedText, UnsupportedTemplate
from spanemu.sql.functions.postgresql.formatting.date_template import (
    Calendar,
    DateNode,
    NodeKind,
    is_separator,
    is_space,
)
from spanemu.sql.functions.postgresql.formatting.date_writer import DAYS, MONTHS, ROMAN_MONTHS

_INT32_MAX = 2**31 - 1
_NUMBER = re.compile(r"[-+]?\d+", re.ASCII)
_DIGITS_MAX = 20
_THOUSANDS = re.compile(r"\s*([-+]?\d{1,20}),\s*([-+]?\d{1,3})", re.ASCII)
_WITHOUT_ORDINAL = frozenset(
    (
        "A.M.", "P.M.", "AM", "PM", "A.D.", "B.C.", "AD", "BC", "MONTH", "MON", "DAY", "DY", "RM",
        "TZH", "TZM",
    )
)  # fmt: skip
_WIDTHS = {
    "HH": 2, "HH12": 2, "HH24": 2, "MS": 3, "US": 6, "IDDD": 3, "ID": 1, "TZH": 2, "TZM": 2,
    **{f"FF{digits}": digits for digits in range(1, 7)},
}  # fmt: skip


@dataclass(slots=True)
class ReadFields:
    """The fields of a text; 0 stands for a field that the text does not have, as in PostgreSQL."""

    hour: int = 0
    minute: int = 0
    second: int = 0
    milliseconds: int = 0
    micros: int = 0
    seconds_of_day: int = 0
    year: int = 0
    month: int = 0
    day: int = 0
    day_of_year: int = 0
    weekday: int = 0
    week: int = 0
    week_of_month: int = 0
    century: int = 0
    julian: int = 0
    year_digits: int = 0
    precision: int = 0  # of FF1 to FF6
    afternoon: int = 0
    before_christ: int = 0
    zone_sign: int = 0
    zone_hours: int = 0
    zone_minutes: int = 0
    twelve_hours: bool = False
    calendar: Calendar = Calendar.ANY


class DateReader:
    """The state between two parts of a template."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._exact = False  # after FX
        self._skipped = 0  # characters of the text beyond those of the template
        self.fields = ReadFields()

    def read(self, nodes: Sequence[DateNode]) -> ReadFields:
        """Return the fields that the parts of a template find, as far as the text goes."""
        is_first = True
        for node in interruptible(nodes):
            if self._at >= len(self._text):
                break
            is_pattern = node.kind is NodeKind.PATTERN
            if (is_pattern or is_first) and node.key != "FX" and not self._exact:
                self._skip_spaces()
            is_first = False
            if not is_pattern:
                self._read_literal(node)
                continue
            self._set_calendar(node.calendar)
            self._read_pattern(node)
            if not self._exact:
                self._skipped = 0
                self._skip_spaces()
        return self.fields

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _skip_spaces(self) -> None:
        while is_space(self._peek()):
            self._at += 1
            self._skipped += 1

    def _read_literal(self, node: DateNode) -> None:
        """Pass over a character; a blank or punctuation may stand for nothing."""
        if self._exact:
            self._at += 1
        elif node.kind is NodeKind.CHARACTER:
            if self._skipped > 0:
                self._skipped -= 1
            else:
                self._at += 1
        elif is_space(self._peek()) or is_separator(self._peek()):
            self._at += 1
        else:
            self._skipped -= 1

    def _set_calendar(self, calendar: Calendar) -> None:
        if calendar is Calendar.ANY:
            return
        if self.fields.calendar not in (Calendar.ANY, calendar):
            raise BadFormattedText(
                "invalid combination of date conventions\nHint: Do not mix Gregorian and ISO week "
                "date conventions in a formatting template."
            )
        self.fields.calendar = calendar

    def _read_pattern(self, node: DateNode) -> None:
        if node.key in _PLAIN_NUMBERS:
            self._read_number(node, _PLAIN_NUMBERS[node.key])
        elif node.key in _OTHERS:
            _OTHERS[node.key](self, node)
        elif node.key == "FX":
            self._exact = True
            return
        else:
            raise UnsupportedTemplate(
                f'formatting field "{node.text}" is only supported in to_char'
            )
        if node.ordinal and node.key not in _WITHOUT_ORDINAL:
            self._at += 2

    # ------------------------------------------------------------------------ numbers

    def _read_number(self, node: DateNode, field: str = "") -> int:
        """Read an integer into a field; return the number of characters, with blanks before it."""
        begin = self._at
        while is_space(self._peek()):
            self._at += 1
        width = _WIDTHS.get(node.key, len(node.key))
        taken = self._text[self._at : self._at + width]
        if node.takes_all_digits:
            number = self._all_digits(begin)
        else:
            number = self._fixed_digits(node, taken, width)
        if self._at == begin:
            raise BadFormattedText(
                f'invalid value "{taken}" for "{node.text}"\nDetail: Value must be an integer.'
            )
        if abs(number + (number < 0)) > _INT32_MAX:
            raise BadFormattedText(
                f'value for "{node.text}" in source string is out of range\nDetail: Value must be '
                f"in the range {-_INT32_MAX - 1} to {_INT32_MAX}."
            )
        if field:
            self._set(node, field, number)
        return self._at - begin

    def _all_digits(self, begin: int) -> int:
        match = _NUMBER.match(self._text, self._at)
        if match is None:
            self._at = begin
            return 0
        self._at = match.end()
        return _bounded_int(match[0])

    def _fixed_digits(self, node: DateNode, taken: str, width: int) -> int:
        hint = '\nHint: If your source string is not fixed-width, try using the "FM" modifier.'
        if len(taken) < width:
            raise BadFormattedText(
                f'source string too short for "{node.text}" formatting field\nDetail: Field '
                f"requires {width} characters, but only {len(taken)} remain.{hint}"
            )
        match = _SPACED_NUMBER.match(taken)
        used = match.end() if match else 0
        if match and used < width:
            raise BadFormattedText(
                f'invalid value "{taken}" for "{node.text}"\nDetail: Field requires {width} '
                f"characters, but only {used} could be parsed.{hint}"
            )
        self._at += used
        return _bounded_int(match[0]) if match else 0

    def _set(self, node: DateNode, field: str, number: int) -> None:
        """Set a field; raise BadFormattedText if it has another value, except zero."""
        known = getattr(self.fields, field)
        if known not in (0, number):
            raise BadFormattedText(
                f'conflicting values for "{node.text}" field in formatting string\nDetail: This '
                "value contradicts a previous setting for the same field type."
            )
        setattr(self.fields, field, number)

    def _read_hour12(self, node: DateNode) -> None:
        self._read_number(node, "hour")
        self.fields.twelve_hours = True

    def _read_milliseconds(self, node: DateNode) -> None:
        length = self._read_number(node, "milliseconds")
        self.fields.milliseconds *= 10 ** max(0, 3 - length)

    def _read_micros(self, node: DateNode) -> None:
        if node.key != "US":
            self.fields.precision = _WIDTHS[node.key]
        length = self._read_number(node, "micros")
        self.fields.micros *= 10 ** max(0, 6 - length)

    def _read_year(self, node: DateNode) -> None:
        digits = len(node.key)
        length = self._read_number(node, "year")
        if digits < 4 and length < 4:
            self.fields.year = _near_2020(self.fields.year)
        self.fields.year_digits = digits

    def _read_year_with_comma(self, node: DateNode) -> None:
        match = _THOUSANDS.match(self._text, self._at)
        if match is None:
            raise BadFormattedText('invalid input string for "Y,YYY"')
        self._at = match.end()
        self._set(node, "year", int(match[1]) * 1_000 + int(match[2]))
        self.fields.year_digits = 4

    def _read_iso_weekday(self, node: DateNode) -> None:
        self._read_number(node, "weekday")
        weekday = self.fields.weekday + 1  # from Monday is 1 to Sunday is 1
        self.fields.weekday = 1 if weekday > len(DAYS) else weekday

    def _read_quarter(self, node: DateNode) -> None:
        self._read_number(node)  # A quarter does not determine a date.

    def _read_zone_hours(self, node: DateNode) -> None:
        if self._peek() in ("+", "-", " "):
            self.fields.zone_sign = -1 if self._peek() == "-" else 1
            self._at += 1
        else:  # A minus may have been passed over as punctuation.
            is_minus = self._skipped > 0 and self._text[self._at - 1] == "-"
            self.fields.zone_sign = -1 if is_minus else 1
        self._read_number(node, "zone_hours")

    def _read_zone_minutes(self, node: DateNode) -> None:
        self.fields.zone_sign = self.fields.zone_sign or 1
        self._read_number(node, "zone_minutes")

    # ------------------------------------------------------------------------ words

    def _read_word(self, node: DateNode, words: Sequence[str]) -> int:
        """Return the position of the first of `words` with which the text goes on."""
        rest = self._text[self._at : self._at + _WORD_MAX].lower()
        for position, word in enumerate(words):
            if rest.startswith(word):
                self._at += len(word)
                return position
        shown = self._text[self._at :].split(None, 1)
        raise BadFormattedText(
            f'invalid value "{shown[0] if shown else ""}" for "{node.text}"\nDetail: The given '
            "value did not match any of the allowed values for this field."
        )

    def _read_half_day(self, node: DateNode) -> None:
        words = ("a.m.", "p.m.") if "." in node.key else ("am", "pm")
        self._set(node, "afternoon", self._read_word(node, words))
        self.fields.twelve_hours = True

    def _read_era(self, node: DateNode) -> None:
        words = ("a.d.", "b.c.") if "." in node.key else ("ad", "bc")
        self._set(node, "before_christ", self._read_word(node, words))

    def _read_month(self, node: DateNode) -> None:
        words = _MONTHS if node.key == "MONTH" else _SHORT_MONTHS
        self._set(node, "month", self._read_word(node, words) + 1)

    def _read_weekday(self, node: DateNode) -> None:
        words = _DAYS if node.key == "DAY" else _SHORT_DAYS
        self._set(node, "weekday", self._read_word(node, words))
        self.fields.weekday += 1

    def _read_roman_month(self, node: DateNode) -> None:
        self._set(node, "month", len(MONTHS) - self._read_word(node, _ROMANS))


_SPACED_NUMBER = re.compile(r"\s*[-+]?\d+", re.ASCII)
_WORD_MAX = 10
_MONTHS = tuple(month.lower() for month in MONTHS)
_SHORT_MONTHS = tuple(month[:3] for month in _MONTHS)
_DAYS = tuple(day.lower() for day in DAYS)
_SHORT_DAYS = tuple(day[:3] for day in _DAYS)
_ROMANS = tuple(roman.lower() for roman in ROMAN_MONTHS)

_PLAIN_NUMBERS: Mapping[str, str] = {
    "HH24": "hour", "MI": "minute", "SS": "second", "SSSS": "seconds_of_day",
    "SSSSS": "seconds_of_day", "MM": "month", "DD": "day", "DDD": "day_of_year",
    "IDDD": "day_of_year", "D": "weekday", "WW": "week", "IW": "week", "W": "week_of_month",
    "CC": "century", "J": "julian",
}  # fmt: skip

_OTHERS: Mapping[str, Callable[[DateReader, DateNode], None]] = {
    "HH": DateReader._read_hour12,
    "HH12": DateReader._read_hour12,
    "MS": DateReader._read_milliseconds,
    **dict.fromkeys(("US", *(f"FF{n}" for n in range(1, 7))), DateReader._read_micros),
    **dict.fromkeys(("YYYY", "YYY", "YY", "Y", "IYYY", "IYY", "IY", "I"), DateReader._read_year),
    "Y,YYY": DateReader._read_year_with_comma,
    "ID": DateReader._read_iso_weekday,
    "Q": DateReader._read_quarter,
    "TZH": DateReader._read_zone_hours,
    "TZM": DateReader._read_zone_minutes,
    **dict.fromkeys(("A.M.", "P.M.", "AM", "PM"), DateReader._read_half_day),
    **dict.fromkeys(("A.D.", "B.C.", "AD", "BC"), DateReader._read_era),
    **dict.fromkeys(("MONTH", "MON"), DateReader._read_month),
    **dict.fromkeys(("DAY", "DY"), DateReader._read_weekday),
    "RM": DateReader._read_roman_month,
}


def _bounded_int(digits: str) -> int:
    text = digits.strip()
    return int(text) if len(text) <= _DIGITS_MAX else _INT32_MAX + 1


def _near_2020(year: int) -> int:
    """Return the year near 2020 that ends with the digits of a number below 1000."""
    if year < 70:
        return year + 2_000
    if year < 100:
        return year + 1_900
    if year < 520:
        return year + 2_000
    return year + 1_000 if year < 1_000 else year

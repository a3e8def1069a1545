"""Fields of a date or timestamp, interpreted from left to right.

    DATE jan-08-99, TIME 04:05:06.7, ZONE -8:00   ->  1999-01-08 04:05:06.7, 8 hours behind UTC

A field's meaning depends on those before it: `DateTimeDecoder.seen` holds the parts that are known.
Numbers are read in the order month, day, year.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from spanemu.sql.functions.postgresql.errors import (
    Problem,
    SpecialTimeRefused,
    Undecodable,
    UnknownTimeZone,
)
from spanemu.sql.functions.postgresql.time.date_time import (
    DateTime,
    clock_of,
    date_pieces,
    days_in_month,
    with_century,
)
from spanemu.sql.functions.postgresql.time.fields import (
    Field,
    Kind,
    Word,
    WordKind,
    date_word,
    fraction_micros,
    fraction_of,
    leading_integer,
)
from spanemu.sql.functions.postgresql.time.zones import (
    civil_day,
    day_number,
    find_zone,
    offset_of,
)

JULIAN_EPOCH = 1_721_425  # the Julian day before 0001-01-01
MICROS_PER_DAY = 86_400_000_000

DATE_PARTS = frozenset({"year", "month", "day"})
SECOND_PARTS = frozenset({"second", "millisecond", "microsecond"})
TIME_PARTS = frozenset({"hour", "minute"}) | SECOND_PARTS
_ZONE = frozenset({"zone"})
_NOTHING: frozenset[str] = frozenset()

_DATE_PART_MIN = 6  # digits of a date or time without delimiters


@dataclass(slots=True)
class DateTimeDecoder:
    """The state between two fields."""

    fields: Sequence[Field]
    value: DateTime = field(default_factory=DateTime)
    seen: frozenset[str] = _NOTHING
    unit: str = ""  # of the next number: y2001 m02 d04, j2451187, t040506
    two_digit_year: bool = False
    named_month: bool = False
    julian: bool = False
    before_christ: bool = False
    half_day: int | None = None

    def decode(self) -> DateTime:
        """Return the parts of all fields; raise Undecodable if they make no date."""
        for position, item in enumerate(self.fields):
            parts = _DECODERS[item.kind](self, item.text, position)
            if parts & self.seen:
                raise Undecodable(Problem.FORMAT)
            self.seen |= parts
        self._check_date()
        self._apply_half_day()
        if not self.value.special and not self.seen >= DATE_PARTS:
            raise Undecodable(Problem.FORMAT)
        if "daylight" in self.seen and (self.value.zone or "zone" not in self.seen):
            raise Undecodable(Problem.FORMAT)
        return self.value

    # ------------------------------------------------------------------------ kinds of fields

    def read_date(self, text: str, _: int) -> frozenset[str]:
        """Read digits with delimiters: a date, the name of a zone, or a time with its offset."""
        if self.unit == "julian":
            day, offset = leading_integer(text)
            self._set_julian_day(day)
            self.value.offset = offset_of(offset)
            self.unit = ""
            return DATE_PARTS | TIME_PARTS | _ZONE
        if self.unit or self.seen >= {"month", "day"}:
            if not text[0].isdecimal() and not self.unit:
                return self._read_zone_name(text)
            return self._read_time_with_offset(text)
        return self._read_delimited_date(text)

    def read_time(self, text: str, _: int) -> frozenset[str]:
        """Read hours, minutes and perhaps seconds with colons."""
        if self.unit not in ("", "time"):
            raise Undecodable(Problem.FORMAT)
        self.unit = ""
        value = self.value
        value.hour, value.minute, value.second, value.micros = clock_of(text)
        seconds = value.hour * 3_600 + value.minute * 60 + value.second
        if value.hour > 24 or seconds * 1_000_000 + value.micros > MICROS_PER_DAY:
            raise Undecodable(Problem.FIELD)
        return TIME_PARTS

    def read_offset(self, text: str, _: int) -> frozenset[str]:
        """Read an offset such as -8 or +05:30."""
        self.value.offset = offset_of(text)
        return _ZONE

    def read_number(self, text: str, _: int) -> frozenset[str]:
        """Read digits, which may be any part of a date or a time, or all of it."""
        if self.unit:
            unit, self.unit = self.unit, ""
            return self._read_labelled(unit, text)
        point = text.find(".")
        if point >= 0 and not self.seen & DATE_PARTS:
            return self._read_delimited_date(text)
        has_date, has_time = self.seen & DATE_PARTS, self.seen & TIME_PARTS
        if point > 2 or (len(text) >= _DATE_PART_MIN and not (has_date and has_time)):
            return self._read_run_together(text, self.seen)
        return self._read_part(text, self.seen, self.named_month)

    def read_word(self, text: str, position: int) -> frozenset[str]:
        """Read a month, a zone or another word."""
        if text == "z":
            self.value.offset = 0
            return _ZONE
        word = date_word(text)
        if word is None:
            return self._read_zone_name(text, Problem.FORMAT)
        return self._apply_word(word, position)

    # ------------------------------------------------------------------------ words

    def _apply_word(self, word: Word, position: int) -> frozenset[str]:
        value = self.value
        match word.kind:
            case WordKind.RESERVED:
                return self._apply_reserved(word.name)
            case WordKind.MONTH:
                return self._set_named_month(word.value)
            case WordKind.DAYLIGHT:
                value.offset = (value.offset or 0) + 3_600
                return frozenset({"daylight"})
            case WordKind.HALF_DAY:
                self.half_day = word.value
                return frozenset({"half day"})
            case WordKind.ERA:
                self.before_christ = bool(word.value)
                return frozenset({"era"})
            case WordKind.WEEKDAY:
                return frozenset({"weekday"})
            case WordKind.UNIT:
                self.unit = word.name
            case WordKind.TIME_MARK:
                self._expect_time(position)
                self.unit = "time"
        return _NOTHING

    def _apply_reserved(self, name: str) -> frozenset[str]:
        if name == "allballs":
            self.value.hour = self.value.minute = self.value.second = 0
            self.value.offset = 0
            return TIME_PARTS | _ZONE
        if name in ("now", "today", "tomorrow", "yesterday"):
            raise SpecialTimeRefused("current/relative datetimes are")
        self.value.special = name
        return frozenset({"reserved"})

    def _set_named_month(self, month: int) -> frozenset[str]:
        value, part = self.value, "month"
        numeric = "month" in self.seen and not self.named_month and "day" not in self.seen
        if numeric and 1 <= value.month <= 31:  # 08 Jan: the number was a day.
            value.day = value.month
            part = "day"
        self.named_month = True
        value.month = month
        return frozenset({part})

    def _expect_time(self, position: int) -> None:
        following = self.fields[position + 1 : position + 2]
        if not self.seen >= DATE_PARTS or not following:
            raise Undecodable(Problem.FORMAT)
        if following[0].kind not in (Kind.NUMBER, Kind.TIME, Kind.DATE):
            raise Undecodable(Problem.FORMAT)

    def _read_zone_name(self, text: str, problem: Problem | None = None) -> frozenset[str]:
        self.value.zone = find_zone(text)
        if self.value.zone is None:
            raise UnknownTimeZone(text) if problem is None else Undecodable(problem)
        return _ZONE

    # ------------------------------------------------------------------------ numbers

    def _read_time_with_offset(self, text: str) -> frozenset[str]:
        """Read hhmmss-zz."""
        if self.unit not in ("", "time") or self.seen >= TIME_PARTS or "-" not in text:
            raise Undecodable(Problem.FORMAT)
        self.unit = ""
        clock, dash, offset = text.partition("-")
        self.value.offset = offset_of(dash + offset)
        return self._read_run_together(clock, self.seen) | _ZONE

    def _read_labelled(self, unit: str, text: str) -> frozenset[str]:
        """Read the number after a word such as y or j."""
        number, rest = (0, text) if text[0] == "." else leading_integer(text)
        if rest[:1] == "." and unit not in ("julian", "time", "second"):
            raise Undecodable(Problem.FORMAT)
        value = self.value
        match unit:
            case "month" if self.seen >= {"month", "hour"}:
                value.minute = number
                return frozenset({"minute"})
            case "year" | "month" | "day" | "hour" | "minute":
                setattr(value, unit, number)
                return frozenset({unit})
            case "second":
                value.second = number
                if not rest:
                    return frozenset({unit})
                value.micros = fraction_micros(rest)
                return SECOND_PARTS
            case "julian":
                self._set_julian_day(number)
                if not rest:
                    return DATE_PARTS
                self._set_time_of_day(fraction_of(rest))
                return DATE_PARTS | TIME_PARTS
            case "time":
                parts = self._read_run_together(text, self.seen | DATE_PARTS)
                if parts == TIME_PARTS:
                    return parts
        raise Undecodable(Problem.FORMAT)

    def _read_delimited_date(self, text: str) -> frozenset[str]:
        """Read a date with delimiters, one of whose parts may be the name of a month."""
        pieces = date_pieces(text)
        seen, parts, has_month_name = self.seen, _NOTHING, False
        for piece in [p for p in pieces if p.isalpha()]:
            word = date_word(piece)
            if word is None or word.kind is not WordKind.MONTH or "month" in seen:
                raise Undecodable(Problem.FORMAT)
            self.value.month, has_month_name = word.value, True
            seen |= {"month"}
            parts |= {"month"}
        for piece in [p for p in pieces if p.isdecimal()]:
            more = self._read_part(piece, seen, has_month_name)
            if more & seen:
                raise Undecodable(Problem.FORMAT)
            seen |= more
            parts |= more
        if seen - {"day of year", "zone"} != DATE_PARTS:
            raise Undecodable(Problem.FORMAT)
        return parts

    def _read_part(self, text: str, seen: frozenset[str], named_month: bool) -> frozenset[str]:
        """Read a single number, whose meaning follows from the known parts of the date."""
        number, rest = leading_integer(text)
        value, known = self.value, seen & DATE_PARTS
        if rest:
            if len(text) - len(rest) > 2:
                return self._read_run_together(text, seen | DATE_PARTS)
            value.micros = fraction_micros(rest)
        if len(text) == 3 and known == {"year"} and 1 <= number <= 366:
            value.day_of_year = number
            return frozenset({"day of year", "month", "day"})
        if known == DATE_PARTS:
            return self._read_run_together(text, seen)
        part = self._meaning(known, len(text), named_month)
        if part == "late year":  # 08-Jan-1999: the first number was the day.
            value.day, value.year, self.two_digit_year = value.year, number, False
            return frozenset({"day"})
        setattr(value, part, number)
        if part == "year":
            self.two_digit_year = len(text) <= 2
        return frozenset({part})

    def _meaning(self, known: frozenset[str], length: int, named_month: bool) -> str:
        """Return the part that a number of `length` characters gives, after the `known` parts."""
        if not known:
            return "year" if length >= 3 else "month"
        if known == {"year"} or known == {"day"}:
            return "month"
        if known == {"month"}:
            return "year" if named_month and length >= 3 else "day"
        if known == {"year", "month"}:
            late = named_month and length >= 3 and self.two_digit_year
            return "late year" if late else "day"
        if known == {"month", "day"}:
            return "year"
        raise Undecodable(Problem.FORMAT)

    def _read_run_together(self, text: str, seen: frozenset[str]) -> frozenset[str]:
        """Read a date or a time without delimiters: 19990108, 990108, 040506, 0405."""
        value = self.value
        digits, point, fraction = text.partition(".")
        if point:
            value.micros = fraction_micros(point + fraction)
        elif not seen >= DATE_PARTS and len(digits) >= _DATE_PART_MIN:
            value.day, value.month = int(digits[-2:]), int(digits[-4:-2])
            value.year, _ = leading_integer(digits[:-4])
            self.two_digit_year |= len(digits) == _DATE_PART_MIN
            return DATE_PARTS
        if not seen >= TIME_PARTS and len(digits) in (4, 6):
            value.hour, value.minute = int(digits[:2]), int(digits[2:4])
            value.second = int(digits[4:] or 0)
            return TIME_PARTS
        raise Undecodable(Problem.FORMAT)

    # ------------------------------------------------------------------------ checks

    def _set_julian_day(self, number: int) -> None:
        if number < 0:
            raise Undecodable(Problem.FIELD)
        value = self.value
        value.year, value.month, value.day = civil_day(number - JULIAN_EPOCH)
        self.julian = True

    def _set_time_of_day(self, fraction: float) -> None:
        value = self.value
        seconds, value.micros = divmod(int(fraction * MICROS_PER_DAY), 1_000_000)
        minutes, value.second = divmod(seconds, 60)
        value.hour, value.minute = divmod(minutes, 60)

    def _check_date(self) -> None:
        value = self.value
        if "year" in self.seen and not self.julian:
            self._check_year()
        if "day of year" in self.seen:
            first = day_number(value.year, 1, 1)
            value.year, value.month, value.day = civil_day(first + value.day_of_year - 1)
        if "month" in self.seen and not 1 <= value.month <= 12:
            raise Undecodable(Problem.ORDER)
        if "day" in self.seen and not 1 <= value.day <= 31:
            raise Undecodable(Problem.ORDER)
        if self.seen >= DATE_PARTS and value.day > days_in_month(value.year, value.month):
            raise Undecodable(Problem.FIELD)

    def _check_year(self) -> None:
        value = self.value
        if self.before_christ:
            if value.year <= 0:
                raise Undecodable(Problem.FIELD)
            value.year = 1 - value.year
        elif self.two_digit_year:
            value.year = with_century(value.year)
        elif value.year <= 0:
            raise Undecodable(Problem.FIELD)

    def _apply_half_day(self) -> None:
        if self.half_day is None:
            return
        hour = self.value.hour
        if hour > 12:
            raise Undecodable(Problem.FIELD)
        self.value.hour = hour % 12 + 12 * self.half_day


_DECODERS: Mapping[Kind, Callable[[DateTimeDecoder, str, int], frozenset[str]]] = {
    Kind.DATE: DateTimeDecoder.read_date,
    Kind.TIME: DateTimeDecoder.read_time,
    Kind.ZONE: DateTimeDecoder.read_offset,
    Kind.NUMBER: DateTimeDecoder.read_number,
    Kind.WORD: DateTimeDecoder.read_word,
    Kind.SIGNED_WORD: DateTimeDecoder.read_word,
}

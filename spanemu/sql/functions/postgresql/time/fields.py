"""Texts of dates, times and intervals, cut into fields; and the words that may stand in them.

    "Jan-08-99 04:05:06.7 -8:00"   DATE jan-08-99, TIME 04:05:06.7, ZONE -8:00

Follows "Date/time input interpretation" in the appendix "Date/time support" of PostgreSQL's manual.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, auto

from spanemu.base.record import NamedTuple
from spanemu.sql.functions.postgresql.errors import Problem, Undecodable

DATE_TEXT_MAX = 153  # bytes of all fields of a date or timestamp, with a separator for each
INTERVAL_TEXT_MAX = 256
FIELDS_MAX = 25
WORD_MAX = 10  # characters of a word that count
INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1


class Kind(Enum):
    """The kind of a field, by its characters."""

    NUMBER = auto()  # digits, perhaps with a decimal point
    DATE = auto()  # digits and delimiters, digits and letters, or a zone name such as a/b
    TIME = auto()  # digits and colons
    WORD = auto()
    ZONE = auto()  # a sign and digits: an offset, or a signed number
    SIGNED_WORD = auto()


class Field(NamedTuple):
    """A field of a text, in lower case."""

    kind: Kind
    text: str


class WordKind(Enum):
    """The meaning of a word in a date."""

    MONTH = auto()
    WEEKDAY = auto()
    HALF_DAY = auto()  # am, pm
    ERA = auto()  # ad, bc
    RESERVED = auto()  # now, infinity, allballs
    UNIT = auto()
    TIME_MARK = auto()  # t
    IGNORED = auto()
    DAYLIGHT = auto()  # dst
    AGO = auto()


class Word(NamedTuple):
    """A known word: its kind and its value, a number or a name."""

    kind: WordKind
    value: int = 0
    name: str = ""


_MONTHS = "jan january|feb february|mar march|apr april|may|jun june|jul july|aug august|" \
    "sep sept september|oct october|nov november|dec december"  # fmt: skip
_WEEKDAYS = "sun sunday|mon monday|tue tues tuesday|wed weds wednesday|thu thur thurs thursday|" \
    "fri friday|sat saturday"  # fmt: skip
_DATE_UNITS = {
    "y": "year", "m": "month", "d": "day", "h": "hour", "mm": "minute", "s": "second",
    "j": "julian", "jd": "julian", "julian": "julian",
    "dow": "dow", "doy": "doy", "isodow": "isodow", "isoyear": "isoyear",
}  # fmt: skip
_INTERVAL_UNITS = {
    "century": "c cent centuries century",
    "day": "d day days",
    "decade": "dec decade decades decs",
    "hour": "h hour hours hr hrs",
    "minute": "m min mins minute minutes",
    "microsecond": "microsecon us usec usecond useconds usecs",
    "millennium": "mil millennia millennium mils",
    "millisecond": "millisecon ms msec msecond mseconds msecs",
    "month": "mon mons month months",
    "quarter": "qtr quarter",
    "second": "s sec second seconds secs",
    "timezone": "timezone",
    "timezone_hour": "timezone_h",
    "timezone_minute": "timezone_m",
    "week": "w week weeks",
    "year": "y year years yr yrs",
}


def _numbered(groups: str, kind: WordKind, first: int) -> dict[str, Word]:
    return {
        word: Word(kind, number)
        for number, group in enumerate(groups.split("|"), first)
        for word in group.split()
    }


# The words of dates and timestamps.
DATE_WORDS: Mapping[str, Word] = {
    **_numbered(_MONTHS, WordKind.MONTH, 1),
    **_numbered(_WEEKDAYS, WordKind.WEEKDAY, 0),
    **{word: Word(WordKind.UNIT, name=unit) for word, unit in _DATE_UNITS.items()},
    **{
        word: Word(WordKind.RESERVED, name=word)
        for word in (
            "-infinity", "infinity", "epoch", "now", "today", "tomorrow", "yesterday", "allballs",
        )
    },
    "am": Word(WordKind.HALF_DAY, 0),
    "pm": Word(WordKind.HALF_DAY, 1),
    "ad": Word(WordKind.ERA, 0),
    "bc": Word(WordKind.ERA, 1),
    "t": Word(WordKind.TIME_MARK),
    "at": Word(WordKind.IGNORED),
    "on": Word(WordKind.IGNORED),
    "dst": Word(WordKind.DAYLIGHT),
}  # fmt: skip

# The words of intervals, which are also the units of extract and date_trunc.
INTERVAL_WORDS: Mapping[str, Word] = {
    **{
        word: Word(WordKind.UNIT, name=unit)
        for unit, words in _INTERVAL_UNITS.items()
        for word in words.split()
    },
    "@": Word(WordKind.IGNORED),
    "ago": Word(WordKind.AGO),
}


def date_word(text: str) -> Word | None:
    """Return the word of a date that begins with the first ten characters of `text`."""
    return DATE_WORDS.get(text[:WORD_MAX])


def interval_word(text: str) -> Word | None:
    """Return the word of an interval that begins with the first ten characters of `text`."""
    return INTERVAL_WORDS.get(text[:WORD_MAX])


# A field each, or characters between fields. A point between two numbers is decimal, not a
# delimiter. A word may go on as a date (jan-08-99) or as the name of a zone: see `_goes_on`.
_FIELD = re.compile(
    r"(?P<TIME>\d+:[\d:.]*)"
    r"|(?P<DATE>\d+(?:-\d+(?:-[-\d]*)?|/\d+(?:/[/\d]*)?|\.\d+\.[.\d]*"
    r"|-[-a-z\d]*|/[/a-z\d]*|\.(?!\d)[.a-z\d]*))"
    r"|(?P<NUMBER>\d+(?:\.\d+)?|\.\d*)"
    r"|(?P<WORD>[a-z]+)"
    r"|(?P<ZONE>[-+]\s*\d[-\d:.]*)"
    r"|(?P<SIGNED_WORD>[-+]\s*[a-z]+)"
    r"|(?:[\s!-*,/:-@\[-`{-~]+)",
    re.ASCII,
)
_REST_OF_DATE = re.compile(r"[-+/_.:a-z\d]+", re.ASCII)


def split_fields(text: str, size_max: int) -> list[Field]:
    """Return the fields of a text; raise Undecodable for characters that begin no field."""
    text = "".join([c.lower() if c.isascii() else c for c in text])
    fields: list[Field] = []
    at = size = 0
    while at < len(text):
        match = _FIELD.match(text, at)
        if match is None:
            raise Undecodable(Problem.FORMAT)
        at = match.end()
        if match.lastgroup is None:
            continue
        field = Field(Kind[match.lastgroup], "".join(match[0].split()))
        if field.kind is Kind.WORD and _goes_on(field.text, text[at : at + 1]):
            rest = _REST_OF_DATE.match(text, at)
            assert rest is not None
            at = rest.end()
            field = Field(Kind.DATE, field.text + rest[0])
        size += len(field.text) + 1
        if len(fields) >= FIELDS_MAX or size >= size_max:
            raise Undecodable(Problem.FORMAT)
        fields.append(field)
    return fields


def _goes_on(word: str, following: str) -> bool:
    """Return whether a word and the character after it belong to a date or to a zone name."""
    if following in ("-", "/", "."):
        return True
    return (following == "+" or following.isdecimal()) and date_word(word) is None


def leading_integer(text: str, largest: int = INT32_MAX) -> tuple[int, str]:
    """Return the integer at the start of a text and the rest of the text.

    Raise Undecodable if there is no integer, or a larger one than `largest`.
    """
    match = _INTEGER.match(text)
    if match is None:
        raise Undecodable(Problem.FORMAT)
    number = int(match[0]) if len(match[0]) <= _DIGITS_MAX else largest + 1
    if not -largest - 1 <= number <= largest:
        raise Undecodable(Problem.FIELD)
    return number, text[match.end() :]


_INTEGER = re.compile(r"[-+]?\d+", re.ASCII)
_DIGITS_MAX = 300


def fraction_of(text: str) -> float:
    """Return the fraction that a text such as .25 denotes; a single point is zero."""
    if text == ".":
        return 0.0
    if text[0] != "." or not text[1:].isdecimal():
        raise Undecodable(Problem.FORMAT)
    return float(text)


def fraction_micros(text: str) -> int:
    """Return a fraction of a second, such as .25, in microseconds."""
    return round(fraction_of(text) * 1_000_000)

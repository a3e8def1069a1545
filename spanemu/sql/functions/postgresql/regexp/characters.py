r"""Sets of characters, and how expressions write characters and sets of them.

An escape stands for a character: \n, \x41, \101. A bracket expression is a set: [a-z],
[^[:space:]], [[.hyphen.]-~]. Classes such as [:alpha:] have ASCII characters only, and letter case
is that of ASCII, as in the C locale of a Spanner database.
"""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from dataclasses import dataclass

from spanemu.base.call import current
from spanemu.sql.functions.postgresql.regexp.options import (
    BAD_CLASS,
    BAD_COLLATING_ELEMENT,
    BAD_ESCAPE,
    BAD_RANGE,
    UNBALANCED_BRACKETS,
    BadRegexp,
    Flavor,
    Options,
)

_GRAPHIC = string.digits + string.ascii_letters + string.punctuation
_ASCII = "".join(map(chr, range(128)))
_CLASSES: Mapping[str, str] = {
    "alnum": string.ascii_letters + string.digits,
    "alpha": string.ascii_letters,
    "ascii": _ASCII,
    "blank": " \t",
    "cntrl": "".join(map(chr, [*range(32), 127])),
    "digit": string.digits,
    "graph": _GRAPHIC,
    "lower": string.ascii_lowercase,
    "print": _GRAPHIC + " ",
    "punct": string.punctuation,
    "space": " \t\n\v\f\r",
    "upper": string.ascii_uppercase,
    "word": string.ascii_letters + string.digits + "_",
    "xdigit": string.hexdigits,
}
_CLASS_ESCAPES = {"d": "digit", "s": "space", "w": "word"}
_NAMES_TEXT = """
    NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM
    SUB ESC IS4 IS3 IS2 IS1 space exclamation-mark quotation-mark number-sign dollar-sign
    percent-sign ampersand apostrophe left-parenthesis right-parenthesis asterisk plus-sign comma
    hyphen period slash zero one two three four five six seven eight nine colon semicolon
    less-than-sign equals-sign greater-than-sign question-mark commercial-at
"""
# POSIX's names of characters: the first stand for the code points from 0.
_NAMES: Mapping[str, str] = {
    **{name: chr(code) for code, name in enumerate(_NAMES_TEXT.split())},
    "alert": "\a", "backspace": "\b", "tab": "\t", "newline": "\n", "vertical-tab": "\v",
    "form-feed": "\f", "carriage-return": "\r", "hyphen-minus": "-", "full-stop": ".",
    "solidus": "/", "left-square-bracket": "[", "backslash": "\\", "reverse-solidus": "\\",
    "right-square-bracket": "]", "circumflex": "^", "circumflex-accent": "^", "underscore": "_",
    "low-line": "_", "grave-accent": "`", "left-brace": "{", "left-curly-bracket": "{",
    "vertical-line": "|", "right-brace": "}", "right-curly-bracket": "}", "tilde": "~",
    "DEL": "\x7f",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class CharacterSet:
    """A set of characters: single ones and ranges, or all others than these if `negated`."""

    characters: frozenset[str] = frozenset()
    ranges: tuple[tuple[str, str], ...] = ()
    negated: bool = False
    others: tuple[CharacterSet, ...] = ()  # sets that belong to this set as well

    def __contains__(self, character: str) -> bool:
        return self.negated != (
            character in self.characters
            or any(low <= character <= high for low, high in self.ranges)
            or any(character in other for other in self.others)
        )


ANY = CharacterSet(negated=True)
ANY_IN_LINE = CharacterSet(frozenset("\n"), negated=True)


def single(character: str, ignores_case: bool) -> CharacterSet:
    """Return the set of one character, in both letter cases if `ignores_case`."""
    return CharacterSet(both_cases(character) if ignores_case else frozenset(character))


def both_cases(character: str) -> frozenset[str]:
    """Return an ASCII letter in both cases, or any other character alone."""
    if not character.isascii():
        return frozenset(character)
    return frozenset((character, character.lower(), character.upper()))


def character_range(low: str, high: str, ignores_case: bool) -> CharacterSet:
    """Return the characters from `low` to `high`."""
    letters: frozenset[str] = frozenset()
    if ignores_case:
        letters = frozenset(
            case
            for letter in string.ascii_letters
            if low <= letter <= high
            for case in both_cases(letter)
        )
    return CharacterSet(letters, ((low, high),))


def named_class(name: str, ignores_case: bool) -> CharacterSet:
    """Return the class that [:name:] denotes."""
    if ignores_case and name in ("lower", "upper"):
        name = "alpha"
    members = _CLASSES.get(name)
    if members is None:
        raise BadRegexp(BAD_CLASS)
    return CharacterSet(frozenset(members))


def class_escape(letter: str) -> CharacterSet:
    r"""Return the class that \d, \s or \w denotes, or the complement for a capital letter."""
    members = frozenset(_CLASSES[_CLASS_ESCAPES[letter.lower()]])
    return CharacterSet(members, negated=letter.isupper())


def collating_element(name: str) -> str:
    """Return the character that [.name.] denotes."""
    if len(name) == 1:
        return name
    if name not in _NAMES:
        raise BadRegexp(BAD_COLLATING_ELEMENT)
    return _NAMES[name]


WORD = CharacterSet(frozenset(_CLASSES["word"]))


_SIMPLE_ESCAPES = {
    "a": "\a", "b": "\b", "B": "\\", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_HEX_ESCAPES = {
    "u": re.compile(r"[0-9a-fA-F]{4}"),
    "U": re.compile(r"[0-9a-fA-F]{8}"),
    "x": re.compile(r"[0-9a-fA-F]{1,255}"),
}
_OCTAL_ESCAPE = re.compile(r"[0-7]{1,3}")
_CODE_MAX = 0x10FFFF
_OCTAL_MAX = 0xFF


def read_escape(text: str, at: int) -> tuple[str, int]:
    """Return the character of the escape whose letter is at a position, and the escape's end."""
    letter = text[at]
    if not (letter.isascii() and letter.isalnum()):
        return letter, at + 1
    if letter in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[letter], at + 1
    if letter == "c" and at + 1 < len(text):
        return chr(ord(text[at + 1]) & 0x1F), at + 2
    if letter in _HEX_ESCAPES:
        return _hexadecimal(_HEX_ESCAPES[letter], text, at + 1)
    octal = _OCTAL_ESCAPE.match(text, at)
    if octal is None:
        raise BadRegexp(BAD_ESCAPE)
    digits = octal[0] if int(octal[0], 8) <= _OCTAL_MAX else octal[0][:2]
    return chr(int(digits, 8)), at + len(digits)


def _hexadecimal(pattern: re.Pattern[str], text: str, at: int) -> tuple[str, int]:
    match = pattern.match(text, at)
    if match is None or int(match[0], 16) > _CODE_MAX:
        raise BadRegexp(BAD_ESCAPE)
    return chr(int(match[0], 16)), match.end()


def read_bracket(text: str, at: int, options: Options) -> tuple[CharacterSet, int]:
    """Return the set of the bracket expression whose inside begins at a position, and its end."""
    return _BracketReader(text, at, options).read()


class _BracketReader:
    def __init__(self, text: str, at: int, options: Options) -> None:
        self._text = text
        self._at = at
        self._ignores_case = options.ignores_case
        self._newline_stops = options.newline_stops
        self._has_escapes = options.flavor is Flavor.ADVANCED
        self._singles: set[str] = set()
        self._ranges: list[tuple[str, str]] = []
        self._others: list[CharacterSet] = []

    def read(self) -> tuple[CharacterSet, int]:
        negated = self._take("^")
        is_first, check = True, current().check
        while is_first or self._peek() != "]":
            check()
            if not self._peek():
                raise BadRegexp(UNBALANCED_BRACKETS)
            self._read_item(is_first)
            is_first = False
        self._at += 1
        if negated and self._newline_stops:
            self._singles.add("\n")
        singles, ranges = frozenset(self._singles), tuple(self._ranges)
        return CharacterSet(singles, ranges, negated, tuple(self._others)), self._at

    def _peek(self, length: int = 1) -> str:
        return self._text[self._at : self._at + length]

    def _take(self, text: str) -> bool:
        if self._text.startswith(text, self._at):
            self._at += len(text)
            return True
        return False

    def _read_item(self, is_first: bool) -> None:
        if self._peek() == "-" and not is_first and self._peek(2) != "-]":
            raise BadRegexp(BAD_RANGE)
        if self._take("[:"):
            self._others.append(named_class(self._until(":]", BAD_CLASS), self._ignores_case))
            return
        if self._take("[="):
            self._add(collating_element(self._until("=]", BAD_COLLATING_ELEMENT)))
            return
        if self._has_escapes and self._peek() == "\\" and self._peek(2)[1:] in tuple("dDsSwW"):
            self._others.append(class_escape(self._peek(2)[1]))
            self._at += 2
            return
        low = self._endpoint()
        if self._peek() == "-" and self._peek(2) != "-]":
            self._at += 1
            self._add_range(low, self._endpoint())
        else:
            self._add(low)

    def _endpoint(self) -> str:
        """Read a character, a collating element or an escape."""
        if self._take("[."):
            return collating_element(self._until(".]", BAD_COLLATING_ELEMENT))
        if self._peek(2) in ("[:", "[="):
            raise BadRegexp(BAD_RANGE)
        character = self._peek()
        if not character:
            raise BadRegexp(UNBALANCED_BRACKETS)
        self._at += 1
        if character != "\\" or not self._has_escapes:
            return character
        if not self._peek() or self._peek() in "AZmMyYdDsSwW123456789":
            raise BadRegexp(BAD_ESCAPE)
        value, self._at = read_escape(self._text, self._at)
        return value

    def _until(self, end: str, error: str) -> str:
        close = self._text.find(end, self._at)
        if close < 0:
            raise BadRegexp(UNBALANCED_BRACKETS)
        name = self._text[self._at : close]
        if not name:
            raise BadRegexp(error)
        self._at = close + len(end)
        return name

    def _add(self, character: str) -> None:
        self._singles |= both_cases(character) if self._ignores_case else {character}

    def _add_range(self, low: str, high: str) -> None:
        if low > high:
            raise BadRegexp(BAD_RANGE)
        added = character_range(low, high, self._ignores_case)
        self._singles |= added.characters
        self._ranges += added.ranges

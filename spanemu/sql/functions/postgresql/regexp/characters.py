"""Sets of characters, by code points.

Classes such as [:alpha:] have ASCII characters only, and letter case is that of ASCII, as in the C
locale of a Spanner database.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass

from spanemu.sql.functions.postgresql.regexp.errors import (
    BAD_CLASS,
    BAD_COLLATING_ELEMENT,
    BadRegexp,
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

"""Bracket expressions: [a-z], [^[:space:]], [[.hyphen.]-~]."""

from __future__ import annotations

from spanemu.base.call import current
from spanemu.sql.functions.postgresql.regexp import errors
from spanemu.sql.functions.postgresql.regexp.characters import (
    CharacterSet,
    both_cases,
    character_range,
    class_escape,
    collating_element,
    named_class,
)
from spanemu.sql.functions.postgresql.regexp.errors import BadRegexp
from spanemu.sql.functions.postgresql.regexp.escapes import read_escape
from spanemu.sql.functions.postgresql.regexp.options import Flavor, Options


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
                raise BadRegexp(errors.UNBALANCED_BRACKETS)
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
            raise BadRegexp(errors.BAD_RANGE)
        if self._take("[:"):
            self._others.append(
                named_class(self._until(":]", errors.BAD_CLASS), self._ignores_case)
            )
            return
        if self._take("[="):
            self._add(collating_element(self._until("=]", errors.BAD_COLLATING_ELEMENT)))
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
            return collating_element(self._until(".]", errors.BAD_COLLATING_ELEMENT))
        if self._peek(2) in ("[:", "[="):
            raise BadRegexp(errors.BAD_RANGE)
        character = self._peek()
        if not character:
            raise BadRegexp(errors.UNBALANCED_BRACKETS)
        self._at += 1
        if character != "\\" or not self._has_escapes:
            return character
        if not self._peek() or self._peek() in "AZmMyYdDsSwW123456789":
            raise BadRegexp(errors.BAD_ESCAPE)
        value, self._at = read_escape(self._text, self._at)
        return value

    def _until(self, end: str, error: str) -> str:
        close = self._text.find(end, self._at)
        if close < 0:
            raise BadRegexp(errors.UNBALANCED_BRACKETS)
        name = self._text[self._at : close]
        if not name:
            raise BadRegexp(error)
        self._at = close + len(end)
        return name

    def _add(self, character: str) -> None:
        self._singles |= both_cases(character) if self._ignores_case else {character}

    def _add_range(self, low: str, high: str) -> None:
        if low > high:
            raise BadRegexp(errors.BAD_RANGE)
        added = character_range(low, high, self._ignores_case)
        self._singles |= added.characters
        self._ranges += added.ranges

"""A regular expression cut into tokens, in any flavor."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from spanemu.sql.functions.postgresql.regexp.characters import (
    class_escape,
    read_bracket,
    read_escape,
)
from spanemu.sql.functions.postgresql.regexp.options import (
    BAD_COUNT,
    BAD_ESCAPE,
    BAD_OPTION,
    BAD_PATTERN,
    BAD_QUANTIFIER,
    UNBALANCED_BRACES,
    BadRegexp,
    Flavor,
    Options,
)
from spanemu.sql.functions.postgresql.regexp.syntax import Constraint, Preference

COUNT_MAX = 255

_BOUND = re.compile(r"(\d+)(?:(,)(\d*))?(.?)", re.ASCII | re.DOTALL)
_SKIPPED = re.compile(r"(?:\s|#[^\n]*)*", re.ASCII)
_OPTIONS = re.compile(r"\(\?([a-zA-Z]+)(\)?)")
_CONSTRAINT_ESCAPES = {
    "A": Constraint.TEXT_START,
    "Z": Constraint.TEXT_END,
    "m": Constraint.WORD_START,
    "M": Constraint.WORD_END,
    "y": Constraint.WORD_BOUNDARY,
    "Y": Constraint.NO_WORD_BOUNDARY,
}
_LOOKS = {"?=": (True, True), "?!": (True, False), "?<=": (False, True), "?<!": (False, False)}
_WORD_BRACKETS = {"[[:<:]]": Constraint.WORD_START, "[[:>:]]": Constraint.WORD_END}


@dataclass(frozen=True, slots=True)
class Token:
    """A token by its kind, with a value.

    kind         value                      kind          value
    character    the character              (             True if it captures
    set          a CharacterSet             look          (is ahead, is positive)
    any          None                       quantifier    (least, most, Preference)
    constraint   a Constraint               back          the number of a group
    | ) end      None
    """

    kind: str
    value: Any = None


END = Token("end")


class Tokenizer:
    """The state between two tokens. `groups` is the number of groups begun so far."""

    def __init__(self, text: str, options: Options) -> None:
        self._text = text
        self._at = 0
        self.options = options
        self.groups = 0
        self._read_prefixes()
        self._is_literal = self.options.flavor is Flavor.LITERAL
        self._is_advanced = self.options.flavor is Flavor.ADVANCED
        self._expanded = self.options.expanded and not self._is_literal
        self._last = ""

    def next(self) -> Token:
        """Return the next token."""
        token = self._read()
        self._last = token.kind
        return token

    # ------------------------------------------------------------------------ prefixes

    def _read_prefixes(self) -> None:
        """Read a director (***: or ***=) and embedded options."""
        if self.options.flavor is Flavor.LITERAL:
            return
        if self._text.startswith("***") and len(self._text) > 3:
            self._read_director(self._text[3])
        if self.options.flavor is Flavor.ADVANCED:
            self._read_options()

    def _read_director(self, director: str) -> None:
        flavor = {"=": "q", ":": None}
        if director not in flavor:
            raise BadRegexp(BAD_PATTERN if director == "?" else BAD_QUANTIFIER)
        self._at = 4
        is_literal = director == "="
        kept = self.options
        self.options = Options(
            Flavor.LITERAL if is_literal else Flavor.ADVANCED,
            kept.ignores_case,
            kept.expanded and not is_literal,
            kept.newline_stops and not is_literal,
            kept.newline_anchors and not is_literal,
        )

    def _read_options(self) -> None:
        match = _OPTIONS.match(self._text, self._at)
        if match is None:
            return
        for letter in match[1]:
            changed = self.options.with_letter(letter)
            if changed is None:
                raise BadRegexp(BAD_OPTION)
            self.options = changed
        if not match[2]:
            raise BadRegexp(BAD_OPTION)
        self._at = match.end()

    # ------------------------------------------------------------------------ tokens

    def _peek(self, length: int = 1) -> str:
        return self._text[self._at : self._at + length]

    def _read(self) -> Token:
        if self._expanded:
            self._skip()
        character = self._peek()
        if not character:
            return END
        if self._is_literal:
            self._at += 1
            return Token("character", character)
        if character == "[":
            return self._read_bracket()
        self._at += 1
        if self.options.flavor is Flavor.BASIC:
            return self._basic(character)
        match character:
            case "|":
                return Token("|")
            case ")":
                return Token(")")
            case "*" | "+" | "?":
                return self._quantifier(
                    0 if character != "+" else 1, 1 if character == "?" else None
                )
            case "{":
                return self._bound()
            case "(":
                return self._parenthesis()
            case ".":
                return Token("any")
            case "^":
                return Token("constraint", Constraint.LINE_START)
            case "$":
                return Token("constraint", Constraint.LINE_END)
            case "\\":
                return self._escape()
        return Token("character", character)

    def _skip(self) -> None:
        match = _SKIPPED.match(self._text, self._at)
        assert match is not None
        self._at = match.end()

    def _read_bracket(self) -> Token:
        constraint = _WORD_BRACKETS.get(self._peek(7))
        if constraint is not None:
            self._at += 7
            return Token("constraint", constraint)
        characters, self._at = read_bracket(self._text, self._at + 1, self.options)
        return Token("set", characters)

    def _quantifier(self, least: int, most: int | None) -> Token:
        return Token("quantifier", (least, most, self._preference()))

    def _preference(self) -> Preference:
        if self._is_advanced and self._peek() == "?":
            self._at += 1
            return Preference.SHORTEST
        return Preference.LONGEST

    def _bound(self) -> Token:
        """Read {m}, {m,} or {m,n}; a brace that no digit follows is an ordinary character."""
        if self._expanded:
            self._skip()
        if not ("0" <= self._peek() <= "9" if self._peek() else False):
            return Token("character", "{")
        token = self._counts("}")
        least, most, exercises = token
        preference = self._preference()
        return Token("quantifier", (least, most, preference if exercises else Preference.NONE))

    def _counts(self, end: str) -> tuple[int, int | None, bool]:
        """Read the numbers of a bound and its end; return them and whether there is a comma."""
        close = self._text.find(end, self._at)
        inner = self._text[self._at : close if close >= 0 else len(self._text)]
        if self._expanded:
            inner = _SKIPPED.sub("", inner)
        match = re.fullmatch(r"(\d+)(?:(,)(\d*))?", inner, re.ASCII)
        if close < 0:
            good = re.fullmatch(r"\d*,?\d*", inner, re.ASCII)
            raise BadRegexp(UNBALANCED_BRACES if good else BAD_COUNT)
        if match is None or max(len(match[1]), len(match[3] or "")) > _COUNT_DIGITS:
            raise BadRegexp(BAD_COUNT)
        self._at = close + len(end)
        least = int(match[1])
        most = least if not match[2] else int(match[3]) if match[3] else None
        if least > COUNT_MAX or (most is not None and not least <= most <= COUNT_MAX):
            raise BadRegexp(BAD_COUNT)
        return least, most, match[2] is not None

    def _parenthesis(self) -> Token:
        if not self._is_advanced or self._peek() != "?":
            self.groups += 1
            return Token("(", True)
        if self._peek(2) == "?:":
            self._at += 2
            return Token("(", False)
        if self._peek(2) == "?#":
            close = self._text.find(")", self._at)
            self._at = close + 1 if close >= 0 else len(self._text)
            return self._read()
        for mark, look in _LOOKS.items():
            if self._peek(len(mark)) == mark:
                self._at += len(mark)
                return Token("look", look)
        raise BadRegexp(BAD_QUANTIFIER)

    def _escape(self) -> Token:
        character = self._peek()
        if not character:
            raise BadRegexp(BAD_ESCAPE)
        if not self._is_advanced:
            self._at += 1
            return Token("character", character)
        if character in _CONSTRAINT_ESCAPES:
            self._at += 1
            return Token("constraint", _CONSTRAINT_ESCAPES[character])
        if character in "dDsSwW":
            self._at += 1
            return Token("set", class_escape(character))
        if "1" <= character <= "9":
            digits = re.compile(r"\d+", re.ASCII).match(self._text, self._at)
            assert digits is not None
            if len(digits[0]) == 1 or 0 < int(digits[0][:9]) <= self.groups:
                self._at = digits.end()
                return Token("back", int(digits[0]))
        value, self._at = read_escape(self._text, self._at)
        return Token("character", value)

    # ------------------------------------------------------------------------ basic expressions

    def _basic(self, character: str) -> Token:
        is_first = self._last in ("", "(")
        match character:
            case "*" if not is_first and self._last != "caret":
                return Token("quantifier", (0, None, Preference.LONGEST))
            case ".":
                return Token("any")
            case "^" if is_first:
                return Token("constraint", Constraint.LINE_START)
            case "$":
                if self._expanded:
                    self._skip()
                if not self._peek() or self._peek(2) == "\\)":
                    return Token("constraint", Constraint.LINE_END)
            case "\\":
                return self._basic_escape()
        return Token("character", character)

    def _basic_escape(self) -> Token:
        character = self._peek()
        if not character:
            raise BadRegexp(BAD_ESCAPE)
        self._at += 1
        match character:
            case "(":
                self.groups += 1
                return Token("(", True)
            case ")":
                return Token(")")
            case "{":
                least, most, exercises = self._counts("\\}")
                preference = Preference.LONGEST if exercises else Preference.NONE
                return Token("quantifier", (least, most, preference))
            case "<":
                return Token("constraint", Constraint.WORD_START)
            case ">":
                return Token("constraint", Constraint.WORD_END)
        if "1" <= character <= "9":
            return Token("back", int(character))
        return Token("character", character)


_COUNT_DIGITS = 9

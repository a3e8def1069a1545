"""The options of a regular expression, and the errors of malformed ones.

Options are flags of a function, or letters after `(?` at the start of the expression.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Any

from spanemu.base.errors import Code, SpannerError
from spanemu.base.sql_states import SqlState


class BadRegexp(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_REGULAR_EXPRESSION
):
    prose = "[ERROR] invalid regular expression: {reason}"
    reason: str


class BadRegexpOption(
    SpannerError, code=Code.INVALID_ARGUMENT, sql_state=SqlState.INVALID_PARAMETER_VALUE
):
    prose = "[ERROR] {problem}"
    problem: str


UNBALANCED_BRACKETS = "brackets [] not balanced"
UNBALANCED_PARENTHESES = "parentheses () not balanced"
UNBALANCED_BRACES = "braces {} not balanced"
BAD_ESCAPE = "invalid escape \\ sequence"
BAD_BACK_REFERENCE = "invalid backreference number"
BAD_COUNT = "invalid repetition count(s)"
BAD_QUANTIFIER = "quantifier operand invalid"
BAD_RANGE = "invalid character range"
BAD_CLASS = "invalid character class"
BAD_COLLATING_ELEMENT = "invalid collating element"
BAD_OPTION = "invalid embedded option"
BAD_PATTERN = "invalid regexp (reg version 0.8)"
TOO_COMPLEX = "regular expression is too complex"


class Flavor(Enum):
    """The syntax of an expression."""

    ADVANCED = auto()
    EXTENDED = auto()
    BASIC = auto()
    LITERAL = auto()


@dataclass(frozen=True, slots=True)
class Options:
    """The options of an expression. Newlines may end what `.` matches, and lines for ^ and $."""

    flavor: Flavor = Flavor.ADVANCED
    ignores_case: bool = False
    expanded: bool = False  # white space and comments are not part of the expression
    newline_stops: bool = False
    newline_anchors: bool = False

    def with_letter(self, letter: str) -> Options | None:
        """Return the options with the option of a letter added; None for an unknown letter."""
        change = _CHANGES.get(letter)
        if change is None:
            return None
        return replace(self, **change)


_CHANGES: dict[str, dict[str, Any]] = {
    "b": {"flavor": Flavor.BASIC},
    "c": {"ignores_case": False},
    "e": {"flavor": Flavor.EXTENDED},
    "i": {"ignores_case": True},
    "m": {"newline_stops": True, "newline_anchors": True},
    "n": {"newline_stops": True, "newline_anchors": True},
    "p": {"newline_stops": True, "newline_anchors": False},
    "q": {"flavor": Flavor.LITERAL},
    "s": {"newline_stops": False, "newline_anchors": False},
    "t": {"expanded": False},
    "w": {"newline_stops": False, "newline_anchors": True},
    "x": {"expanded": True},
}

DEFAULT_OPTIONS = Options()


def parse_flags(flags: str) -> tuple[Options, bool]:
    """Return the options that a function's flags set, and whether "g" is among them.

    The flag e selects basic expressions, as PostgreSQL has it; embedded, e means extended ones.
    """
    options, is_global = DEFAULT_OPTIONS, False
    for letter in flags:
        if letter == "g":
            is_global = True
            continue
        changed = options.with_letter("b" if letter == "e" else letter)
        if changed is None:
            raise BadRegexpOption(f'invalid regular expression option: "{letter}"')
        options = changed
    return options, is_global

"""JSONPath: `$`, then `.key`, `."quoted key"` and `[index]`; parsed paths are cached.

    reading    $.a."b.c"[0]  ->  (Step("a"), Step("b.c"), Step("0", 0))
    writing    the same text  ->  ("a", "b.c", 0)

Functions that read use a step as the name of a member of an object or, if the step is a number, as
the index of an element of an array. Functions that write (JSON_SET and others) distinguish names
from indexes, because they create missing members and elements. Spanner supports nothing else of
JSONPath: no wildcards, no recursion, no filters.
"""

from __future__ import annotations

import re
from typing import Any, Final

from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import BadJsonPath
from spanemu.sql.functions.text.pattern_cache import pattern_cache

_KEY = re.compile(r"\.([\w\-:\t\n\f\r ]+)")
_QUOTED = re.compile(r'\."((?:[^\\"]|\\.)*)"', re.DOTALL)
_SUBSCRIPT = re.compile(r"\[[\t\n\f\r ]*([\d_-]+)[\t\n\f\r ]*\]", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_UNSUPPORTED = re.compile(r"\*|\.\.|@")
_INDEX_DIGITS_MAX = 18


class Step(NamedTuple):
    """A step of a path that is read: a member's name, and its number if the name is a number."""

    name: str
    number: int | None


class Missing:
    """The type of `MISSING`, which differs from every value that a document can hold."""


MISSING: Final = Missing()


@pattern_cache
def reading_path(text: str) -> tuple[Step, ...]:
    """Return the steps of a path for a function that reads.

    A number too large for any array index leads to no element.
    """
    return tuple([_step(word.replace('\\"', '"')) for word, _ in _words(text)])


@pattern_cache
def writing_path(text: str) -> tuple[str | int, ...]:
    """Return the steps of a path for a function that writes: names are str, indexes int.

    The escapes of a quoted name stay in place, as in Spanner.
    """
    return tuple([_index(word, text) if is_index else word for word, is_index in _words(text)])


def value_at(value: Any, steps: tuple[Step, ...]) -> Any:
    """Return the value that the path leads to in plain JSON data, or MISSING."""
    for name, number in steps:
        if value.__class__ is dict:
            value = value.get(name, MISSING)
            if value is MISSING:
                return MISSING
        elif value.__class__ is list:
            if number is None or number >= len(value):
                return MISSING
            value = value[number]
        else:
            return MISSING
    return value


def _words(text: str) -> list[tuple[str, bool]]:
    """Return the text of each step, and whether the step stood in brackets."""
    if not text.startswith("$"):
        raise BadJsonPath(text, "JSONPath must start with '$'")
    words: list[tuple[str, bool]] = []
    at = 1
    while at < len(text):
        match = _KEY.match(text, at) or _QUOTED.match(text, at) or _SUBSCRIPT.match(text, at)
        if match is None:
            raise BadJsonPath(text, _complaint(text[at:]))
        words.append((match[1], match[0].startswith("[")))
        at = match.end()
    return words


def _step(word: str) -> Step:
    is_number = len(word) <= _INDEX_DIGITS_MAX and _DIGITS.fullmatch(word) is not None
    return Step(word, int(word) if is_number else None)


def _index(word: str, text: str) -> int:
    if _DIGITS.fullmatch(word) is None:
        raise BadJsonPath(text, f"Invalid token in JSONPath at: [{word}]")
    if len(word) > _INDEX_DIGITS_MAX:
        raise BadJsonPath(text, f"JSONPath contains invalid array index: {word}")
    return int(word)


def _complaint(rest: str) -> str:
    if operator := _UNSUPPORTED.search(rest):
        return f"Unsupported operator in JSONPath: {operator[0]}"
    return f"Invalid token in JSONPath at: {rest}"

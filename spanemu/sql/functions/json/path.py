"""JSONPath: `$`, then `.key`, `."quoted key"` and `[index]`, parsed once per text.

    reading    $.a."b.c"[0]  ->  (Step("a"), Step("b.c"), Step("0", 0))
    writing    the same text  ->  ("a", "b.c", 0)

Functions that read take any step as the name of a member or, if it is a number, the index of an
element, whichever the document has there. Functions that write (JSON_SET and its kin) tell names
from indexes, because they create what is missing. Nothing else of JSONPath exists here: no
wildcards, no recursion, no filters.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from spanemu.sql.functions.errors import BadJsonPath
from spanemu.sql.functions.text.pattern_cache import pattern_cache

_KEY = re.compile(r"\.([\w\-:\t\n\f\r ]+)")
_QUOTED = re.compile(r'\."((?:[^\\"]|\\.)*)"', re.DOTALL)
_SUBSCRIPT = re.compile(r"\[[\t\n\f\r ]*([\d_-]+)[\t\n\f\r ]*\]", re.ASCII)
_DIGITS = re.compile(r"\d+", re.ASCII)
_UNSUPPORTED = re.compile(r"\*|\.\.|@")
_INDEX_DIGITS_MAX = 18


class Step(NamedTuple):
    """One step of a path that is read: a member's name, and its number if it is one."""

    name: str
    number: int | None


class Missing:
    """The type of `MISSING`, told from every value a document can hold."""


MISSING: Final = Missing()


@pattern_cache
def reading_path(text: str) -> tuple[Step, ...]:
    """The steps of a path for a function that reads. An index that no array has leads nowhere."""
    return tuple([_step(word.replace('\\"', '"')) for word, _ in _words(text)])


@pattern_cache
def writing_path(text: str) -> tuple[str | int, ...]:
    """The steps of a path for a function that writes: names are str, indexes int.

    Spanner leaves the escapes of a quoted name in place here, and so do we.
    """
    return tuple([_index(word, text) if is_index else word for word, is_index in _words(text)])


def found(value: Any, steps: tuple[Step, ...]) -> Any:
    """What the path leads to in plain JSON data, or MISSING."""
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
    """Each step's text, and whether it stood in brackets."""
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

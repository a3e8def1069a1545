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
from functools import lru_cache
from typing import Any, Final, NamedTuple

from spanemu.sql.functions.errors import BadJsonPath

_KEY = re.compile(r"\.([\w\-:\t\n\f\r ]+)")
_QUOTED = re.compile(r'\."((?:[^\\"]|\\.)*)"', re.DOTALL)
_SUBSCRIPT = re.compile(r"\[[\t\n\f\r ]*([\w-]+)[\t\n\f\r ]*\]")
_DIGITS = re.compile(r"\d+", re.ASCII)
_UNSUPPORTED = re.compile(r"\*|\.\.|@")
_INDEX_MAX = 2**63 - 1


class Step(NamedTuple):
    """One step of a path that is read: a member's name, and its number if it is one."""

    name: str
    number: int | None


class Missing:
    """The type of `MISSING`, told from every value a document can hold."""


MISSING: Final = Missing()


@lru_cache(maxsize=2048)
def reading_path(text: str) -> tuple[Step, ...]:
    """The steps of a path for a function that reads."""
    steps = []
    for token, quoted in _tokens(text):
        is_index = not quoted and _DIGITS.fullmatch(str(token)) is not None
        steps.append(Step(str(token), int(token) if is_index else None))
    return tuple(steps)


@lru_cache(maxsize=2048)
def writing_path(text: str) -> tuple[str | int, ...]:
    """The steps of a path for a function that writes: names are str, indexes int."""
    return tuple([token for token, _ in _tokens(text)])


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


def _tokens(text: str) -> list[tuple[str | int, bool]]:
    """Each step's name or index, and whether it was quoted."""
    if not text.startswith("$"):
        raise BadJsonPath(text, "JSONPath must start with '$'")
    tokens: list[tuple[str | int, bool]] = []
    at = 1
    while at < len(text):
        if match := _KEY.match(text, at):
            tokens.append((match[1], False))
        elif match := _QUOTED.match(text, at):
            tokens.append((match[1].replace('\\"', '"'), True))
        elif match := _SUBSCRIPT.match(text, at):
            tokens.append((_index(match[1], text), False))
        else:
            raise BadJsonPath(text, _complaint(text[at:]))
        at = match.end()
    return tokens


def _index(word: str, text: str) -> int:
    if _DIGITS.fullmatch(word) is None or len(word) > 19 or int(word) > _INDEX_MAX:
        raise BadJsonPath(text, f"Invalid array index: {word}")
    return int(word)


def _complaint(rest: str) -> str:
    if operator := _UNSUPPORTED.search(rest):
        return f"Unsupported operator in JSONPath: {operator[0]}"
    return f"Invalid token in JSONPath at: {rest}"

"""A patient JSON reader for texts that are not quite JSON.

It goes along a path and reads only as far as needed. Beyond the grammar it takes strings in single
quotes, any escape and any character inside a string, a comma too many at the end, and arrays that
leave an element out (`[1,,2]` has a null). What it reads is plain data with two exceptions:

    Number      a number, in the digits it was written with
    Members     an object, as a list of (key, value): in order, repeated keys included

This is the slow way, in Python: see `text` for the fast one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from spanemu.sql.functions.json.path import MISSING, Step

_SPACES = " \t\n\r\v\f"
_STRINGS = {
    '"': re.compile(r'"((?:[^\\"]|\\.)*)"', re.DOTALL),
    "'": re.compile(r"'((?:[^\\']|\\.)*)'", re.DOTALL),
}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WORD = re.compile(r"null|true|false")
_WORDS = {"null": None, "true": True, "false": False}
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![.eE])", re.ASCII)


class Number(str):
    """A number in the digits it was written with."""

    __slots__ = ()


class Members(list[tuple[str, Any]]):
    """An object: its members in the order of the text, repeated keys included."""

    __slots__ = ()


class Broken(Exception):
    """The text stops making sense before the wanted part was read."""


def sound(text: str) -> str:
    """`text` with its surrogates paired up, and those without a partner replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read(text: str, steps: tuple[Step, ...]) -> Any:
    """What the path leads to, or MISSING."""
    return _sought(text, _skip(text, 0), steps)


def _sought(text: str, at: int, steps: tuple[Step, ...]) -> Any:
    if not steps:
        return _value(text, at)[0]
    for place in _places(text, at, steps[0]):
        found = _sought(text, place, steps[1:])
        if found is not MISSING:
            return found
    return MISSING


def _places(text: str, at: int, step: Step) -> Iterator[int]:
    """Where values begin to which the step leads from the container at `at`."""
    opening = text[at : at + 1]
    if opening == "{":
        for key, place in _member_places(text, at):
            if key == step.name:
                yield place
    elif opening == "[" and step.number is not None:
        for number, place in enumerate(_element_places(text, at)):
            if number == step.number:
                if place >= 0:
                    yield place
                break


def _member_places(text: str, at: int) -> Iterator[tuple[str, int]]:
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        key, at = _string(text, at)
        at = _expect(text, _skip(text, at), ":")
        yield key, at
        at = _skip(text, _value(text, at)[1])
        if text[at : at + 1] != "}":
            at = _expect(text, at, ",")


def _element_places(text: str, at: int) -> Iterator[int]:
    """As above; -1 for an element that was left out."""
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        if text[at : at + 1] == ",":
            yield -1
        else:
            yield at
            at = _skip(text, _value(text, at)[1])
            if text[at : at + 1] == "]":
                break
        at = _expect(text, at, ",")


def _value(text: str, at: int) -> tuple[Any, int]:
    """The value at `at`, and where it ends."""
    opening = text[at : at + 1]
    if opening == "{":
        return _object(text, at)
    if opening == "[":
        return _array(text, at)
    if opening in ('"', "'"):
        return _string(text, at)
    if word := _WORD.match(text, at):
        return _WORDS[word[0]], word.end()
    if number := _NUMBER.match(text, at):
        return Number(number[0]), number.end()
    raise Broken


def _object(text: str, at: int) -> tuple[Members, int]:
    members = Members()
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        key, at = _string(text, at)
        at = _expect(text, _skip(text, at), ":")
        value, at = _value(text, at)
        members.append((key, value))
        at = _skip(text, at)
        if text[at : at + 1] != "}":
            at = _expect(text, at, ",")
    return members, at + 1


def _array(text: str, at: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    at = _skip(text, at + 1)
    while text[at : at + 1] != "]":
        if text[at : at + 1] == ",":
            items.append(None)
        else:
            value, at = _value(text, at)
            items.append(value)
            at = _skip(text, at)
            if text[at : at + 1] == "]":
                break
        at = _expect(text, at, ",")
    return items, at + 1


def _string(text: str, at: int) -> tuple[str, int]:
    pattern = _STRINGS.get(text[at : at + 1])
    found = pattern.match(text, at) if pattern else None
    if found is None:
        raise Broken
    inside = found[1]
    return (_ESCAPE.sub(_unescaped, inside) if "\\" in inside else inside), found.end()


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(escape[3], escape[3])


def _expect(text: str, at: int, char: str) -> int:
    """Behind the character that has to stand here, and the white space after it."""
    if text[at : at + 1] != char:
        raise Broken
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACES:
        at += 1
    return at

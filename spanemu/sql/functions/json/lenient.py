"""A lenient JSON reader for texts that are not valid JSON.

The reader follows a path and reads only as far as needed. Beyond the grammar it accepts strings in
single quotes, any escape and any character inside a string, a trailing comma, and arrays that omit
an element (`[1,,2]` has a null). Its values are plain data with two exceptions:

    Number      a number, in the digits of the text
    Members     an object, as a list of (key, value) in order, including repeated keys

This reader is slow Python; `text` uses the fast decoder of the standard library where it can.
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
    """A number in the digits of the text."""

    __slots__ = ()


class Members(list[tuple[str, Any]]):
    """An object: its members in the order of the text, including repeated keys."""

    __slots__ = ()


class MalformedJson(Exception):
    """The text is malformed before the end of the value that the path leads to."""


def repair_surrogates(text: str) -> str:
    """Return `text` with surrogates paired up and unpaired surrogates replaced."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def read(text: str, steps: tuple[Step, ...]) -> Any:
    """Return the value that the path leads to, or MISSING. Raise MalformedJson."""
    return _value_at(text, _skip(text, 0), steps)


def _value_at(text: str, at: int, steps: tuple[Step, ...]) -> Any:
    if not steps:
        return _value(text, at)[0]
    for offset in _value_offsets(text, at, steps[0]):
        value = _value_at(text, offset, steps[1:])
        if value is not MISSING:
            return value
    return MISSING


def _value_offsets(text: str, at: int, step: Step) -> Iterator[int]:
    """Yield the offsets of the values to which the step leads from the container at `at`."""
    opening = text[at : at + 1]
    if opening == "{":
        for key, offset in _member_offsets(text, at):
            if key == step.name:
                yield offset
    elif opening == "[" and step.number is not None:
        for number, offset in enumerate(_element_offsets(text, at)):
            if number == step.number:
                if offset >= 0:
                    yield offset
                break


def _member_offsets(text: str, at: int) -> Iterator[tuple[str, int]]:
    at = _skip(text, at + 1)
    while text[at : at + 1] != "}":
        key, at = _string(text, at)
        at = _expect(text, _skip(text, at), ":")
        yield key, at
        at = _skip(text, _value(text, at)[1])
        if text[at : at + 1] != "}":
            at = _expect(text, at, ",")


def _element_offsets(text: str, at: int) -> Iterator[int]:
    """Yield the offsets of the elements of the array at `at`; -1 for an element left out."""
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
    """Return the value at `at` and the offset of its end. Raise MalformedJson."""
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
    raise MalformedJson


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
    match = pattern.match(text, at) if pattern else None
    if match is None:
        raise MalformedJson
    inside = match[1]
    return (_ESCAPE.sub(_unescaped, inside) if "\\" in inside else inside), match.end()


def _unescaped(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    return chr(int(code, 16)) if code else _ESCAPED.get(escape[3], escape[3])


def _expect(text: str, at: int, char: str) -> int:
    """Return the offset after `char` at `at` and the white space behind it. Raise MalformedJson."""
    if text[at : at + 1] != char:
        raise MalformedJson
    return _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACES:
        at += 1
    return at

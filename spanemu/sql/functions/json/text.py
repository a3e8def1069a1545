"""Reading JSON from a STRING, which unlike a JSON value was never validated.

A result keeps the form of the text: the digits of numbers, the order of members and repeated keys.
Only white space between tokens is removed. Text after the value that the path leads to is never
read, so a truncated text still gives the values before its end. A text that is malformed before the
end of that value gives no value.

There are two implementations. A valid document is parsed as a whole, in C, and then walked along
the path. Any other text is read from key to key by a lenient reader, in slow Python: it follows the
path and reads only as far as needed. Beyond the grammar it accepts strings in single quotes, any
escape and any character inside a string, a trailing comma, and arrays that omit an element
(`[1,,2]` has a null). Its values are plain data with two exceptions:

    Number      a number, in the digits of the text
    Members     an object, as a list of (key, value) in order, including repeated keys
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from json.encoder import encode_basestring
from typing import Any

from spanemu.base.deadline_checks import interruptible, interruptible_calls, is_long
from spanemu.sql.functions.errors import BadArgument
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


def _no_constant(word: str) -> Any:
    raise ValueError(word)


def _decoder(number: Callable[[str], Any], members: Callable[[Any], Any]) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=members,
        parse_int=number,
        parse_float=number,
        parse_constant=_no_constant,
    )


_DECODER = _decoder(Number, Members)
_LONG_DECODER = _decoder(interruptible_calls(Number), interruptible_calls(Members))


def text_value_at(text: str, steps: tuple[Step, ...]) -> Any:
    """Return the value that the path leads to, in the form of the lenient reader, or MISSING."""
    try:
        decoder = _LONG_DECODER if is_long(text) else _DECODER
        return _walk(decoder.decode(text), steps)
    except ValueError:
        pass
    except RecursionError:
        raise _too_deep() from None
    try:
        return read(text, steps)
    except MalformedJson:
        return MISSING
    except RecursionError:
        raise _too_deep() from None


def json_text(value: Any) -> str:
    """Return the JSON text, without spaces, of a value in the form of the lenient reader."""
    try:
        return _json_text(value)
    except RecursionError:
        raise _too_deep() from None


def scalar_text(value: Any) -> str | None:
    """Return the text of a scalar; None for null and for containers."""
    if value.__class__ is str:
        return repair_surrogates(value)
    if value.__class__ is Number:
        return str(value)
    if value.__class__ is bool:
        return "true" if value else "false"
    return None


def _too_deep() -> BadArgument:
    return BadArgument("JSON parsing failed due to deeply nested array/struct.")


def _quoted(text: str) -> str:
    quoted = encode_basestring(repair_surrogates(text))
    if quoted.isascii():
        return quoted
    # These characters end a line in JavaScript.
    return quoted.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _json_text(value: Any) -> str:
    kind = value.__class__
    if kind is str:
        return _quoted(value)
    if kind is Number:
        return str(value)
    if kind is Members:
        members = [f"{_quoted(key)}:{_json_text(item)}" for key, item in interruptible(value)]
        return "{" + ",".join(members) + "}"
    if kind is list:
        return "[" + ",".join([_json_text(item) for item in interruptible(value)]) + "]"
    return "null" if value is None else "true" if value else "false"


def _walk(value: Any, steps: tuple[Step, ...]) -> Any:
    for depth, (name, number) in enumerate(steps):
        if value.__class__ is Members:
            members = [member for key, member in value if key == name]
            if len(members) > 1:
                return _walk_first(members, steps[depth + 1 :])
            value = members[0] if members else MISSING
        elif value.__class__ is list and number is not None and number < len(value):
            value = value[number]
        else:
            return MISSING
    return value


def _walk_first(values: list[Any], steps: tuple[Step, ...]) -> Any:
    """Return the value of the path in the first of `values` in which the path exists."""
    for value in values:
        target = _walk(value, steps)
        if target is not MISSING:
            return target
    return MISSING

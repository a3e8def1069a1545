"""Reading JSON out of a STRING, which unlike a JSON value nobody has validated.

The text is kept as it is: numbers in their digits, members in their order, repeated keys repeated;
only white space between tokens goes. What lies behind the wanted part is never looked at, so a text
that ends too early still gives what comes before its end. A text that is broken on the way to
the wanted part gives nothing.

Two ways lead to the wanted part. A sound document is parsed whole, in C, and then walked; one that
is not is walked as text, from key to key.
"""

from __future__ import annotations

import json
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring
from typing import Any

from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.json_path import MISSING, Step

_SPACES = " \t\n\r"


class Number(str):
    """A number in the digits it was written with."""

    __slots__ = ()


class Members(list[tuple[str, Any]]):
    """An object: its members in the order of the text, repeated keys included."""

    __slots__ = ()


def _no_constant(word: str) -> Any:
    raise ValueError(word)


_DECODER = json.JSONDecoder(
    object_pairs_hook=Members,
    parse_int=Number,
    parse_float=Number,
    parse_constant=_no_constant,
)
_decode, _scan = _DECODER.decode, _DECODER.raw_decode


def sought(text: str, steps: tuple[Step, ...]) -> Any:
    """What the path leads to, in the forms above, or MISSING."""
    try:
        return _walked(_decode(text), steps)
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        return _sought_in_text(text, steps)


def written(value: Any) -> str:
    """JSON text of a value in the forms above, without spaces."""
    try:
        return _written(value)
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> BadArgument:
    return BadArgument("JSON parsing failed due to deeply nested array/struct.")


def _written(value: Any) -> str:
    kind = value.__class__
    if kind is str:
        return encode_basestring(value)
    if kind is Number:
        return str(value)
    if kind is Members:
        inside = [f"{encode_basestring(name)}:{_written(member)}" for name, member in value]
        return "{" + ",".join(inside) + "}"
    if kind is list:
        return "[" + ",".join([_written(item) for item in value]) + "]"
    return "null" if value is None else "true" if value else "false"


def _walked(value: Any, steps: tuple[Step, ...]) -> Any:
    for name, number in steps:
        if value.__class__ is Members:
            value = next((member for key, member in value if key == name), MISSING)
        elif value.__class__ is list and number is not None and number < len(value):
            value = value[number]
        else:
            return MISSING
    return value


def _sought_in_text(text: str, steps: tuple[Step, ...]) -> Any:
    try:
        at = _skip(text, 0)
        for step in steps:
            at = _member(text, at, step)
            if at < 0:
                return MISSING
        return _scan(text, at)[0]
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        return MISSING


def _member(text: str, at: int, step: Step) -> int:
    """Where the step's value begins in the container at `at`; -1 if there is none."""
    opening = text[at : at + 1]
    if opening == "{":
        return _named_member(text, at, step.name)
    if opening == "[" and step.number is not None:
        return _numbered_element(text, at, step.number)
    return -1


def _named_member(text: str, at: int, name: str) -> int:
    at = _skip(text, at + 1)
    while text[at : at + 1] == '"':
        key, at = scanstring(text, at + 1, True)
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            return -1
        at = _skip(text, at + 1)
        if key == name:
            return at
        at = _next_item(text, at)
    return -1


def _numbered_element(text: str, at: int, index: int) -> int:
    at = _skip(text, at + 1)
    if text[at : at + 1] == "]":
        return -1
    for _ in range(index):
        at = _next_item(text, at)
        if at == len(text):
            return -1
    return at


def _next_item(text: str, at: int) -> int:
    """Behind the value at `at` and its comma; the end of the text if none follows."""
    at = _skip(text, _scan(text, at)[1])
    return _skip(text, at + 1) if text[at : at + 1] == "," else len(text)


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACES:
        at += 1
    return at

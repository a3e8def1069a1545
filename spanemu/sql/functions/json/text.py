"""Reading JSON from a STRING, which unlike a JSON value was never validated.

A result keeps the form of the text: the digits of numbers, the order of members and repeated keys.
Only white space between tokens is removed. Text after the value that the path leads to is never
read, so a truncated text still gives the values before its end. A text that is malformed before the
end of that value gives no value.

There are two implementations. A valid document is parsed as a whole, in C, and then walked along
the path. Any other text is read by `lenient`, from key to key.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any

from spanemu.base.deadline_checks import is_long, paced, paced_calls
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.json.lenient import (
    MalformedJson,
    Members,
    Number,
    read,
    repair_surrogates,
)
from spanemu.sql.functions.json.path import MISSING, Step


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
_LONG_DECODER = _decoder(paced_calls(Number), paced_calls(Members))


def text_value_at(text: str, steps: tuple[Step, ...]) -> Any:
    """Return the value that the path leads to, in the form that `lenient` describes, or MISSING."""
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
    """Return the JSON text, without spaces, of a value in the form that `lenient` describes."""
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
        members = [f"{_quoted(key)}:{_json_text(item)}" for key, item in paced(value)]
        return "{" + ",".join(members) + "}"
    if kind is list:
        return "[" + ",".join([_json_text(item) for item in paced(value)]) + "]"
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

"""Reading JSON out of a STRING, which unlike a JSON value nobody has validated.

The text is kept as it is: numbers in their digits, members in their order, repeated keys repeated;
only white space between tokens goes. What lies behind the wanted part is never looked at, so a text
that ends too early still gives what comes before its end. A text that is broken on the way to
the wanted part gives nothing.

Two ways lead to the wanted part. A sound document is parsed whole, in C, and then walked; one that
is not goes to `lenient`, which reads from key to key.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from json.encoder import encode_basestring
from typing import Any

from spanemu.base.deadline_checks import is_long, paced, paced_calls
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.json.lenient import Broken, Members, Number, read, sound
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


def sought(text: str, steps: tuple[Step, ...]) -> Any:
    """What the path leads to, as `lenient` describes it, or MISSING."""
    try:
        decoder = _LONG_DECODER if is_long(text) else _DECODER
        return _walked(decoder.decode(text), steps)
    except ValueError:
        pass
    except RecursionError:
        raise _too_deep() from None
    try:
        return read(text, steps)
    except Broken:
        return MISSING
    except RecursionError:
        raise _too_deep() from None


def written(value: Any) -> str:
    """JSON text of such a value, without spaces."""
    try:
        return _written(value)
    except RecursionError:
        raise _too_deep() from None


def scalar_text(value: Any) -> str | None:
    """The text of a scalar; NULL for null and for containers."""
    if value.__class__ is str:
        return sound(value)
    if value.__class__ is Number:
        return str(value)
    if value.__class__ is bool:
        return "true" if value else "false"
    return None


def _too_deep() -> BadArgument:
    return BadArgument("JSON parsing failed due to deeply nested array/struct.")


def _quoted(text: str) -> str:
    quoted = encode_basestring(sound(text))
    if quoted.isascii():
        return quoted
    # These two end a line in JavaScript.
    return quoted.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _written(value: Any) -> str:
    kind = value.__class__
    if kind is str:
        return _quoted(value)
    if kind is Number:
        return str(value)
    if kind is Members:
        members = [f"{_quoted(key)}:{_written(item)}" for key, item in paced(value)]
        return "{" + ",".join(members) + "}"
    if kind is list:
        return "[" + ",".join([_written(item) for item in paced(value)]) + "]"
    return "null" if value is None else "true" if value else "false"


def _walked(value: Any, steps: tuple[Step, ...]) -> Any:
    for place, (name, number) in enumerate(steps):
        if value.__class__ is Members:
            members = [member for key, member in value if key == name]
            if len(members) > 1:
                return _first_walked(members, steps[place + 1 :])
            value = members[0] if members else MISSING
        elif value.__class__ is list and number is not None and number < len(value):
            value = value[number]
        else:
            return MISSING
    return value


def _first_walked(values: list[Any], steps: tuple[Step, ...]) -> Any:
    """Of members with the same key, the first in which the path goes on."""
    for value in values:
        found = _walked(value, steps)
        if found is not MISSING:
            return found
    return MISSING

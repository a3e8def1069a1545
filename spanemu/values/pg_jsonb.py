"""JSONB of PostgreSQL databases: a parsed document in normal form, and its text.

A document is plain Python data: None, bool, `Decimal`, str, list, dict. A number is a value of
`pg_numeric`: it keeps its digits and its scale, so 1.10 stays 1.10 and 1e2 becomes 100. The keys of
an object are sorted by the length of their UTF-8 bytes, then by the bytes; the last of duplicate
keys wins. The text has a blank after each colon and comma, and escapes no more than JSON requires.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

from spanemu.base.deadline_checks import interruptible, interruptible_calls, is_long
from spanemu.base.deferred import lazy_pattern
from spanemu.values import pg_numeric
from spanemu.values.json import JSON_NESTING_MAX, Document, is_too_deep, is_unicode, kept
from spanemu.values.types import BadValue

INTEGER_DIGITS_MAX = 4_932  # of a number, before the point
TOO_DEEP = f"nested deeper than {JSON_NESTING_MAX} levels"
NUMBER_OUT_OF_RANGE = "a number has too many digits"
_NUL = lazy_pattern(r"(?<!\\)(?:\\\\)*\\u0000")  # an escape after an even number of backslashes
NO_NUL = r"\u0000 cannot be converted to text"


class Jsonb(Document):
    """A JSONB value, whose canonical text is that of the normal form."""

    __slots__ = ()

    @staticmethod
    def parsed(text: str) -> Any:
        """Return the plain data of a text that was checked."""
        return parse(text).value

    @staticmethod
    def written(value: Any) -> str:
        """Return the text of plain data in normal form."""
        return dump(value)


def parse(text: str) -> Jsonb:
    """Parse a document; raise BadValue for a text that is not JSON or exceeds a limit."""
    decoder = _LONG_DECODER if is_long(text) else _DECODER
    try:
        value = decoder.decode(text)
    except RecursionError:
        raise BadValue(text, "jsonb", TOO_DEEP) from None
    except BadValue as failure:
        raise BadValue(text, "jsonb", failure.reason) from None
    except ValueError as failure:
        raise BadValue(text, "jsonb", str(failure)) from None
    document = checked(value, text)
    if "\\u" in text or not text.isascii():
        if _NUL.search(document.text):
            raise BadValue(text, "jsonb", NO_NUL)
        if not is_unicode(document.text):
            raise BadValue(text, "jsonb", "not valid UTF-8")
    return document


def checked(value: Any, origin: object = "") -> Jsonb:
    """Return plain data in normal form as a document; raise BadValue if it exceeds a limit."""
    if (value.__class__ is dict or value.__class__ is list) and is_too_deep(value):
        raise BadValue(origin, "jsonb", TOO_DEEP)
    return Jsonb(value)


def format(document: Jsonb) -> str:  # noqa: A001
    """Return the text of the normal form."""
    return document.text


def dump(value: Any) -> str:
    """Return the text of plain data in normal form."""
    text: str = _WRITERS[value.__class__](value)
    return text


def number(value: Decimal) -> Decimal:
    """Return a numeric value as a number of a document; raise BadValue if it has too many digits.

    NaN is no number of JSON.
    """
    if value and (value is pg_numeric.NAN or value.adjusted() >= INTEGER_DIGITS_MAX):
        raise BadValue(pg_numeric.format(value), "jsonb", NUMBER_OUT_OF_RANGE)
    return value


def ordered(members: Mapping[str, Any] | Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object with its keys in the order of the normal form; the last duplicate wins."""
    known = dict(members)
    return known if len(known) < 2 else dict(sorted(known.items(), key=_member_key))


def _member_key(member: tuple[str, Any]) -> tuple[int, bytes]:
    encoded = member[0].encode("utf-8", "surrogatepass")
    return len(encoded), encoded


def _number(digits: str) -> Decimal:
    try:
        return number(pg_numeric.parse(digits))
    except BadValue:
        raise BadValue(digits, "jsonb", NUMBER_OUT_OF_RANGE) from None


def _no_constant(word: str) -> Any:
    raise BadValue(word, "jsonb", f"unexpected {word}")


def _decoder(*, for_long: bool) -> json.JSONDecoder:
    hooks: list[Callable[[Any], Any]] = [ordered, _number]
    if for_long:
        hooks = [interruptible_calls(hook) for hook in hooks]
    return json.JSONDecoder(
        object_pairs_hook=hooks[0],
        parse_int=hooks[1],
        parse_float=hooks[1],
        parse_constant=_no_constant,
    )


_DECODER = _decoder(for_long=False)
_LONG_DECODER = _decoder(for_long=True)


def _write_list(items: list[Any]) -> str:
    return "[" + ", ".join([_WRITERS[item.__class__](item) for item in interruptible(items)]) + "]"


def _write_object(members: dict[str, Any]) -> str:
    inside = [
        f"{encode_basestring(key)}: {_WRITERS[value.__class__](value)}"
        for key, value in interruptible(members.items())
    ]
    return "{" + ", ".join(inside) + "}"


_WRITERS: dict[type, Any] = {
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    Decimal: pg_numeric.format,
    str: encode_basestring,
    list: _write_list,
    dict: _write_object,
}


read = kept(Jsonb, parse)

"""JSON: a parsed document, its canonical text, and the parsing rules.

A document is plain Python data: None, bool, int, float, str, list, dict. Objects hold their keys in
order, each once: the first of duplicate keys wins. Integers within INT64 or UINT64 stay exact.
Every other number is a double, and must convert without loss unless rounding was requested.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from json.encoder import encode_basestring
from math import copysign, isfinite
from typing import Any

from spanemu.base.deadline_checks import interruptible, interruptible_calls, is_long
from spanemu.values.floats import shortest_digits
from spanemu.values.types import BadValue

JSON_NESTING_MAX = 80

_INT64_MIN = -(2**63)
_UINT64_MAX = 2**64 - 1
_NUMBER_DIGITS_MAX = 1500  # more than any exact decimal text of a double has
_PLACES_MIN, _PLACES_MAX = -3, 15  # Further out, numbers are written with an exponent.


class Document:
    """A parsed document. Never change `value`: equality and hash follow its text."""

    __slots__ = ("_text", "value")

    value: Any

    def __init__(self, value: Any) -> None:
        self.value = value
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The canonical text, computed once."""
        text = self._text
        if text is None:
            text = self._text = self.written()
        return text

    def written(self) -> str:
        """Compute the canonical text."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text})"


class Json(Document):
    """A JSON value."""

    __slots__ = ()

    def written(self) -> str:
        return dump(self.value)


class JsonText:
    """The text of a JSON or JSONB value that was written, not parsed: `Json` or `Jsonb` in results.

    It has no document, so only `format` accepts it.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"JsonText({self.text})"


def parse(text: str, *, wide_number_mode: str = "exact") -> Json:
    """Parse a document.

    `wide_number_mode` is 'exact' (a number must print as it was written), 'kept' (it may also be
    the shortest text of its double) or 'round'.
    """
    decoder = (_LONG_DECODERS if is_long(text) else _DECODERS)[wide_number_mode]
    try:
        value = decoder.decode(text)
    except RecursionError:
        raise BadValue(text, "JSON", f"nested deeper than {JSON_NESTING_MAX} levels") from None
    except BadValue as failure:
        raise BadValue(text, "JSON", failure.reason) from None
    except ValueError as failure:
        raise BadValue(text, "JSON", str(failure)) from None
    if (value.__class__ is dict or value.__class__ is list) and is_too_deep(value):
        raise BadValue(text, "JSON", f"nested deeper than {JSON_NESTING_MAX} levels")
    document = Json(value)
    if ("\\u" in text or not text.isascii()) and not is_unicode(document.text):
        raise BadValue(text, "JSON", "not valid UTF-8")
    return document


def format(document: Json) -> str:  # noqa: A001
    """Return the canonical text: no spaces, keys in order."""
    return document.text


def dump(value: Any) -> str:
    """Return the canonical text of plain data (see the module's docstring)."""
    text: str = _WRITERS[value.__class__](value)
    return text


def ordered(value: dict[str, Any]) -> dict[str, Any]:
    """Return an object with its keys in JSON's order, for documents built in code."""
    return dict(sorted(value.items()))


def format_double(number: float) -> str:
    """Return a finite double as JSON text, always with a point or an exponent."""
    sign = "-" if copysign(1.0, number) < 0 else ""
    if number == 0:
        return f"{sign}0.0"
    digits, exponent = shortest_digits(abs(number))
    places = len(digits) + exponent  # position of the point, from the left
    if exponent >= 0 and places <= _PLACES_MAX:
        return f"{sign}{digits}{'0' * exponent}.0"
    if 0 < places <= _PLACES_MAX:
        return f"{sign}{digits[:places]}.{digits[places:]}"
    if _PLACES_MIN <= places <= 0:
        return f"{sign}0.{'0' * -places}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}e{places - 1:+03d}"


def _write_list(items: list[Any]) -> str:
    return "[" + ",".join([_WRITERS[item.__class__](item) for item in interruptible(items)]) + "]"


def _write_object(members: dict[str, Any]) -> str:
    inside = [
        f"{encode_basestring(key)}:{_WRITERS[value.__class__](value)}"
        for key, value in interruptible(members.items())
    ]
    return "{" + ",".join(inside) + "}"


_WRITERS: dict[type, Any] = {
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    int: str,
    float: format_double,
    str: encode_basestring,
    list: _write_list,
    dict: _write_object,
}


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    pairs.reverse()  # The first of duplicate keys wins, so it must be inserted last.
    return dict(sorted(dict(pairs).items()))


def _integers_or(double: Callable[[str], float]) -> Callable[[str], int | float]:
    def read(digits: str) -> int | float:
        number = int(digits) if len(digits) <= _NUMBER_DIGITS_MAX else _UINT64_MAX + 1
        return number if _INT64_MIN <= number <= _UINT64_MAX else double(digits)

    return read


def _rounded_double(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise BadValue(text, "JSON", f"number {text[:40]} is out of range")
    return number


def _exact_double(text: str) -> float:
    number = _rounded_double(text)
    if not _is_same(text, format_double(number)):
        raise BadValue(text, "JSON", f"number {text[:40]} cannot round-trip through a double")
    return number


def _kept_double(text: str) -> float:
    number = float(text)
    return number if _is_same(text, repr(number)) else _exact_double(text)


def _is_same(text: str, written: str) -> bool:
    try:
        return len(text) <= _NUMBER_DIGITS_MAX and Decimal(text) == Decimal(written)
    except InvalidOperation:  # An exponent out of the range of `Decimal`.
        return False


def _no_constant(word: str) -> Any:
    raise BadValue(word, "JSON", f"unexpected {word}")


def _decoder(double: Callable[[str], float], *, for_long: bool) -> json.JSONDecoder:
    hooks: list[Callable[[Any], Any]] = [_object, _integers_or(double), double]
    if for_long:
        hooks = [interruptible_calls(hook) for hook in hooks]
    return json.JSONDecoder(
        object_pairs_hook=hooks[0],
        parse_int=hooks[1],
        parse_float=hooks[2],
        parse_constant=_no_constant,
    )


def _decoders(*, for_long: bool) -> dict[str, json.JSONDecoder]:
    return {
        "exact": _decoder(_exact_double, for_long=for_long),
        "kept": _decoder(_kept_double, for_long=for_long),
        "round": _decoder(_rounded_double, for_long=for_long),
    }


_DECODERS = _decoders(for_long=False)
_LONG_DECODERS = _decoders(for_long=True)


def is_too_deep(value: Any) -> bool:
    """Return whether containers nest deeper than allowed, checking level by level."""
    level = [value]
    for _ in range(JSON_NESTING_MAX):
        below: list[Any] = []
        for item in level:
            below.extend(item.values() if item.__class__ is dict else item)
        level = [
            one for one in interruptible(below) if one.__class__ is dict or one.__class__ is list
        ]
        if not level:
            return False
    return True


def is_unicode(text: str) -> bool:
    """Return whether `text` has no lone surrogates, which escapes can introduce."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

"""JSON: a parsed document, its canonical text, and the parsing rules.

A document is plain Python data: None, bool, int, float, str, list, dict. Objects hold their keys in
order, each once: the first of duplicate keys wins. Integers within INT64 or UINT64 stay exact.
Every other number is a double, and must convert without loss unless rounding was requested.

A document that a client writes is checked, and kept as its text until its value or its canonical
text is needed (`kept`): the plain data takes many times the memory of the text.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import partial
from json.encoder import encode_basestring
from math import copysign, isfinite
from typing import Any, TypeVar

from spanemu.base.deadline_checks import interruptible, interruptible_calls, is_long
from spanemu.values.floats import shortest_digits
from spanemu.values.types import BadValue

JSON_NESTING_MAX = 80

_INT64_MIN = -(2**63)
_UINT64_MAX = 2**64 - 1
_NUMBER_DIGITS_MAX = 1500  # more than any exact decimal text of a double has
_PLACES_MIN, _PLACES_MAX = -3, 15  # Further out, numbers are written with an exponent.
# A double of 15 digits is written with the same digits. With its point and its sign:
_SHORT_CHARS = 16
# Integers of fewer digits are within INT64.
_TOO_MANY_DIGITS = b"0" * 18
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_BLANKS = (" ", "\n", "\r", "\t")
# The canonical text of a document kept as text is shorter, but for blanks after commas and colons.
GROWTH_MAX = 2

D = TypeVar("D", bound="Document")


class Document:
    """A document. Never change `value`: equality and hash follow its text.

    `source` is the text of a document that is not parsed yet, None for a parsed one.
    """

    __slots__ = ("_text", "source", "value")

    value: Any
    source: str | None
    _text: str | None

    def __init__(self, value: Any) -> None:
        self.value = value
        self.source = self._text = None

    def __getattr__(self, name: str) -> Any:
        """Parse a document that was kept as text, when its value is read for the first time."""
        if name != "value":
            raise AttributeError(name)
        source = self.source
        if source is not None:
            self.value = self.parsed(source)
            self.source = None
        return self.value

    @property
    def text(self) -> str:
        """The canonical text, computed once. A document that was kept as text stays so."""
        text = self._text
        if text is None:
            source = self.source
            if source is None:
                text = self.written(self.value)
            else:
                text = self.source = self.rewritten(source)
            self._text = text
        return text

    @property
    def chars_max(self) -> int:
        """An upper bound of the length of the canonical text, exact once that is known."""
        if self._text is None and self.source is not None:
            return GROWTH_MAX * len(self.source)
        return len(self.text)

    @staticmethod
    def parsed(text: str) -> Any:
        """Return the plain data of a text that was checked."""
        raise NotImplementedError

    @staticmethod
    def written(value: Any) -> str:
        """Return the canonical text of plain data."""
        raise NotImplementedError

    @classmethod
    def rewritten(cls, text: str) -> str:
        """Return the canonical text of a text that is surely valid."""
        return cls.written(cls.parsed(text))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text})"


class Json(Document):
    """A JSON value."""

    __slots__ = ()

    @staticmethod
    def parsed(text: str) -> Any:
        """Return the plain data of a text that was checked."""
        return parse(text, wide_number_mode="kept").value

    @staticmethod
    def written(value: Any) -> str:
        """Return the canonical text of plain data."""
        return dump(value)

    @classmethod
    def rewritten(cls, text: str) -> str:
        """Return the canonical text of a text that is surely valid.

        Python's own writer writes short numbers in the same way. Nothing in such a text becomes
        longer, so a key that was there twice shows in the length.
        """
        quick = _QUICK_WRITER.encode(_CHECKER.decode(text))
        blanks = sum(map(text.count, _BLANKS))
        if len(quick) - quick.count(" ") == len(text) - blanks:
            return quick
        return super().rewritten(text)


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


def kept(document: type[D], parse_whole: Callable[[str], D]) -> Callable[[str], D]:
    """Return a function from the text of a document to the document, kept as text.

    Whatever is not certainly valid is parsed by `parse_whole`, which names what is wrong.
    """
    new = document.__new__

    def read(text: str) -> D:
        kept_as_text = new(document)
        kept_as_text._text = None
        if is_surely_valid(text):
            kept_as_text.source = text
        else:
            kept_as_text.source = kept_as_text._text = parse_whole(text).text
        return kept_as_text

    return read


class _Unsure(ValueError):
    """A document that only a parser with all rules can judge."""


def is_surely_valid(text: str) -> bool:
    """Return whether a text is certainly a valid document, as JSON and as JSONB.

    Such a text nests little, and has no escapes by number and only short numbers without exponent,
    which convert to a double and back.
    """
    if is_long(text) or "\\u" in text or text.count("[") + text.count("{") > JSON_NESTING_MAX:
        return False
    try:
        if _TOO_MANY_DIGITS in text.encode().translate(_DIGITS):
            return False
        _, end = _CHECKER.raw_decode(text)
    except ValueError:  # also for a surrogate, which UTF-8 does not have
        return False
    return end == len(text)


def _short_double(text: str) -> float:
    if len(text) > _SHORT_CHARS or "e" in text or "E" in text:
        raise _Unsure(text)
    return float(text)


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
_QUICK_WRITER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)
_CHECKER = json.JSONDecoder(parse_float=_short_double, parse_constant=_no_constant)


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


read = kept(Json, partial(parse, wide_number_mode="kept"))

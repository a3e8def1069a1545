"""Text -> value: the input functions of PostgreSQL's types.

`read_literal` reads a literal of any type, arrays included. It is for texts that the analyzer
knows: their errors are PostgreSQL's. A text that a row holds is cast by `casts`.

The text of an array is {1,NULL,"a b"}: an element is quoted if it is empty, is the word NULL, or
holds a brace, a comma, a quote, a backslash or a blank. Spanner has arrays of one dimension,
counted from 1. The input functions of dates, timestamps and intervals are in `time.text`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from math import copysign, inf, isfinite, isinf
from typing import Any
from uuid import UUID

from spanemu.base.deadline_checks import interruptible_calls, interruptible_stream
from spanemu.sql.functions.postgresql.errors import (
    BadArrayText,
    BadBytea,
    BadFunctionArgument,
    BadJsonb,
    InvalidInput,
    NumberOutOfRange,
    OutOfTypeRange,
)
from spanemu.sql.functions.postgresql.time.text import date_in, interval_in, timestamptz_in
from spanemu.sql.functions.registry import Context
from spanemu.values import floats, pg_jsonb, pg_numeric
from spanemu.values.pg_jsonb import Jsonb
from spanemu.values.types import BadValue, Type, TypeCode
from spanemu.values.value import INT64_MAX, INT64_MIN, OID_MAX

_BLANKS = " \t\n\r\v\f"
_SHOWN_MAX = 64
_INTEGER = re.compile(r"([+-]?)(\d+)", re.ASCII)
_DIGITS_MAX = 19  # of an INT64, without leading zeros
_UUID = re.compile(r"[0-9a-fA-F]{4}(?:-?[0-9a-fA-F]{4}){7}", re.ASCII)
_HEX_PAIRS = re.compile(r"[ \t\n\r\v\f]*(?:[0-9a-fA-F]{2}[ \t\n\r\v\f]*)*", re.ASCII)
_BYTEA_ESCAPE = re.compile(rb"\\(?:([0-3][0-7][0-7])|(\\)|)")
_ZERO = re.compile(r"[+-]?(?:0[xX])?[0.]*(?:[eEpP].*)?", re.ASCII | re.DOTALL)

# The texts that stand for a boolean begin these words; "o" alone is ambiguous.
_BOOLEAN_WORDS = (
    ("true", 1, True),
    ("false", 1, False),
    ("yes", 1, True),
    ("no", 1, False),
    ("on", 2, True),
    ("off", 2, False),
    ("1", 1, True),
    ("0", 1, False),
)


def shown(text: str) -> str:
    """Return a text as error messages quote it: the start of a long one."""
    return text if len(text) <= _SHOWN_MAX else text[:_SHOWN_MAX] + "..."


def boolean_from_text(text: str) -> bool:
    """Read t, true, y, yes, on, 1 and their opposites, in any letter case."""
    word = text.strip(_BLANKS).lower()
    for known, least, value in _BOOLEAN_WORDS:
        if len(word) >= least and known.startswith(word):
            return value
    raise InvalidInput("boolean", shown(text))


def bigint_from_text(text: str) -> int:
    """Read decimal digits with an optional sign, and blanks around them."""
    return _integer(text, "bigint", INT64_MIN, INT64_MAX)


def oid_from_text(text: str) -> int:
    """Read an unsigned 32-bit number; a negative number stands for the same 32 bits."""
    return _integer(text, "oid", -(OID_MAX // 2) - 1, OID_MAX) & OID_MAX


def _integer(text: str, type_text: str, low: int, high: int) -> int:
    match = _INTEGER.fullmatch(text.strip(_BLANKS))
    if match is None:
        raise InvalidInput(type_text, shown(text))
    digits = match[2].lstrip("0")
    if len(digits) <= _DIGITS_MAX:
        number = int(f"{match[1]}0{digits}")
        if low <= number <= high:
            return number
    raise OutOfTypeRange(shown(text), type_text)


def float8_from_text(text: str) -> float:
    """Read a number, or NaN, Infinity or inf with a sign.

    Raise OutOfTypeRange for a number that would become an infinity or zero.
    """
    number = _float(text, "double precision")
    if (isinf(number) and "n" not in text.lower()) or (not number and not _is_zero(text)):
        raise OutOfTypeRange(shown(text), "double precision")
    return number


def float4_from_text(text: str) -> float:
    """Read a number as `float8_from_text` does, rounded to a FLOAT32."""
    number = _float(text, "real")
    if not isfinite(number) and "n" in text.lower():
        return number
    single = floats.round32(number) if floats.fits(number) else copysign(inf, number)
    if isinf(single) or (not single and not _is_zero(text)):
        raise OutOfTypeRange(shown(text), "real")
    return single


def _float(text: str, type_text: str) -> float:
    try:
        return floats.with_greatest_nan(floats.parse_float64(text.strip(_BLANKS)))
    except BadValue:
        raise InvalidInput(type_text, shown(text)) from None


def _is_zero(text: str) -> bool:
    return _ZERO.fullmatch(text.strip(_BLANKS)) is not None


def numeric_from_text(text: str) -> Decimal:
    """Read a number with its scale, or NaN; Spanner has no infinite NUMERIC."""
    try:
        return pg_numeric.parse(text)
    except BadValue as failure:
        if failure.reason:
            raise NumberOutOfRange(failure.reason) from None
        raise InvalidInput("numeric", shown(text)) from None


def bytea_from_text(text: str) -> bytes:
    r"""Read the hexadecimal form \x0aff, or characters with the escapes \\ and \ooo."""
    if text.startswith("\\x"):
        return _bytea_from_hex(text[2:])
    replace = interruptible_calls(lambda escape: _unescaped(escape, text))
    return _BYTEA_ESCAPE.sub(replace, text.encode())


def _bytea_from_hex(digits: str) -> bytes:
    if _HEX_PAIRS.fullmatch(digits) is None:
        bad = re.search(r"[^0-9a-fA-F \t\n\r\v\f]", digits)
        raise BadBytea(f'digit "{bad[0]}"' if bad else "odd number of digits")
    return bytes.fromhex(digits.translate(_NO_BLANKS))


_NO_BLANKS = dict.fromkeys(map(ord, _BLANKS))


def _unescaped(escape: re.Match[bytes], text: str) -> bytes:
    if escape[1]:
        return bytes((int(escape[1], 8),))
    if escape[2]:
        return b"\\"
    raise InvalidInput("bytea", shown(text))


def uuid_from_text(text: str) -> UUID:
    """Read 32 hexadecimal digits, with a hyphen after any group of four, and optional braces."""
    inner = text[1:-1] if text[:1] == "{" and text[-1:] == "}" else text
    if _UUID.fullmatch(inner) is None:
        raise InvalidInput("uuid", shown(text))
    return UUID(int=int(inner.replace("-", ""), 16))


def jsonb_from_text(text: str) -> Jsonb:
    """Read a JSON document."""
    try:
        return pg_jsonb.parse(text)
    except BadValue as failure:
        raise BadJsonb(failure.reason) from None


# From the context, whose time zone a timestamp needs, and a text to a value.
InputFunction = Callable[[Context, str], Any]


def _independent(read: Callable[[str], Any]) -> InputFunction:
    return lambda _, text: read(text)


INPUT_FUNCTIONS: Mapping[TypeCode, InputFunction] = {
    TypeCode.BOOL: _independent(boolean_from_text),
    TypeCode.INT64: _independent(bigint_from_text),
    TypeCode.FLOAT32: _independent(float4_from_text),
    TypeCode.FLOAT64: _independent(float8_from_text),
    TypeCode.STRING: _independent(str),
    TypeCode.BYTES: _independent(bytea_from_text),
    TypeCode.DATE: _independent(date_in),
    TypeCode.TIMESTAMP: timestamptz_in,
    TypeCode.INTERVAL: _independent(interval_in),
    TypeCode.UUID: _independent(uuid_from_text),
    TypeCode.PG_NUMERIC: _independent(numeric_from_text),
    TypeCode.PG_JSONB: _independent(jsonb_from_text),
    TypeCode.PG_OID: _independent(oid_from_text),
}


def has_input(type_: Type) -> bool:
    """Return whether a literal can be of the type."""
    return (type_.item() if type_.is_array else type_).code in INPUT_FUNCTIONS


def read_literal(context: Context, text: str, type_: Type) -> Any:
    """Return the value of the literal `text` of a type for which `has_input` is true."""
    if type_.is_array:
        read = INPUT_FUNCTIONS[type_.item().code]
        return tuple([None if item is None else read(context, item) for item in read_array(text)])
    return INPUT_FUNCTIONS[type_.code](context, text)


_BLANK = r"[ \t\n\r\v\f]*"
_BOUNDS = re.compile(rf"{_BLANK}((?:\[[^\]]*\]{_BLANK})+)=", re.ASCII)
_ONE_BASED = re.compile(r"\[\s*(?:1\s*:)?\s*(\d+)\s*\]\s*", re.ASCII)
_ELEMENT = re.compile(
    rf'{_BLANK}(?:"((?:[^"\\]++|\\.)*+)"|((?:[^"\\{{}},]++|\\.)*+)){_BLANK}([,}}]|$)',
    re.ASCII | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def read_array(text: str) -> list[str | None]:
    """Return the texts of the elements, None for NULL; raise BadArrayText for any other text."""
    bounds = _BOUNDS.match(text)
    body = (text[bounds.end() :] if bounds else text).strip(_BLANKS)
    if not body.startswith("{"):
        raise BadArrayText(text, 'Array value must start with "{" or dimension information.')
    if body[1:].strip(_BLANKS) == "}":
        return []
    items = list(interruptible_stream(_elements(body, text)))
    if bounds:
        _check_bounds(bounds[1], len(items), text)
    return items


def _elements(body: str, text: str) -> Iterable[str | None]:
    at, separator = 1, ","
    while separator == ",":
        match = _ELEMENT.match(body, at)
        if match is None or not match[3]:
            if re.match(rf"{_BLANK}\{{", body[at:]):
                raise BadFunctionArgument("Multi-dimensional arrays are not supported")
            raise BadArrayText(text, "Unexpected array element.")
        quoted, bare, separator = match.groups()
        yield _ESCAPE.sub(r"\1", quoted) if quoted is not None else _bare(bare, text)
        at = match.end()
    if at != len(body):
        raise BadArrayText(text, "Junk after closing right brace.")


def _bare(word: str, text: str) -> str | None:
    stripped = word.rstrip(_BLANKS)
    slashes = len(stripped) - len(stripped.rstrip("\\"))
    if slashes % 2:  # the last of them escapes a blank
        stripped = word[: len(stripped) + 1]
    word = stripped
    if not word:
        raise BadArrayText(text, 'Unexpected "," or "}" character.')
    return None if word.upper() == "NULL" else _ESCAPE.sub(r"\1", word)


def _check_bounds(bounds: str, count: int, text: str) -> None:
    dimension = _ONE_BASED.fullmatch(bounds)
    if dimension is None:
        raise BadFunctionArgument("Arrays with lower bounds other than 1 are not supported")
    if int(dimension[1]) != count:
        raise BadArrayText(text, "Specified array dimensions do not match array contents.")

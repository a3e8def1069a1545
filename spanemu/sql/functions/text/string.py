"""String functions, by the chapter of that name.

This module has lengths, parts, case, padding, trimming and splitting. `FUNCTIONS` also includes the
functions of `regexp` (REGEXP_...), `encodings` (base64, code points, Unicode normal forms) and
`format_text` (FORMAT).

Most functions accept STRING or BYTES. Where str and bytes have the same method, a single function
implements both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, AnyStr

from spanemu.base.deadline_checks import check_deadline_if_large, interruptible
from spanemu.sql.functions.errors import BadArgument
from spanemu.sql.functions.notation import Rows, chapter, function, overload
from spanemu.sql.functions.registry import Operation, Overload
from spanemu.sql.functions.text import encodings, format_text, regexp
from spanemu.sql.functions.text.concatenation import concat, concat_bytes
from spanemu.sql.functions.value_size import (
    bounded,
    check_element_count,
    check_size,
)

# Unicode's White_Space, which is not what `str.isspace` says: no U+001C to U+001F.
_WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)


# ---------------------------------------------------------------------------- lengths and parts


def byte_length(text: str) -> int:
    """Return `BYTE_LENGTH(string)`: the length in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


def substring(value: AnyStr, position: int, length: int | None = None) -> AnyStr:
    """Return `SUBSTR(value, position [, length])`.

    Positions count from 1, negative positions from the end.
    """
    start = position - 1 if position > 0 else max(position + len(value), 0) if position else 0
    if length is None:
        return value[start:]
    if length < 0:
        raise BadArgument("Third argument in SUBSTR() cannot be negative")
    return value[start : start + length]


def position_of(value: AnyStr, part: AnyStr) -> int:
    """Return `STRPOS(value, part)`: a position from 1; 0 if `part` does not occur."""
    return value.find(part) + 1


def reverse(value: AnyStr) -> AnyStr:
    """Return `REVERSE(value)`, by characters or by bytes."""
    return value[::-1]


# ---------------------------------------------------------------------------- padding


def _padding(value: AnyStr, length: int, pattern: AnyStr) -> AnyStr:
    """Return the padding that LPAD and RPAD add to `value`."""
    if length < 0:
        raise BadArgument("Second argument (output size) for LPAD/RPAD cannot be negative")
    if not pattern:
        raise BadArgument("Third argument (pad pattern) for LPAD/RPAD cannot be empty")
    check_size(length, "LPAD/RPAD")
    missing = length - len(value)
    return (pattern * (missing // len(pattern) + 1))[: max(missing, 0)]


def left_pad(value: AnyStr, length: int, pattern: AnyStr | None = None) -> AnyStr:
    """Return `LPAD(value, length [, pattern])`: `value` cut off, or padded on the left."""
    padding = _padding(value, length, _blank(value) if pattern is None else pattern)
    return bounded(padding + value[:length], "LPAD/RPAD")


def right_pad(value: AnyStr, length: int, pattern: AnyStr | None = None) -> AnyStr:
    """Return `RPAD(value, length [, pattern])`: `value` cut off, or padded on the right."""
    padding = _padding(value, length, _blank(value) if pattern is None else pattern)
    return bounded(value[:length] + padding, "LPAD/RPAD")


def _blank(value: AnyStr) -> Any:
    return " " if isinstance(value, str) else b" "


def repeat(value: AnyStr, times: int) -> AnyStr:
    """Return `REPEAT(value, times)`."""
    if times < 0:
        raise BadArgument("Second argument (repeat count) for REPEAT cannot be negative")
    if not value:
        return value
    check_size(len(value) * times, "REPEAT")  # A character takes at least a byte.
    return bounded(value * times, "REPEAT")


def replace(value: AnyStr, old: AnyStr, new: AnyStr) -> AnyStr:
    """Return `REPLACE(value, old, new)`; an empty `old` replaces nothing."""
    if not old:
        return value
    growth = len(new) - len(old)
    if growth > 0:
        check_size(len(value) + value.count(old) * growth, "REPLACE")
    return bounded(value.replace(old, new), "REPLACE")


# ---------------------------------------------------------------------------- trimming


def trim(text: str, characters: str = _WHITE_SPACE) -> str:
    """Return `TRIM(string [, characters])`."""
    return text.strip(characters)


def left_trim(text: str, characters: str = _WHITE_SPACE) -> str:
    """Return `LTRIM(string [, characters])`."""
    return text.lstrip(characters)


def right_trim(text: str, characters: str = _WHITE_SPACE) -> str:
    """Return `RTRIM(string [, characters])`."""
    return text.rstrip(characters)


def split(text: str, delimiter: str = ",") -> tuple[str, ...]:
    """Return `SPLIT(string [, delimiter])`; an empty delimiter splits into characters."""
    check_deadline_if_large(text)
    if delimiter:
        check_element_count(text.count(delimiter))
        return tuple(text.split(delimiter))
    check_element_count(len(text))
    return tuple(text) or ("",)


def split_bytes(data: bytes, delimiter: bytes) -> tuple[bytes, ...]:
    """Return `SPLIT(bytes, delimiter)`; an empty delimiter splits into single bytes."""
    check_element_count(data.count(delimiter))
    if delimiter:
        return tuple(data.split(delimiter))
    return tuple([data[i : i + 1] for i in interruptible(range(len(data)))]) or (b"",)


def split_substring(text: str, delimiter: str, start: int, count: int | None = None) -> str:
    """Return `SPLIT_SUBSTR(text, delimiter, start [, count])`.

    The result is `count` pieces from piece `start` on, with the delimiters between them.
    """
    if not delimiter:
        raise BadArgument("Delimiter of SPLIT_SUBSTR function must be non-empty")
    if count is not None and count < 0:
        raise BadArgument("Count of SPLIT_SUBSTR function must be non-negative")
    pieces = text.split(delimiter)
    first = start - 1 if start > 0 else max(start + len(pieces), 0) if start else 0
    return delimiter.join(pieces[first:] if count is None else pieces[first : first + count])


# ---------------------------------------------------------------------------- SOUNDEX

_SOUNDEX_DIGITS = {
    letter: digit
    for letters, digit in (
        ("BFPV", "1"), ("CGJKQSXZ", "2"), ("DT", "3"), ("L", "4"), ("MN", "5"), ("R", "6"),
        ("AEIOUYHW", ""),
    )
    for letter in letters
}  # fmt: skip


def soundex(text: str) -> str:
    """Return `SOUNDEX(text)`: the first letter as it is, then three digits.

    Equal digits in a row count once, also if letters without a digit stand between them.
    """
    letters = (letter for letter in interruptible(text) if letter.isascii() and letter.isalpha())
    first = next(letters, None)
    if first is None:
        return ""
    code, last = first, _SOUNDEX_DIGITS[first.upper()]
    for letter in letters:
        digit = _SOUNDEX_DIGITS[letter.upper()]
        if digit and digit != last:
            code += digit
            last = digit
            if len(code) == 4:
                break
    return code.ljust(4, "0")


# ---------------------------------------------------------------------------- the table


def _both(text: str, of_string: Callable[..., Any], of_bytes: Any = None) -> tuple[Overload, ...]:
    """Return the overload `text` twice, with STRING and with BYTES in place of S."""
    return tuple(
        overload(re.sub(r"\bS\b", name, text), function)
        for name, function in (("STRING", of_string), ("BYTES", of_bytes or of_string))
    )


_BASIC: Rows = {
    "BYTE_LENGTH|OCTET_LENGTH": function(_both("(S) -> INT64", byte_length, len), cannot_fail=True),
    "CHAR_LENGTH|CHARACTER_LENGTH": function(
        (overload("(STRING) -> INT64", len),), cannot_fail=True
    ),
    "CONCAT": _both("(S, S...) -> S", concat, concat_bytes),
    "ENDS_WITH": function(
        _both("(S, S) -> BOOL", str.endswith, bytes.endswith),
        operation=Operation.ENDS_WITH,
        cannot_fail=True,
    ),
    "LENGTH": function(_both("(S) -> INT64", len), cannot_fail=True),
    "LOWER|LCASE": function(_both("(S) -> S", str.lower, bytes.lower), cannot_fail=True),
    "LPAD": _both("(S, INT64, [S]) -> S", left_pad),
    "LTRIM": (
        overload("(STRING, [STRING]) -> STRING", left_trim),
        overload("(BYTES, BYTES) -> BYTES", bytes.lstrip),
    ),
    "REPEAT": _both("(S, INT64) -> S", repeat),
    "REPLACE": _both("(S, S, S) -> S", replace),
    "REVERSE": _both("(S) -> S", reverse),
    "RPAD": _both("(S, INT64, [S]) -> S", right_pad),
    "RTRIM": (
        overload("(STRING, [STRING]) -> STRING", right_trim),
        overload("(BYTES, BYTES) -> BYTES", bytes.rstrip),
    ),
    "SOUNDEX": (overload("(STRING) -> STRING", soundex),),
    "SPLIT": (
        overload("(STRING, [STRING]) -> ARRAY<STRING>", split),
        overload("(BYTES, BYTES) -> ARRAY<BYTES>", split_bytes),
    ),
    "SPLIT_SUBSTR": (overload("(STRING, STRING, INT64, [INT64]) -> STRING", split_substring),),
    "STARTS_WITH": function(
        _both("(S, S) -> BOOL", str.startswith, bytes.startswith),
        operation=Operation.STARTS_WITH,
        cannot_fail=True,
    ),
    "STRPOS": function(_both("(S, S) -> INT64", position_of), cannot_fail=True),
    "SUBSTR|SUBSTRING": _both("(S, INT64, [INT64]) -> S", substring),
    "TRIM": (
        overload("(STRING, [STRING]) -> STRING", trim),
        overload("(BYTES, BYTES) -> BYTES", bytes.strip),
    ),
    "UPPER|UCASE": function(_both("(S) -> S", str.upper, bytes.upper), cannot_fail=True),
}

FUNCTIONS = chapter(
    "string",
    {
        **_BASIC,
        **encodings.OVERLOADS,
        **regexp.OVERLOADS,
        **format_text.OVERLOADS,
    },
)

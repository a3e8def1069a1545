"""FLOAT64 and FLOAT32: rounding, and text as CAST(x AS STRING) prints and parses it."""

from __future__ import annotations

import re
from math import copysign, inf, nan
from struct import Struct

from spanemu.values.errors import BadValue

_SINGLE = Struct("<f")
_pack, _unpack = _SINGLE.pack, _SINGLE.unpack

FLOAT32_MAX: float = _unpack(b"\xff\xff\x7f\x7f")[0]


def round32(number: float) -> float:
    """Return the nearest FLOAT32 (ties to even); raise BadValue on overflow.

    NaN and infinities stay.
    """
    try:
        rounded: float = _unpack(_pack(number))[0]
    except OverflowError:
        raise BadValue(number, "FLOAT32", "out of range") from None
    return rounded


def fits(number: float) -> bool:
    """Return whether `number` rounds to a FLOAT32 without overflow; NaN and infinities do."""
    try:
        _pack(number)
    except OverflowError:
        return False
    return True


FLOAT64_MAX = 1.7976931348623157e308

_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*", re.ASCII)
_HEXADECIMAL = re.compile(
    r"\s*[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?\d+)?\s*", re.ASCII
)
_WORDS = {
    sign + word: (-value if sign == "-" else value)
    for sign in ("", "+", "-")
    for word, value in (("nan", nan), ("inf", inf), ("infinity", inf))
}


def format_float64(number: float) -> str:
    """Return SQL text with 15 significant digits if these identify `number`, or 17.

    Integers have no fraction ("1"), large and small numbers an exponent ("1e+20").
    """
    if not -FLOAT64_MAX <= number <= FLOAT64_MAX:
        return _special(number)
    text = f"{number:.15g}"
    if float(text) != number:
        text = f"{number:.17g}"
    return "0" if text == "-0" else text


def format_float32(number: float) -> str:
    """Return SQL text of a FLOAT32 with 6 significant digits if these identify it, or 8.

    Eight digits do not identify every FLOAT32, but Spanner prints no more.
    """
    if not -FLOAT64_MAX <= number <= FLOAT64_MAX:
        return _special(number)
    text = f"{number:.6g}"
    if round32(float(text)) != number:
        text = f"{number:.8g}"
    return "0" if text == "-0" else text


def parse_float64(text: str) -> float:
    """Parse SQL text as FLOAT64: decimal, scientific, hexadecimal, or a word such as "inf".

    Words may have any case. A number that is too large becomes an infinity.
    """
    if _NUMBER.fullmatch(text):
        return float(text)
    if _HEXADECIMAL.fullmatch(text):
        return _from_hexadecimal(text)
    if (word := _WORDS.get(text.strip().lower())) is not None:
        return word
    raise BadValue(text, "FLOAT64")


def parse_float32(text: str) -> float:
    """Parse SQL text as FLOAT32, rounded; see `parse_float64`."""
    try:
        number = parse_float64(text)
    except BadValue:
        raise BadValue(text, "FLOAT32") from None
    return round32(number) if fits(number) else copysign(inf, number)


def _from_hexadecimal(text: str) -> float:
    try:
        return float.fromhex(text.strip())
    except OverflowError:
        return -inf if "-" in text.partition("0")[0] else inf


def _special(number: float) -> str:
    if number != number:
        return "nan"
    return "inf" if number > 0 else "-inf"

"""Value -> text: the output functions of PostgreSQL's types.

The text of a float has as few digits as identify it, and an exponent where the number is large or
small: 100000, 1e+15, 1e-05, Infinity. A bytea becomes the text that its bytes are in UTF-8.
"""

from __future__ import annotations

from decimal import Decimal
from math import frexp, isnan, ulp

from spanemu.sql.functions.text.sql_text import bool_text
from spanemu.values.floats import FLOAT64_MAX, fits, round32

_FLOAT8_PLACES_MAX, _FLOAT4_PLACES_MAX = 15, 6  # Larger numbers have an exponent.
_PLACES_MIN = -4
# No shortest text of a smaller number lies midway between two numbers.
_FLOAT8_TIES_MIN, _FLOAT4_TIES_MIN = 2.0**53, 2.0**24
_FLOAT4_ULPS = 2.0**29  # the distance of two FLOAT32s, in distances of doubles
_FLOAT4_DIGITS = range(1, 10)

boolean_text = bool_text


def float8_text(number: float) -> str:
    """Return the shortest text that identifies a double."""
    if not -FLOAT64_MAX <= number <= FLOAT64_MAX:
        return _special(number)
    text = repr(number)  # the shortest digits, but with other limits for an exponent
    if abs(number) > _FLOAT8_TIES_MIN and _is_tie(text, number, ulp(number)):
        text = f"{number:.15e}"
        if float(text) != number or _is_tie(text, number, ulp(number)):
            text = f"{number:.16e}"
    sign, digits, exponent = _shortest(text)
    return sign + _placed(digits, exponent, _FLOAT8_PLACES_MAX)


def float4_text(number: float) -> str:
    """Return the shortest text that identifies a FLOAT32."""
    if not -FLOAT64_MAX <= number <= FLOAT64_MAX:
        return _special(number)
    for count in _FLOAT4_DIGITS:
        text = f"{number:.{count - 1}e}"
        rounded = float(text)
        if fits(rounded) and round32(rounded) == number:
            spacing = ulp(number) * _FLOAT4_ULPS
            if abs(number) < _FLOAT4_TIES_MIN or not _is_tie(text, number, spacing):
                break
    sign, digits, exponent = _shortest(text)
    return sign + _placed(digits, exponent, _FLOAT4_PLACES_MAX)


def _is_tie(text: str, number: float, spacing: float) -> bool:
    """Return whether a text lies midway between `number` and a neighbour at distance `spacing`.

    PostgreSQL prints no such text, although it would round to the number.
    """
    distance = abs(int(Decimal(text)) - int(number))
    # The neighbour below a power of two is half as far away.
    return distance * 2 == spacing or (distance * 4 == spacing and frexp(abs(number))[0] == 0.5)


def _shortest(text: str) -> tuple[str, str, int]:
    """Return the sign, the significant digits and the decimal exponent of a number's text."""
    sign = "-" if text.startswith("-") else ""
    mantissa, _, power = text.removeprefix("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    exponent = int(power or 0) + len(whole) - 1
    significant = digits.lstrip("0")
    exponent -= len(digits) - len(significant)
    return sign, significant.rstrip("0") or "0", exponent if significant.strip("0") else 0


def _placed(digits: str, exponent: int, places_max: int) -> str:
    """Return the digits with a point, the first standing for ten to the power of `exponent`."""
    if not _PLACES_MIN <= exponent < places_max:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{digits[0]}{fraction}e{exponent:+03d}"
    if exponent < 0:
        return f"0.{'0' * (-exponent - 1)}{digits}"
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    fraction = digits[exponent + 1 :]
    return f"{whole}.{fraction}" if fraction else whole


def _special(number: float) -> str:
    if isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"

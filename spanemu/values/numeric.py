"""NUMERIC: 29 digits before the point and 9 after it, represented as `Decimal`.

A value may have any exponent: 1, 1.0 and 1E+0 are the same NUMERIC, with the same hash, and only
`format` decides how it prints. Results of arithmetic are exact, then rounded to 9 digits half away
from zero. A result out of range raises `BadValue`.
"""

from __future__ import annotations

import re
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal, InvalidOperation

from spanemu.base.deferred import lazy_pattern
from spanemu.values.types import BadValue

SCALE = 9
PRECISION = 38
NUMERIC_MAX = Decimal("9" * (PRECISION - SCALE) + "." + "9" * SCALE)
NUMERIC_MIN = NUMERIC_MAX.copy_negate()  # Unary minus would round to 28 digits.

_QUANTUM = Decimal(1).scaleb(-SCALE)
# Wide enough that a sum or a product of two NUMERICs is exact, and that a quotient cut to this
# many digits never turns into a tie at the ninth one: tie and quotient differ by at least 1e-48.
_EXACT = Context(prec=120, rounding=ROUND_HALF_UP)
_NUMBER = lazy_pattern(r"\s*[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d+)?\s*", re.ASCII)

_PLAIN = lazy_pattern(r"[+-]?\d{1,29}(?:\.\d{1,9})?", re.ASCII)

_quantize = _EXACT.quantize
_add, _subtract, _multiply = _EXACT.add, _EXACT.subtract, _EXACT.multiply
# Bounds within which a number is in range when it has been rounded, too.
_SURELY_BELOW_MAX = Decimal(10 ** (PRECISION - SCALE - 1))
_SURELY_ABOVE_MIN = _SURELY_BELOW_MAX.copy_negate()


def parse(text: str) -> Decimal:
    """Parse NUMERIC text of at most 29 + 9 digits, apart from trailing zeros and an exponent."""
    if _PLAIN.fullmatch(text):
        return Decimal(text)
    number = _decimal(text)
    fitted = _fit(number, text)
    if fitted != number:
        raise BadValue(text, "NUMERIC", "more than 9 fractional digits")
    return fitted


def parse_rounded(text: str) -> Decimal:
    """Parse NUMERIC text and round further fractional digits, as in a CAST from STRING."""
    return _fit(_decimal(text), text)


def format(number: Decimal) -> str:  # noqa: A001
    """Return plain digits: no exponent, no trailing zeros, no minus before zero."""
    if not number:
        return "0"
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def fit(number: Decimal) -> Decimal:
    """Round half away from zero to 9 digits; raise BadValue if the result is out of range."""
    return _fit(number, number)


def add(left: Decimal, right: Decimal) -> Decimal:
    """Return the exact sum."""
    total = _add(left, right)
    return total if NUMERIC_MIN <= total <= NUMERIC_MAX else _in_range(total)


def subtract(left: Decimal, right: Decimal) -> Decimal:
    """Return the exact difference."""
    difference = _subtract(left, right)
    return difference if NUMERIC_MIN <= difference <= NUMERIC_MAX else _in_range(difference)


def multiply(left: Decimal, right: Decimal) -> Decimal:
    """Return the rounded product."""
    product = _multiply(left, right)
    if product and _SURELY_ABOVE_MIN < product < _SURELY_BELOW_MAX:
        return _quantize(product, _QUANTUM)
    return fit(product)


def divide(left: Decimal, right: Decimal) -> Decimal:
    """Return the rounded quotient; `right` is not zero."""
    return fit(_EXACT.divide(left, right))


def truncated_quotient(left: Decimal, right: Decimal) -> Decimal:
    """Return the quotient without its fraction (DIV); `right` is not zero."""
    return _in_range(_EXACT.divide_int(left, right))


def remainder(left: Decimal, right: Decimal) -> Decimal:
    """Return the remainder of `truncated_quotient` (MOD), with the sign of `left`."""
    return _EXACT.remainder(left, right)


def from_float(number: float) -> Decimal:
    """Return the NUMERIC nearest to a FLOAT64; raise BadValue for NaN, infinities and overflow."""
    exact = Decimal(number)
    if not exact.is_finite():
        raise BadValue(number, "NUMERIC", "not a finite number")
    return _fit(exact, number)


def to_int(number: Decimal) -> int:
    """Return the nearest integer, rounding half away from zero."""
    return int(number.to_integral_value(ROUND_HALF_UP, _EXACT))


def to_scaled(number: Decimal) -> int:
    """Return `number` in billionths, exactly."""
    return int(_EXACT.scaleb(number, SCALE))


def from_scaled(billionths: int) -> Decimal:
    """Return the inverse of `to_scaled`."""
    return _EXACT.scaleb(Decimal(billionths), -SCALE)


def rounded_to(number: Decimal, digits: int, *, toward_zero: bool = False) -> Decimal:
    """Keep `digits` digits after the point, or zero digits before it if negative (ROUND, TRUNC)."""
    if digits >= SCALE:
        return number
    if digits < -PRECISION:
        return Decimal(0)
    mode = ROUND_DOWN if toward_zero else ROUND_HALF_UP
    shifted = number.scaleb(digits, _EXACT).to_integral_value(mode, _EXACT)
    return _in_range(shifted.scaleb(-digits, _EXACT))


def _decimal(text: str) -> Decimal:
    if not _NUMBER.fullmatch(text):
        raise BadValue(text, "NUMERIC")
    try:
        return Decimal(text)
    except InvalidOperation:  # An exponent out of the range of `Decimal`.
        raise BadValue(text, "NUMERIC", "out of range") from None


def _fit(number: Decimal, origin: object) -> Decimal:
    if number and number.adjusted() >= PRECISION - SCALE:
        raise BadValue(origin, "NUMERIC", "out of range")
    if not number:
        return Decimal(0)
    fitted = _quantize(number, _QUANTUM)
    if not NUMERIC_MIN <= fitted <= NUMERIC_MAX:
        raise BadValue(origin, "NUMERIC", "out of range")
    return fitted


def _in_range(number: Decimal) -> Decimal:
    if not NUMERIC_MIN <= number <= NUMERIC_MAX:
        raise BadValue(number, "NUMERIC", "out of range")
    return number

"""NUMERIC of PostgreSQL databases: a `Decimal` with up to 131072 digits before the point.

A value keeps its display scale, the number of digits after the point that are printed: 1.50 is the
`Decimal` with exponent -2, and no value has an exponent above 0. Values are compared as numbers, so
1.5 and 1.50 are equal and have the same hash. `NAN` is the only NaN, and compares as PostgreSQL
does: it is equal to itself and above every number. There is no infinity and no negative zero.

The scales of results are those of PostgreSQL's numeric.c:

    a + b, a - b     the larger scale                a * b    the sum of the scales
    a / b            enough for 16 significant digits, and at least both scales
    a % b            the larger scale                div      0

A result with too many digits raises `BadValue` with the reason OUT_OF_RANGE.
"""

from __future__ import annotations

import re
from decimal import (
    MAX_EMAX,
    MIN_EMIN,
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_UP,
    Context,
    Decimal,
    InvalidOperation,
)
from functools import lru_cache
from math import isnan

from spanemu.base.deferred import lazy_pattern
from spanemu.base.record import NamedTuple
from spanemu.values.types import BadValue

OUT_OF_RANGE = "value overflows numeric format"

INTEGER_DIGITS_MAX = 131_072
SCALE_MAX = 16_383
_QUOTIENT_SCALE_MAX = 1_000
_QUOTIENT_DIGITS = 16  # significant digits of a quotient, at least
_GROUP = 4  # decimal digits in one digit of PostgreSQL's representation
_TRUNCATION_SCALE_MAX = 2_000

_NUMBER = lazy_pattern(
    r"[ \t\n\r\v\f]*([+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d+)?)\s*", re.ASCII
)
_PLAIN = lazy_pattern(r"-?\d{1,18}(?:\.\d{1,18})?", re.ASCII)
_EXPONENT_DIGITS_MAX = 8
_HEADER_BYTES = 6
_ONE, _MINUS_ONE, _TWO = Decimal(1), Decimal(-1), Decimal(2)


class _NotANumber(Decimal):
    """NaN as PostgreSQL compares it: equal to itself, above every number.

    Python asks the right operand first where its class derives from the left operand's, so these
    methods also decide `Decimal(1) < NAN`. Like any number, it has no order beside None.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _NotANumber)

    def __ne__(self, other: object) -> bool:
        return not isinstance(other, _NotANumber)

    def __lt__(self, other: object) -> bool:
        return NotImplemented if other is None else False

    def __le__(self, other: object) -> bool:
        return NotImplemented if other is None else isinstance(other, _NotANumber)

    def __gt__(self, other: object) -> bool:
        return NotImplemented if other is None else not isinstance(other, _NotANumber)

    def __ge__(self, other: object) -> bool:
        return NotImplemented if other is None else True

    def __hash__(self) -> int:
        return hash("NaN")


NAN: Decimal = _NotANumber("NaN")


def _context(rounding: str) -> Context:
    """Return a context in which no operation on two values rounds before the last digit."""
    precision = 2 * (INTEGER_DIGITS_MAX + SCALE_MAX) + 2 * _GROUP
    return Context(prec=precision, rounding=rounding, Emax=MAX_EMAX, Emin=MIN_EMIN)


_EXACT = _context(ROUND_HALF_UP)
_TRUNCATING = _context(ROUND_DOWN)
# A quotient of two short numbers differs from a tie at a short scale by at least 1e-80, and has at
# most 38 digits before the point: rounding it twice gives the same result as rounding it once.
_SHORT_DIGITS, _SHORT_QUOTIENT_SCALE = 19, 40
_SHORT = Context(prec=160, rounding=ROUND_HALF_UP)


def byte_size(number: Decimal) -> int:
    """Return the bytes of a stored number: a header, and two bytes for four digits."""
    return _HEADER_BYTES + (len(number.as_tuple().digits) + _GROUP - 1) // _GROUP * 2


def scale_of(number: Decimal) -> int:
    """Return the display scale of a finite number: the digits after its point."""
    return -int(number.as_tuple().exponent)


def parse(text: str) -> Decimal:
    """Parse a number as PostgreSQL's numeric_in does, except infinity; keep its scale."""
    if _PLAIN.fullmatch(text):
        return _without_negative_zero(Decimal(text))
    match = _NUMBER.fullmatch(text)
    if match is None:
        if text.strip().lower() == "nan":
            return NAN
        raise BadValue(text, "numeric")
    exponent = match[1].lower().partition("e")[2]
    if len(exponent.lstrip("+-0")) > _EXPONENT_DIGITS_MAX:
        raise BadValue(text, "numeric", OUT_OF_RANGE)
    try:
        number = Decimal(match[1])
    except InvalidOperation:  # An exponent out of the range of `Decimal`.
        raise BadValue(text, "numeric", OUT_OF_RANGE) from None
    if scale_of(number) > SCALE_MAX:
        raise BadValue(text, "numeric", OUT_OF_RANGE)
    return checked(number, text)


def format(number: Decimal) -> str:  # noqa: A001
    """Return all digits of the scale, without an exponent."""
    return f"{number:f}"


def checked(number: Decimal, origin: object = None) -> Decimal:
    """Return a finite result as a value: without a positive exponent or a negative zero.

    Raise BadValue, quoting `origin` or else the number, if it has too many digits.
    """
    if not number:
        number = number.copy_abs()
    elif number.adjusted() >= INTEGER_DIGITS_MAX:
        raise BadValue(number if origin is None else origin, "numeric", OUT_OF_RANGE)
    scale = scale_of(number)
    if scale > SCALE_MAX:
        return rescaled(number, SCALE_MAX)
    return rescaled(number, 0) if scale < 0 else number


def rescaled(number: Decimal, scale: int) -> Decimal:
    """Return a finite number with `scale` digits after the point, rounded half away from zero."""
    return _without_negative_zero(_EXACT.quantize(number, _quantum(scale)))


def add(left: Decimal, right: Decimal) -> Decimal:
    """Return the exact sum."""
    if left is NAN or right is NAN:
        return NAN
    return _in_range(_EXACT.add(left, right))


def subtract(left: Decimal, right: Decimal) -> Decimal:
    """Return the exact difference."""
    if left is NAN or right is NAN:
        return NAN
    return _in_range(_EXACT.subtract(left, right))


def multiply(left: Decimal, right: Decimal) -> Decimal:
    """Return the product: exact, unless it has more digits after the point than a value may."""
    if left is NAN or right is NAN:
        return NAN
    return checked(_EXACT.multiply(left, right))


def divide(left: Decimal, right: Decimal) -> Decimal:
    """Return the quotient, rounded half away from zero; `right` is not zero."""
    if left is NAN or right is NAN:
        return NAN
    dividend, divisor = _shape(left), _shape(right)
    scale = _quotient_scale(dividend, divisor)
    if dividend.is_short and divisor.is_short and scale <= _SHORT_QUOTIENT_SCALE:
        return _without_negative_zero(_EXACT.quantize(_SHORT.divide(left, right), _quantum(scale)))
    shifted = left.scaleb(scale, _EXACT)
    quotient = _EXACT.divide_int(shifted, right)
    rest = _EXACT.subtract(shifted, _EXACT.multiply(quotient, right))
    if _EXACT.multiply(rest, _TWO).copy_abs() >= right.copy_abs():
        step = _ONE if (left < 0) == (right < 0) else _MINUS_ONE
        quotient = _EXACT.add(quotient, step)
    return _in_range(_EXACT.quantize(quotient.scaleb(-scale, _EXACT), _quantum(scale)))


def truncated_quotient(left: Decimal, right: Decimal) -> Decimal:
    """Return the quotient without its fraction (div); `right` is not zero."""
    if left is NAN or right is NAN:
        return NAN
    return checked(_EXACT.divide_int(left, right))


def remainder(left: Decimal, right: Decimal) -> Decimal:
    """Return the remainder of `truncated_quotient`, with the sign of `left`."""
    if left is NAN or right is NAN:
        return NAN
    return _without_negative_zero(_EXACT.remainder(left, right))


def negated(number: Decimal) -> Decimal:
    """Return the number with the opposite sign."""
    return number if not number or number is NAN else number.copy_negate()


def absolute(number: Decimal) -> Decimal:
    """Return the number without its sign."""
    return NAN if number is NAN else number.copy_abs()


def ceiling(number: Decimal) -> Decimal:
    """Return the smallest integer that is not below the number, with scale 0."""
    return _integral(number, ROUND_CEILING)


def floor(number: Decimal) -> Decimal:
    """Return the largest integer that is not above the number, with scale 0."""
    return _integral(number, ROUND_FLOOR)


def truncated(number: Decimal, digits: int) -> Decimal:
    """Keep `digits` digits after the point, or zero digits before it if negative."""
    if number is NAN:
        return NAN
    digits = min(max(digits, -_TRUNCATION_SCALE_MAX), _TRUNCATION_SCALE_MAX)
    cut = _TRUNCATING.quantize(number, _quantum(digits))
    return checked(cut)


def fitted(number: Decimal, precision: int, scale: int) -> Decimal:
    """Return the number rounded to `scale`, as the type numeric(precision, scale) stores it.

    Raise BadValue if more than precision - scale digits stand before the point. A negative scale
    rounds before the point.
    """
    if number is NAN:
        return NAN
    rounded = checked(_EXACT.quantize(number, _quantum(scale)))
    if rounded and rounded.adjusted() >= precision - scale:
        raise BadValue(number, "numeric", "numeric field overflow")
    return rounded


def to_int(number: Decimal) -> int:
    """Return the integer nearest to a finite number, rounding half away from zero."""
    return int(number.to_integral_value(ROUND_HALF_UP, _EXACT))


def to_float(number: Decimal) -> float:
    """Return the nearest double, an infinity for a number that is too large."""
    return float(number) if number else 0.0


def from_float(number: float, digits: int) -> Decimal:
    """Return a finite double or NaN, rounded to `digits` significant digits as PostgreSQL does."""
    return NAN if isnan(number) else parse(f"{number:.{digits}g}")


def _integral(number: Decimal, rounding: str) -> Decimal:
    if number is NAN:
        return NAN
    # Exponents are not positive, so the result has the exponent 0.
    return _without_negative_zero(number.to_integral_value(rounding, _EXACT))


class _Shape(NamedTuple):
    """The facts about an operand that decide the scale of a quotient.

    `group` is the first non-zero digit to the base 10000, and `weight` its power.
    """

    scale: int
    weight: int
    group: int
    is_short: bool  # has few digits before and after the point


def _shape(number: Decimal) -> _Shape:
    _, digits, exponent = number.as_tuple()
    scale = -int(exponent)
    count = len(digits)
    is_short = count <= _SHORT_DIGITS and scale <= _SHORT_DIGITS
    if not number:
        return _Shape(scale, 0, 0, is_short)
    weight, last = divmod(count - 1 - scale, _GROUP)
    group = 0
    for position in range(last + 1):
        group = group * 10 + (digits[position] if position < count else 0)
    return _Shape(scale, weight, group, is_short)


def _quotient_scale(dividend: _Shape, divisor: _Shape) -> int:
    """Return the scale that numeric.c selects for a quotient (select_div_scale)."""
    weight = dividend.weight - divisor.weight - (dividend.group <= divisor.group)
    wanted = max(_QUOTIENT_DIGITS - weight * _GROUP, dividend.scale, divisor.scale, 0)
    return min(wanted, _QUOTIENT_SCALE_MAX)


def _in_range(number: Decimal) -> Decimal:
    if number:
        if number.adjusted() >= INTEGER_DIGITS_MAX:
            raise BadValue(number, "numeric", OUT_OF_RANGE)
        return number
    return number.copy_abs()


def _without_negative_zero(number: Decimal) -> Decimal:
    return number if number else number.copy_abs()


@lru_cache(maxsize=256)
def _quantum(scale: int) -> Decimal:
    """Return the number whose exponent is that of `scale` digits after the point."""
    return Decimal((0, (1,), -scale))

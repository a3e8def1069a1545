"""Mathematical functions of NUMERIC arguments, with NUMERIC results.

This module applies no bare `-x`, `abs(x)` or `x + y` to a `Decimal`: these operators round to the
precision of the thread's context.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from spanemu.sql.functions.errors import BadArgument, DivisionByZero, Overflow
from spanemu.sql.functions.numbers.arithmetic import ZERO
from spanemu.values import numeric
from spanemu.values.types import BadValue

# Enough precision for the exact value of any double.
WIDE = Context(prec=1200)
# Twice the digits of a NUMERIC, so that only the final rounding to nine digits is visible.
_PRECISE = Context(prec=80, rounding=ROUND_HALF_EVEN)

_ONE = Decimal(1)
# e to a power above the maximum is out of range; e to a power below the minimum rounds to zero.
_LOG_MAX = 70
_LOG_MIN = -50


def exponential(x: Decimal) -> Decimal:
    """Return `EXP(x)`."""
    if x < _LOG_MIN:
        return ZERO
    try:
        if x > _LOG_MAX:
            raise BadValue(x, "NUMERIC")
        return numeric.fit(_PRECISE.exp(x))
    except BadValue:
        raise Overflow("numeric", f"EXP({numeric.format(x)})") from None


def natural_logarithm(x: Decimal) -> Decimal:
    """Return `LN(x)`."""
    if x <= 0:
        raise BadArgument(f"LN is undefined for zero or negative value: LN({numeric.format(x)})")
    return numeric.fit(_PRECISE.ln(x))


def decimal_logarithm(x: Decimal) -> Decimal:
    """Return `LOG10(x)`."""
    if x <= 0:
        raise BadArgument(
            f"LOG10 is undefined for zero or negative value: LOG10({numeric.format(x)})"
        )
    return numeric.fit(_PRECISE.log10(x))


def logarithm(x: Decimal, base: Decimal) -> Decimal:
    """Return `LOG(x, base)`."""
    if x <= 0 or base <= 0 or base == 1:
        raise BadArgument(
            "LOG is undefined for zero or negative value, or when base equals 1: "
            f"LOG({numeric.format(x)}, {numeric.format(base)})"
        )
    return numeric.fit(_PRECISE.divide(_PRECISE.ln(x), _PRECISE.ln(base)))


def power(x: Decimal, y: Decimal) -> Decimal:
    """Return `POW(x, y)`."""
    if not y:
        return _ONE
    if not x:
        if y < 0:
            raise DivisionByZero(f"POW({numeric.format(x)}, {numeric.format(y)})")
        return ZERO
    is_odd = False
    if x < 0:
        if y != y.to_integral_value():
            raise BadArgument(
                "Negative NUMERIC value cannot be raised to a fractional power: "
                f"POW({numeric.format(x)}, {numeric.format(y)})"
            )
        is_odd = bool(int(y) % 2)
    # The logarithm of the result comes first: a far too large or small result is never computed.
    size = _PRECISE.multiply(_PRECISE.ln(x.copy_abs()), y)
    if size < _LOG_MIN:
        return ZERO
    try:
        if size > _LOG_MAX:
            raise BadValue(x, "NUMERIC")
        result = numeric.fit(_PRECISE.power(x.copy_abs(), y))
    except BadValue:
        raise Overflow("numeric", f"POW({numeric.format(x)}, {numeric.format(y)})") from None
    return result.copy_negate() if is_odd and result else result


def square_root(x: Decimal) -> Decimal:
    """Return `SQRT(x)`."""
    if x < 0:
        raise BadArgument(f"SQRT is undefined for negative value: SQRT({numeric.format(x)})")
    return numeric.fit(_PRECISE.sqrt(x))


def sign(x: Decimal) -> Decimal:
    """Return `SIGN(x)`."""
    return Decimal((x > 0) - (x < 0))


def ceiling(x: Decimal) -> Decimal:
    """Return `CEIL(x)`."""
    return _whole(x, ROUND_CEILING, "CEIL")


def floor(x: Decimal) -> Decimal:
    """Return `FLOOR(x)`."""
    return _whole(x, ROUND_FLOOR, "FLOOR")


def rounded(x: Decimal, digits: int = 0) -> Decimal:
    """Return `ROUND(x, digits)`, half away from zero."""
    try:
        return numeric.rounded_to(x, digits) or ZERO
    except BadValue:
        raise Overflow("numeric", f"ROUND({numeric.format(x)}, {digits})") from None


def truncated(x: Decimal, digits: int = 0) -> Decimal:
    """Return `TRUNC(x, digits)`, toward zero."""
    return numeric.rounded_to(x, digits, toward_zero=True) or ZERO


def _whole(x: Decimal, mode: str, name: str) -> Decimal:
    whole = x.to_integral_value(mode, _PRECISE)
    if numeric.NUMERIC_MIN <= whole <= numeric.NUMERIC_MAX:
        return whole or ZERO
    raise Overflow("numeric", f"{name}({numeric.format(x)})")

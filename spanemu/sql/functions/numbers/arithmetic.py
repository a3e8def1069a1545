"""Arithmetic on one type: +, -, *, /, unary minus, DIV and MOD, and SAFE_ variants.

Operands are of the type in the function's name; the analyzer coerced them. A result that does
not fit its type is an error, never a wrapped integer or an infinity from finite operands.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from math import inf, isfinite, nan
from typing import Any

from spanemu.sql.functions.errors import DivisionByZero, EvaluationError, Overflow
from spanemu.values import floats, numeric
from spanemu.values.types import BadValue
from spanemu.values.value import INT64_MAX, INT64_MIN

ZERO = Decimal(0)


def format_double(number: float) -> str:
    """Return a FLOAT64 as error messages print it: with six significant digits."""
    return f"{number:g}"


# ---------------------------------------------------------------------------- INT64


def add_int64(left: int, right: int) -> int:
    """Return `INT64 + INT64`."""
    total = left + right
    if INT64_MIN <= total <= INT64_MAX:
        return total
    raise Overflow("int64", f"{left} + {right}")


def subtract_int64(left: int, right: int) -> int:
    """Return `INT64 - INT64`."""
    difference = left - right
    if INT64_MIN <= difference <= INT64_MAX:
        return difference
    raise Overflow("int64", f"{left} - {right}")


def multiply_int64(left: int, right: int) -> int:
    """Return `INT64 * INT64`."""
    product = left * right
    if INT64_MIN <= product <= INT64_MAX:
        return product
    raise Overflow("int64", f"{left} * {right}")


def negate_int64(value: int) -> int:
    """Return `-INT64`."""
    if value != INT64_MIN:
        return -value
    raise Overflow("int64", f"-{value}")


def divide_int64(left: int, right: int) -> int:
    """Return `DIV(left, right)`: the quotient truncated toward zero."""
    if not right:
        raise DivisionByZero(f"{left} / {right}")
    quotient = abs(left) // abs(right)
    if (left < 0) != (right < 0):
        quotient = -quotient
    if quotient > INT64_MAX:
        raise Overflow("int64", f"{left} / {right}")
    return quotient


def modulo_int64(left: int, right: int) -> int:
    """Return `MOD(left, right)`: the remainder, with the sign of `left`."""
    if not right:
        raise DivisionByZero(f"MOD({left}, {right})")
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


# ---------------------------------------------------------------------------- FLOAT64


def add_float64(left: float, right: float) -> float:
    """Return `FLOAT64 + FLOAT64`."""
    total = left + right
    if -inf < total < inf or not (isfinite(left) and isfinite(right)):
        return total
    raise Overflow("double", f"{format_double(left)} + {format_double(right)}")


def subtract_float64(left: float, right: float) -> float:
    """Return `FLOAT64 - FLOAT64`."""
    difference = left - right
    if -inf < difference < inf or not (isfinite(left) and isfinite(right)):
        return difference
    raise Overflow("double", f"{format_double(left)} - {format_double(right)}")


def multiply_float64(left: float, right: float) -> float:
    """Return `FLOAT64 * FLOAT64`."""
    product = left * right
    if -inf < product < inf or not (isfinite(left) and isfinite(right)):
        return product
    raise Overflow("double", f"{format_double(left)} * {format_double(right)}")


def divide_float64(left: float, right: float) -> float:
    """Return `FLOAT64 / FLOAT64`; raise DivisionByZero for any dividend, also NaN, over zero."""
    if not right:
        raise DivisionByZero(f"{format_double(left)} / {format_double(right)}")
    quotient = left / right
    if -inf < quotient < inf or not (isfinite(left) and isfinite(right)):
        return quotient
    raise Overflow("double", f"{format_double(left)} / {format_double(right)}")


def ieee_divide(left: float, right: float) -> float:
    """Return `IEEE_DIVIDE(left, right)`, which never fails: x / 0 is an infinity or NaN."""
    if right:
        return left / right
    if not left or left != left or right != right:
        return nan
    # Comparison ignores the sign of a zero; the text shows it.
    return inf if (left > 0) is (str(right)[0] != "-") else -inf


def ieee_divide_float32(left: float, right: float) -> float:
    """Return `IEEE_DIVIDE` of FLOAT32s: a quotient that is too large becomes an infinity."""
    quotient = ieee_divide(left, right)
    if floats.fits(quotient):
        return floats.round32(quotient)
    return inf if quotient > 0 else -inf


# ---------------------------------------------------------------------------- NUMERIC


def add_numeric(left: Decimal, right: Decimal) -> Decimal:
    """Return `NUMERIC + NUMERIC`."""
    try:
        return numeric.add(left, right)
    except BadValue:
        raise _numeric_overflow(left, "+", right) from None


def subtract_numeric(left: Decimal, right: Decimal) -> Decimal:
    """Return `NUMERIC - NUMERIC`."""
    try:
        return numeric.subtract(left, right)
    except BadValue:
        raise _numeric_overflow(left, "-", right) from None


def multiply_numeric(left: Decimal, right: Decimal) -> Decimal:
    """Return `NUMERIC * NUMERIC`, rounded to nine decimal digits."""
    try:
        return numeric.multiply(left, right)
    except BadValue:
        raise _numeric_overflow(left, "*", right) from None


def divide_numeric(left: Decimal, right: Decimal) -> Decimal:
    """Return `NUMERIC / NUMERIC`, rounded to nine decimal digits."""
    if not right:
        raise DivisionByZero(f"{numeric.format(left)} / 0")
    try:
        return numeric.divide(left, right)
    except BadValue:
        raise _numeric_overflow(left, "/", right) from None


def negate_numeric(value: Decimal) -> Decimal:
    """Return `-NUMERIC`."""
    return value.copy_negate() if value else ZERO


def div_numeric(left: Decimal, right: Decimal) -> Decimal:
    """Return `DIV(left, right)`: the quotient truncated toward zero."""
    try:
        if right:
            return numeric.truncated_quotient(left, right) or ZERO
    except BadValue:
        raise Overflow("numeric", _div(left, right)) from None
    raise DivisionByZero(_div(left, right))


def _div(left: Decimal, right: Decimal) -> str:
    return f"DIV({numeric.format(left)}, {numeric.format(right)})"


def modulo_numeric(left: Decimal, right: Decimal) -> Decimal:
    """Return `MOD(left, right)`: the remainder, with the sign of `left`."""
    if not right:
        raise DivisionByZero(f"MOD({numeric.format(left)}, 0)")
    return numeric.remainder(left, right) or ZERO


def _numeric_overflow(left: Decimal, symbol: str, right: Decimal) -> Overflow:
    return Overflow("numeric", f"{numeric.format(left)} {symbol} {numeric.format(right)}")


def safe(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Return `operation` with NULL in place of an EvaluationError."""

    def call(*operands: Any) -> Any:
        try:
            return operation(*operands)
        except EvaluationError:
            return None

    return call

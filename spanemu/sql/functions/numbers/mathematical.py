"""Mathematical functions, by the chapter of that name; vector distances are in `vector`.

FLOAT64 functions are C's, except that a result that is not finite for finite arguments is an error.
NUMERIC functions compute with more digits than NUMERIC has and round once, half away from zero. An
INT64 argument counts as FLOAT64 where INT64 has no overload of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from math import inf, isfinite, nan
from typing import Any

from spanemu.sql.functions.errors import BadArgument, Overflow, UndefinedResult
from spanemu.sql.functions.notation import chapter, overload
from spanemu.sql.functions.numbers import arithmetic, numeric_functions
from spanemu.sql.functions.numbers.arithmetic import format_double
from spanemu.sql.functions.registry import Overload
from spanemu.values import order
from spanemu.values.types import Type
from spanemu.values.value import INT64_MIN

_SMALLEST_EXPONENT = -324
_LARGEST_EXPONENT = 308
_HALF_UP = "ROUND_HALF_UP"
_DOWN = "ROUND_DOWN"


# ---------------------------------------------------------------------------- of one argument


def _of_float(name: str, function: Callable[[float], float]) -> Callable[[float], float]:
    """Return C's function from Python's, which raises where C gives NaN or an infinity."""

    def call(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError):
            if isfinite(x):
                raise UndefinedResult(f"{name}({format_double(x)})") from None
            return nan

    return call


def square_root(x: float) -> float:
    """Return `SQRT(FLOAT64)`."""
    if x < 0:
        raise BadArgument(f"Argument to SQRT cannot be negative: {format_double(x)}")
    return math.sqrt(x)


def absolute_int64(x: int) -> int:
    """Return `ABS(INT64)`; raise Overflow for the smallest INT64, which has no counterpart."""
    if x == INT64_MIN:
        raise Overflow("int64", f"ABS({x})")
    return abs(x)


def sign_int64(x: int) -> int:
    """Return `SIGN(INT64)`."""
    return (x > 0) - (x < 0)


def sign_float64(x: float) -> float:
    """Return `SIGN` of a float; NaN is its own sign."""
    return x if x != x else float((x > 0) - (x < 0))


def _keep_specials(function: Callable[[float], int]) -> Callable[[float], float]:
    """Return ceil, floor or trunc as a float function.

    The function keeps NaN, infinities and the sign of a zero.
    """

    def call(x: float) -> float:
        return math.copysign(float(function(x)), x) if isfinite(x) else x

    return call


def round_float64(x: float, digits: int = 0) -> float:
    """Return `ROUND(x, digits)`, half away from zero."""
    if digits or not isfinite(x):
        return _rounded(x, digits, _HALF_UP)
    size = abs(x)
    whole = math.floor(size)
    return math.copysign(float(whole + (size - whole >= 0.5)), x)


def truncate_float64(x: float, digits: int = 0) -> float:
    """Return `TRUNC(x, digits)`, toward zero."""
    if digits or not isfinite(x):
        return _rounded(x, digits, _DOWN)
    return math.copysign(float(math.trunc(x)), x)


def _rounded(x: float, digits: int, mode: str) -> float:
    x = float(x)  # an INT64 argument arrives as int
    if digits > -_SMALLEST_EXPONENT or not isfinite(x):
        return x
    if digits < -_LARGEST_EXPONENT:
        return 0.0
    exact = Decimal(x)
    if -exact.as_tuple().exponent <= digits:  # type: ignore[operator]
        return x
    quantum = Decimal((0, (1,), -digits))
    rounded = float(exact.quantize(quantum, mode, numeric_functions.WIDE))
    if isfinite(rounded):
        return rounded
    raise Overflow("double", f"ROUND({format_double(x)}, {digits})")


# ---------------------------------------------------------------------------- of two arguments


def power(x: float, y: float) -> float:
    """Return `POW(FLOAT64, FLOAT64)`, by C's rules."""
    try:
        return math.pow(x, y)
    except (ValueError, OverflowError):
        raise UndefinedResult(f"POW({format_double(x)}, {format_double(y)})") from None


def logarithm(x: float, base: float) -> float:
    """Return `LOG(x, base)`: NaN if an argument is NaN, `base` is infinite or `x` is -inf.

    An infinite `x` never fails: its quotient with the logarithm of `base` follows C's rules.
    """
    if base != base or x != x or math.isinf(base) or x == -inf:
        return nan
    if x == inf and (base <= 0 or base == 1):
        return inf if base == 1 else nan
    if x <= 0 or base <= 0 or base == 1:
        raise UndefinedResult(f"LOG({format_double(x)}, {format_double(base)})")
    return math.log(x) / math.log(base)


# ---------------------------------------------------------------------------- of many arguments


def _extreme(sign: int) -> Callable[[Sequence[Type], Type], Callable[..., Any]]:
    """Return the binder of GREATEST (`sign` 1) or LEAST (-1).

    Values compare as in ORDER BY, except that NaN wins in both functions.
    """
    pick: Callable[..., Any] = max if sign > 0 else min

    def bind(types: Sequence[Type], _: Type) -> Callable[..., Any]:
        if types[0].is_float:

            def of_floats(*values: float) -> float:
                return nan if any(map(math.isnan, values)) else pick(values)

            return of_floats
        key = order.sort_key(types[0])
        if key is order.identity:
            return lambda *values: pick(values)
        return lambda *values: pick(values, key=key)

    return bind


# ---------------------------------------------------------------------------- the table


def _float_only(name: str, function: Callable[[float], float]) -> tuple[Overload, ...]:
    return (overload("(FLOAT64) -> FLOAT64", _of_float(name, function)),)


def _as_float64(
    of_float: Callable[..., float], of_numeric: Callable[..., Decimal]
) -> tuple[Overload, ...]:
    """Return overloads from INT64, FLOAT32 and FLOAT64 to FLOAT64, and NUMERIC to NUMERIC."""
    return (
        overload("(NUMERIC) -> NUMERIC", of_numeric),
        overload("(FLOAT64) -> FLOAT64", of_float),
    )


def _rounding(
    of_float: Callable[..., float], of_numeric: Callable[..., Decimal]
) -> tuple[Overload, ...]:
    return (
        overload("(NUMERIC, [INT64]) -> NUMERIC", of_numeric),
        overload("(FLOAT64, [INT64]) -> FLOAT64", of_float),
    )


def _of_two(
    of_float: Callable[..., float], of_numeric: Callable[..., Decimal]
) -> tuple[Overload, ...]:
    return (
        overload("(NUMERIC, NUMERIC) -> NUMERIC", of_numeric),
        overload("(FLOAT64, FLOAT64) -> FLOAT64", of_float),
    )


def _same_type(
    of_int64: Callable[..., int],
    of_numeric: Callable[..., Decimal],
    of_float: Callable[..., float],
) -> tuple[Overload, ...]:
    return (
        overload("(INT64) -> INT64", of_int64),
        overload("(NUMERIC) -> NUMERIC", of_numeric),
        overload("(FLOAT32) -> FLOAT32", of_float),
        overload("(FLOAT64) -> FLOAT64", of_float),
    )


def _safe(
    of_int64: Callable[..., Any], of_numeric: Callable[..., Any], of_float: Callable[..., Any]
) -> tuple[Overload, ...]:
    return (
        overload("(INT64, INT64) -> INT64", arithmetic.safe(of_int64)),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", arithmetic.safe(of_numeric)),
        overload("(FLOAT64, FLOAT64) -> FLOAT64", arithmetic.safe(of_float)),
    )


_natural = _of_float("LN", math.log)
_decimal = _of_float("LOG10", math.log10)
_exponential = _of_float("EXP", math.exp)
_ceil, _floor = _keep_specials(math.ceil), _keep_specials(math.floor)
_ORDERED = "T1{BOOL|INT64|NUMERIC|FLOAT32|FLOAT64|STRING|BYTES|DATE|TIMESTAMP|UUID|INTERVAL|ENUM}"

_EXPONENTIAL: dict[str, tuple[Overload, ...]] = {
    "EXP": _as_float64(_exponential, numeric_functions.exponential),
    "LN": _as_float64(_natural, numeric_functions.natural_logarithm),
    "LOG": (
        *_as_float64(_natural, numeric_functions.natural_logarithm),
        *_of_two(logarithm, numeric_functions.logarithm),
    ),
    "LOG10": _as_float64(_decimal, numeric_functions.decimal_logarithm),
    "POW|POWER": _of_two(power, numeric_functions.power),
    "SQRT": _as_float64(square_root, numeric_functions.square_root),
}

_TRIGONOMETRIC: dict[str, tuple[Overload, ...]] = {
    "ACOS": _float_only("ACOS", math.acos),
    "ACOSH": _float_only("ACOSH", math.acosh),
    "ASIN": _float_only("ASIN", math.asin),
    "ASINH": _float_only("ASINH", math.asinh),
    "ATAN": _float_only("ATAN", math.atan),
    "ATAN2": (overload("(FLOAT64, FLOAT64) -> FLOAT64", math.atan2),),
    "ATANH": _float_only("ATANH", math.atanh),
    "COS": _float_only("COS", math.cos),
    "COSH": _float_only("COSH", math.cosh),
    "SIN": _float_only("SIN", math.sin),
    "SINH": _float_only("SINH", math.sinh),
    "TAN": _float_only("TAN", math.tan),
    "TANH": _float_only("TANH", math.tanh),
}

_WHOLE: dict[str, tuple[Overload, ...]] = {
    "ABS": _same_type(absolute_int64, Decimal.copy_abs, abs),
    "CEIL|CEILING": _as_float64(_ceil, numeric_functions.ceiling),
    "DIV": (
        overload("(INT64, INT64) -> INT64", arithmetic.divide_int64),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", arithmetic.div_numeric),
    ),
    "FLOOR": _as_float64(_floor, numeric_functions.floor),
    "MOD": (
        overload("(INT64, INT64) -> INT64", arithmetic.modulo_int64),
        overload("(NUMERIC, NUMERIC) -> NUMERIC", arithmetic.modulo_numeric),
    ),
    "ROUND": _rounding(round_float64, numeric_functions.rounded),
    "SIGN": _same_type(sign_int64, numeric_functions.sign, sign_float64),
    "TRUNC": _rounding(truncate_float64, numeric_functions.truncated),
}

_COMPARING: dict[str, tuple[Overload, ...]] = {
    "GREATEST": (overload(f"({_ORDERED}, T1...) -> T1", bind=_extreme(1)),),
    "IS_INF": (overload("(FLOAT64) -> BOOL", math.isinf),),
    "IS_NAN": (overload("(FLOAT64) -> BOOL", math.isnan),),
    "LEAST": (overload(f"({_ORDERED}, T1...) -> T1", bind=_extreme(-1)),),
}

_SAFE: dict[str, tuple[Overload, ...]] = {
    "IEEE_DIVIDE": (
        overload("(FLOAT32, FLOAT32) -> FLOAT32", arithmetic.ieee_divide_float32),
        overload("(FLOAT64, FLOAT64) -> FLOAT64", arithmetic.ieee_divide),
    ),
    "SAFE_ADD": _safe(arithmetic.add_int64, arithmetic.add_numeric, arithmetic.add_float64),
    "SAFE_DIVIDE": _of_two(
        arithmetic.safe(arithmetic.divide_float64), arithmetic.safe(arithmetic.divide_numeric)
    ),
    "SAFE_MULTIPLY": _safe(
        arithmetic.multiply_int64, arithmetic.multiply_numeric, arithmetic.multiply_float64
    ),
    "SAFE_NEGATE": _same_type(
        arithmetic.safe(arithmetic.negate_int64), arithmetic.negate_numeric, float.__neg__
    ),
    "SAFE_SUBTRACT": _safe(
        arithmetic.subtract_int64, arithmetic.subtract_numeric, arithmetic.subtract_float64
    ),
}

FUNCTIONS = chapter(
    "mathematical", {**_EXPONENTIAL, **_TRIGONOMETRIC, **_WHOLE, **_COMPARING, **_SAFE}
)

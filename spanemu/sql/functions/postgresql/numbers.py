"""Arithmetic and mathematical functions of PostgreSQL databases.

    int8pl(bigint, bigint)   float8mul(double precision, double precision)   numeric_div(...)

The functions of bigint and of floats are GoogleSQL's, as in Spanner: their errors are worded alike,
halves are rounded away from zero, an underflow is 0, and zeros come in where bits are shifted
right. Floats are single or double, and a NaN result is the NaN of PostgreSQL databases. The
functions of numeric are PostgreSQL's, to the digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from math import inf, isnan
from operator import add, and_, invert, mul, neg, or_, sub, xor
from typing import Any

from spanemu.sql.functions.errors import Overflow
from spanemu.sql.functions.notation import Row, Rows, chapter, function, overload
from spanemu.sql.functions.numbers import arithmetic as number
from spanemu.sql.functions.numbers import bit, mathematical, vector
from spanemu.sql.functions.postgresql.errors import DividedByZero, NumberOutOfRange
from spanemu.sql.functions.postgresql.shared import implementation
from spanemu.sql.functions.registry import Operation, Overload
from spanemu.values import pg_numeric
from spanemu.values.floats import GREATEST_NAN, fits, round32
from spanemu.values.types import BadValue

# ---------------------------------------------------------------------------- floats


def of_double(compute: Callable[..., float]) -> Callable[..., float]:
    """Return a function of floats that returns the NaN of PostgreSQL databases."""

    def call(*arguments: Any) -> float:
        result = compute(*arguments)
        return result if result == result else GREATEST_NAN

    return call


def _of_finite(
    operate: Callable[[float, float], float], compute: Callable[[float, float], float]
) -> Callable[[float, float], float]:
    """Return `operate`, with `compute` deciding about results that are not finite.

    Most results are finite, and need one call of a function in C.
    """
    decide = of_double(compute)

    def call(left: float, right: float) -> float:
        result = operate(left, right)
        return result if -inf < result < inf else decide(left, right)

    return call


def of_single(compute: Callable[..., float], symbol: str = "") -> Callable[..., float]:
    """Return a function of floats whose result is rounded to a FLOAT32.

    Raise Overflow if the result of finite arguments is no FLOAT32.
    """

    def call(*arguments: Any) -> float:
        result = compute(*arguments)
        if result != result:
            return GREATEST_NAN
        if not fits(result):
            shown = f" {symbol} ".join(map(number.format_double, arguments))
            raise Overflow("float", shown)
        return round32(result)

    return call


def _sign(x: float) -> float:
    """Return 1, 0 or -1; NaN is its own sign."""
    return x if isnan(x) else mathematical.sign_float64(x)


# ---------------------------------------------------------------------------- numeric


def _numeric(compute: Callable[..., Decimal]) -> Callable[..., Decimal]:
    """Return a function of numerics that raises NumberOutOfRange for too many digits."""

    def call(*arguments: Any) -> Decimal:
        try:
            return compute(*arguments)
        except BadValue as failure:
            raise NumberOutOfRange(failure.reason) from None

    return call


def _by_numeric(compute: Callable[[Decimal, Decimal], Decimal]) -> Callable[..., Decimal]:
    """Return a quotient or a remainder that raises DividedByZero."""
    computed = _numeric(compute)

    def call(left: Decimal, right: Decimal) -> Decimal:
        if not right and left is not pg_numeric.NAN:
            raise DividedByZero()
        return computed(left, right)

    return call


numeric_div = _by_numeric(pg_numeric.divide)
numeric_mod = _by_numeric(pg_numeric.remainder)
numeric_div_trunc = _by_numeric(pg_numeric.truncated_quotient)

# ---------------------------------------------------------------------------- the tables


_NUMERIC = "(PG_NUMERIC) -> PG_NUMERIC"
_NUMERICS = "(PG_NUMERIC, PG_NUMERIC) -> PG_NUMERIC"


def _floats(
    name: str,
    operation: Operation,
    compute: Callable[..., float],
    operate: Callable[[float, float], float] | None = None,
) -> dict[str, Row]:
    """Return the functions of an operator between two floats of one width.

    `operate` is the operator of Python if it has a result for all operands.
    """
    single = of_single(compute, _SYMBOLS[operation])
    double = of_double(compute) if operate is None else _of_finite(operate, compute)
    singles = overload("(FLOAT32, FLOAT32) -> FLOAT32", single)
    doubles = overload("(FLOAT64, FLOAT64) -> FLOAT64", double)
    return {
        f"float4{name}": function((singles,), operation=operation),
        f"float8{name}": function((doubles,), operation=operation),
    }


_SYMBOLS = {
    Operation.ADD: "+",
    Operation.SUBTRACT: "-",
    Operation.MULTIPLY: "*",
    Operation.DIVIDE: "/",
}


def _of_vectors(
    name: str, operation: Operation, compute: Callable[..., float], types: Sequence[str]
) -> Rows:
    """Return an exact and an approximate function of two vectors."""
    exact = of_double(compute)
    overloads = [overload(f"(ARRAY<{t}>, ARRAY<{t}>) -> FLOAT64", exact) for t in types]
    return {
        f"spanner.{name}": function(overloads, operation=operation),
        f"spanner.approx_{name}": vector.approximate(exact, operation, "[*options=>PG_JSONB]"),
    }


def _double(compute: Callable[..., float]) -> Overload:
    return overload("(FLOAT64) -> FLOAT64", of_double(compute))


def _mathematical(name: str) -> tuple[Overload]:
    """Return GoogleSQL's function of one FLOAT64 called `name`."""
    text = "(FLOAT64) -> FLOAT64"
    return (_double(implementation(mathematical.FUNCTIONS, name, text)),)


_OPERATORS: Rows = {
    "int8pl": function(
        (overload("(INT64, INT64) -> INT64", number.add_int64),), operation=Operation.ADD
    ),
    "int8mi": function(
        (overload("(INT64, INT64) -> INT64", number.subtract_int64),), operation=Operation.SUBTRACT
    ),
    "int8mul": function(
        (overload("(INT64, INT64) -> INT64", number.multiply_int64),), operation=Operation.MULTIPLY
    ),
    "int8div": function(
        (overload("(INT64, INT64) -> INT64", number.divide_int64),), operation=Operation.DIVIDE
    ),
    "int8mod": (overload("(INT64, INT64) -> INT64", number.modulo_int64),),
    "int8um": (overload("(INT64) -> INT64", number.negate_int64),),
    "int8and": (overload("(INT64, INT64) -> INT64", and_),),
    "int8or": (overload("(INT64, INT64) -> INT64", or_),),
    "int8xor": (overload("(INT64, INT64) -> INT64", xor),),
    "int8not": (overload("(INT64) -> INT64", invert),),
    "int8shl": (overload("(INT64, INT64) -> INT64", bit.shift_left),),
    "int8shr": (overload("(INT64, INT64) -> INT64", bit.shift_right),),
    **_floats("pl", Operation.ADD, number.add_float64, add),
    **_floats("mi", Operation.SUBTRACT, number.subtract_float64, sub),
    **_floats("mul", Operation.MULTIPLY, number.multiply_float64, mul),
    **_floats("div", Operation.DIVIDE, number.divide_float64),
    "float4um": (overload("(FLOAT32) -> FLOAT32", of_double(neg)),),
    "float8um": (overload("(FLOAT64) -> FLOAT64", of_double(neg)),),
    "numeric_add": function(
        (overload(_NUMERICS, _numeric(pg_numeric.add)),), operation=Operation.ADD
    ),
    "numeric_sub": function(
        (overload(_NUMERICS, _numeric(pg_numeric.subtract)),), operation=Operation.SUBTRACT
    ),
    "numeric_mul": function(
        (overload(_NUMERICS, _numeric(pg_numeric.multiply)),), operation=Operation.MULTIPLY
    ),
    "numeric_div": function((overload(_NUMERICS, numeric_div),), operation=Operation.DIVIDE),
    "numeric_mod": (overload(_NUMERICS, numeric_mod),),
    "numeric_uminus": (overload(_NUMERIC, pg_numeric.negated),),
}

_INT8ABS = overload("(INT64) -> INT64", mathematical.absolute_int64)
_FLOAT4ABS = overload("(FLOAT32) -> FLOAT32", of_double(abs))
_FLOAT8ABS = _double(abs)
_NUMERIC_ABS = overload(_NUMERIC, pg_numeric.absolute)

_MATHEMATICAL: dict[str, tuple[Overload, ...]] = {
    "abs": (_INT8ABS, _FLOAT4ABS, _FLOAT8ABS, _NUMERIC_ABS),
    "int8abs": (_INT8ABS,),
    "float4abs": (_FLOAT4ABS,),
    "float8abs": (_FLOAT8ABS,),
    "numeric_abs": (_NUMERIC_ABS,),
    "ceil|ceiling": (*_mathematical("CEIL"), overload(_NUMERIC, pg_numeric.ceiling)),
    "floor": (*_mathematical("FLOOR"), overload(_NUMERIC, pg_numeric.floor)),
    "round": (_double(mathematical.round_float64),),
    "trunc": (
        _double(mathematical.truncate_float64),
        overload("(PG_NUMERIC, INT64) -> PG_NUMERIC", _numeric(pg_numeric.truncated)),
    ),
    "sign": (_double(_sign),),
    "mod": (
        overload("(INT64, INT64) -> INT64", number.modulo_int64),
        overload(_NUMERICS, numeric_mod),
    ),
    "div|numeric_div_trunc": (overload(_NUMERICS, numeric_div_trunc),),
    "sqrt|dsqrt": _mathematical("SQRT"),
    "exp|dexp": _mathematical("EXP"),
    "ln|dlog1": _mathematical("LN"),
    "log|dlog10": _mathematical("LOG10"),
    "power|pow|dpow": (overload("(FLOAT64, FLOAT64) -> FLOAT64", of_double(mathematical.power)),),
    "acos": _mathematical("ACOS"),
    "asin": _mathematical("ASIN"),
    "atan": _mathematical("ATAN"),
    "atan2": (overload("(FLOAT64, FLOAT64) -> FLOAT64", of_double(math.atan2)),),
    "cos": _mathematical("COS"),
    "sin": _mathematical("SIN"),
    "tan": _mathematical("TAN"),
}

_WIDTHS = ("FLOAT32", "FLOAT64")
_SPANNER: Rows = {
    "spanner.bit_reverse": (overload("(INT64, BOOL) -> INT64", bit.bit_reverse),),
    **_of_vectors("cosine_distance", Operation.COSINE_DISTANCE, vector.cosine_distance, _WIDTHS),
    **_of_vectors(
        "euclidean_distance", Operation.EUCLIDEAN_DISTANCE, vector.euclidean_distance, _WIDTHS
    ),
    **_of_vectors("dot_product", Operation.DOT_PRODUCT, vector.dot_product, ("INT64", *_WIDTHS)),
}

FUNCTIONS = (
    *chapter("operator", _OPERATORS, safe_allowed=False),
    *chapter("mathematical", {**_MATHEMATICAL, **_SPANNER}, safe_allowed=False),
)

"""Distances and products of vectors, by the chapter "Mathematical functions".

A vector is an array of numbers. These functions are exact, and so are the approximate distances,
which have their implementations: where a query may call these, the planner decides
(`planner.approximate`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from math import dist, isfinite, sqrt
from operator import mul
from typing import Any

from spanemu.sql.functions.errors import BadArgument, Overflow
from spanemu.sql.functions.notation import Rows, chapter, function, overload
from spanemu.sql.functions.registry import Operation
from spanemu.values.floats import FLOAT64_MAX

# An element may be None until arithmetic has refused it, with a TypeError.
Vector = tuple[Any, ...]


def cosine_distance(left: Vector, right: Vector) -> float:
    """Return `COSINE_DISTANCE(left, right)`: 1 minus the cosine of the angle.

    Raise BadArgument for a zero vector, which has no direction.
    """
    _check_lengths(left, right)
    try:
        length = sqrt(_dot(left, left)) * sqrt(_dot(right, right))
        if not length:
            raise BadArgument("Cannot compute cosine distance against zero vector")
        return 1.0 - _dot(left, right) / length
    except TypeError:
        raise _null_element(left) from None


def euclidean_distance(left: Vector, right: Vector) -> float:
    """Return `EUCLIDEAN_DISTANCE(left, right)`: the length of the difference."""
    _check_lengths(left, right)
    try:
        length = dist(left, right)
    except TypeError:
        raise _null_element(left) from None
    if length > _ROOT_MAX and _are_finite(left, right):
        raise Overflow("double", "EUCLIDEAN_DISTANCE")
    return length


def dot_product(left: Vector, right: Vector) -> float:
    """Return `DOT_PRODUCT(left, right)`: the sum of the products of the elements."""
    if len(left) != len(right):
        raise BadArgument(
            "Array arguments to DOT_PRODUCT must have equal length. The given arrays have lengths "
            f"of {len(left)} and {len(right)}"
        )
    try:
        return float(_dot(left, right))
    except TypeError:
        number, array = ("first", left) if None in left else ("second", right)
        raise BadArgument(
            "Cannot compute DOT_PRODUCT with a NULL element, since it is unclear if NULLs should "
            "be ignored, counted as a zero value, or another interpretation. The NULL element was "
            f"found in the {number} array argument at OFFSET {array.index(None)}"
        ) from None


def _sum_of_products(left: Vector, right: Vector) -> float:
    total: float = sum(map(mul, left, right))
    return total


# Python 3.12 has the sum in C.
_products: Callable[[Vector, Vector], float] = getattr(math, "sumprod", _sum_of_products)


def _dot(left: Vector, right: Vector) -> float:
    total = _products(left, right)
    if not isfinite(total) and _are_finite(left, right):
        raise Overflow("double", "sum of products")
    return total


def _are_finite(left: Vector, right: Vector) -> bool:
    return all(map(isfinite, left)) and all(map(isfinite, right))


def _check_lengths(left: Vector, right: Vector) -> None:
    if len(left) != len(right):
        raise BadArgument(f"Array length mismatch: {len(left)} and {len(right)}")


def _null_element(left: Vector) -> BadArgument:
    number = "first" if None in left else "second"
    return BadArgument(f"NULL array element in {number} argument")


# The square of a larger number is not a finite double.
_ROOT_MAX = sqrt(FLOAT64_MAX)

_FLOATS = ("FLOAT32", "FLOAT64")
_EXACT: Rows = {
    "COSINE_DISTANCE": function(
        [overload(f"(ARRAY<{t}>, ARRAY<{t}>) -> FLOAT64", cosine_distance) for t in _FLOATS],
        operation=Operation.COSINE_DISTANCE,
    ),
    "EUCLIDEAN_DISTANCE": function(
        [overload(f"(ARRAY<{t}>, ARRAY<{t}>) -> FLOAT64", euclidean_distance) for t in _FLOATS],
        operation=Operation.EUCLIDEAN_DISTANCE,
    ),
    "DOT_PRODUCT": function(
        [
            overload(f"(ARRAY<{t}>, ARRAY<{t}>) -> FLOAT64", dot_product)
            for t in ("INT64", *_FLOATS)
        ],
        operation=Operation.DOT_PRODUCT,
    ),
}


def approximate(exact: Callable[..., float], operation: Operation, options: str) -> Any:
    """Return the row of an approximate distance; `options` is its last parameter.

    A call differs from time to time in Spanner, so expressions of a schema may not contain one.
    """
    overloads = [
        overload(f"(ARRAY<{t}>, ARRAY<{t}>, {options}) -> FLOAT64", exact, volatile=True)
        for t in _FLOATS
    ]
    return function(overloads, operation=operation)


_OPTIONS = "[*options=>JSON]"
_APPROXIMATE: Rows = {
    "APPROX_COSINE_DISTANCE": approximate(cosine_distance, Operation.COSINE_DISTANCE, _OPTIONS),
    "APPROX_EUCLIDEAN_DISTANCE": approximate(
        euclidean_distance, Operation.EUCLIDEAN_DISTANCE, _OPTIONS
    ),
    "APPROX_DOT_PRODUCT": approximate(dot_product, Operation.DOT_PRODUCT, _OPTIONS),
}

FUNCTIONS = chapter("mathematical", {**_EXACT, **_APPROXIMATE})

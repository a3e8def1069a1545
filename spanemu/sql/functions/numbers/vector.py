"""Distances and products of vectors, by the chapter "Mathematical functions".

A vector is an array of numbers. These functions are exact. Not here: approximate distances, which
need a vector index.
"""

from __future__ import annotations

from math import dist, isfinite, sqrt
from operator import mul
from typing import Any

from spanemu.sql.functions.errors import BadArgument, Overflow
from spanemu.sql.functions.notation import chapter, overload
from spanemu.values.floats import FLOAT64_MAX

# Elements are numbers after `_check`; before, an element may be None.
Vector = tuple[Any, ...]


def cosine_distance(left: Vector, right: Vector) -> float:
    """Return `COSINE_DISTANCE(left, right)`: 1 minus the cosine of the angle.

    Raise BadArgument for a zero vector, which has no direction.
    """
    _check(left, right, "COSINE_DISTANCE")
    length = sqrt(_dot(left, left)) * sqrt(_dot(right, right))
    if not length:
        raise BadArgument("Cannot compute cosine distance against zero vector")
    cosine = _dot(left, right) / length
    return 1.0 - cosine


def euclidean_distance(left: Vector, right: Vector) -> float:
    """Return `EUCLIDEAN_DISTANCE(left, right)`: the length of the difference."""
    _check(left, right, "EUCLIDEAN_DISTANCE")
    length = dist(left, right)
    if length > _ROOT_MAX and _are_finite(left, right):
        raise Overflow("double", "EUCLIDEAN_DISTANCE")
    return length


def dot_product(left: Vector, right: Vector) -> float:
    """Return `DOT_PRODUCT(left, right)`: the sum of the products of the elements."""
    _check(left, right, "DOT_PRODUCT")
    return float(_dot(left, right))


def _dot(left: Vector, right: Vector) -> float:
    total: float = sum(map(mul, left, right))
    if not isfinite(total) and _are_finite(left, right):
        raise Overflow("double", "sum of products")
    return total


def _are_finite(left: Vector, right: Vector) -> bool:
    return all(map(isfinite, left)) and all(map(isfinite, right))


def _check(left: Vector, right: Vector, function: str) -> None:
    if len(left) != len(right):
        raise BadArgument(f"{function}: Array length mismatch: {len(left)} and {len(right)}")
    if None in left or None in right:
        raise BadArgument(f"Cannot compute {function} with a NULL array element")


# The square of a larger number is not a finite double.
_ROOT_MAX = sqrt(FLOAT64_MAX)

FUNCTIONS = chapter(
    "mathematical",
    {
        "COSINE_DISTANCE": (
            overload("(ARRAY<FLOAT32>, ARRAY<FLOAT32>) -> FLOAT64", cosine_distance),
            overload("(ARRAY<FLOAT64>, ARRAY<FLOAT64>) -> FLOAT64", cosine_distance),
        ),
        "EUCLIDEAN_DISTANCE": (
            overload("(ARRAY<FLOAT32>, ARRAY<FLOAT32>) -> FLOAT64", euclidean_distance),
            overload("(ARRAY<FLOAT64>, ARRAY<FLOAT64>) -> FLOAT64", euclidean_distance),
        ),
        "DOT_PRODUCT": (
            overload("(ARRAY<INT64>, ARRAY<INT64>) -> FLOAT64", dot_product),
            overload("(ARRAY<FLOAT32>, ARRAY<FLOAT32>) -> FLOAT64", dot_product),
            overload("(ARRAY<FLOAT64>, ARRAY<FLOAT64>) -> FLOAT64", dot_product),
        ),
    },
)

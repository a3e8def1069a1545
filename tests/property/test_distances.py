"""Distances against sums without rounding errors, in both dialects."""

from __future__ import annotations

import random
from math import fsum, isclose, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.registry import Overload
from spanemu.sql.googlesql.catalog import CATALOG as GOOGLESQL
from spanemu.sql.postgresql.catalog import CATALOG as POSTGRESQL

TOLERANCE = 1e-12  # of the sum of the terms' magnitudes
# Of 32 bits, and numbers whose products keep all their digits in 64 bits.
ELEMENTS = st.floats(-1e6, 1e6, width=32) | st.floats(1e-100, 1e100) | st.floats(-1e100, -1e-100)
PAIRS = st.integers(1, 60).flatmap(
    lambda n: st.tuples(
        st.lists(ELEMENTS, min_size=n, max_size=n), st.lists(ELEMENTS, min_size=n, max_size=n)
    )
)


@pytest.fixture(params=["googlesql", "postgresql"], scope="module")
def evaluate(request):
    """Return a function that evaluates the function of that name for two vectors."""

    def of(name, left, right):
        catalog, key = (
            (GOOGLESQL, name.upper())
            if request.param == "googlesql"
            else (POSTGRESQL, f"spanner.{name}")
        )
        overload = catalog.scalars[key].overloads[-1]
        assert isinstance(overload, Overload)
        return overload.evaluate(tuple(left), tuple(right))

    return of


def terms(left, right) -> list[float]:
    return [x * y for x, y in zip(left, right, strict=True)]


@given(PAIRS)
def test_dot_products(evaluate, pair) -> None:
    check_dot_product(evaluate, pair)


@given(PAIRS)
def test_euclidean_distances(evaluate, pair) -> None:
    check_euclidean_distance(evaluate, pair)


@given(PAIRS)
def test_cosine_distances(evaluate, pair) -> None:
    check_cosine_distance(evaluate, pair)


@pytest.mark.parametrize("length", [768, 8_000])
def test_distances_of_long_vectors(evaluate, length) -> None:
    drawn = random.Random(length)
    first = [drawn.gauss(0, 1) for _ in range(length)]
    near = [each * (1 + 1e-6 * drawn.random()) for each in first]
    for second in (
        [drawn.gauss(0, 1) for _ in range(length)],
        [drawn.gauss(0, 1e6) for _ in range(length)],
        [-each for each in first],
        near,
        first,
    ):
        check_dot_product(evaluate, (first, second))
        check_euclidean_distance(evaluate, (first, second))
        check_cosine_distance(evaluate, (first, second))


def check_dot_product(evaluate, pair) -> None:
    products = terms(*pair)
    magnitude = fsum(map(abs, products))
    assert abs(evaluate("dot_product", *pair) - fsum(products)) <= TOLERANCE * magnitude


def check_euclidean_distance(evaluate, pair) -> None:
    apart = sqrt(fsum((x - y) ** 2 for x, y in zip(*pair, strict=True)))
    assert isclose(evaluate("euclidean_distance", *pair), apart, rel_tol=TOLERANCE)


def check_cosine_distance(evaluate, pair) -> None:
    left, right = pair
    length = sqrt(fsum(terms(left, left))) * sqrt(fsum(terms(right, right)))
    if length > 1e-100:
        products = terms(left, right)
        magnitude = 1.0 + fsum(map(abs, products)) / length
        expected = 1.0 - fsum(products) / length
        assert abs(evaluate("cosine_distance", left, right) - expected) <= TOLERANCE * magnitude

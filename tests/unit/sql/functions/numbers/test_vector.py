"""Distances and products of vectors."""

from __future__ import annotations

from math import inf, isclose, isnan, nan
from typing import Any

import pytest

from spanemu.sql.functions.errors import BadArgument, Overflow
from spanemu.values.types import FLOAT32, FLOAT64, INT64, array_of
from tests.unit.sql.functions.calling import call, result_type, typed


@pytest.mark.parametrize(
    ("name", "left", "right", "expected"),
    [
        ("COSINE_DISTANCE", (1.0, 2.0), (3.0, 4.0), 0.01613008990009257),
        ("COSINE_DISTANCE", (2.0, 1.0), (4.0, 3.0), 0.01613008990009257),
        ("COSINE_DISTANCE", (1.0, 0.0), (-5.0, 0.0), 2.0),
        ("COSINE_DISTANCE", (3.0, 3.0), (3.0, 0.0), 1 - 0.5**0.5),
        ("EUCLIDEAN_DISTANCE", (1.0, 2.0), (3.0, 4.0), 8**0.5),
        ("EUCLIDEAN_DISTANCE", (0.0, 0.0), (3.0, 4.0), 5.0),
        ("EUCLIDEAN_DISTANCE", (inf,), (1.0,), inf),
        ("DOT_PRODUCT", (100,), (200,), 20000.0),
        ("DOT_PRODUCT", (100, 10, 1), (200, 6, 2), 20062.0),
        ("DOT_PRODUCT", (), (), 0.0),
        ("DOT_PRODUCT", (0.5, inf), (2.0, 1.0), inf),
    ],
)
def test_values(name: str, left: Any, right: Any, expected: float) -> None:
    value = call(name, left, right)
    assert isinstance(value, float)
    assert value == expected or isclose(value, expected, rel_tol=1e-12)


def test_nan_and_null() -> None:
    assert isnan(call("DOT_PRODUCT", (nan,), (1.0,)))
    assert isnan(call("COSINE_DISTANCE", (nan,), (1.0,)))
    assert call("DOT_PRODUCT", typed(None, array_of(INT64)), (1,)) is None


@pytest.mark.parametrize("element", [FLOAT32, FLOAT64])
def test_float32_too(element: Any) -> None:
    vector = typed((1.0, 2.0), array_of(element))
    for name in ("COSINE_DISTANCE", "EUCLIDEAN_DISTANCE", "DOT_PRODUCT"):
        assert result_type(name, vector, vector) == FLOAT64


@pytest.mark.parametrize(
    ("name", "left", "right"),
    [
        ("COSINE_DISTANCE", (0.0, 0.0), (3.0, 4.0)),
        ("COSINE_DISTANCE", (9.0, 7.0), (8.0, 4.0, 5.0)),
        ("COSINE_DISTANCE", (1.0, None), (8.0, 4.0)),
        ("EUCLIDEAN_DISTANCE", (9.0,), (8.0, 4.0)),
        ("EUCLIDEAN_DISTANCE", (9.0,), typed((None,), array_of(FLOAT64))),
        ("DOT_PRODUCT", (9,), (8, 4)),
        ("DOT_PRODUCT", (9, None), (8, 4)),
    ],
)
def test_failures(name: str, left: Any, right: Any) -> None:
    with pytest.raises(BadArgument):
        call(name, left, right)


@pytest.mark.parametrize("name", ["COSINE_DISTANCE", "EUCLIDEAN_DISTANCE", "DOT_PRODUCT"])
def test_overflow(name: str) -> None:
    with pytest.raises(Overflow):
        call(name, (1e200, 1.0), (-1e200, 1.0))


def test_empty_vectors_have_no_direction() -> None:
    empty = typed((), array_of(FLOAT64))
    with pytest.raises(BadArgument):
        call("COSINE_DISTANCE", empty, empty)
    assert call("EUCLIDEAN_DISTANCE", empty, empty) == 0.0

"""Vectors as rows store them."""

from __future__ import annotations

import sys
from math import inf, isnan, nan

import pytest

from spanemu.values.floats import GREATEST_NAN
from spanemu.values.types import FLOAT32, FLOAT64, array_of
from spanemu.values.vector import Vector, packer, unpacked

FLOATS = array_of(FLOAT32)
DOUBLES = array_of(FLOAT64)


@pytest.mark.parametrize("cell", [(), (0.5, -0.0), (inf, 2.0**100)])
@pytest.mark.parametrize("type_", [FLOATS, DOUBLES])
def test_a_packed_cell_equals_its_tuple(cell, type_) -> None:
    packed = packer(type_, len(cell))(cell)
    assert type(packed) is Vector
    assert packed == cell
    assert cell == packed
    assert packed != (*cell, 1.0)
    assert hash(packed) == hash(tuple(packed))
    assert unpacked(packed) == tuple(packed)
    assert type(unpacked(packed)) is tuple
    assert packer(type_, len(cell))(packed) is packed


@pytest.mark.parametrize("cell", [None, (1.0,), (1.0, None)])
def test_other_cells_stay_as_they_are(cell) -> None:
    assert packer(FLOATS, 2)(cell) is cell
    assert unpacked(cell) is cell


def test_the_greatest_nan_keeps_its_identity() -> None:
    assert packer(FLOATS, 1)((GREATEST_NAN,))[0] is GREATEST_NAN
    assert isnan(packer(FLOATS, 1)((nan,))[0])


def test_a_vector_of_768_floats_takes_three_kilobytes() -> None:
    assert sys.getsizeof(packer(FLOATS, 768)((0.5,) * 768)) < 3_200

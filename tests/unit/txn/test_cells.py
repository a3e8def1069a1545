"""What columns demand of values."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code
from spanemu.base.limits import BYTES_LENGTH_MAX, CELL_BYTES_MAX, STRING_LENGTH_MAX
from spanemu.schema.table import Column
from spanemu.txn.cells import Check, check_of
from spanemu.txn.value_errors import (
    CellTooLarge,
    NullInVector,
    ValueTooLong,
    VectorTooLong,
    VectorTooShort,
)
from spanemu.values.types import BOOL, BYTES, FLOAT64, INT64, JSON, STRING, array_of
from spanemu.values.value import decoder


def check(type_, **given) -> Check:
    found = check_of("T", Column("C", type_, **given))
    assert found is not None
    return found


@pytest.mark.parametrize("type_", [INT64, BOOL, FLOAT64])
def test_most_types_demand_nothing(type_) -> None:
    assert check_of("T", Column("C", type_)) is None


@pytest.mark.parametrize(("type_", "fits"), [(STRING, "äöü"), (BYTES, b"abc")])
def test_declared_lengths_count_characters_or_bytes(type_, fits) -> None:
    judge = check(type_, length=3)
    judge(fits)
    with pytest.raises(ValueTooLong) as failure:
        judge(fits + fits[:1])
    assert failure.value.facts() == {"table": "T", "column": "C", "size": 4, "limit": 3}
    assert failure.value.code is Code.FAILED_PRECONDITION


@pytest.mark.parametrize(
    ("type_", "unit", "most"),
    [(STRING, "x", STRING_LENGTH_MAX), (BYTES, b"x", BYTES_LENGTH_MAX)],
)
def test_max_has_a_limit_too(type_, unit, most) -> None:
    judge = check(type_)
    judge(unit * most)
    with pytest.raises((ValueTooLong, CellTooLarge)):
        judge(unit * (most + 1))


def test_values_beyond_the_limit_of_any_cell_have_their_own_error() -> None:
    with pytest.raises(CellTooLarge) as failure:
        check(BYTES, length=5)(b"x" * (CELL_BYTES_MAX + 1))
    assert failure.value.limit == CELL_BYTES_MAX
    assert failure.value.code is Code.INVALID_ARGUMENT


def test_elements_have_the_length_of_their_array() -> None:
    judge = check(array_of(STRING), length=2)
    judge(["ab", None, ""])
    with pytest.raises(ValueTooLong):
        judge(["a", "abc"])


@pytest.mark.parametrize(
    ("value", "error", "facts"),
    [
        ([1.0], VectorTooShort, {"elements": 1, "length": 2}),
        ([1.0, 2.0, 3.0], VectorTooLong, {"elements": 3, "length": 2}),
        ([1.0, None], NullInVector, {}),
    ],
)
def test_vectors_have_their_length(value, error, facts) -> None:
    judge = check(array_of(FLOAT64), vector_length=2)
    judge([1.0, 2.0])
    with pytest.raises(error) as failure:
        judge(value)
    assert failure.value.facts() == {"table": "T", "column": "C", **facts}


def test_json_is_measured_as_text() -> None:
    judge = check(JSON)
    read = decoder(JSON)
    judge(read('{"a": [1, 2]}'))
    with pytest.raises(CellTooLarge):
        judge(read(f'["{"x" * CELL_BYTES_MAX}"]'))


def test_an_array_is_one_cell() -> None:
    accept = check(array_of(INT64))
    accept([1] * (CELL_BYTES_MAX // 8))
    with pytest.raises(CellTooLarge):
        accept([1] * (CELL_BYTES_MAX // 8 + 1))
    texts = check(array_of(STRING))
    texts(["x" * 1_000_000] * 10)
    with pytest.raises(CellTooLarge):
        texts(["x" * 1_000_000] * 11)


@pytest.mark.parametrize(
    ("type_", "fits", "exceeds"),
    [
        (STRING, "x" * 100, "é" * 51),
        (BYTES, b"x" * 100, b"x" * 101),
        (array_of(FLOAT64), [1.0] * 12, [None] * 13),
    ],
)
def test_a_cell_may_be_limited_otherwise(type_, fits, exceeds) -> None:
    limited = check_of("T", Column("C", type_), 100)
    assert limited is not None
    limited(fits)
    with pytest.raises(CellTooLarge) as failure:
        limited(exceeds)
    assert failure.value.facts()["limit"] == 100

"""The answer of a model without a function: the numbers that Google's emulator computes."""

from __future__ import annotations

import pytest

from spanemu.models.default_answer import default_outputs, default_prediction
from spanemu.sql.remote_calls import TargetColumn
from spanemu.values.types import BOOL, BYTES, FLOAT64, INT64, STRING, Type, array_of, struct_of

INPUTS = (TargetColumn("in_a", INT64), TargetColumn("in_b", STRING))


def outputs(*types: Type) -> tuple[TargetColumn, ...]:
    return tuple(TargetColumn(f"c{number}", type_) for number, type_ in enumerate(types))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((123, "test"), (5358801431164909821, "5358801431164909821")),
        ((123, None), (-3222588021317909685, "15224156052391641931")),
    ],
)
def test_numbers_and_texts_are_those_of_googles_emulator(row, expected):
    assert default_outputs([row], INPUTS, outputs(INT64, STRING)) == [expected]


def test_the_documented_prediction_is_true():
    assert default_outputs([(1000, "John Smith")], INPUTS, outputs(BOOL)) == [(True,)]
    instance = {"Amount": "1000", "Name": "John Smith"}
    assert default_prediction(instance) == {"Outcome": True}
    assert default_prediction({"in_a": 123}) == {"Outcome": True}


def test_arrays_have_one_element_and_structs_all_fields():
    types = array_of(FLOAT64), struct_of(("a", BYTES), ("b", BOOL))
    ((array, struct),) = default_outputs([(123, None)], INPUTS, outputs(*types))
    assert array == (float(15224156052391641931),)
    assert struct == (b"15224156052391641931", False)


def test_every_type_of_input_counts():
    inputs = outputs(BOOL, FLOAT64, BYTES, array_of(INT64), struct_of(("x", STRING)))
    rows = [(True, 1.5, b"a", (1, None), ("x",)), (False, float("inf"), None, None, None)]
    ((first,), (second,)) = default_outputs(rows, inputs, outputs(INT64))
    assert first != second

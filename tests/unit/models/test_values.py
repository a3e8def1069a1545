"""Values between SQL and Python."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction

import pytest

from spanemu.base.limits import CELL_BYTES_MAX
from spanemu.models.errors import BadAnswer, OversizedAnswer
from spanemu.models.values import reader, writer
from spanemu.values import types as t
from spanemu.values.json import Json

PAIR = t.struct_of(("a", t.INT64), ("b", t.array_of(t.STRING)))
SECOND = 1_000_000_000
ROUND_TRIPS = [
    (t.BOOL, True, True),
    (t.INT64, 5, 5),
    (t.FLOAT64, 1.5, 1.5),
    (t.STRING, "é", "é"),
    (t.BYTES, b"\x00", b"\x00"),
    (t.DATE, date(2026, 1, 2), date(2026, 1, 2)),
    (t.TIMESTAMP, 5 * SECOND + 1_000, datetime(1970, 1, 1, 0, 0, 5, 1, tzinfo=UTC)),
    (t.NUMERIC, Decimal("1.5"), Decimal("1.5")),
    (t.array_of(t.FLOAT64), (1.0, None), [1.0, None]),
    (PAIR, (1, ("x", None)), {"a": 1, "b": ["x", None]}),
]


@pytest.mark.parametrize(("type_", "value", "python"), ROUND_TRIPS)
def test_values_become_python_and_come_back(type_: t.Type, value, python):
    write = writer(type_)
    assert (value if write is None else write(value)) == python
    assert reader(type_, is_json=False)(python) == value


def test_documents_are_plain_data():
    write = writer(t.JSON)
    assert write is not None
    assert write(Json({"a": [1]})) == {"a": [1]}
    assert reader(t.JSON, is_json=False)({"a": [1]}).text == '{"a":[1]}'


@pytest.mark.parametrize(
    ("type_", "answer"),
    [
        (t.BOOL, 1),
        (t.INT64, True),
        (t.INT64, 1.0),
        (t.INT64, "1"),
        (t.INT64, 2**63),
        (t.FLOAT64, "1.5"),
        (t.FLOAT32, 1e39),
        (t.STRING, b"x"),
        (t.STRING, "\ud800"),
        (t.DATE, "2026-01-01"),
        (t.DATE, datetime(2026, 1, 1, tzinfo=UTC)),
        (t.TIMESTAMP, datetime(2026, 1, 1)),
        (t.array_of(t.FLOAT64), "ab"),
        (t.array_of(t.FLOAT64), ["a"]),
        (t.array_of(t.FLOAT64), 5),
        (PAIR, 5),
        (PAIR, (1,)),
        (t.JSON, object()),
        (t.JSON, float("nan")),
    ],
)
def test_other_objects_are_refused(type_: t.Type, answer):
    with pytest.raises(BadAnswer):
        reader(type_, is_json=False)(answer)


@pytest.mark.parametrize(
    ("type_", "answer", "value"),
    [
        (t.INT64, "9007199254740993", 9007199254740993),
        (t.INT64, 5, 5),
        (t.INT64, 5.0, 5),
        (t.FLOAT64, "NaN", None),
        (t.FLOAT64, 2, 2.0),
        (t.BYTES, "AAA=", b"\x00\x00"),
        (t.DATE, "2026-01-02", date(2026, 1, 2)),
        (t.TIMESTAMP, "1970-01-01T00:00:05Z", 5 * SECOND),
        (t.NUMERIC, "1.5", Decimal("1.5")),
    ],
)
def test_json_has_forms_of_its_own(type_: t.Type, answer, value):
    read = reader(type_, is_json=True)(answer)
    assert read == value or read != read  # NaN


def test_numbers_and_arrays_of_other_libraries_count():
    class Number:
        def item(self):
            return 1.5

    class Array:
        def tolist(self):
            return [1.5, 2.5]

    assert reader(t.FLOAT64, is_json=False)(Number()) == 1.5
    assert reader(t.array_of(t.FLOAT64), is_json=False)(Array()) == (1.5, 2.5)


def test_numbers_of_other_classes_are_floats():
    assert reader(t.FLOAT64, is_json=False)(Fraction(1, 2)) == 0.5
    assert reader(t.FLOAT64, is_json=False)(Decimal("1.5")) == 1.5


def test_an_object_that_stands_for_itself_is_refused():
    class Endless:
        def item(self):
            return Endless()

    with pytest.raises(BadAnswer, match="not of type FLOAT64"):
        reader(t.FLOAT64, is_json=False)(Endless())


def test_fields_of_a_struct_are_found_in_any_case():
    assert reader(PAIR, is_json=False)({"A": 1}) == (1, None)


class Huge:
    """An array of another library that says how large it is."""

    nbytes = 2**40

    def tolist(self) -> list[float]:
        raise AssertionError("the array is copied")


@pytest.mark.parametrize(
    ("type_", "answer"),
    [
        (t.STRING, "x" * (CELL_BYTES_MAX + 1)),
        (t.BYTES, bytes(CELL_BYTES_MAX + 1)),
        (t.array_of(t.FLOAT64), [1.0] * CELL_BYTES_MAX),
        (t.array_of(t.FLOAT64), Huge()),
        (t.JSON, ["x" * CELL_BYTES_MAX]),
        (t.JSON, {"a": [0] * CELL_BYTES_MAX}),
    ],
)
def test_oversized_answers_are_refused(type_: t.Type, answer):
    with pytest.raises(OversizedAnswer):
        reader(type_, is_json=False)(answer)


def test_documents_that_contain_themselves_are_refused():
    answer: list[object] = []
    answer.append(answer)
    with pytest.raises(BadAnswer, match="not JSON"):
        reader(t.JSON, is_json=False)(answer)

"""Values between SQL and Python."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from spanemu.models.errors import BadAnswer
from spanemu.models.values import reader, writer
from spanemu.values.json import Json
from spanemu.values.types import (
    BOOL,
    BYTES,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    JSON,
    NUMERIC,
    STRING,
    TIMESTAMP,
    Type,
    array_of,
    struct_of,
)

PAIR = struct_of(("a", INT64), ("b", array_of(STRING)))
SECOND = 1_000_000_000
ROUND_TRIPS = [
    (BOOL, True, True),
    (INT64, 5, 5),
    (FLOAT64, 1.5, 1.5),
    (STRING, "é", "é"),
    (BYTES, b"\x00", b"\x00"),
    (DATE, date(2026, 1, 2), date(2026, 1, 2)),
    (TIMESTAMP, 5 * SECOND + 1_000, datetime(1970, 1, 1, 0, 0, 5, 1, tzinfo=UTC)),
    (NUMERIC, Decimal("1.5"), Decimal("1.5")),
    (array_of(FLOAT64), (1.0, None), [1.0, None]),
    (PAIR, (1, ("x", None)), {"a": 1, "b": ["x", None]}),
]


@pytest.mark.parametrize(("type_", "value", "python"), ROUND_TRIPS)
def test_values_become_python_and_come_back(type_: Type, value, python):
    write = writer(type_)
    assert (value if write is None else write(value)) == python
    assert reader(type_, is_json=False)(python) == value


def test_documents_are_plain_data():
    write = writer(JSON)
    assert write is not None
    assert write(Json({"a": [1]})) == {"a": [1]}
    assert reader(JSON, is_json=False)({"a": [1]}).text == '{"a":[1]}'


@pytest.mark.parametrize(
    ("type_", "answer"),
    [
        (BOOL, 1),
        (INT64, True),
        (INT64, 1.0),
        (INT64, "1"),
        (INT64, 2**63),
        (FLOAT64, "1.5"),
        (FLOAT32, 1e39),
        (STRING, b"x"),
        (STRING, "\ud800"),
        (DATE, "2026-01-01"),
        (DATE, datetime(2026, 1, 1, tzinfo=UTC)),
        (TIMESTAMP, datetime(2026, 1, 1)),
        (array_of(FLOAT64), "ab"),
        (array_of(FLOAT64), ["a"]),
        (array_of(FLOAT64), 5),
        (PAIR, 5),
        (PAIR, (1,)),
        (JSON, object()),
        (JSON, float("nan")),
    ],
)
def test_other_objects_are_refused(type_: Type, answer):
    with pytest.raises(BadAnswer):
        reader(type_, is_json=False)(answer)


@pytest.mark.parametrize(
    ("type_", "answer", "value"),
    [
        (INT64, "9007199254740993", 9007199254740993),
        (INT64, 5, 5),
        (INT64, 5.0, 5),
        (FLOAT64, "NaN", None),
        (FLOAT64, 2, 2.0),
        (BYTES, "AAA=", b"\x00\x00"),
        (DATE, "2026-01-02", date(2026, 1, 2)),
        (TIMESTAMP, "1970-01-01T00:00:05Z", 5 * SECOND),
        (NUMERIC, "1.5", Decimal("1.5")),
    ],
)
def test_json_has_forms_of_its_own(type_: Type, answer, value):
    read = reader(type_, is_json=True)(answer)
    assert read == value or read != read  # NaN


def test_numbers_and_arrays_of_other_libraries_count():
    class Number:
        def item(self):
            return 1.5

    class Array:
        def tolist(self):
            return [1.5, 2.5]

    assert reader(FLOAT64, is_json=False)(Number()) == 1.5
    assert reader(array_of(FLOAT64), is_json=False)(Array()) == (1.5, 2.5)


def test_fields_of_a_struct_are_found_in_any_case():
    assert reader(PAIR, is_json=False)({"A": 1}) == (1, None)

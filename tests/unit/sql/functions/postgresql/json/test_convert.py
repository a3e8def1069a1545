"""Functions on JSONB: conversions."""

from __future__ import annotations

from datetime import date
from math import inf
from typing import Any
from uuid import UUID

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.postgresql.json.functions import FUNCTIONS
from spanemu.values.floats import GREATEST_NAN
from spanemu.values.pg_jsonb import parse
from spanemu.values.pg_numeric import NAN
from spanemu.values.pg_numeric import parse as numeric
from tests.unit.sql.functions.postgresql.calling import call
from tests.unit.sql.functions.postgresql.json.jsonb import result_of


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (True, "BOOL", "true"),
        (1e20, "FLOAT64", "100000000000000000000"),
        (1e-7, "FLOAT64", "0.0000001"),
        (0.10000000149011612, "FLOAT32", "0.1"),
        (GREATEST_NAN, "FLOAT64", '"NaN"'),
        (inf, "FLOAT64", '"Infinity"'),
        (numeric("1.50"), "PG_NUMERIC", "1.50"),
        (NAN, "PG_NUMERIC", '"NaN"'),
        (12, "PG_OID", "12"),
        (b"\xde\xad", "BYTES", r'"\\xdead"'),
        (date(2024, 1, 2), "DATE", '"2024-01-02"'),
        (1704164645500000000, "TIMESTAMP", '"2024-01-02T03:04:05.5+00:00"'),
        (UUID(int=1), "UUID", '"00000000-0000-0000-0000-000000000001"'),
        ((1, None), "ARRAY<INT64>", "[1, null]"),
        (parse('{"a":1}'), "PG_JSONB", '{"a": 1}'),
    ],
)
def test_a_value_as_jsonb(value: Any, type_: str, text: str) -> None:
    assert call(FUNCTIONS, "to_jsonb", type_, value).text == text


def test_building() -> None:
    array = call(FUNCTIONS, "jsonb_build_array", "INT64, STRING, BOOL", 1, "a", None)
    assert array.text == '[1, "a", null]'
    types = "STRING, INT64, STRING, PG_JSONB"
    members = call(FUNCTIONS, "jsonb_build_object", types, "bb", 1, "a", array)
    assert members.text == '{"a": [1, "a", null], "bb": 1}'


def test_a_key_is_not_null() -> None:
    with pytest.raises(SpannerError) as caught:
        call(FUNCTIONS, "jsonb_build_object", "STRING, INT64", None, 1)
    assert caught.value.code is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("name", "document", "result"),
    [
        ("bool_array", "[true, false]", [True, False]),
        ("int64_array", "[1, -2, 3.0]", [1, -2, 3]),
        ("float64_array", "[1, 12345678901234567890]", [1.0, 1.2345678901234567e19]),
        ("float32_array", "[0.1]", [0.10000000149011612]),
        ("string_array", '["a", "b"]', ["a", "b"]),
    ],
)
def test_arrays(name: str, document: str, result: list[Any]) -> None:
    assert result_of(f"spanner.{name}", document) == result


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("bool_array", '["true"]'),
        ("int64_array", "[1.1]"),
        ("int64_array", "[null]"),
        ("int64_array", "5"),
        ("int64_array", "[9223372036854775808]"),
        ("float64_array", '["NaN"]'),
        ("float64_array", "[1e400]"),
        ("float64_array", "[0.1234567890123456789]"),
        ("float32_array", "[1e100]"),
        ("string_array", "[null]"),
    ],
)
def test_failures_are_out_of_range(name: str, document: str) -> None:
    with pytest.raises(SpannerError) as caught:
        result_of(f"spanner.{name}", document)
    assert caught.value.code is Code.OUT_OF_RANGE

"""Functions on JSONB: convert."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.errors import Code, SpannerError
from tests.unit.sql.functions.postgresql.json.jsonb import result_of


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

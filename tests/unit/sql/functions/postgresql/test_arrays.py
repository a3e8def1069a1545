"""Functions and operators on arrays. The official emulator gave each result."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.postgresql.arrays import FUNCTIONS, generate_series
from spanemu.values.pg_numeric import NAN
from tests.unit.sql.functions.postgresql.calling import call

PAIR = "ARRAY<INT64>, ARRAY<INT64>"
TEXTS = "ARRAY<STRING>, STRING, STRING"


@pytest.mark.parametrize(
    ("name", "types", "arguments", "result"),
    [
        ("array_cat", PAIR, ((1,), (2, None)), (1, 2, None)),
        ("array_cat", PAIR, ((1,), None), None),
        ("array_length", "ARRAY<INT64>, INT64", ((1, 2), 1), 2),
        ("array_length", "ARRAY<INT64>, INT64", ((1, 2), 0), None),
        ("array_upper", "ARRAY<INT64>, INT64", ((), 1), None),
        ("array_to_string", "ARRAY<STRING>, STRING", (("a", None, "b"), ","), "a,b"),
        ("array_to_string", TEXTS, (("a", None, "b"), ",", "*"), "a,*,b"),
        ("array_to_string", TEXTS, (("a", None, "b"), ",", None), None),
        ("array_slice", "ARRAY<INT64>, INT64, INT64", ((1, 2, 3), 0, 1), (1,)),
        ("array_slice", "ARRAY<INT64>, INT64, INT64", ((1, 2, 3), 3, 2), ()),
        ("arraycontains", PAIR, ((1, None), (1,)), True),
        ("arraycontains", PAIR, ((1, None), (None,)), False),
        ("arraycontains", PAIR, ((1, 2), ()), True),
        ("arraycontained", PAIR, ((1, 1), (2, 1)), True),
        ("arrayoverlap", PAIR, ((1, None), (None, 2)), False),
        ("arrayoverlap", "ARRAY<PG_NUMERIC>, ARRAY<PG_NUMERIC>", ((NAN,), (NAN, None)), True),
        ("array_all_greater_equal", "INT64, ARRAY<INT64>", (5, (1, None)), None),
        ("array_all_greater_equal", "INT64, ARRAY<INT64>", (None, ()), True),
        ("array_all_less", "INT64, ARRAY<INT64>", (5, (None, 1)), False),
        ("array_all_equal", "INT64, ARRAY<INT64>", (5, None), None),
    ],
)  # fmt: skip
def test_results(name: str, types: str, arguments: tuple[Any, ...], result: Any) -> None:
    assert call(FUNCTIONS, name, types, *arguments) == result


def test_arrays_have_one_dimension() -> None:
    with pytest.raises(SpannerError) as caught:
        call(FUNCTIONS, "array_length", "ARRAY<INT64>, INT64", (1,), 2)
    assert caught.value.code is Code.INVALID_ARGUMENT


def test_a_series_goes_up_or_down():
    assert generate_series(1, 3) == (1, 2, 3)
    assert generate_series(3, 1, -2) == (3, 1)
    assert generate_series(3, 1) == ()


def test_a_series_has_no_step_of_zero():
    with pytest.raises(SpannerError) as failure:
        generate_series(1, 2, 0)
    assert failure.value.code is Code.INVALID_ARGUMENT

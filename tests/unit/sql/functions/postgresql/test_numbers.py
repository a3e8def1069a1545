"""Arithmetic of PostgreSQL databases. The official emulator or PostgreSQL 15 gave each result."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.postgresql.numbers import FUNCTIONS
from spanemu.values import pg_numeric
from spanemu.values.floats import GREATEST_NAN
from tests.unit.sql.functions.postgresql.calling import call

FLOATS, SINGLES, NUMERICS = "FLOAT64, FLOAT64", "FLOAT32, FLOAT32", "PG_NUMERIC, PG_NUMERIC"
numeric = pg_numeric.parse


@pytest.mark.parametrize(
    ("name", "types", "arguments", "result"),
    [
        ("int8div", "INT64, INT64", (-7, 2), -3),
        ("int8mod", "INT64, INT64", (-7, 2), -1),
        ("int8shl", "INT64, INT64", (1, 64), 0),
        ("int8shr", "INT64, INT64", (-1, 1), 2**63 - 1),
        ("float8mi", FLOATS, (inf, inf), GREATEST_NAN),
        ("float8mul", FLOATS, (1e-300, 1e-300), 0.0),
        ("float4mul", SINGLES, (0.10000000149011612, 3.0), 0.30000001192092896),
        ("float8um", "FLOAT64", (GREATEST_NAN,), GREATEST_NAN),
        ("round", "FLOAT64", (2.5,), 3.0),
        ("sign", "FLOAT64", (GREATEST_NAN,), GREATEST_NAN),
        ("ln", "FLOAT64", (-inf,), GREATEST_NAN),
        ("log", "FLOAT64", (-inf,), GREATEST_NAN),
        ("sin", "FLOAT64", (inf,), GREATEST_NAN),
        ("power", FLOATS, (GREATEST_NAN, 0.0), 1.0),
        ("log", "FLOAT64", (100.0,), 2.0),
        ("exp", "FLOAT64", (-1000.0,), 0.0),
        ("spanner.bit_reverse", "INT64, BOOL", (1, True), 2**62),
        ("spanner.dot_product", "ARRAY<INT64>, ARRAY<INT64>", ((1, 2), (3, 4)), 11.0),
    ],
)
def test_results(name: str, types: str, arguments: tuple[Any, ...], result: Any) -> None:
    assert call(FUNCTIONS, name, types, *arguments) == result


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("numeric_div", ("1.0", "3"), "0.33333333333333333333"),
        ("numeric_mod", ("-5.5", "2"), "-1.5"),
        ("div", ("-7", "2"), "-3"),
        ("numeric_div", ("NaN", "0"), "NaN"),
        ("ceil", ("-0.5",), "0"),
        ("floor", ("-0.50",), "-1"),
        ("abs", ("-1.50",), "1.50"),
    ],
)
def test_numeric_results(name: str, arguments: tuple[str, ...], result: str) -> None:
    types = ", ".join(["PG_NUMERIC"] * len(arguments))
    value = call(FUNCTIONS, name, types, *map(numeric, arguments))
    assert pg_numeric.format(value) == result


@pytest.mark.parametrize(
    ("name", "types", "arguments"),
    [
        ("int8pl", "INT64, INT64", (2**63 - 1, 1)),
        ("int8div", "INT64, INT64", (1, 0)),
        ("mod", "INT64, INT64", (1, 0)),
        ("int8shl", "INT64, INT64", (1, -1)),
        ("float8div", FLOATS, (inf, 0.0)),
        ("float8div", FLOATS, (GREATEST_NAN, 0.0)),
        ("float4div", SINGLES, (GREATEST_NAN, 0.0)),
        ("float8mul", FLOATS, (1e300, 1e300)),
        ("float4pl", SINGLES, (3e38, 3e38)),
        ("sqrt", "FLOAT64", (-1.0,)),
        ("numeric_div", NUMERICS, (numeric("1"), numeric("0.00"))),
        ("numeric_mul", NUMERICS, (numeric("1e100000"), numeric("1e100000"))),
    ],
)
def test_failures_are_out_of_range(name: str, types: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(SpannerError) as caught:
        call(FUNCTIONS, name, types, *arguments)
    assert caught.value.code is Code.OUT_OF_RANGE


def test_a_function_behind_abs_takes_its_own_type_only() -> None:
    overloads = {each.name: each.overloads for each in FUNCTIONS if each.name.endswith("abs")}
    assert len(overloads.pop("abs")) == 4
    assert all(len(each) == 1 for each in overloads.values())

"""Values that functions and aggregates build are limited, as Spanner's emulator limits them."""

from __future__ import annotations

import pytest

from spanemu.base.call import Call
from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.value_size import ELEMENTS_MAX, sizer
from spanemu.values.json import Json
from spanemu.values.types import BYTES, INT64, JSON, STRING, array_of, struct_of
from tests.unit.sql.world import ask

MIB = 1 << 20
LONG = "REPEAT('x', 1000000)"
WHOLE = "REPEAT('x', 1048576)"
BYTES_LONG = f"CAST({LONG} AS BYTES)"
THOUSANDS = "UNNEST(GENERATE_ARRAY(1, 16000)) a"


def rows(sql, types=None, **parameters):
    with Call():
        return ask(sql, types=types, **parameters)


FUNCTIONS_TOO_LARGE = [
    f"LENGTH(CONCAT({WHOLE}, 'x'))",
    f"LENGTH(CONCAT({LONG}, {LONG}, {LONG}, {LONG}, {LONG}, {LONG}))",
    f"LENGTH({WHOLE} || 'x')",
    f"LENGTH({BYTES_LONG} || {BYTES_LONG})",
    f"LENGTH(ARRAY_TO_STRING(['a', 'b'], {WHOLE}))",
    f"LENGTH(TO_JSON_STRING(JSON_ARRAY({LONG}, {LONG})))",
    f"LENGTH(FORMAT('%s%s', {LONG}, {LONG}))",
    "LENGTH(FORMAT('%*d', 1000000000, 1))",
    "LENGTH(LPAD('x', 1000000000))",
    "LENGTH(RPAD('x', 1048577))",
    "LENGTH(REPEAT('x', 1048577))",
    "LENGTH(REPLACE(REPEAT('x', 1000), 'x', REPEAT('y', 2000)))",
    "LENGTH(REGEXP_REPLACE(REPEAT('x', 10000), 'x', REPEAT('y', 2000)))",
    f"LENGTH(TO_HEX(CAST(TO_HEX(CAST(TO_HEX(CAST(TO_HEX({BYTES_LONG}) AS BYTES)) AS BYTES))"
    " AS BYTES)))",
    "LENGTH(NORMALIZE(REPEAT('\ufdfa', 300000) || 'a' || REPEAT('\ufdfa', 40000), NFKD))",
    f"STRUCT({LONG} AS a, {LONG} AS b).a",
    "ARRAY_LENGTH(GENERATE_ARRAY(1, 1000000000))",
    "ARRAY_LENGTH(GENERATE_DATE_ARRAY(DATE '0001-01-01', DATE '9999-12-31'))",
    "'a' LIKE REPEAT('%a', 100000)",
]


@pytest.mark.parametrize("expression", FUNCTIONS_TOO_LARGE)
def test_a_function_refuses_to_build_a_value_that_is_too_large(expression):
    with pytest.raises(SpannerError) as failure:
        rows(f"SELECT {expression}")
    assert failure.value.code is Code.OUT_OF_RANGE


def test_safe_forgives_a_value_that_is_too_large():
    assert rows(f"SELECT SAFE.CONCAT({WHOLE}, 'x')") == [(None,)]


ARRAYS_TOO_LARGE = [
    f"ARRAY_LENGTH([{LONG}, {LONG}])",
    f"ARRAY_LENGTH(ARRAY_CONCAT([{LONG}], [{LONG}]))",
    f"ARRAY_LENGTH([{LONG}] || [{LONG}])",
    f"ARRAY_LENGTH(ARRAY_CONCAT({', '.join(['GENERATE_ARRAY(1, 16000)'] * 5)}))",
    f"ARRAY_LENGTH(ARRAY(SELECT a FROM {THOUSANDS}, UNNEST(GENERATE_ARRAY(1, 5))))",
    f"ARRAY_LENGTH(ARRAY(SELECT {LONG} FROM UNNEST([1, 2])))",
    f"ARRAY_LENGTH(ARRAY_TRANSFORM(GENERATE_ARRAY(1, 100), x -> {LONG}))",
]
AGGREGATES_TOO_LARGE = [
    "LENGTH(STRING_AGG(REPEAT('x', 1000000)))",
    "LENGTH(STRING_AGG(REPEAT('x', 1000000) || CAST(a AS STRING)))",
    "LENGTH(STRING_AGG(CAST(REPEAT('x', 1000000) AS BYTES)))",
    f"LENGTH(STRING_AGG(CAST(a AS STRING), '{'x' * 200}'))",
    "LENGTH(STRING_AGG(REPEAT('x', 1000000) ORDER BY a))",
    "ARRAY_LENGTH(ARRAY_AGG(REPEAT('x', 1000000)))",
    "ARRAY_LENGTH(ARRAY_AGG(REPEAT('x', 1000000) || CAST(a AS STRING) ORDER BY a DESC))",
    "ARRAY_LENGTH(ARRAY_CONCAT_AGG(GENERATE_ARRAY(1, 16000)))",
    "ARRAY_LENGTH(ARRAY_CONCAT_AGG([REPEAT('x', 1000000)]))",
]


@pytest.mark.parametrize("expression", ARRAYS_TOO_LARGE)
def test_an_array_that_is_too_large_exhausts_resources(expression):
    with pytest.raises(SpannerError) as failure:
        rows(f"SELECT {expression}")
    assert failure.value.code is Code.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("group", ["", " GROUP BY MOD(a, 2)"])
@pytest.mark.parametrize("expression", AGGREGATES_TOO_LARGE)
def test_an_aggregate_that_grows_too_large_exhausts_resources(expression, group):
    with pytest.raises(SpannerError) as failure:
        rows(f"SELECT {expression} FROM {THOUSANDS}{group}")
    assert failure.value.code is Code.RESOURCE_EXHAUSTED


FITTING = [
    (f"LENGTH({WHOLE} || '')", MIB),
    ("LENGTH(REPEAT('x', 1048576))", MIB),
    (f"LENGTH(TO_HEX({BYTES_LONG}))", 2_000_000),
    (f"ARRAY_LENGTH(SPLIT({LONG}, ''))", 1_000_000),
    ("LENGTH((SELECT STRING_AGG(REPEAT('x', 1048520)) FROM UNNEST([1])))", 1_048_520),
    ("ARRAY_LENGTH(ARRAY(SELECT a FROM UNNEST(GENERATE_ARRAY(1, 13107)) a, UNNEST([1, 2, 3, 4, 5])))",
     65_535),
    ("'a' LIKE REPEAT('%a', 40000)", False),
    ("SAFE.REPEAT('x', 1048577)", None),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "expected"), FITTING)
def test_a_value_at_the_limit_is_built(expression, expected):
    assert rows(f"SELECT {expression}") == [(expected,)]


def test_documents_that_repeat_their_parts_do_not_grow_without_end():
    tables = ["d0 AS (SELECT JSON_ARRAY(1, 2) AS j)"]
    tables += [f"d{n} AS (SELECT JSON_ARRAY(j, j) AS j FROM d{n - 1})" for n in range(1, 30)]
    with pytest.raises(SpannerError) as failure:
        rows(f"WITH {', '.join(tables)} SELECT j FROM d29")
    assert failure.value.code is Code.OUT_OF_RANGE


def test_sizes_are_counted_by_type():
    assert sizer(INT64)((1, None, 3)) == 48
    assert sizer(STRING)(("abc", None)) == 2 * 56 + 3
    assert sizer(BYTES)((b"ab",)) == 58
    assert sizer(array_of(INT64))(((1, 2), None)) == 2 * 56 + 32
    assert (
        sizer(struct_of(("a", INT64), ("b", STRING)))(((1, "xy"), None)) == 2 * (56 + 16 + 56) + 2
    )
    assert sizer(JSON)((Json(["ab", 1]), None)) > 2


def test_a_function_cuts_a_value_into_a_limited_number_of_elements():
    with pytest.raises(SpannerError) as failure:
        rows(
            "SELECT ARRAY_LENGTH(SPLIT(@text, ''))",
            {"text": STRING},
            text="x" * (ELEMENTS_MAX + 1),
        )
    assert failure.value.code is Code.RESOURCE_EXHAUSTED

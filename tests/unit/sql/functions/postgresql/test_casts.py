"""The table of casts: values, contexts and codes."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.postgresql import casts
from spanemu.sql.functions.postgresql.casts import CASTS, CastContext
from spanemu.values import pg_jsonb, pg_numeric, types
from spanemu.values.types import Type

numeric = pg_numeric.parse


def cast(value: Any, source: Type, target: Type) -> Any:
    return CASTS[source, target].function.overloads[0].evaluate(value)


@pytest.mark.parametrize(
    ("value", "source", "target", "result"),
    [
        (numeric("2.5"), types.PG_NUMERIC, types.INT64, 3),
        (numeric("-1.5"), types.PG_NUMERIC, types.INT64, -2),
        (2.5, types.FLOAT64, types.INT64, 3),
        (7, types.INT64, types.PG_NUMERIC, 7),
        (0.1, types.FLOAT64, types.STRING, "0.1"),
        (numeric("1.50"), types.PG_NUMERIC, types.STRING, "1.50"),
        (pg_jsonb.parse("1.5"), types.PG_JSONB, types.INT64, 2),
        (pg_jsonb.parse('"a"'), types.PG_JSONB, types.STRING, '"a"'),
        ("ab", types.STRING, types.BYTES, b"ab"),
        (b"ab", types.BYTES, types.STRING, "ab"),
    ],
)
def test_a_cast_converts(value: Any, source: Type, target: Type, result: Any) -> None:
    assert cast(value, source, target) == result


@pytest.mark.parametrize(
    ("value", "source", "target", "code"),
    [
        (numeric("NaN"), types.PG_NUMERIC, types.INT64, Code.UNIMPLEMENTED),
        (numeric("1e100000"), types.PG_NUMERIC, types.INT64, Code.OUT_OF_RANGE),
        (float("nan"), types.FLOAT64, types.INT64, Code.OUT_OF_RANGE),
        (float("inf"), types.FLOAT64, types.PG_NUMERIC, Code.INVALID_ARGUMENT),
        (numeric("1e400"), types.PG_NUMERIC, types.FLOAT64, Code.OUT_OF_RANGE),
        (1e300, types.FLOAT64, types.FLOAT32, Code.OUT_OF_RANGE),
        ("x", types.STRING, types.INT64, Code.OUT_OF_RANGE),
        ("x", types.STRING, types.PG_NUMERIC, Code.INVALID_ARGUMENT),
        (-1, types.INT64, types.PG_OID, Code.OUT_OF_RANGE),
        (pg_jsonb.parse("null"), types.PG_JSONB, types.INT64, Code.INVALID_ARGUMENT),
        (b"\xff", types.BYTES, types.STRING, Code.OUT_OF_RANGE),
    ],
)
def test_values_that_cannot_be_cast_are_refused(
    value: Any, source: Type, target: Type, code: Code
) -> None:
    with pytest.raises(SpannerError) as caught:
        cast(value, source, target)
    assert caught.value.code is code


def test_contexts_of_casts() -> None:
    assert CASTS[types.INT64, types.PG_NUMERIC].context is CastContext.IMPLICIT
    assert CASTS[types.PG_NUMERIC, types.INT64].context is CastContext.ASSIGNMENT
    assert CASTS[types.STRING, types.INT64].context is CastContext.EXPLICIT
    assert (types.INT64, types.BOOL) not in CASTS


def test_modifiers() -> None:
    assert casts.cut_text("日本語", 2) == "日本"
    with pytest.raises(SpannerError) as caught:
        casts.fit_numeric(numeric("123.456"), 4, 2)
    assert caught.value.code is Code.OUT_OF_RANGE

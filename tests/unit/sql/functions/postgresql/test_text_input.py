"""The input functions of PostgreSQL's types. PostgreSQL 15 confirmed each value."""

from __future__ import annotations

from decimal import Decimal
from math import inf, isnan
from typing import Any
from uuid import UUID

import pytest

from spanemu.base.errors import Code, SpannerError
from spanemu.sql.functions.postgresql.text_input import read_array, read_literal
from spanemu.values import types
from spanemu.values.types import Type, array_of
from tests.unit.sql.functions.postgresql.context import FixedContext

CONTEXT = FixedContext()


@pytest.mark.parametrize(
    ("text", "type_", "value"),
    [
        (" tr ", types.BOOL, True),
        ("OFF", types.BOOL, False),
        ("of", types.BOOL, False),
        (" -0012 ", types.INT64, -12),
        ("-9223372036854775808", types.INT64, -(2**63)),
        ("1e-320", types.FLOAT64, 1e-320),
        ("-Infinity", types.FLOAT64, -inf),
        ("0x1F", types.FLOAT64, 31.0),
        ("0e999", types.FLOAT64, 0.0),
        ("0.1", types.FLOAT32, 0.10000000149011612),
        ("1.50", types.PG_NUMERIC, Decimal("1.50")),
        (r"\x0aF f", types.BYTES, None),
        (r"\x0a fF", types.BYTES, b"\x0a\xff"),
        (r"a\\\001é", types.BYTES, b"a\\\x01\xc3\xa9"),
        ("{A0EE-BC999c0b4ef8bb6d6bb9bd380a11}", types.UUID,
         UUID("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11")),
        ("-5", types.PG_OID, 2**32 - 5),
        ("{1,NULL, 3 }", array_of(types.INT64), (1, None, 3)),
    ],
)  # fmt: skip
def test_a_literal_is_read_as_its_type(text: str, type_: Type, value: Any) -> None:
    if value is None:
        with pytest.raises(SpannerError):
            read_literal(CONTEXT, text, type_)
    else:
        assert read_literal(CONTEXT, text, type_) == value


def test_a_float_may_be_nan() -> None:
    assert isnan(read_literal(CONTEXT, "nan", types.FLOAT64))


@pytest.mark.parametrize(
    ("text", "type_", "code"),
    [
        ("o", types.BOOL, Code.INVALID_ARGUMENT),
        ("1.0", types.INT64, Code.INVALID_ARGUMENT),
        ("9223372036854775808", types.INT64, Code.OUT_OF_RANGE),
        ("1e400", types.FLOAT64, Code.OUT_OF_RANGE),
        ("1e-400", types.FLOAT64, Code.OUT_OF_RANGE),
        ("1e39", types.FLOAT32, Code.OUT_OF_RANGE),
        ("1e131072", types.PG_NUMERIC, Code.OUT_OF_RANGE),
        ("Infinity", types.PG_NUMERIC, Code.INVALID_ARGUMENT),
        (r"\xabc", types.BYTES, Code.INVALID_ARGUMENT),
        (r"\400", types.BYTES, Code.INVALID_ARGUMENT),
        ("{bad", types.PG_JSONB, Code.INVALID_ARGUMENT),
        ("{1,x}", array_of(types.INT64), Code.INVALID_ARGUMENT),
        ("4294967296", types.PG_OID, Code.OUT_OF_RANGE),
    ],
)
def test_a_bad_literal_has_the_code_of_its_class(text: str, type_: Type, code: Code) -> None:
    with pytest.raises(SpannerError) as caught:
        read_literal(CONTEXT, text, type_)
    assert caught.value.code is code


@pytest.mark.parametrize("type_", [types.INT64, types.PG_OID, types.FLOAT64, types.PG_NUMERIC])
@pytest.mark.parametrize("digit", "01")
def test_a_long_text_that_is_no_number_is_refused_at_once(type_: Type, digit: str) -> None:
    with pytest.raises(SpannerError):
        read_literal(CONTEXT, digit * 300_000 + "x", type_)


def test_blanks_within_an_element_take_no_time() -> None:
    text = "{a" + " " * 300_000 + "b }"
    assert read_literal(CONTEXT, text, array_of(types.STRING)) == (text[1:-2],)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("{}", []),
        (" { } ", []),
        ("{1,NULL,null}", ["1", None, None]),
        ('{"a b",c d , "e"}', ["a b", "c d", "e"]),
        ('{"NULL",""}', ["NULL", ""]),
        (r"{a\,b,\NULL}", ["a,b", "NULL"]),
        (r'{"a\"b"}', ['a"b']),
        ("[1:2]={a,b}", ["a", "b"]),
    ],
)
def test_elements_of_an_array_text(text: str, items: list[str | None]) -> None:
    assert read_array(text) == items


@pytest.mark.parametrize(
    "text", ["1", "{a,}", "{,a}", '{"a"b}', "{1}x", "{a", '{"a}', "[1:3]={a,b}"]
)
def test_a_malformed_text_is_refused(text: str) -> None:
    with pytest.raises(SpannerError):
        read_array(text)


@pytest.mark.parametrize("text", ["{{1},{2}}", "[0:1]={a,b}", "[1:1][1:1]={{1}}"])
def test_other_dimensions_are_not_supported(text: str) -> None:
    with pytest.raises(SpannerError, match=r"dimensional|lower bounds") as caught:
        read_array(text)
    assert caught.value.code is Code.INVALID_ARGUMENT

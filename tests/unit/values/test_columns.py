"""Columns of values are decoded, and encoded for keys, as their values are one by one."""

from __future__ import annotations

import json as python_json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.values import document_columns, json, pg_jsonb, types
from spanemu.values.columns import column_decoder, key_column_encoder
from spanemu.values.key import part_encoder
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.order import SortOrder
from spanemu.values.types import BadValue, Type
from spanemu.values.value import decoder

NAN, INFINITY = math.nan, math.inf
ORDERS = [
    SortOrder(descending=descending, nulls_first=nulls_first, nan_greatest=nan_greatest)
    for descending in (False, True)
    for nulls_first in (False, True)
    for nan_greatest in (False, True)
]
KEY_COLUMNS: list[tuple[Type, list[Any]]] = [
    (types.INT64, [0, 1, -(2**63), 2**63 - 1]),
    (types.FLOAT64, [0.0, -0.0, 5e-324, 1.5, 1e308, INFINITY]),
    (types.FLOAT64, [1.5, -1.5, -INFINITY, -0.0]),
    (types.FLOAT64, [1.5, NAN]),
    (types.FLOAT64, [1.5, -NAN]),
    (types.TIMESTAMP, [0, -1, -62_135_596_800 * 10**9, 253_402_300_799 * 10**9]),
    (types.TIMESTAMP, [1, COMMIT_TIMESTAMP]),
    (types.STRING, ["", "a", "\0", "\1b", "é"]),
]


@pytest.mark.parametrize("order", ORDERS, ids=repr)
@pytest.mark.parametrize(("type_", "values"), KEY_COLUMNS)
@pytest.mark.parametrize("nulls", [[], [None]])
def test_a_column_has_the_key_parts_of_its_values(type_, values, nulls, order):
    column = [*values, *nulls]
    encode = part_encoder(type_, order)
    assert key_column_encoder((type_, order))(column) == list(map(encode, column))


WIRE_COLUMNS: list[tuple[Type, list[Any]]] = [
    (types.INT64, ["1", None, "-9223372036854775808"]),
    (types.STRING, ["a", None, "é"]),
    (types.TIMESTAMP, ["2025-01-02T03:04:05Z", None, "2025-01-02T03:04:05.123456789Z"]),
    (types.FLOAT64, [1.5, None, "NaN"]),
    (types.BYTES, ["YQ==", None, ""]),
    (types.JSON, ["{}", None, '{"a":[1,2.5,"x"]}', " [ 1 ] ", "null", '"\\u00e9"', "1e400"[:3]]),
    (types.JSON, ["1", "12345678901234567890", "1.2345678901234567"]),
    (types.PG_JSONB, ['{"b":1,"a":2}', None, "[]", "1.50"]),
]


@pytest.mark.parametrize(("type_", "wire"), WIRE_COLUMNS)
def test_columns_are_decoded_as_single_values(type_, wire):
    decode = decoder(type_)
    decoded = column_decoder(type_, decode)(wire)
    assert list(map(repr, decoded)) == list(map(repr, map(decode, wire)))


@pytest.mark.parametrize(
    "texts",
    [
        ["1,2", "[3", "4]"],
        ['"a', 'b"'],
        ["[1", "]"],
        ["", "1"],
        ["1", "2 3"],
        ["NaN", "1"],
        ["{}", "[" * 81 + "]" * 81],
        ["{}", '"\ud800"'],
    ],
)
def test_invalid_documents_in_a_column_are_refused(texts):
    assert not document_columns.are_plain(texts)
    decode = decoder(types.JSON)
    with pytest.raises(BadValue):
        column_decoder(types.JSON, decode)(texts)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**17) + 1, 10**17 - 1)
    | st.decimals(-9_999_999, 9_999_999, places=7).map(float)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PIECES = st.lists(
    st.sampled_from([*'{}[]:,"\\ \n\0', "null", "-", "0", "17", "1.5", "e3", "\\u00e9"])
)


@given(PLAIN.map(python_json.dumps) | PIECES.map("".join))
def test_plain_documents_are_those_that_a_parser_reads(text):
    if document_columns.are_plain([text]):
        for type_, parse in ((types.JSON, json.parse), (types.PG_JSONB, pg_jsonb.parse)):
            (kept,) = column_decoder(type_, decoder(type_))([text])
            assert kept.text == parse(text).text


@pytest.mark.parametrize(
    "text",
    [
        "{}", "[ ]", "0", "-0", "-1.5", "0.0000001", "12345678901234567", "1234567.1234567", "true",
        '{"a" : [1, {"b": [null, "\\n\\"é"]}]}', '""', '{"":{"":{"":{"":0}}}}',
    ],
)  # fmt: skip
def test_plain_documents(text):
    assert document_columns.are_plain([text])


@pytest.mark.parametrize(
    "text",
    [
        "", " 1", "01", "1.", ".5", "+1", "1e5", "123456789012345678", "12345678.5", "1.12345678",
        "NaN", "[1,]", "[,1]", "[1 2]", '{"a":1,}', "{1:2}", '{"a"}', '{"a":1]', "[1}", '"\n"',
        '"\\u00e9"', '"\\x"', '"a', "[[[[[]]]]]", "truefalse", "1 2", '"\ud800"', "[1]]", '""""',
    ],
)  # fmt: skip
def test_other_documents_are_left_to_a_parser(text):
    assert not document_columns.are_plain([text])

"""Values and types as the JSON of records."""

from __future__ import annotations

import datetime
import json as standard_json
from decimal import Decimal
from math import inf, nan
from typing import Any
from uuid import UUID

import pytest

from spanemu.change_streams.json_text import (
    JSON_STYLE,
    JSONB_STYLE,
    type_json,
    type_text,
    value_writer,
)
from spanemu.values import json, pg_jsonb, types
from spanemu.values.floats import round32
from spanemu.values.types import Type, TypeCode, array_of

ENUM = Type(TypeCode.ENUM, proto_name="shop.Size")
PROTO = Type(TypeCode.PROTO, proto_name="shop.Order")
TENTH = 1_700_000_000_120_000_000

VALUES: list[tuple[Type, Any, Any]] = [
    (types.BOOL, True, True),
    (types.INT64, -(2**63), "-9223372036854775808"),
    (ENUM, 3, "3"),
    (types.NUMERIC, Decimal("1.50"), "1.5"),
    (types.PG_NUMERIC, Decimal("1.50"), "1.50"),
    (types.FLOAT64, 1.5, 1.5),
    (types.FLOAT64, nan, "NaN"),
    (types.FLOAT64, inf, "Infinity"),
    (types.FLOAT64, -inf, "-Infinity"),
    (types.FLOAT64, 2.434899388972327e307, 2.434899388972327e307),
    (types.FLOAT32, round32(3.14), 3.140000104904175),
    (types.STRING, 'a "b" \\ \n \u00e9 \U0001f600', 'a "b" \\ \n \u00e9 \U0001f600'),
    (types.UUID, UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    (types.BYTES, b"blue", "Ymx1ZQ=="),
    (PROTO, b"\x08\x01", "CAE="),
    (types.DATE, datetime.date(2014, 9, 27), "2014-09-27"),
    (types.TIMESTAMP, TENTH, "2023-11-14T22:13:20.12Z"),
    (types.TIMESTAMP, 123_456_789, "1970-01-01T00:00:00.123456789Z"),
    (types.JSON, json.Json({"a": [1, "x"]}), '{"a":[1,"x"]}'),
    (types.PG_JSONB, pg_jsonb.parse('{"bb":1, "a":"x"}'), '{"a": "x", "bb": 1}'),
    (array_of(types.INT64), (1, None), ["1", None]),
    (array_of(types.JSON), (json.Json("x"),), ['"x"']),
    (array_of(types.FLOAT64), (nan, 0.5), ["NaN", 0.5]),
    (array_of(types.STRING), (), []),
]


@pytest.mark.parametrize("style", [JSON_STYLE, JSONB_STYLE], ids=["json", "jsonb"])
@pytest.mark.parametrize(("type_", "value", "expected"), VALUES)
def test_values(type_: Type, value: Any, expected: Any, style: Any) -> None:
    write = value_writer(type_, style)
    assert standard_json.loads(write(value), parse_int=float) == expected
    assert write(None) == "null"


def test_numbers_of_jsonb_have_no_exponent() -> None:
    write = value_writer(types.FLOAT64, JSONB_STYLE)
    assert write(1e20) == "1" + "0" * 20
    assert write(-0.0) == "0.0"


TYPES = [
    (types.INT64, {"code": "INT64"}),
    (array_of(types.STRING), {"code": "ARRAY", "array_element_type": {"code": "STRING"}}),
    (types.PG_NUMERIC, {"code": "NUMERIC", "type_annotation": "PG_NUMERIC"}),
    (
        array_of(types.PG_JSONB),
        {
            "code": "ARRAY",
            "array_element_type": {"code": "JSON", "type_annotation": "PG_JSONB"},
        },
    ),
    (PROTO, {"code": "PROTO", "proto_type_fqn": "shop.Order"}),
    (
        array_of(ENUM),
        {"code": "ARRAY", "array_element_type": {"code": "ENUM", "proto_type_fqn": "shop.Size"}},
    ),
    *((scalar, {"code": name}) for name, scalar in types.SCALARS.items()),
]


@pytest.mark.parametrize(("type_", "expected"), TYPES)
def test_types(type_: Type, expected: Any) -> None:
    assert type_json(type_) == expected
    text = type_text(type_, JSON_STYLE)
    assert standard_json.loads(text) == expected
    assert json.parse(text).text == text
    text = type_text(type_, JSONB_STYLE)
    assert pg_jsonb.parse(text).text == text

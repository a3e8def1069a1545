"""Keys as error messages show them, as Google's emulator prints them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from math import inf, nan
from uuid import UUID as UuidValue

import pytest

from spanemu.values.key_text import key_text, part_text
from spanemu.values.mutation import COMMIT_TIMESTAMP
from spanemu.values.types import (
    BOOL,
    BYTES,
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    NUMERIC,
    STRING,
    TIMESTAMP,
    UUID,
    Type,
    TypeCode,
)

COLOR = Type(TypeCode.ENUM, proto_name="shop.Color")


@pytest.mark.parametrize(
    ("value", "type_", "text"),
    [
        (-5, INT64, "Int64(-5)"),
        (None, INT64, "Int64(NULL)"),
        (True, BOOL, "Bool(true)"),
        ("x", STRING, 'String("x")'),
        (None, STRING, "String(NULL)"),
        ("", STRING, 'String("")'),
        ('a"b', STRING, "String('a\"b')"),
        ("a'b", STRING, 'String("a\'b")'),
        ("a\"'", STRING, 'String("a\\"\'")'),
        ("\\\t\r\n\x0b\x7f é", STRING, r'String("\\\t\r\n\x0b\x7f é")'),
        (b"ab\x00\xff\"'\n\\", BYTES, r'Bytes(b"ab\x00\xff\"' + r"'\x0a\\" + '")'),
        (b'a"b', BYTES, "Bytes(b'a\"b')"),
        (None, BYTES, "Bytes(NULL)"),
        (1.5, FLOAT64, "Double(1.5)"),
        (3.0, FLOAT64, "Double(3)"),
        (1 / 3, FLOAT64, "Double(0.33333333333333331)"),
        (1e15, FLOAT64, "Double(1e+15)"),
        (inf, FLOAT64, "Double(inf)"),
        (nan, FLOAT64, "Double(nan)"),
        (3.1415927410125732, FLOAT32, "Float(3.1415927)"),
        (16777216.0, FLOAT32, "Float(16777216)"),
        (Decimal("1.5"), NUMERIC, "Numeric(1.5)"),
        (date(1, 1, 1), DATE, "Date(0001-01-01)"),
        (0, TIMESTAMP, "Timestamp(1970-01-01 00:00:00+00)"),
        (100_000_000, TIMESTAMP, "Timestamp(1970-01-01 00:00:00.100+00)"),
        (COMMIT_TIMESTAMP, TIMESTAMP, "Timestamp(spanner.commit_timestamp())"),
        (
            UuidValue("550e8400-e29b-41d4-a716-446655440000"),
            UUID,
            "Uuid(550e8400-e29b-41d4-a716-446655440000)",
        ),
        (2, COLOR, "Enum<shop.Color>(2)"),
    ],
)
def test_a_part_has_the_name_of_its_type(value, type_, text) -> None:
    assert part_text(value, type_) == text


def test_a_key_is_in_braces_with_an_arrow_at_descending_parts() -> None:
    parts = (part_text("a", STRING), part_text(2, INT64, descending=True))
    assert key_text(parts) == '{String("a"), Int64(2)↓}'
    assert key_text(()) == "{}"

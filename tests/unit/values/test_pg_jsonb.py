"""JSONB: the normal form and its limits. PostgreSQL 15 confirmed each text."""

from __future__ import annotations

import pytest

from spanemu.values.pg_jsonb import Jsonb, parse
from spanemu.values.types import BadValue


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ('{"b":1, "aa":2, "a":3, "b":4}', '{"a": 3, "b": 4, "aa": 2}'),
        ('{"é":1,"zz":2,"z":3}', '{"z": 3, "zz": 2, "é": 1}'),
        ("[1.10, 1e2, -0, 1E-2, 2.50e1]", "[1.10, 100, 0, 0.01, 25.0]"),
        (r'"é\n\/\u0001"', r'"é\n/\u0001"'),
        (r'"a\\u0000"', r'"a\\u0000"'),
        (' {"":[]} ', '{"": []}'),
        ("null", "null"),
    ],
)
def test_the_normal_form(text: str, normal: str) -> None:
    assert parse(text).text == normal
    assert parse(normal).text == normal


@pytest.mark.parametrize(
    "text",
    [
        "",
        "01",
        "[1,]",
        "NaN",
        "[Infinity]",
        r'"\u0000"',
        r'"\ud800"',
        '"\x01"',
        "1e4932",
        "[]x",
        "[" * 81 + "]" * 81,
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(BadValue):
        parse(text)


def test_documents_are_equal_by_their_text() -> None:
    assert parse('{"a":1,"b":2}') == parse('{"b":2,"a":1}')
    assert len({parse("1.0"), parse("1.00"), parse(" 1.0 ")}) == 2
    assert Jsonb(None) == parse("null")

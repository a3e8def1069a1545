"""to_number; PostgreSQL 15 gave all results. None stands for an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.formatting.number_reader import to_number
from spanemu.values import pg_numeric
from tests.unit.sql.functions.postgresql.context import code_of

READ: list[tuple[str, str, str | None]] = [
    ("12,454.8-", "99G999D9S", "-12454.8"),
    ("$123.45", "L999.99", "123.45"),
    ("<123>", "999PR", "-123"),
    ("1ST", "9TH", "1"),
    ("1  2 3 ", "9  9 9", "123"),
    ("9999", "9V999", "9.9990000000000000"),
    ("-123", "SG999", "-123"),
    ("123,456", "9,9", "12"),
    ("123", "9.9", None),
    ("NaN", "999", None),
    ("", "9", None),
    ("12", "L", None),
    ("é12", "009SG", "1"),
    ("5", "RN", None),
    ("5", "9EEEE", None),
    ("-$1,234.5", "SGL9,999.9", "-1234.5"),
    ("1.2.3", "9D9D9", None),
    ("12-", "99S", "-12"),
    ("12 -", "99S", "12"),
    ("+12", "99PL", "12"),
    ("0012", "9999", "12"),
]


@pytest.mark.parametrize(("text", "template", "expected"), READ)
def test_numbers(text: str, template: str, expected: str | None) -> None:
    if expected is None:
        assert code_of(to_number, text, template) is not None
        return
    number = to_number(text, template)
    assert number is not None
    assert pg_numeric.format(number) == expected


def test_an_empty_template_gives_null() -> None:
    assert to_number("12", "") is None


@pytest.mark.parametrize(
    ("text", "template", "code"),
    [
        ("123", "9.9", Code.OUT_OF_RANGE),
        ("NaN", "999", Code.INVALID_ARGUMENT),
        ("V", "RN", Code.UNIMPLEMENTED),
        ("1", "9EEEE", Code.UNIMPLEMENTED),
    ],
)
def test_codes(text: str, template: str, code: Code) -> None:
    assert code_of(to_number, text, template) is code


@given(st.text(max_size=12), st.text(st.sampled_from("90.,DGSVLFMIPRTH x"), max_size=12))
def test_no_text_breaks_the_reader(text: str, template: str) -> None:
    codes = (None, Code.INVALID_ARGUMENT, Code.OUT_OF_RANGE, Code.UNIMPLEMENTED)
    assert code_of(to_number, text, template) in codes

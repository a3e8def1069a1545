"""String functions that only PostgreSQL has; PostgreSQL 15 gave the results."""

from __future__ import annotations

import pytest

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.text.strings import (
    QUOTED_WORDS,
    like_escape,
    like_escape_bytes,
    quote_ident,
)
from spanemu.sql.functions.text.like import like
from spanemu.sql.postgresql.syntax import keywords
from tests.unit.sql.functions.postgresql.context import code_of


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("foo", "foo"),
        ("Foo", '"Foo"'),
        ('a"b', '"a""b"'),
        ("", '""'),
        ("1a", '"1a"'),
        ("select", '"select"'),
        ("between", '"between"'),
        ("abort", "abort"),
        ("été", '"été"'),
    ],
)
def test_quote_ident(name: str, expected: str) -> None:
    assert quote_ident(name) == expected


def test_quoted_words_are_the_keywords_that_need_quotes() -> None:
    words = keywords.RESERVED | keywords.TYPE_OR_FUNCTION_NAMES | keywords.COLUMN_NAMES
    assert {word.lower() for word in words} == QUOTED_WORDS


@pytest.mark.parametrize(
    ("text", "pattern", "escape", "expected"),
    [
        ("a_c", "a!_c", "!", True),
        ("abc", "a!_c", "!", False),
        ("a!c", "a!!c", "!", True),
        ("a\\c", "a\\c", "!", True),
        ("a\\%", "a\\%", "", True),
        ("a\\bc", "a\\%", "", True),
        ("a%", "a\\%", "\\", True),
    ],
)
def test_like_with_an_escape(text: str, pattern: str, escape: str, expected: bool) -> None:
    assert like(text, like_escape(pattern, escape)) is expected
    assert like_escape_bytes(pattern.encode(), escape.encode()) == (
        like_escape(pattern, escape).encode()
    )


def test_an_escape_is_a_single_character() -> None:
    assert code_of(like_escape, "a", "ab") is Code.INVALID_ARGUMENT

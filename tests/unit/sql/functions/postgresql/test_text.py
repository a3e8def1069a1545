"""String functions that only PostgreSQL has; PostgreSQL 15 gave the results."""

from __future__ import annotations

import pytest

from spanemu.sql.functions.postgresql.text import QUOTED_WORDS, quote_ident
from spanemu.sql.postgresql.syntax import keywords


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

"""LIKE: wildcards, escapes, bytes, quantifiers; and against a plain regular expression."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.errors import BadArgument
from spanemu.values.types import STRING
from tests.unit.sql.functions.calling import call, typed

NULL = typed(None, STRING)


CASES: list[tuple[Any, ...]] = [
    ("apple", "a%", True),
    ("%a", "apple", False),
    ("apple", "apple", True),
    ("apple", "apple%", True),
    ("apple", "%ppl%", True),
    ("apple", "%e", True),
    ("apple", "a%e", True),
    ("a", "a%a", False),
    ("aa", "a%a", True),
    ("apple", "_pple", True),
    ("apple", "a_%e", True),
    ("apple", "%p_e%", True),
    ("apple", "____", False),
    ("", "", True),
    ("", "%", True),
    ("a", "", False),
    ("a%b", r"a\%b", True),
    ("axb", r"a\%b", False),
    ("a_b", r"a\_b", True),
    ("a\\b", r"a\\b", True),
    ("a\nb", "a_b", True),
    ("a\nb", "a%b", True),
    ("日本語", "_本_", True),
    ("aab", "%ab", True),
    ("abcabc", "%b%b%", True),
    ("abc", "%b%b%", False),
    ("abab", "ab%ab", True),
    ("aba", "ab%ba", False),
    ("[x]", "[%]", True),
    (b"a\xffb", b"a_b", True),
    (b"a\xffb", b"%\xff%", True),
    ("é".encode(), b"_", False),
]


@pytest.mark.parametrize(("text", "pattern", "expected"), CASES)
def test_like(text: str | bytes, pattern: str | bytes, expected: bool) -> None:
    assert call("$like", text, pattern) is expected


def test_null() -> None:
    assert call("$like", NULL, "a%") is None


def test_a_lone_backslash_at_the_end() -> None:
    with pytest.raises(BadArgument):
        call("$like", "a", "a\\")


def test_many_wildcards_do_not_backtrack() -> None:
    assert call("$like", "a" * 5_000, "%a" * 100 + "%b") is False


@given(st.text("ab\n", max_size=8), st.text("ab\n%_", max_size=8))
def test_as_a_regular_expression(text: str, pattern: str) -> None:
    translated = "".join({"%": ".*", "_": "."}.get(c, re.escape(c)) for c in pattern)
    assert call("$like", text, pattern) is bool(re.fullmatch(translated, text, re.DOTALL))

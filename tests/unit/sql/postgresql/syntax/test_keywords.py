"""The classes of PostgreSQL's words, and which names need quotes."""

from __future__ import annotations

import pytest

from spanemu.sql.postgresql.syntax import keywords


def test_each_word_is_in_one_class() -> None:
    classes = (
        keywords.RESERVED,
        keywords.TYPE_OR_FUNCTION_NAMES,
        keywords.COLUMN_NAMES,
        keywords.UNRESERVED,
    )
    assert sum(map(len, classes)) == len(frozenset().union(*classes))
    assert frozenset().union(*classes) >= keywords.NEEDS_AS


@pytest.mark.parametrize("name", ["singers", "_a1", "value", "name", "type"])
def test_a_plain_name_has_no_quotes(name: str) -> None:
    assert keywords.quoted(name) == name


@pytest.mark.parametrize("name", ["Singers", "user", "left", "values", "a b", "1a", "é", "a$", ""])
def test_any_other_name_is_quoted(name: str) -> None:
    assert keywords.quoted(name) == f'"{name}"'


def test_a_quote_in_a_name_is_doubled() -> None:
    assert keywords.quoted('a"b') == '"a""b"'

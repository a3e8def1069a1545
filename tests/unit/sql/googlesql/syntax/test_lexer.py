"""Kinds, symbols and positions of tokens."""

from __future__ import annotations

import pytest

from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.googlesql.syntax.lexer import tokenize
from spanemu.sql.syntax_tree import Kind


def kinds(text: str) -> list[Kind]:
    return [token.kind for token in tokenize(text)[:-1]]


def symbols(text: str) -> list[str]:
    return [token.symbol for token in tokenize(text)[:-1]]


def test_a_reserved_word_is_a_keyword_in_any_case() -> None:
    assert symbols("select Select `select`") == ["SELECT", "SELECT", "identifier"]
    assert kinds("select `select` offset") == [Kind.KEYWORD, Kind.IDENTIFIER, Kind.IDENTIFIER]


def test_every_token_knows_its_text() -> None:
    text = "a /* b */ >= 'c' -- d\n.5"
    for token in tokenize(text):
        assert text[token.at : token.end] == token.text


@pytest.mark.parametrize("comment", ["-- x", "# x", "/* x */", "/**/", "/* * / ** */", "--"])
def test_a_comment_is_no_token(comment: str) -> None:
    assert symbols(f"a {comment}\n b") == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1", Kind.INTEGER),
        ("0XfF", Kind.INTEGER),
        ("1.", Kind.FLOAT),
        (".1", Kind.FLOAT),
        ("1e5", Kind.FLOAT),
        ("1.5E-5", Kind.FLOAT),
        ("'''a'b''c'''", Kind.STRING),
        ('r"\\"', None),
        ("rB'x'", Kind.BYTES),
        ("bb'x'", None),
    ],
)
def test_literals(text: str, kind: Kind | None) -> None:
    try:
        found = kinds(text)
    except SyntaxFailure:
        found = []
    assert (found == [kind]) is (kind is not None)


@pytest.mark.parametrize(
    ("text", "column"),
    [("a 'b", 3), ("a `b\n`", 3), ("a /* b", 3), ("1a", 2), ("a $ b", 3), ("''''", 1), ("``", 1)],
)
def test_invalid_text_fails_at_its_first_character(text: str, column: int) -> None:
    with pytest.raises(SyntaxFailure) as caught:
        tokenize(text)
    assert (caught.value.line, caught.value.column) == (1, column)


def test_the_longest_operator_wins() -> None:
    assert symbols("a<=>b||c|>d>>>e") == ["A", "<=", ">", "B", "||", "C", "|>", "D", ">>", ">", "E"]


def test_the_last_token_is_the_end() -> None:
    end = tokenize("a  ")[-1]
    assert (end.kind, end.at, end.end) == (Kind.END, 1, 1)  # blanks are nothing

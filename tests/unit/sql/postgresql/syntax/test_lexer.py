"""Kinds, symbols and positions of PostgreSQL's tokens."""

from __future__ import annotations

import pytest

from spanemu.sql.errors import SyntaxFailure, UnclosedText
from spanemu.sql.postgresql.syntax.lexer import tokenize
from spanemu.sql.syntax_tree import Kind


def kinds(text: str) -> list[Kind]:
    return [token.kind for token in tokenize(text)[:-1]]


def symbols(text: str) -> list[str]:
    return [token.symbol for token in tokenize(text)[:-1]]


def test_reserved_words_are_keywords_in_any_case() -> None:
    assert symbols('select Select "select"') == ["SELECT", "SELECT", "identifier"]
    assert kinds('left "left" name between') == [Kind.KEYWORD] + [Kind.IDENTIFIER] * 3


def test_letters_of_other_alphabets_are_not_folded_into_keywords() -> None:
    assert symbols("ﬁrst ſelect é$1") == ["identifier"] * 3


def test_every_token_knows_its_text() -> None:
    text = "a /* b /* c */ */ >= U&'c' uescape '!' -- d\n.5 !="
    for token in tokenize(text):
        assert text[token.at : token.end] == token.text


@pytest.mark.parametrize(
    "comment", ["-- x", "/* x */", "/**/", "/* * / ** */", "--", "/* /* */ */", "/*/**//**/ x*/"]
)
def test_comments_are_skipped(comment: str) -> None:
    assert symbols(f"a {comment}\n b") == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1", Kind.INTEGER),
        ("4.", Kind.FLOAT),
        (".001", Kind.FLOAT),
        ("5e2", Kind.FLOAT),
        ("1.5E-3", Kind.FLOAT),
        ("'it''s'", Kind.STRING),
        ("'a'\n  'b'", Kind.STRING),
        ("'a' -- it's\n 'b'", Kind.STRING),
        (r"E'\'a\\'", Kind.STRING),
        ("U&'d!0061' uescape '!'", Kind.STRING),
        ("$$it's$$", Kind.STRING),
        ("$t$ $$ $T$ $t$", Kind.STRING),
        ('"a ""b"""', Kind.IDENTIFIER),
        ('U&"d\\0061"', Kind.IDENTIFIER),
        ("B'101'", Kind.BITS),
        ("x'1F'", Kind.BITS),
        ("$12", Kind.PARAMETER),
        ("->>", Kind.OPERATOR),
        ("@>", Kind.OPERATOR),
        ("::", Kind.PUNCTUATION),
        ("<=", Kind.PUNCTUATION),
    ],
)
def test_one_token_of_a_kind(text: str, kind: Kind) -> None:
    (token,) = tokenize(text)[:-1]
    assert (token.kind, token.text) == (kind, text)


def test_literals_on_one_line_are_two_tokens() -> None:
    assert kinds("'a' 'b'") == [Kind.STRING] * 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a*-1", ["A", "*", "-", "integer literal"]),
        ("a+-+b", ["A", "+", "-", "+", "B"]),
        ("a@-1", ["A", "@-", "integer literal"]),
        ("a=-1", ["A", "=", "-", "integer literal"]),
        ("a<--b\n1", ["A", "<", "integer literal"]),
        ("a*/*b*/1", ["A", "*", "integer literal"]),
        ("a!=b<>c", ["A", "<>", "B", "<>", "C"]),
        ("1..2", ["integer literal", "..", "integer literal"]),
        ("a[1:2]", ["A", "[", "integer literal", ":", "integer literal", "]"]),
        ("f(a => 1)", ["F", "(", "A", "=>", "integer literal", ")"]),
        ("a?&b", ["A", "?&", "B"]),
    ],
)
def test_an_operator_is_the_longest_run_that_may_be_one(text: str, expected: list[str]) -> None:
    assert symbols(text) == expected


def test_a_hint_has_tokens() -> None:
    assert symbols("t /*@ k = 5*/ where") == [
        "T",
        "/*@",
        "K",
        "=",
        "integer literal",
        "*/",
        "WHERE",
    ]


@pytest.mark.parametrize("text", ["'a", '"a', "/* a", "/* /* */", "$$a$", "$t$ $$", r"E'\'", "x'"])
def test_a_text_without_end_is_refused(text: str) -> None:
    with pytest.raises(UnclosedText):
        tokenize(f"SELECT {text}")


@pytest.mark.parametrize("text", ["1a", "0x1F", "1_000", ".5e", "1.5x", "$1a"])
def test_a_number_is_apart_from_a_following_word(text: str) -> None:
    with pytest.raises(SyntaxFailure, match="trailing junk after"):
        tokenize(text)


@pytest.mark.parametrize(
    "pattern",
    [
        "+",
        "/* */",
        "/* /* */ */",
        "$a$ ",
        "'a'\n",
        "(",
        "$a",
        "/*",
        "U&'a' ",
        "- ",
        "''",
        "e'\\'",
        ".",
    ],
)
def test_no_text_has_more_tokens_than_characters(pattern: str) -> None:
    text = pattern * (20_000 // len(pattern))
    try:
        tokens = len(tokenize(text))
    except SyntaxFailure:
        tokens = 0
    assert tokens <= len(text) + 1

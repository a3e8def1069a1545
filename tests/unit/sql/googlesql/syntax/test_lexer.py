"""Kinds, symbols and positions of tokens."""

from __future__ import annotations

import math

import pytest

from spanemu.sql.errors import SyntaxFailure
from spanemu.sql.googlesql.syntax.lexer import (
    BadLiteral,
    decode_bytes,
    decode_float,
    decode_identifier,
    decode_integer,
    decode_string,
    tokenize,
)
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


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("t.1", ["T", ".", "1"]),
        ("t .1.2e5", ["T", ".", "1", ".", "2E5"]),
        ("t. 1a", ["T", ".", "1A"]),
        ("t.1e-5", ["T", ".", "1E", "-", "integer literal"]),
        ("t.0x", ["T", ".", "0X"]),
        ("`t`.1", ["identifier", ".", "1"]),
        ("t.end.1", ["T", ".", "END", ".", "1"]),
        ("@end.1", ["@", "END", ".", "1"]),
        (
            "(1).1[1].1",
            ["(", "integer literal", ")", ".", "1", "[", "integer literal", "]", ".", "1"],
        ),
        ("end .1", ["END", "floating point literal"]),
        ("'t'.1", ["string literal", "floating point literal"]),
        ("1 .1", ["integer literal", "floating point literal"]),
        (". 1", [".", "integer literal"]),
        ("..1", [".", "floating point literal"]),
        (".1", ["floating point literal"]),
    ],
)
def test_digits_behind_the_dot_of_a_path_are_a_name(text: str, parts: list[str]) -> None:
    assert symbols(text) == parts


def test_a_long_path_is_read_in_linear_time() -> None:
    assert len(tokenize("t" + ".1" * 100_000)) == 200_002


@pytest.mark.parametrize("comment", ["-- x", "# x", "/* x */", "/**/", "/* * / ** */", "--"])
def test_comments_are_skipped(comment: str) -> None:
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


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("''", ""),
        ("'a'", "a"),
        (r"'\a\b\f\n\r\t\v\\\?\"\'\`'", "\a\b\f\n\r\t\v\\?\"'`"),
        (r"'\101\x42\X43'", "ABC"),
        (r"'\u00e9\U0001f600'", "é😀"),
        (r"r'\n'", r"\n"),
        ("'''a\r\nb\rc'''", "a\nb\nc"),
        ('"""a"b""c"""', 'a"b""c'),
        ("''''''", ""),
    ],
)
def test_strings(token: str, value: str) -> None:
    assert decode_string(token) == value


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("b''", b""),
        (r"b'\xff\101'", b"\xffA"),
        ("b'é'", "é".encode()),
        (r"b'é\xe9'", "é".encode() + b"\xe9"),
        (r"rb'\xff'", rb"\xff"),
        (r"Br'\n'", rb"\n"),
    ],
)
def test_bytes(token: str, value: bytes) -> None:
    assert decode_bytes(token) == value


@pytest.mark.parametrize(
    ("token", "at"),
    [
        (r"'a\q'", 2),
        (r"'\x1'", 1),
        (r"'\08'", 1),
        (r"'\400'", 1),
        (r"'\u123'", 1),
        (r"'\ud800'", 1),
        (r"'\U00110000'", 1),
        (r"'''ab\z'''", 5),
    ],
)
def test_an_invalid_escape_has_a_position(token: str, at: int) -> None:
    with pytest.raises(BadLiteral) as caught:
        decode_string(token)
    assert caught.value.at == at


def test_bytes_have_no_unicode_escapes() -> None:
    with pytest.raises(BadLiteral):
        decode_bytes(r"b'\u0041'")


def test_numbers() -> None:
    assert decode_integer("0x7fffffffffffffff") == 2**63 - 1
    assert decode_integer("007") == 7
    assert decode_float("1.") == 1.0
    assert decode_float("1e999") == math.inf


def test_a_number_of_too_many_digits_is_refused() -> None:
    with pytest.raises(BadLiteral):
        decode_integer("9" * 5000)


def test_names_in_backticks() -> None:
    assert decode_identifier(r"`a\`b\\c`") == r"a`b\c"
    assert decode_identifier("plain") == "plain"

"""Values of literals."""

from __future__ import annotations

import math

import pytest

from spanemu.sql.googlesql.syntax.literals import (
    BadLiteral,
    decode_bytes,
    decode_float,
    decode_identifier,
    decode_integer,
    decode_string,
)


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

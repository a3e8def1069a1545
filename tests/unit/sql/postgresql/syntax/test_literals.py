"""Values of literals and names."""

from __future__ import annotations

import pytest

from spanemu.sql.postgresql.syntax.literals import decode_identifier, decode_string
from spanemu.sql.token_cursor import BadLiteral


@pytest.mark.parametrize(
    ("token", "value"),
    [
        ("'it''s'", "it's"),
        (r"'a\n'", r"a\n"),
        ("'a'\n 'b' -- it's\n 'c'", "abc"),
        (r"E'\n\t\b\f\r\\\'\101\x41\u0042\U00000042\q'", "\n\t\b\f\r\\'AABBq"),
        (r"E'\xC3\xA9\303\251'", "éé"),
        (r"e'\uD83D\uDE00'", "😀"),
        ("E'a''b'\n'c'", "a'bc"),
        (r"U&'d\0061t\+000061'", "data"),
        ("u&'d!0061!!' UESCAPE '!'", "da!"),
        ("U&'!d' uescape /**/ '#'", "!d"),
        ("$$it's \\n$$", "it's \\n"),
        ("$t$ $$ $t$", " $$ "),
    ],
)
def test_value_of_a_string(token: str, value: str) -> None:
    assert decode_string(token) == value


@pytest.mark.parametrize(
    "token",
    [
        r"E'\000'",
        r"E'\x00'",
        r"E'\xff'",
        r"E'\u12'",
        r"E'\u0000'",
        r"E'\uD83D'",
        r"E'\uDE00'",
        r"E'\uD83Dx\uDE00'",
        r"E'\U00110000'",
        r"U&'\12'",
        r"U&'\0000'",
        r"U&'\D83D'",
        "U&'a' UESCAPE '+'",
        "U&'a' UESCAPE 'ab'",
    ],
)
def test_a_wrong_escape_is_refused(token: str) -> None:
    with pytest.raises(BadLiteral):
        decode_string(token)


@pytest.mark.parametrize(
    ("token", "name"),
    [
        ("Albums", "albums"),
        ('"Albums"', "Albums"),
        ('"a""b"', 'a"b'),
        ("ÉA", "Éa"),
        (r'U&"d\0061ta"', "data"),
        ("a" * 70, "a" * 63),
        ('"' + "é" * 40 + '"', "é" * 31),
    ],
)
def test_a_name_is_folded_and_cut_at_63_bytes(token: str, name: str) -> None:
    assert decode_identifier(token) == name


def test_a_name_has_at_least_one_character() -> None:
    with pytest.raises(BadLiteral, match="zero-length delimited identifier"):
        decode_identifier('""')

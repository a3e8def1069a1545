"""Regular expressions: documented examples, empty matches, groups, bytes, mistakes."""

from __future__ import annotations

from typing import Any

import pytest

from spanemu.sql.functions.errors import BadArgument, BadRegularExpression
from spanemu.values.types import STRING
from tests.unit.sql.functions.calling import call, typed

EMAIL = r"^([\w.+-]+@foo\.com|[\w.+-]+@bar\.org)$"
LOOSE_EMAIL = r"^[\w.+-]+@foo\.com|[\w.+-]+@bar\.org$"

CASES: list[tuple[str, tuple[Any, ...], Any]] = [
    ("REGEXP_CONTAINS", ("foo@example.com", r"@[a-zA-Z0-9-]+\.[a-zA-Z0-9-.]+"), True),
    ("REGEXP_CONTAINS", ("www.example.net", r"@[a-zA-Z0-9-]+\.[a-zA-Z0-9-.]+"), False),
    ("REGEXP_CONTAINS", ("a@foo.computer", EMAIL), False),
    ("REGEXP_CONTAINS", ("a@foo.computer", LOOSE_EMAIL), True),
    ("REGEXP_CONTAINS", ("!b@bar.org", EMAIL), False),
    ("REGEXP_CONTAINS", ("!b@bar.org", LOOSE_EMAIL), True),
    ("REGEXP_CONTAINS", ("abc", "b"), True),
    ("REGEXP_CONTAINS", ("abc", ""), True),
    ("REGEXP_CONTAINS", ("", ""), True),
    ("REGEXP_CONTAINS", ("ÀB", "(?i)àb"), True),
    ("REGEXP_CONTAINS", ("日本", "^..$"), True),
    ("REGEXP_CONTAINS", ("日本".encode(), b"^..$"), False),
    ("REGEXP_CONTAINS", (b"\xff\x00", rb"\xff\x00"), True),
    ("REGEXP_CONTAINS", (typed(None, STRING), "a"), None),
    ("REGEXP_EXTRACT", ("foo@example.com", r"^[a-zA-Z0-9_.+-]+"), "foo"),
    (
        "REGEXP_EXTRACT",
        ("foo@example.com", r"^[a-zA-Z0-9_.+-]+@[a-zA-Z0-9-]+\.([a-zA-Z0-9-.]+$)"),
        "com",
    ),
    ("REGEXP_EXTRACT", ("ab", ".b"), "ab"),
    ("REGEXP_EXTRACT", ("ab", "(.)b"), "a"),
    ("REGEXP_EXTRACT", ("xyztb", "(.)+b"), "t"),
    ("REGEXP_EXTRACT", ("ab", "(z)?b"), None),
    ("REGEXP_EXTRACT", ("ab", "x"), None),
    ("REGEXP_EXTRACT", ("ab", "x*"), ""),
    ("REGEXP_EXTRACT", (b"a\xffc", rb"a(\xff)"), b"\xff"),
    ("REGEXP_EXTRACT_ALL", ("Try `func(x)` or `func(y)`", "`(.+?)`"), ("func(x)", "func(y)")),
    ("REGEXP_EXTRACT_ALL", ("123456", r"\d(\d)\d"), ("2", "5")),
    ("REGEXP_EXTRACT_ALL", ("banana", "ana"), ("ana",)),
    ("REGEXP_EXTRACT_ALL", ("abc", "x"), ()),
    ("REGEXP_EXTRACT_ALL", ("éb", ""), ("", "")),
    ("REGEXP_EXTRACT_ALL", ("abb", "b*"), ("", "bb")),
    ("REGEXP_EXTRACT_ALL", (b"\x01\x02", b"."), (b"\x01", b"\x02")),
    ("REGEXP_REPLACE", ("abc", "b(.)", r"X\1"), "aXc"),
    (
        "REGEXP_REPLACE",
        ("Jane Doe", r"^([\p{L}\x27-]+)\s+([\p{L}\x27-]+)$", r"\2, \1"),
        "Doe, Jane",
    ),
    ("REGEXP_REPLACE", ("banana", "ana", "x"), "bxna"),
    ("REGEXP_REPLACE", ("abb", "b*", "X"), "XaX"),
    ("REGEXP_REPLACE", ("éa", "", "-"), "-é-a-"),
    ("REGEXP_REPLACE", ("", "", "-"), "-"),
    ("REGEXP_REPLACE", ("abc", "b", r"\\\0\\"), "a\\b\\c"),
    ("REGEXP_REPLACE", ("ab", "(z)?b", r"[\1]"), "a[]"),
    ("REGEXP_REPLACE", (b"a\xffc", rb"\xff", b"-"), b"a-c"),
]


@pytest.mark.parametrize(("name", "arguments", "expected"), CASES)
def test_value(name: str, arguments: tuple[Any, ...], expected: Any) -> None:
    assert call(name, *arguments) == expected


@pytest.mark.parametrize("pattern", ["(", "a**", r"(?=a)", r"\1", "[z-a]"])
def test_patterns_invalid_in_re2_are_refused(pattern: str) -> None:
    with pytest.raises(BadRegularExpression):
        call("REGEXP_CONTAINS", "a", pattern)


@pytest.mark.parametrize("name", ["REGEXP_EXTRACT", "REGEXP_EXTRACT_ALL"])
def test_extraction_takes_one_group(name: str) -> None:
    with pytest.raises(BadArgument):
        call(name, "abc", "(a)(b)")


@pytest.mark.parametrize("replacement", ["\\", "\\2", "\\x", "a\\\\\\"])
def test_malformed_replacements(replacement: str) -> None:
    with pytest.raises(BadArgument):
        call("REGEXP_REPLACE", "abc", "(b)", replacement)


def test_a_piece_of_a_character_is_still_text() -> None:
    assert call("REGEXP_EXTRACT", "é", r"^\C") == "\ufffd"

"""Regular expressions; PostgreSQL 15 gave all results."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.base.errors import Code
from spanemu.sql.functions.postgresql.regexp.functions import (
    does_not_match,
    matches,
    regexp_match,
    regexp_replace,
    regexp_split_to_array,
    substring_matching,
)
from spanemu.sql.functions.postgresql.regexp.options import BadRegexp
from tests.unit.sql.functions.postgresql.context import code_of

MATCHES: list[tuple[str, str, str, tuple[str | None, ...] | None]] = [
    ("foobarbequebaz", "(bar)(beque)", "", ("bar", "beque")),
    ("foobarbequebaz", "(bar)(.+)?(beque)", "", ("bar", None, "beque")),
    ("abc", "a(?=b)b*(?=c)c*", "", ("abc",)),
    ("ab", "a(?!b)b*", "", None),
    ("ab", "a*(?<!a)b+", "", None),
    ("foobar", "(?<=oo)b+", "", ("b",)),
    ("foObARbEqUEbAz", "(bar)(beque)", "i", ("bAR", "bEqUE")),
    ("\n1\n2\n", ".?$", "m", ("",)),
    ("\n1\n2", "^2", "n", ("2",)),
    ("a\nb", "a.b", "", ("a\nb",)),
    ("a\nb", "a.b", "n", None),
    ("a\nb", "a.b", "p", None),
    ("a\nb", "^b", "w", ("b",)),
    ("a\nb", "a[^x]b", "p", None),
    ("xaby", "(a|ab)(by|y)", "", ("ab", "y")),
    ("abcd", "a(b*?)(.*)", "", ("", "")),
    ("abcd", "(a|ab)(bcd|c)?", "", ("a", "bcd")),
    ("XY1234Z", "Y*([0-9]{1,3})", "", ("123",)),
    ("XY1234Z", "Y*?([0-9]{1,3})", "", ("1",)),
    ("abc01234xyz", "(.*)(\\d+)(.*)", "", ("abc0123", "4", "xyz")),
    ("abc01234xyz", "(?:(.*?)(\\d+)(.*)){1,1}", "", ("abc", "01234", "xyz")),
    ("abab", "(ab)\\1", "", ("ab",)),
    ("abcabc", "(a*)(bc)\\2", "", None),
    ("aXbXa", "(a).*\\1", "", ("a",)),
    ("ABab", "(ab)\\1", "i", ("AB",)),
    ("the cat", "\\mcat\\M", "", ("cat",)),
    ("thecat", "\\mcat", "", None),
    ("a_b", "\\w+", "", ("a_b",)),
    ("été", "\\w+", "", ("t",)),
    ("ÉTÉ", "é", "i", None),
    ("a]b", "[]a]+", "", ("a]",)),
    ("a-b", "[a\\-]+", "", ("a-",)),
    ("x\ty", "[[:space:]]", "", ("\t",)),
    ("A", "[[:lower:]]", "i", ("A",)),
    ("a.b", "a.b", "q", ("a.b",)),
    ("a(b", "a(b", "q", ("a(b",)),
    ("a+b", "a\\+b", "b", ("a+b",)),
    ("aab", "a\\{2\\}b", "b", ("aab",)),
    ("ab", "a b # comment", "x", ("ab",)),
    ("abc", "(?i)B", "", ("b",)),
    ("abc", "***=b", "", ("b",)),
    ("abc", "***:b", "", ("b",)),
    ("aaa", "a{2}", "", ("aa",)),
    ("aaa", "a{2,}?", "", ("aa",)),
    ("a{b", "a{b", "", ("a{b",)),
    ("", "()", "", ("",)),
    ("abc", "", "", ("",)),
    ("aba", "(a|b)*", "", ("a",)),
    ("abab", "(ab)*?$", "", ("ab",)),
    ("ab", "(a){0}b", "", (None,)),
    ("A", "\\x41", "", ("A",)),
    ("A", "\\u0041", "", ("A",)),
    ("A", "\\101", "", ("A",)),
    ("x", "[[.hyphen.]x]", "", ("x",)),
    ("x", "[[=x=]]", "", ("x",)),
    ("ac", "a(?#comment)c", "", ("ac",)),
]
BAD = [
    ("(", "parentheses () not balanced"),
    ("(a", "parentheses () not balanced"),
    (")", "parentheses () not balanced"),
    ("[a", "brackets [] not balanced"),
    ("[z-a]", "invalid character range"),
    ("a{2,1}", "invalid repetition count(s)"),
    ("a{256}", "invalid repetition count(s)"),
    ("a{1", "braces {} not balanced"),
    ("a{1x}", "invalid repetition count(s)"),
    ("*a", "quantifier operand invalid"),
    ("a**", "quantifier operand invalid"),
    ("\\", "invalid escape \\ sequence"),
    ("\\q", "invalid escape \\ sequence"),
    ("(?z)a", "invalid embedded option"),
    ("(?", "quantifier operand invalid"),
    ("(?x", "invalid embedded option"),
    ("(a)\\2", "invalid backreference number"),
    ("[[:nope:]]", "invalid character class"),
    ("[[.nope.]]", "invalid collating element"),
    ("(?<a)", "quantifier operand invalid"),
    ("***a", "quantifier operand invalid"),
    ("(?=(a)\\1)", "invalid backreference number"),
    ("[a\\A]", "invalid escape \\ sequence"),
    ("((((a{255}){255}){255}){255})", "regular expression is too complex"),
]


@pytest.mark.parametrize(("text", "pattern", "flags", "expected"), MATCHES)
def test_regexp_match(
    text: str, pattern: str, flags: str, expected: tuple[str | None, ...] | None
) -> None:
    assert regexp_match(text, pattern, flags) == expected
    if not flags:
        assert matches(text, pattern) is (expected is not None)
        assert does_not_match(text, pattern) is (expected is None)
        first = None if expected is None else expected[0]
        assert substring_matching(text, pattern) == first


@pytest.mark.parametrize(("pattern", "reason"), BAD)
def test_malformed_expressions(pattern: str, reason: str) -> None:
    with pytest.raises(BadRegexp) as caught:
        matches("a", pattern)
    assert (caught.value.code, caught.value.reason) == (Code.INVALID_ARGUMENT, reason)


@pytest.mark.parametrize(
    ("text", "pattern", "replacement", "flags", "expected"),
    [
        ("Thomas", ".[mN]a.", "M", "", "ThM"),
        ("foobarbaz", "b..", "X", "", "fooXbaz"),
        ("foobarbaz", "b..", "X", "g", "fooXX"),
        ("foobarbaz", "b(..)", "X\\1Y", "g", "fooXarYXazY"),
        ("abc", "b", "[\\&\\\\\\x\\9]", "", "a[b\\\\x]c"),
        ("abc", "b", "x\\", "", "ax\\c"),
        ("abc", "", "-", "g", "-a-b-c-"),
        ("abcde", "$", "f", "", "abcdef"),
    ],
)
def test_regexp_replace(
    text: str, pattern: str, replacement: str, flags: str, expected: str
) -> None:
    assert regexp_replace(text, pattern, replacement, flags) == expected


@pytest.mark.parametrize(
    ("text", "pattern", "flags", "expected"),
    [
        ("the quick", "\\s+", "", ("the", "quick")),
        ("thE QUick bROWn", "e", "i", ("th", " QUick bROWn")),
        ("abc", "", "", ("a", "b", "c")),
        ("", "x", "", ("",)),
        ("xax", "x", "", ("", "a", "")),
        ("a.b..c", "\\s+", "", ("a.b..c",)),
    ],
)
def test_regexp_split_to_array(
    text: str, pattern: str, flags: str, expected: tuple[str, ...]
) -> None:
    assert regexp_split_to_array(text, pattern, flags) == expected


def test_flags_are_checked() -> None:
    assert code_of(regexp_match, "a", "a", "z") is Code.INVALID_ARGUMENT
    assert code_of(regexp_match, "a", "a", "g") is Code.INVALID_ARGUMENT
    assert code_of(regexp_split_to_array, "a", "a", "g") is Code.INVALID_ARGUMENT
    assert code_of(regexp_replace, "a", "a", "b", "1") is Code.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("text", "pattern"),
    [("a" * 20_000, "(a*)*b"), ("a" * 5_000, "^(a|aa)+b$"), ("a" * 500, "((a*)*)*c")],
)
def test_time_does_not_explode(text: str, pattern: str) -> None:
    assert not matches(text, pattern)


@given(
    st.text(st.sampled_from("ab\n1 é"), max_size=10),
    st.text(st.sampled_from("ab.*+?{}[](|)^$\\12,:=!<-i"), max_size=12),
)
def test_no_expression_breaks_the_matcher(text: str, pattern: str) -> None:
    assert code_of(regexp_match, text, pattern) in (None, Code.INVALID_ARGUMENT)


@pytest.mark.parametrize("pattern", ["a" * 200_000, "(" * 1_000, "((a{255}){255}){255}"])
def test_large_expressions_are_refused(pattern: str) -> None:
    assert code_of(matches, "a", pattern) is Code.INVALID_ARGUMENT


def test_an_array_has_many_parts() -> None:
    assert len(regexp_split_to_array("word " * 5_000, r"\s+")) == 5_001

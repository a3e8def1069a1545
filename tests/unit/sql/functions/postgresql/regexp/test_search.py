"""RE2 and the matcher find the same matches."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanemu.sql.functions.postgresql.regexp.matcher import Matcher
from spanemu.sql.functions.postgresql.regexp.options import parse_flags
from spanemu.sql.functions.postgresql.regexp.parser import parse_regexp
from spanemu.sql.functions.postgresql.regexp.search import linear_search
from spanemu.sql.functions.postgresql.regexp.syntax import Preference

_ATOMS = st.sampled_from(
    ["a", "b", "ab", ".", "[ab]", "[^a]", r"\w", r"[\W1]", r"\S", "(a|ab)", "(?:b|)", "(a*)"]
)
_CONSTRAINTS = st.sampled_from(["^", "$", r"\y", r"\Y", r"\A", r"\Z"])
_QUANTIFIERS = st.sampled_from(["", "", "*", "+", "?", "{2}", "{1,2}", "*?"])
_PARTS = st.one_of(st.tuples(_ATOMS, _QUANTIFIERS).map("".join), _CONSTRAINTS)
_BRANCHES = st.lists(_PARTS, max_size=4).map("".join)
_PATTERNS = st.lists(_BRANCHES, min_size=1, max_size=3).map("|".join)


@given(
    _PATTERNS, st.text(st.sampled_from("aab1 \n\v"), max_size=8), st.sampled_from(["", "n", "i"])
)
def test_both_searches_agree(pattern: str, text: str, flags: str) -> None:
    regexp = parse_regexp(pattern, parse_flags(flags)[0])
    search = linear_search(regexp.root)
    assert search is not None
    match, span = search(text.encode()), Matcher(regexp, text).search()
    assert (match is None) == (span is None)
    if match is not None and regexp.root.preference is not Preference.SHORTEST:
        assert match.span() == span


def test_only_the_matcher_knows_look_around_and_back_references() -> None:
    for pattern in ("a(?=b)", "(?<!a)b", r"(a)\1", r"\ma"):
        assert linear_search(parse_regexp(pattern, parse_flags("")[0]).root) is None

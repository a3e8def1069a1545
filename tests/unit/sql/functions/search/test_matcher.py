"""The matcher against a naive one, and what an index looks up against the matcher."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from spanemu.sql.functions.search.matcher import fulfils, occurrences_in
from spanemu.sql.functions.search.queries import search_query
from spanemu.sql.functions.search.query_tree import (
    EVERYTHING,
    NOTHING,
    AllOf,
    AnyOf,
    AtLeast,
    Not,
    Phrase,
    SearchQuery,
    Term,
)
from spanemu.sql.functions.search.terms import candidates, decides, tokens_of
from spanemu.values.token_list import TokenList
from tests.unit.sql.functions.search.lists import fulltext, is_part, searches, substring
from tests.unit.sql.functions.search.naive import (
    DOCUMENTS,
    QUERIES,
    WORDS,
    Document,
    Query,
    is_found,
    text_of,
)


def _tokens(document: Document) -> TokenList:
    return fulltext([" ".join(words) for words in document])


def _prepared(query: str, tokens: TokenList) -> SearchQuery:
    prepared = search_query("SEARCH", tokens.tokenizer, (query,))
    assert prepared is not None
    return prepared


@given(QUERIES, DOCUMENTS)
@example(
    ("around", ("or", ("word", "b"), ("phrase", "a", "b")), 0, ("word", "c")), [["a", "b", "c"]]
)
def test_matcher_agrees_with_the_naive_one(query: Query, document: Document) -> None:
    assert searches(_tokens(document), text_of(query)) is is_found(query, document)


@given(QUERIES, DOCUMENTS)
def test_no_match_lies_outside_of_the_candidates(query: Query, document: Document) -> None:
    tokens = _tokens(document)
    tree = _prepared(text_of(query), tokens).tree
    occurrences = occurrences_in(tokens)
    is_candidate = fulfils(candidates(tree), occurrences)
    is_match = fulfils(tree, occurrences)
    assert is_candidate or not is_match
    if decides(tree):
        assert is_candidate == is_match


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, min_size=1, max_size=6))
def test_substrings_are_those_of_words(letters: list[str], query: list[str]) -> None:
    word, part = "".join(letters), "".join(query)
    for smallest, largest in ((1, 4), (1, 1), (2, 3), (3, 3)):
        tokens = substring(f"x {word} y", ngram_size_min=smallest, ngram_size_max=largest)
        expected = part in word if len(part) >= smallest else part == word
        assert is_part(tokens, part) is expected


def test_candidates_are_what_tokens_must_be_there() -> None:
    a, b = Term(b"a"), Term(b"b")
    assert candidates(AllOf((a, Not(b)))) == a
    assert candidates(AnyOf((a, Not(b)))) == EVERYTHING
    assert candidates(Not(a)) == EVERYTHING
    assert candidates(Phrase(((b"a",), None, (b"b", b"c")))) == AllOf((a, AnyOf((b, Term(b"c")))))
    assert candidates(AllOf((a, NOTHING))) == NOTHING
    assert candidates(AnyOf((a, NOTHING))) == a
    least = AtLeast(2, (b"a", b"b", b"c"))
    assert candidates(least) == least
    assert tokens_of(AllOf((least, Phrase(((b"d",),))))) == {b"a", b"b", b"c", b"d"}


def test_trees_of_different_kinds_differ() -> None:
    assert NOTHING != EVERYTHING
    assert len({NOTHING, EVERYTHING, Not(Term(b"a")), Term(b"a")}) == 4


@given(st.text(alphabet='ab"()|-* \nOR#AROUND5.', max_size=40), DOCUMENTS)
def test_no_query_fails(query: str, document: Document) -> None:
    assert searches(_tokens(document), query) in (True, False)


def test_deep_nesting_is_no_failure() -> None:
    assert searches(fulltext("a"), "(" * 50_000 + "a")
    assert not searches(fulltext("a"), "-(" * 50_000 + "b" + ")" * 50_000)

"""The matcher against a naive one.

`SPANEMU_SEARCH_EXAMPLES` sets the number of random queries and documents.
"""

from __future__ import annotations

import os

from hypothesis import example, given, settings
from hypothesis import strategies as st

from spanemu.sql.functions.search.query_tree import (
    NOTHING,
    AllOf,
    Around,
    AtLeast,
    Not,
    Phrase,
    Similar,
    Term,
    tokens_of,
)
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

EXAMPLES = int(os.environ.get("SPANEMU_SEARCH_EXAMPLES", "300"))


def _tokens(document: Document) -> TokenList:
    return fulltext([" ".join(words) for words in document])


@given(QUERIES, DOCUMENTS)
@example(
    ("around", ("or", ("word", "b"), ("phrase", "a", "b")), 0, ("word", "c")), [["a", "b", "c"]]
)
@settings(max_examples=EXAMPLES)
def test_matcher_agrees_with_the_naive_one(query: Query, document: Document) -> None:
    assert searches(_tokens(document), text_of(query)) is is_found(query, document)


@given(st.lists(WORDS, max_size=6), st.lists(WORDS, min_size=1, max_size=6))
def test_substrings_are_those_of_words(letters: list[str], query: list[str]) -> None:
    word, part = "".join(letters), "".join(query)
    for smallest, largest in ((1, 4), (1, 1), (2, 3), (3, 3)):
        tokens = substring(f"x {word} y", ngram_size_min=smallest, ngram_size_max=largest)
        expected = part in word if len(part) >= smallest else part == word
        assert is_part(tokens, part) is expected


def test_tokens_of_a_tree_are_those_of_all_its_parts() -> None:
    least = AtLeast(2, (b"a", b"b", b"c"))
    assert tokens_of(Not(Around((Term(b"a"), Similar("x")), (1,)))) == {b"a"}
    assert tokens_of(AllOf((least, Phrase(((b"d",),))))) == {b"a", b"b", b"c", b"d"}


def test_trees_of_different_kinds_differ() -> None:
    assert len({NOTHING, AllOf(()), Not(Term(b"a")), Term(b"a")}) == 4


@given(st.text(alphabet='ab"()|-* \nOR#AROUND5.', max_size=40), DOCUMENTS)
def test_no_query_fails(query: str, document: Document) -> None:
    assert searches(_tokens(document), query) in (True, False)


def test_deep_nesting_is_matched() -> None:
    assert searches(fulltext("a"), "(" * 50_000 + "a")
    assert not searches(fulltext("a"), "-(" * 50_000 + "b" + ")" * 50_000)

"""Occurrences of tokens in encoded lists, against those of decoded lists."""

from __future__ import annotations

from array import array
from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.values.token_finder import append_occurrences, finder
from spanemu.values.token_list import TokenizedValue, Tokenizer, TokenKind, TokenList

WORDS = st.sampled_from([b"a", b"ab", b"aba", b"#a", b"#ab", b"b", "é".encode()])
VALUES = st.builds(
    TokenizedValue,
    st.lists(WORDS, max_size=8).map(tuple),
    st.sampled_from([b"", b"", b"", b"\x02"]),
    st.none(),
)

TOKENIZERS = st.sampled_from(
    [
        Tokenizer(TokenKind.FULLTEXT),
        Tokenizer(TokenKind.TOKEN),
        Tokenizer(TokenKind.SUBSTRING, 1, 2),
        Tokenizer(TokenKind.SUBSTRING, 2, 3),
        Tokenizer(
            TokenKind.SUBSTRING, 1, 3, frozenset({"word_prefix"}), short_only_for_anchors=True
        ),
        Tokenizer(TokenKind.NGRAMS, 1, 2),
        Tokenizer(TokenKind.NGRAMS, 3, 3),
    ]
)


@given(
    st.sampled_from([TokenKind.FULLTEXT, TokenKind.FULLTEXT, TokenKind.TOKEN]),
    st.lists(VALUES, max_size=2),
)
def test_a_finder_finds_the_occurrences_of_the_decoded_list(
    kind: TokenKind, values: list[TokenizedValue]
) -> None:
    tokens = TokenList(Tokenizer(kind), values)
    find = finder(tokens.encode())
    for token in (b"a", b"ab", b"aba", b"#a", b"#ab", b"b", b"ba", "é".encode(), b"x"):
        assert list(find(token)) == tokens.postings.get(token, [])


@given(
    TOKENIZERS,
    st.lists(st.lists(VALUES, max_size=3), max_size=3),
)
def test_appended_occurrences_are_those_of_the_decoded_lists(
    tokenizer: Tokenizer, documents: list[list[TokenizedValue]]
) -> None:
    postings: defaultdict[bytes, array[int]] = defaultdict(lambda: array("Q"))
    expected: dict[bytes, list[int]] = {}
    for number, values in enumerate(documents):
        tokens = TokenList(tokenizer, values)
        base = number << 32
        assert append_occurrences(tokens.encode(), postings, base, 1 << 31) == tokens.tokenizer
        for token, occurrence in tokens.occurrences():
            expected.setdefault(token, []).append(base + occurrence)
    assert {token: list(each) for token, each in postings.items()} == expected


@pytest.mark.parametrize("kind", [TokenKind.FULLTEXT, TokenKind.TOKEN, TokenKind.SUBSTRING])
def test_occurrences_beyond_the_limit_are_refused(kind):
    tokens = TokenList(Tokenizer(kind, 1, 1), [TokenizedValue((b"a", b"b"))] * 3)
    postings: defaultdict[bytes, array[int]] = defaultdict(lambda: array("Q"))
    with pytest.raises(OverflowError):
        append_occurrences(tokens.encode(), postings, 0, 1000)

"""Occurrences of tokens in encoded lists, against those of decoded lists."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from spanemu.values.token_finder import finder
from spanemu.values.token_list import TokenizedValue, Tokenizer, TokenKind, TokenList

WORDS = st.sampled_from([b"a", b"ab", b"aba", b"#a", b"#ab", b"b", "é".encode()])
VALUES = st.builds(
    TokenizedValue,
    st.lists(WORDS, max_size=8).map(tuple),
    st.sampled_from([b"", b"", b"", b"\x02"]),
    st.none(),
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

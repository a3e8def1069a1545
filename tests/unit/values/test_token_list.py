"""The encoding of token lists."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanemu.values.token_list import (
    GAP,
    Category,
    OtherTokenList,
    TokenizedValue,
    Tokenizer,
    TokenKind,
    TokenList,
    category_of,
    position_of,
    tokenizer_of,
)

WORDS = st.lists(st.binary(min_size=1, max_size=8), min_size=1, max_size=5).map(tuple)
VALUES = st.builds(
    TokenizedValue,
    WORDS,
    st.binary(max_size=1).map(lambda data: bytes(byte % 4 for byte in data)),
    st.none() | st.binary(max_size=12),
)
TOKENIZERS = st.builds(
    Tokenizer,
    st.sampled_from(TokenKind),
    st.integers(0, 12),
    st.integers(0, 12),
    st.frozensets(st.sampled_from(["phrase", "word_prefix", "value_suffix"])),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "en-us", "zh"]),
    st.booleans(),
    st.sampled_from(["", "=", "logtree,1,100,10,2,15"]),
)


@given(TOKENIZERS, st.lists(VALUES, max_size=4))
def test_a_list_is_read_as_written(tokenizer: Tokenizer, values: list[TokenizedValue]) -> None:
    tokens = TokenList(tokenizer, values)
    data = tokens.encode()
    assert TokenList.decode(data) == tokens
    assert tokenizer_of(data) == tokenizer


def test_an_empty_token_is_read_as_written() -> None:
    tokens = TokenList(
        Tokenizer(TokenKind.TOKEN), [TokenizedValue((b"",)), TokenizedValue((b"a",))]
    )
    assert TokenList.decode(tokens.encode()) == tokens


def test_a_value_of_text_alone_is_read_as_written() -> None:
    tokens = TokenList(Tokenizer(TokenKind.SUBSTRING, 1, 4), [TokenizedValue((), b"", b"?!")])
    assert TokenList.decode(tokens.encode()) == tokens


@pytest.mark.parametrize("data", [b"", b"fulltext\x1fa\x1fb", b"\x02F\x1ca\x1d", b"x\x1c"])
def test_bytes_of_other_versions_are_refused(data: bytes) -> None:
    with pytest.raises(OtherTokenList, match="written by another version of spanemu"):
        TokenList.decode(data)
    with pytest.raises(OtherTokenList):
        tokenizer_of(data)


def test_postings_tell_position_category_and_ends_of_values() -> None:
    values = [
        TokenizedValue((b"a", b"#b", b"a"), bytes((Category.TITLE,))),
        TokenizedValue((b"c",)),
    ]
    postings = TokenList(Tokenizer(TokenKind.FULLTEXT), values).postings
    assert list(postings) == [b"a", b"#b", b"b", b"c"]
    assert [position_of(each) for each in postings[b"a"]] == [0, 2]
    assert [each & 3 for each in postings[b"a"]] == [1, 2]
    assert postings[b"b"] == postings[b"#b"]
    assert category_of(postings[b"b"][0]) == Category.TITLE
    assert [position_of(each) for each in postings[b"c"]] == [3 + GAP]
    assert [each & 3 for each in postings[b"c"]] == [3]


def test_the_same_list_has_the_same_hash() -> None:
    one, other = (TokenList(Tokenizer(TokenKind.TOKEN), [TokenizedValue((b"a",))]) for _ in "ab")
    assert one == other
    assert hash(one) == hash(other)
    assert one != TokenList(Tokenizer(TokenKind.TOKEN))

"""Occurrences of tokens and texts of values in encoded token lists, without decoding them.

A query has few tokens, and a document has hundreds. The words of a full text stand in the encoding
one after the other, so that a search for bytes finds a token, and the number of separators in front
of it is its position:

    header 1C  the 1F quick 1F brown 1F fox 1D        brown: position 2

This holds for a list of one value whose words all have the lowest category. Other lists are
decoded. The text of an n-gram list lies in the encoding as well.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from spanemu.values.token_list import (
    CATEGORY_SHIFT,
    FIRST,
    GAP,
    LAST,
    POSITION_SHIFT,
    Tokenizer,
    TokenKind,
    TokenList,
    gram_runs,
)

_HEADER_END = b"\x1c"
_VALUE_END = b"\x1d"
_FIELD_END = b"\x1e"
_ESCAPE = b"\x1b"
_WORD_END = b"\x1f"
_FULLTEXT = b"\x01F"  # version and kind
_BLANK = 0x20  # Words contain no byte below; separators are all below.
# Turns ASCII text in lower case into words and blanks.
_WORDS = bytes([code if chr(code).isalnum() else _BLANK for code in range(128)]) + bytes(128)
_NOWHERE: tuple[int, ...] = ()


def finder(data: bytes) -> Callable[[bytes], Sequence[int]]:
    """Return the function from a token to its occurrences in an encoded list."""
    start = data.find(_HEADER_END) + 1
    end = data.find(_VALUE_END)
    is_plain = end == len(data) - 1 and _FIELD_END not in data
    if not is_plain or not data.startswith(_FULLTEXT):
        return _decoded(data)
    has_hashes = b"#" in data

    def find(token: bytes) -> Sequence[int]:
        hits: list[int] = []
        after = start + len(token)
        if data.startswith(token, start) and data[after] < _BLANK:
            hits.append(FIRST | (LAST if after == end else 0))
        word = _WORD_END + token
        at = data.find(word, start)
        while at >= 0:
            after = at + len(word)
            if data[after] < _BLANK:
                position = data.count(_WORD_END, start, at + 1)
                hits.append(position << POSITION_SHIFT | (LAST if after == end else 0))
            at = data.find(word, after)
        if has_hashes and token[:1] != b"#":
            hits = sorted([*hits, *find(b"#" + token)])
        return hits

    return find


def append_occurrences(
    data: bytes, postings: Mapping[bytes, array[int]], base: int, limit: int
) -> Tokenizer:
    """Append all occurrences in an encoded list, each plus `base`, to the postings of their tokens.

    `postings` makes an array for a token that it lacks. Raise OverflowError for an occurrence above
    `limit`, and OtherTokenList for other bytes; both leave the postings incomplete.
    """
    tokens = TokenList.decode(data)
    kind = tokens.tokenizer.kind
    if tokens.tokenizer.has_ngrams:
        _append_grams(tokens, postings, base, limit)
        return tokens.tokenizer
    is_text = kind is TokenKind.FULLTEXT and b"#" not in data
    if is_text and all(len(value.categories) <= 1 for value in tokens.values):
        _append_words(tokens, postings, base, limit)
        return tokens.tokenizer
    for token, occurrence in tokens.occurrences():
        if occurrence > limit:
            raise OverflowError
        postings[token].append(base + occurrence)
    return tokens.tokenizer


def _append_words(
    tokens: TokenList, postings: Mapping[bytes, array[int]], base: int, limit: int
) -> None:
    """Append the occurrences of words, by few calls in Python for each value."""
    start = 0
    for value in tokens.values:
        words = value.words
        low = start << POSITION_SHIFT | value.category(0) << CATEGORY_SHIFT
        end = low + (len(words) << POSITION_SHIFT)
        if end > limit:
            raise OverflowError
        first = postings[words[0]]
        known = len(first)
        places = range(base + low, base + end, 1 << POSITION_SHIFT)
        deque(map(array.append, map(postings.__getitem__, words), places), maxlen=0)
        first[known] |= FIRST
        postings[words[-1]][-1] |= LAST
        start += len(words) + GAP


def _append_grams(
    tokens: TokenList, postings: Mapping[bytes, array[int]], base: int, limit: int
) -> None:
    """Append the occurrences of n-grams, by few calls in Python for each word."""
    start = 0
    for value in tokens.values:
        short, runs = gram_runs(tokens.tokenizer, value)
        last = runs[-1][0] + max(0, len(runs[-1][1]) - 1) if runs else 0
        if start + last << POSITION_SHIFT > limit:
            raise OverflowError
        low = base + (start << POSITION_SHIFT)
        for token in short:
            postings[token].append(low)
        for first, run in runs:
            begin = low + (first << POSITION_SHIFT)
            places = range(begin, begin + (len(run) << POSITION_SHIFT), 1 << POSITION_SHIFT)
            deque(map(array.append, map(postings.__getitem__, run), places), maxlen=0)
        start += last + 1 + GAP


def has_part(data: bytes, text: bytes) -> bool:
    """Return whether a word of an encoded list of n-grams contains a text without separators."""
    words = data.find(_HEADER_END)
    if _FIELD_END not in data:
        return data.find(text, words) >= 0
    return any(text in word for value in TokenList.decode(data).values for word in value.words)


def source_texts(data: bytes) -> list[str]:
    """Return the texts of the values of an encoded list of n-grams, as scores compare them."""
    end = data.find(_VALUE_END)
    if end == len(data) - 1 and _FIELD_END not in data and _ESCAPE not in data:
        text = data[data.find(_HEADER_END) + 1 : end]
        return [text.replace(_WORD_END, b" ").decode()]
    return [value.source().decode() for value in TokenList.decode(data).values]


def tells_text(data: bytes, tokenizer: Tokenizer) -> bool:
    """Return whether the n-grams of an encoded list tell those of the text that scores compare.

    They do if the text is the words with separators around them, in lower case and in the same
    normal form. The text of an HTML document, for example, has tags besides.
    """
    end = data.find(_VALUE_END)
    if end != len(data) - 1 or _ESCAPE in data:
        return False
    start = data.find(_HEADER_END) + 1
    if tokenizer.kind is TokenKind.NGRAMS:
        text = data[start:end]
        return text == text.lower() if text.isascii() else _is_lower(text.decode())
    at = data.find(_FIELD_END, start)
    if at < 0:
        return True
    text = data[data.find(_FIELD_END, at + 1) + 1 : end]
    return text.isascii() and text.translate(_WORDS).split() == data[start:at].split(_WORD_END)


def _is_lower(text: str) -> bool:
    return text == text.lower()


def _decoded(data: bytes) -> Callable[[bytes], Sequence[int]]:
    postings = TokenList.decode(data).postings
    return lambda token: postings.get(token, _NOWHERE)

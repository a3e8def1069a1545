"""Occurrences of tokens and texts of values in encoded token lists, without decoding them.

A query has few tokens, and a document has hundreds. The words of a full text stand in the encoding
one after the other, so that a search for bytes finds a token, and the number of separators in front
of it is its position:

    header 1C  the 1F quick 1F brown 1F fox 1D        brown: position 2

This holds for a list of one value whose words all have the lowest category. Other lists are
decoded. The text of an n-gram list lies in the encoding as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from spanemu.values.token_list import FIRST, LAST, POSITION_SHIFT, TokenList

_HEADER_END = b"\x1c"
_VALUE_END = b"\x1d"
_FIELD_END = b"\x1e"
_ESCAPE = b"\x1b"
_WORD_END = b"\x1f"
_FULLTEXT = b"\x01F"  # version and kind
_BLANK = 0x20  # Words contain no byte below; separators are all below.
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


def source_texts(data: bytes) -> list[str]:
    """Return the texts of the values of an encoded list of n-grams, as scores compare them."""
    end = data.find(_VALUE_END)
    if end == len(data) - 1 and _FIELD_END not in data and _ESCAPE not in data:
        text = data[data.find(_HEADER_END) + 1 : end]
        return [text.replace(_WORD_END, b" ").decode()]
    return [value.source().decode() for value in TokenList.decode(data).values]


def _decoded(data: bytes) -> Callable[[bytes], Sequence[int]]:
    postings = TokenList.decode(data).postings
    return lambda token: postings.get(token, _NOWHERE)

"""Queries of SEARCH_SUBSTRING and SEARCH_NGRAMS over n-grams.

Without a relative type, every word of a substring query must be part of some word of the list:

    a whole word shorter than the smallest n-gram      the same word
    a word up to the size of the largest n-gram        its n-gram
    a longer word                                      its largest n-grams, side by side

With a type, the words of the query, joined by blanks, are looked for in a value's words, joined by
blanks. N-grams only say which lists to look at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil

from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.search import settings
from spanemu.sql.functions.search.query_tree import (
    NOTHING,
    AllOf,
    AtLeast,
    Node,
    Part,
    Phrase,
    SearchQuery,
    Term,
)
from spanemu.sql.functions.search.words import substring_words, without_diacritics
from spanemu.values.token_list import TokenizedValue, Tokenizer, TokenKind, TokenList, grams

MIN_NGRAMS_DEFAULT = 2
_PERCENT_MAX = 100
_BLANK = b" "


def substring_query(
    tokenizer: Tokenizer, text: str, relative_search_type: str | None = None
) -> SearchQuery:
    """Return the query of SEARCH_SUBSTRING."""
    words = _query_words(tokenizer, text)
    if relative_search_type is None:
        return SearchQuery(_words_tree(tokenizer, words))
    type_ = settings.relative_type(relative_search_type)
    if tokenizer.kind is TokenKind.NONE:
        return SearchQuery(NOTHING)
    if type_ not in tokenizer.relative_types:
        raise InvalidSearch(
            f"The referenced substring TOKENLIST is not tokenized with '{type_}' support."
        )
    if not words:
        return SearchQuery(NOTHING)
    return SearchQuery(_relative_tree(tokenizer, words), _check(tokenizer, words, type_))


def _query_words(tokenizer: Tokenizer, text: str) -> list[str]:
    words = substring_words(text)
    return [without_diacritics(word) for word in words] if tokenizer.remove_diacritics else words


def _words_tree(tokenizer: Tokenizer, words: Sequence[str]) -> Node:
    if not words:
        return NOTHING
    nodes: list[Node] = []
    for word in dict.fromkeys(words):
        is_part = tokenizer.ngram_min <= len(word) < tokenizer.ngram_max
        if is_part and tokenizer.short_only_for_anchors:
            return NOTHING
        nodes.append(_word_node(tokenizer, word))
    return nodes[0] if len(nodes) == 1 else AllOf(tuple(nodes))


def _word_node(tokenizer: Tokenizer, word: str) -> Node:
    if len(word) <= tokenizer.ngram_max:
        return Term(word.encode())
    largest = tuple([(gram.encode(),) for gram in grams(word, tokenizer.ngram_max)])
    return Part(word.encode(), Phrase(largest))


def _relative_tree(tokenizer: Tokenizer, words: Sequence[str]) -> Node:
    """Return what the n-grams of a list must fulfil, whatever the type.

    Words that may be parts of shorter words, or whose n-grams the list may lack, say nothing.
    """
    if len(words) == 1 and len(words[0]) < tokenizer.ngram_min:
        return Term(words[0].encode())
    smallest = tokenizer.ngram_max if tokenizer.short_only_for_anchors else tokenizer.ngram_min
    told = [word for word in dict.fromkeys(words) if len(word) >= smallest]
    return AllOf(tuple(_word_node(tokenizer, word) for word in told))


def _check(tokenizer: Tokenizer, words: Sequence[str], type_: str) -> Callable[[TokenList], bool]:
    query = " ".join(words).encode()
    fits = _FITS[type_]
    if len(words) == 1 and len(words[0]) < tokenizer.ngram_min:
        # Of a word so short, lists have no parts.
        return lambda tokens: any(
            query in value.words and fits(value, query, whole=True) for value in tokens.values
        )
    return lambda tokens: any(fits(value, query, whole=False) for value in tokens.values)


def _fits_phrase(value: TokenizedValue, query: bytes, *, whole: bool) -> bool:
    return whole or query in _BLANK.join(value.words)


def _fits_value_prefix(value: TokenizedValue, query: bytes, *, whole: bool) -> bool:
    return _BLANK.join((*value.words, b"")).startswith(query + _BLANK * whole)


def _fits_value_suffix(value: TokenizedValue, query: bytes, *, whole: bool) -> bool:
    return _BLANK.join((b"", *value.words)).endswith(_BLANK * whole + query)


def _fits_word_prefix(value: TokenizedValue, query: bytes, *, whole: bool) -> bool:
    return whole or _BLANK + query in _BLANK.join((b"", *value.words))


def _fits_word_suffix(value: TokenizedValue, query: bytes, *, whole: bool) -> bool:
    return whole or query + _BLANK in _BLANK.join((*value.words, b""))


_FITS = {
    "phrase": _fits_phrase,
    "value_prefix": _fits_value_prefix,
    "value_suffix": _fits_value_suffix,
    "word_prefix": _fits_word_prefix,
    "word_suffix": _fits_word_suffix,
}


# ---------------------------------------------------------------------------- n-grams


def ngrams_query(
    tokenizer: Tokenizer,
    text: str,
    min_ngrams: int | None = None,
    min_ngrams_percent: float | None = None,
) -> SearchQuery:
    """Return the query of SEARCH_NGRAMS: enough of the distinct n-grams of the query."""
    least = MIN_NGRAMS_DEFAULT if min_ngrams is None else min_ngrams
    percent = 0 if min_ngrams_percent is None else min_ngrams_percent
    if least < 1:
        raise InvalidSearch(f"SEARCH_NGRAMS: min_ngrams must be greater than 0, got: {least}")
    if not 0 <= percent <= _PERCENT_MAX:
        raise InvalidSearch(
            "SEARCH_NGRAMS: min_ngrams_percent must be between 0 and 100, got:"
            f" {min_ngrams_percent}"
        )
    tokens = tuple(gram.encode() for gram in _query_grams(tokenizer, text))
    if not tokens:
        return SearchQuery(NOTHING)
    by_percent = ceil(len(tokens) * percent / _PERCENT_MAX)
    return SearchQuery(AtLeast(max(min(least, len(tokens)), by_percent), tokens))


def _query_grams(tokenizer: Tokenizer, text: str) -> list[str]:
    """Return the distinct n-grams of the largest size; a shorter word is one by itself."""
    if len(text) < tokenizer.ngram_min or tokenizer.kind is TokenKind.NONE:
        return []
    if tokenizer.kind is TokenKind.SUBSTRING:
        words = _query_words(tokenizer, text)
    else:
        words = [without_diacritics(text) if tokenizer.remove_diacritics else text]
    distinct: dict[str, None] = {}
    for word in words:
        if tokenizer.ngram_min <= len(word) < tokenizer.ngram_max:
            distinct[word] = None
        distinct |= dict.fromkeys(grams(word, tokenizer.ngram_max))
    return list(distinct)

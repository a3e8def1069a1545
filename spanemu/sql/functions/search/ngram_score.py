"""SCORE_NGRAMS: how much of their trigrams a query and a text share.

Two blanks in front of the lower-cased text, and one behind it, let its beginning count more:

    "  clasic albun "    13 distinct trigrams
    "  rock album "      11, of which 3 are shared     3 / (13 + 11 - 3)

The figures of Spanner's manual follow exactly.

A token list of n-grams may hold some of the trigrams as tokens. A text that lacks such a token
lacks the trigram, which bounds the score before anything is known of the text itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.search.words import substring_words
from spanemu.values.token_list import Tokenizer, TokenKind

_ALGORITHM = "trigrams"
_SIZE = 3
_FLATTEN, _MAX_ELEMENT = "flatten", "max_element"

Compared = tuple[str, int]  # a padded text in lower case, and how many distinct trigrams it has


def check_algorithm(algorithm: str | None) -> None:
    """Raise InvalidSearch for an algorithm other than trigrams."""
    if algorithm is not None and algorithm.lower() != _ALGORITHM:
        raise InvalidSearch(
            f"SCORE_NGRAMS: Algorithm is not supported: '{algorithm}'; supported algorithms are:"
            f" '{_ALGORITHM}'"
        )


def takes_elements(array_aggregator: str | None) -> bool:
    """Return whether an aggregator scores each element of an array separately."""
    if array_aggregator is None or array_aggregator.lower() == _FLATTEN:
        return False
    if array_aggregator.lower() == _MAX_ELEMENT:
        return True
    raise InvalidSearch(
        f"SCORE_NGRAMS: array_aggregator is not supported: '{array_aggregator}'; supported"
        f" aggregators are: '{_FLATTEN}', '{_MAX_ELEMENT}'"
    )


class NgramScorer(NamedTuple):
    """A query of SCORE_NGRAMS: its distinct trigrams, and how elements of arrays are scored."""

    wanted: frozenset[str]
    by_element: bool = False

    def of_texts(self, texts: Sequence[str]) -> float:
        """Return the score of an array: of all elements as one text, or of the best element."""
        if self.by_element:
            return max([self.of(compared(text)) for text in texts], default=0.0)
        return self.of(compared(texts[0] if len(texts) == 1 else " ".join(texts)))

    def telling_tokens(self, tokenizer: Tokenizer) -> list[bytes]:
        """Return the wanted trigrams that a tokenizer makes a token wherever a text has them."""
        if not tokenizer.ngram_min <= _SIZE <= tokenizer.ngram_max:
            return []
        if tokenizer.short_only_for_anchors and tokenizer.ngram_max > _SIZE:
            return []
        is_token = _IS_TOKEN.get(tokenizer.kind)
        return [] if is_token is None else [each.encode() for each in self.wanted if is_token(each)]

    def bound(self, shared: int, count: int) -> float:
        """Return the greatest score of texts of `count` trigrams that share `shared` at most."""
        shared = min(shared, count)
        return shared / (count + len(self.wanted) - shared)

    def count_max(self, shared: int, score: float) -> int:
        """Return how many trigrams a text may have that shares `shared` and reaches a score."""
        return int(shared / score + shared - len(self.wanted)) + 1

    def of(self, text: Compared) -> float:
        """Return the score of a text."""
        return self.of_all((text,))[0]

    def of_all(self, texts: Iterable[Compared]) -> list[float]:
        """Return the score of each text."""
        wanted, size, scores = self.wanted, len(self.wanted), []
        for padded, count in texts:
            shared = len([each for each in wanted if each in padded])
            scores.append(shared / (count + size - shared) if shared else 0.0)
        return scores


@lru_cache(maxsize=256)
def ngram_scorer(query: str, *, by_element: bool = False) -> NgramScorer:
    """Return the scorer of a query."""
    return NgramScorer(frozenset(map("".join, _trigrams(_padded(query)))), by_element)


def compared(text: str, count: int = 0) -> Compared:
    """Return a text as it is compared with queries; `count` is the number of trigrams, if known."""
    padded = _padded(text)
    return padded, count or len(_trigrams(padded))


def _padded(text: str) -> str:
    return f"  {text.lower()} "


def _trigrams(padded: str) -> set[tuple[str, str, str]]:
    return set(zip(padded, padded[1:], padded[2:]))  # noqa: B905


def _is_in_word(trigram: str) -> bool:
    return substring_words(trigram) == [trigram]


def _is_inside(trigram: str) -> bool:
    """Return whether a trigram has no character of the blanks around a text."""
    return trigram[0] != " " != trigram[-1]


_IS_TOKEN = {TokenKind.SUBSTRING: _is_in_word, TokenKind.NGRAMS: _is_inside}

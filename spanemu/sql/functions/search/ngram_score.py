"""SCORE_NGRAMS: how much of their trigrams a query and a text share.

Two blanks in front of the lower-cased text, and one behind it, let its beginning count more:

    "  clasic albun "    13 distinct trigrams
    "  rock album "      11, of which 3 are shared     3 / (13 + 11 - 3)

The figures of Spanner's manual follow exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import InvalidSearch

_ALGORITHM = "trigrams"
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


def compared(text: str) -> Compared:
    """Return a text as it is compared with queries."""
    padded = _padded(text)
    return padded, len(_trigrams(padded))


def _padded(text: str) -> str:
    return f"  {text.lower()} "


def _trigrams(padded: str) -> set[tuple[str, str, str]]:
    return set(zip(padded, padded[1:], padded[2:]))  # noqa: B905

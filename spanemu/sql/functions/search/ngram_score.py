"""SCORE_NGRAMS: how much of their trigrams a query and a text share.

Two blanks in front of the lower-cased text, and one behind it, let its beginning count more:

    "  clasic albun "    13 distinct trigrams
    "  rock album "      11, of which 3 are shared     3 / (13 + 11 - 3)

The figures of Spanner's manual follow exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from spanemu.sql.functions.errors import InvalidSearch

_ALGORITHM = "trigrams"
_FLATTEN, _MAX_ELEMENT = "flatten", "max_element"

Trigrams = frozenset[tuple[str, str, str]]


def check_algorithm(algorithm: str | None) -> None:
    """Raise InvalidSearch for an algorithm other than trigrams."""
    if algorithm is not None and algorithm.lower() != _ALGORITHM:
        raise InvalidSearch(
            f"SCORE_NGRAMS: Algorithm is not supported: '{algorithm}'; supported algorithms are:"
            f" '{_ALGORITHM}'"
        )


def takes_elements(array_aggregator: str | None) -> bool:
    """Return whether an aggregator scores each element of an array by itself."""
    if array_aggregator is None or array_aggregator.lower() == _FLATTEN:
        return False
    if array_aggregator.lower() == _MAX_ELEMENT:
        return True
    raise InvalidSearch(
        f"SCORE_NGRAMS: array_aggregator is not supported: '{array_aggregator}'; supported"
        f" aggregators are: '{_FLATTEN}', '{_MAX_ELEMENT}'"
    )


def scorer(query: str, *, by_element: bool = False) -> Callable[[Sequence[str]], float]:
    """Return the function from the elements of an array to their score for a query.

    The elements are scored as one text, or by the best of them.
    """
    wanted = query_trigrams(query)
    if by_element:
        return lambda texts: max([score(text, wanted) for text in texts], default=0.0)
    return lambda texts: score(texts[0] if len(texts) == 1 else " ".join(texts), wanted)


def score(text: str, wanted: Trigrams) -> float:
    """Return the score of a text for the trigrams of a query."""
    padded = f"  {text.lower()} "
    found = set(zip(padded, padded[1:], padded[2:]))  # noqa: B905
    shared = len(wanted.intersection(found))
    return shared / (len(found) + len(wanted) - shared) if shared else 0.0


@lru_cache(maxsize=256)
def query_trigrams(query: str) -> Trigrams:
    """Return the distinct trigrams of a query."""
    return frozenset(_trigrams(query))


def _trigrams(text: str) -> set[tuple[str, str, str]]:
    padded = f"  {text.lower()} "
    return set(zip(padded, padded[1:], padded[2:], strict=False))

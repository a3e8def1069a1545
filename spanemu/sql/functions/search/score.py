"""SCORE: how well a token list fits a full-text query.

Google publishes the rules and a handful of figures, but no formula. This one follows the rules, and
gives the published figures to the last digit:

    sum of the terms       each contributes more the more often, and in the higher categories, it
                           occurs; a term contributes at most `_REPETITION` + 1 times its one hit
    + sum of the bigrams   neighbours of the query that are neighbours in the list, times
                           `bigram_weight` - 1
    * boosts               `_PARTIAL` if all terms stand side by side in the order of the query, and
                           `_EXACT` besides if they are the whole value

Negated parts contribute nothing, and exclude boosts. Version 2 counts the best operand of an OR in
full and the others by half, and lets repetitions count for less. The weight of rare terms is 1 as
long as queries are not enhanced; this emulator has no corpus to take frequencies from, so it is 1
always.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import isfinite
from struct import pack, unpack
from typing import Any

from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.search.matcher import Occurrences, bigram_count, chain_spans
from spanemu.sql.functions.search.query_tree import (
    AllOf,
    AnyOf,
    Around,
    Node,
    Not,
    Phrase,
    Term,
    tokens_of,
)
from spanemu.values.token_list import (
    CATEGORY_SHIFT,
    FIRST,
    LAST,
    POSITION_SHIFT,
    Category,
    category_of,
)

_TERM = 0.2500159740447998  # one hit of one term
_PARTIAL = 1.25
# The published scores of an exact match with a bigram, for the weights 2 and 3.
_EXACT_WITH_2, _EXACT_WITH_3 = 1.2818930149078369, 1.7417128086090088
_BOOSTED_BIGRAM = _EXACT_WITH_3 - _EXACT_WITH_2
_BOTH = (_EXACT_WITH_2 - _BOOSTED_BIGRAM) / (2 * _TERM)
_EXACT = _BOTH / _PARTIAL
_BIGRAM = _BOOSTED_BIGRAM / _BOTH
_REPETITION = {1: 3.0, 2: 1.5}  # by version
_OTHER_OPERANDS = 0.5

_DEFAULT_WEIGHTS = {
    Category.SMALL: 1.0,
    Category.MEDIUM: 1.5,
    Category.LARGE: 2.0,
    Category.TITLE: 3.0,
}


Scorer = Callable[[Occurrences], float]


class ScoreOptions(NamedTuple):
    """The `options` of SCORE."""

    bigram_weight: float = 2.0
    idf_weight: float = 1.0
    category_weights: tuple[float, ...] = tuple(_DEFAULT_WEIGHTS.values())
    version: int = 1


def options_of(value: Any) -> ScoreOptions:
    """Return the options that a JSON document states; raise InvalidSearch for others."""
    if value is None:
        return ScoreOptions()
    if not isinstance(value, dict):
        raise _bad("options must be a JSON object")
    readers: Mapping[str, Callable[[str, Any], Any]] = {
        "bigram_weight": _weight,
        "idf_weight": _weight,
        "token_category_weights": _category_weights,
        "version": _version,
    }
    read: dict[str, Any] = {}
    for name, member in value.items():
        if name not in readers:
            raise _bad(f"unknown option '{name}'; the options are: {', '.join(readers)}")
        field = "category_weights" if name == "token_category_weights" else name
        read[field] = readers[name](name, member)
    return ScoreOptions(**read)


def _weight(name: str, value: Any) -> float:
    is_number = not isinstance(value, bool | str | dict | list) and value is not None
    if not is_number or not isfinite(value) or value < 0:
        raise _bad(f"{name} must be a number that is not negative")
    return float(value)


def _category_weights(name: str, value: Any) -> tuple[float, ...]:
    names = [category.name.lower() for category in Category]
    if not isinstance(value, dict) or not value.keys() <= set(names):
        raise _bad(f"{name} must be an object with weights of {', '.join(names)}")
    return tuple(
        _weight(f"{name}.{each}", value[each]) if each in value else default
        for each, default in zip(names, _DEFAULT_WEIGHTS.values(), strict=True)
    )


def _version(name: str, value: Any) -> int:
    if value not in _REPETITION or isinstance(value, bool):
        raise _bad(f"{name} must be 1 or 2")
    return int(value)


def _bad(problem: str) -> InvalidSearch:
    return InvalidSearch(f"SCORE: {problem}")


@lru_cache(maxsize=256)
def scorer(tree: Node, options: ScoreOptions) -> Scorer:
    """Return the function from a list's occurrences to its score for a query."""
    words = tree.operands if isinstance(tree, AllOf) else (tree,)
    if all(isinstance(word, Term) for word in words) and len(set(words)) == len(words):
        tokens = [word.token for word in words if isinstance(word, Term)]
        return _words_scorer(tokens, options)
    return _tree_scorer(tree, options)


def _words_scorer(tokens: Sequence[bytes], options: ScoreOptions) -> Scorer:
    """Return what `_tree_scorer` returns for words alone, in a fraction of the time."""
    weights = options.category_weights
    bigram = _BIGRAM * (options.bigram_weight - 1)

    def score(occurrences: Occurrences) -> float:
        words = [occurrences(token) for token in tokens]
        total = 0.0
        for occurred in words:
            if len(occurred) == 1:
                total += _TERM * _repeated(weights[occurred[0] >> CATEGORY_SHIFT & 3], options)
            elif occurred:
                hits = sum([weights[one >> CATEGORY_SHIFT & 3] for one in occurred])
                total += _TERM * _repeated(hits, options)
        if not total:
            return 0.0
        is_chain = True
        for left, right in pairwise(words):
            count = _adjacent(left, right)
            is_chain = is_chain and count > 0
            if count:
                total += bigram * _repeated(count, options)
        if is_chain:
            total *= _chain_boost(words)
        return _single(total)

    return score


def _adjacent(left: Sequence[int], right: Sequence[int]) -> int:
    if not left or not right:
        return 0
    if len(left) == 1 == len(right):
        return (left[0] >> POSITION_SHIFT) + 1 == right[0] >> POSITION_SHIFT
    followers = {(each >> POSITION_SHIFT) + 1 for each in left}
    return len(followers.intersection([each >> POSITION_SHIFT for each in right]))


def _chain_boost(words: Sequence[Sequence[int]]) -> float:
    """Return the boost for words whose neighbours stand side by side at least somewhere."""
    starts = {one >> POSITION_SHIFT for one in words[0]}
    for offset, occurrences in enumerate(words[1:], 1):
        starts.intersection_update([(one >> POSITION_SHIFT) - offset for one in occurrences])
    if not starts:
        return 1.0
    last = len(words) - 1
    firsts = {one >> POSITION_SHIFT for one in words[0] if one & FIRST}
    lasts = {(one >> POSITION_SHIFT) - last for one in words[-1] if one & LAST}
    return _PARTIAL if starts.isdisjoint(firsts & lasts) else _PARTIAL * _EXACT


def _tree_scorer(tree: Node, options: ScoreOptions) -> Scorer:
    terms = _terms_scorer(tree, options)
    pairs = tuple(_bigrams(tree))
    tokens = tokens_of(tree)
    operands = None if _has_negation(tree) else _operands(tree)
    bigram = _BIGRAM * (options.bigram_weight - 1)

    def score(occurrences: Occurrences) -> float:
        by_token = {token: occurrences(token) for token in tokens}
        look_up = by_token.__getitem__
        total = terms(look_up)
        if not total:
            return 0.0
        for left, right in pairs:
            if count := bigram_count(left, right, look_up):
                total += bigram * _repeated(count, options)
        if operands is not None:
            total *= _boost(operands, tree, look_up)
        return _single(total)

    return score


def _single(total: float) -> float:
    rounded: float = unpack("<f", pack("<f", max(total, 0.0)))[0]
    return rounded


# ---------------------------------------------------------------------------- terms


def _terms_scorer(tree: Node, options: ScoreOptions) -> Scorer:
    if isinstance(tree, Term):
        return _term_scorer(tree.token, options)
    if isinstance(tree, Phrase):
        places = [
            [_term_scorer(token, options) for token in place] for place in tree.places if place
        ]
        return lambda occurrences: sum(
            max(scorer(occurrences) for scorer in place) for place in places
        )
    if isinstance(tree, AllOf | Around):
        operands = [_terms_scorer(operand, options) for operand in tree.operands]
        return lambda occurrences: sum(operand(occurrences) for operand in operands)
    if isinstance(tree, AnyOf):
        operands = [_terms_scorer(operand, options) for operand in tree.operands]
        if options.version == 1:
            return lambda occurrences: sum(operand(occurrences) for operand in operands)
        return lambda occurrences: _best_first([each(occurrences) for each in operands])
    return lambda _: 0.0


def _best_first(scores: list[float]) -> float:
    best = max(scores, default=0.0)
    return best + _OTHER_OPERANDS * (sum(scores) - best)


def _term_scorer(token: bytes, options: ScoreOptions) -> Scorer:
    weights = options.category_weights

    def score(occurrences: Occurrences) -> float:
        found = occurrences(token)
        if not found:
            return 0.0
        return _TERM * _repeated(sum(weights[category_of(each)] for each in found), options)

    return score


def _repeated(hits: float, options: ScoreOptions) -> float:
    """Return what many hits count for: 1 for one, and ever less for each one more."""
    more = _REPETITION[options.version]
    return (more + 1) * hits / (more + hits)


# ---------------------------------------------------------------------------- order


def _operands(tree: Node) -> tuple[Node, ...]:
    return tree.operands if isinstance(tree, AllOf | Around) else (tree,)


def _bigrams(tree: Node) -> list[tuple[Node, Node]]:
    """Return the neighbours in a query, those inside of its operands included."""
    if isinstance(tree, Phrase):
        places = [Phrase((place,)) for place in tree.places]
        return [pair for pair in pairwise(places) if all(each.places[0] for each in pair)]
    if isinstance(tree, AllOf | Around | AnyOf):
        inner = [pair for operand in tree.operands for pair in _bigrams(operand)]
        if isinstance(tree, AnyOf):
            return inner
        positive = [operand for operand in tree.operands if not isinstance(operand, Not)]
        return [*inner, *pairwise(positive)]
    return []


def _has_negation(tree: Node) -> bool:
    if isinstance(tree, Not):
        return True
    return isinstance(tree, AllOf | AnyOf | Around) and any(map(_has_negation, tree.operands))


def _boost(operands: tuple[Node, ...], tree: Node, occurrences: Occurrences) -> float:
    chains = chain_spans(operands, occurrences)
    if not chains:
        return 1.0
    marked = [each for token in tokens_of(tree) for each in occurrences(token)]
    firsts = {each >> POSITION_SHIFT for each in marked if each & FIRST}
    lasts = {each >> POSITION_SHIFT for each in marked if each & LAST}
    if any(start in firsts and end in lasts for start, end in chains):
        return _PARTIAL * _EXACT
    return _PARTIAL

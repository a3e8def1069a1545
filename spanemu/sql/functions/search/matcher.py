"""The truth about search queries: whether a token list fulfils one.

`matches` is what SEARCH, SEARCH_SUBSTRING and SEARCH_NGRAMS answer for a row. `fulfils` is the same
for one tree and the occurrences of its tokens, wherever these come from: a decoded list or the
postings of a search index. `spans` are the places where a part of a tree is found, which AROUND and
scores compare:

    "b c" in a b c b c          (1, 2) (3, 4)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spanemu.sql.functions.search.enhancement import resolved, vocabulary_of
from spanemu.sql.functions.search.query_tree import (
    AllOf,
    AnyOf,
    Around,
    AtLeast,
    Node,
    Not,
    Part,
    Phrase,
    SearchQuery,
    Similar,
    Term,
)
from spanemu.values.token_list import POSITION_SHIFT, TokenList

# From a token to its occurrences in one list, in ascending order; empty for a token it lacks.
Occurrences = Callable[[bytes], Sequence[int]]
Span = tuple[int, int]  # the first and the last position

_NOWHERE: tuple[int, ...] = ()


def matches(query: SearchQuery, tokens: TokenList) -> bool:
    """Return whether a token list fulfils a query."""
    tree = query.tree
    if query.is_open:
        tree = resolved(tree, vocabulary_of(tokens.postings))
    if not fulfils(tree, occurrences_in(tokens)):
        return False
    return query.check is None or query.check(tokens)


def occurrences_in(tokens: TokenList) -> Occurrences:
    """Return the lookup of occurrences in a list."""
    postings: Mapping[bytes, Sequence[int]] = tokens.postings
    return lambda token: postings.get(token, _NOWHERE)


def fulfils(tree: Node, occurrences: Occurrences) -> bool:
    """Return whether a list with these occurrences fulfils a tree."""
    return _FULFILS[type(tree)](tree, occurrences)


def _fulfils_term(tree: Term, occurrences: Occurrences) -> bool:
    return bool(occurrences(tree.token))


def _fulfils_similar(_tree: Similar, _occurrences: Occurrences) -> bool:
    return False


def _fulfils_phrase(tree: Phrase, occurrences: Occurrences) -> bool:
    return bool(phrase_starts(tree, occurrences))


def _fulfils_part(tree: Part, occurrences: Occurrences) -> bool:
    return bool(phrase_starts(tree.grams, occurrences))


def _fulfils_around(tree: Around, occurrences: Occurrences) -> bool:
    return bool(_around_spans(tree, occurrences))


def _fulfils_all(tree: AllOf, occurrences: Occurrences) -> bool:
    return all(fulfils(operand, occurrences) for operand in tree.operands)


def _fulfils_any(tree: AnyOf, occurrences: Occurrences) -> bool:
    return any(fulfils(operand, occurrences) for operand in tree.operands)


def _fulfils_not(tree: Not, occurrences: Occurrences) -> bool:
    return not fulfils(tree.operand, occurrences)


def _fulfils_at_least(tree: AtLeast, occurrences: Occurrences) -> bool:
    missing_max = len(tree.tokens) - tree.count
    for token in tree.tokens:
        if missing_max < 0:
            return False
        missing_max -= not occurrences(token)
    return missing_max >= 0


_FULFILS: Mapping[type, Callable[[Any, Occurrences], bool]] = {
    Term: _fulfils_term,
    Similar: _fulfils_similar,
    Phrase: _fulfils_phrase,
    Part: _fulfils_part,
    Around: _fulfils_around,
    AllOf: _fulfils_all,
    AnyOf: _fulfils_any,
    Not: _fulfils_not,
    AtLeast: _fulfils_at_least,
}


# ---------------------------------------------------------------------------- positions


def phrase_starts(tree: Phrase, occurrences: Occurrences) -> set[int]:
    """Return the positions where a phrase begins."""
    starts: set[int] | None = None
    for offset, alternatives in enumerate(tree.places):
        if alternatives is None:
            continue
        shifted = {
            (occurrence >> POSITION_SHIFT) - offset
            for token in alternatives
            for occurrence in occurrences(token)
        }
        starts = shifted if starts is None else starts & shifted
        if not starts:
            return set()
    return starts or set()


def spans(tree: Node, occurrences: Occurrences) -> set[Span]:
    """Return the places of a part of a query; none for a negation."""
    if isinstance(tree, Term):
        positions = [occurrence >> POSITION_SHIFT for occurrence in occurrences(tree.token)]
        return {(position, position) for position in positions}
    if isinstance(tree, Phrase):
        length = len(tree.places)
        return {(start, start + length - 1) for start in phrase_starts(tree, occurrences)}
    if isinstance(tree, Around):
        return _around_spans(tree, occurrences)
    if isinstance(tree, AnyOf) or (isinstance(tree, AllOf) and fulfils(tree, occurrences)):
        return {span for operand in tree.operands for span in spans(operand, occurrences)}
    return set()


def _around_spans(tree: Around, occurrences: Occurrences) -> set[Span]:
    """Return the spans from the first to the last operand, in order and near enough.

    A negated operand has no place: it only must not be joined anywhere.
    """
    joined: set[Span] | None = None
    for operand, distance in zip(tree.operands, (0, *tree.distances), strict=True):
        if isinstance(operand, Not):
            if not fulfils(operand, occurrences):
                return set()
            continue
        right = spans(operand, occurrences)
        joined = right if joined is None else _joined(joined, right, distance)
        if not joined:
            return set()
    return joined or set()


def _joined(left: set[Span], right: set[Span], distance: int) -> set[Span]:
    """Return the spans of a left and a right part with at most `distance` positions between.

    Of several left parts in front of a right one, the nearest counts, and the longest of these.
    """
    starts: dict[int, int] = {}
    for start, end in left:
        starts[end] = min(start, starts.get(end, start))
    ends = sorted(starts)
    joined: set[Span] = set()
    for start, end in right:
        at = bisect_left(ends, start) - 1
        if at >= 0 and start - ends[at] - 1 <= distance:
            joined.add((starts[ends[at]], end))
    return joined


def chain_spans(operands: Sequence[Node], occurrences: Occurrences) -> set[Span]:
    """Return the spans of all operands side by side, in order."""
    joined = spans(operands[0], occurrences)
    for operand in operands[1:]:
        if not joined:
            break
        joined = _joined(joined, spans(operand, occurrences), 0)
    return joined


def bigram_count(left: Node, right: Node, occurrences: Occurrences) -> int:
    """Return how often the right part follows the left part directly."""
    ends = {end for _, end in spans(left, occurrences)}
    return len(ends & {start - 1 for start, _ in spans(right, occurrences)})

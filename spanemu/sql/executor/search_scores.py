"""SCORE of many documents from postings, and SCORE_NGRAMS from their texts.

A score depends on which terms a document has, on their categories and marks, and on which of them
lie next to each other; not on where that is. So documents of the same shape have the same score,
which is computed once:

    cat ... small cat       cat, a gap, cat
    cat and another cat     cat, a gap, cat

The shape of a document is the sequence of its terms with the distances between them, up to the
greatest distance that can matter for the query. The postings of all terms, merged, yield the shapes
of all documents in one pass.

A score of n-grams needs the text of a document in lower case, and how many trigrams it has. Both
are kept with the postings, so that a query only looks for its own trigrams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, MutableMapping, Sequence
from typing import cast

from spanemu.base.deadline_checks import interruptible
from spanemu.sql.executor.documents import Postings
from spanemu.sql.executor.run import Row
from spanemu.sql.functions.search import query_tree
from spanemu.sql.functions.search.matcher import Occurrences
from spanemu.sql.functions.search.ngram_score import Compared, NgramScorer, compared
from spanemu.sql.functions.search.query_tree import tokens_of
from spanemu.values.token_finder import source_texts
from spanemu.values.token_list import POSITION_SHIFT

FEW = 64  # documents whose postings are looked up one by one
_TERMS_MAX = 256
_TERM_BITS = 8
_NUMBER_SHIFT = 32 + _TERM_BITS
_ATTRIBUTES = (1 << POSITION_SHIFT) - 1

Scorer = Callable[[Occurrences], float]


class Scores:
    """The scores of documents of a segment for one query, computed when they are asked for."""

    def __init__(self, postings: Postings, tree: query_tree.Node, scorer: Scorer) -> None:
        self._postings = postings
        self._tokens = sorted(tokens_of(tree))
        self._scorer = scorer
        self._reach = _reach(tree)
        self._asked = 0
        self._known: dict[int, float] | None = None

    def of(self, number: int) -> float:
        """Return the score of a document."""
        if self._known is not None:
            return self._known.get(number, 0.0)
        self._asked += 1
        if self._asked > FEW and len(self._tokens) <= _TERMS_MAX:
            self._known = self._all()
        return self._single(number)

    def of_all(self, numbers: Iterable[int]) -> list[float]:
        """Return the scores of documents."""
        return [self.of(number) for number in numbers]

    def _single(self, number: int) -> float:
        occurrences = self._postings.occurrences
        return self._scorer(lambda token: occurrences(token, number))

    def _all(self) -> dict[int, float]:
        """Return the scores of all documents that have one of the terms."""
        by_shape: dict[tuple[int, ...], float] = {}
        known: dict[int, float] = {}
        for number, shape in self._shapes():
            score = by_shape.get(shape)
            if score is None:
                score = by_shape[shape] = self._single(number)
            known[number] = score
        return known

    def _shapes(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Yield each document with its terms, their attributes and the distances between them."""
        reach, document, last = self._reach, -1, 0
        shape: list[int] = []
        for merged in interruptible(self._merged()):
            number = merged >> _NUMBER_SHIFT
            position = merged >> _TERM_BITS + POSITION_SHIFT
            distance = position - last
            if number != document:
                if shape:
                    yield document, tuple(shape)
                document, distance, shape = number, 0, []
            elif distance > reach:
                distance = reach
            last = position
            shape.append(distance << _TERM_BITS + POSITION_SHIFT | merged & _MARKS)
        if shape:
            yield document, tuple(shape)

    def _merged(self) -> list[int]:
        """Return all postings of the terms, each with the number of its term, by position."""
        merged: list[int] = []
        for term, token in enumerate(self._tokens):
            postings: Sequence[int] = self._postings.tokens.get(token, ())
            merged += [posting << _TERM_BITS | term for posting in postings]
        merged.sort()
        return merged


class NgramScores:
    """The scores of documents by SCORE_NGRAMS; the texts are kept for the next query."""

    def __init__(
        self, rows: Sequence[Row], position: int, postings: Postings, scorer: NgramScorer
    ) -> None:
        self._rows = rows
        self._position = position
        self._kept: MutableMapping[int, Compared] = postings.compared
        self._scorer = scorer

    def of(self, number: int) -> float:
        """Return the score of a document."""
        kept = self._kept.get(number)
        if kept is not None:
            return self._scorer.of(kept)
        data = self._rows[number][self._position]
        if data is None:
            return 0.0
        texts = source_texts(data)
        if len(texts) != 1:
            return self._scorer.of_texts(texts)
        text = self._kept[number] = compared(texts[0])
        return self._scorer.of(text)

    def of_all(self, numbers: list[int]) -> list[float]:
        """Return the scores of documents."""
        texts = list(map(self._kept.get, numbers))
        if None in texts:
            return [self.of(number) for number in numbers]
        return self._scorer.of_all(cast("list[Compared]", texts))


_MARKS = _ATTRIBUTES << _TERM_BITS | (1 << _TERM_BITS) - 1


def _reach(tree: query_tree.Node) -> int:
    """Return a distance from which on two terms of a query have nothing to do with each other."""
    if isinstance(tree, query_tree.Phrase):
        return len(tree.places) + 1
    if isinstance(tree, query_tree.Not):
        return _reach(tree.operand)
    if isinstance(tree, query_tree.Term | query_tree.AtLeast | query_tree.Similar):
        return 2
    distances = tree.distances if isinstance(tree, query_tree.Around) else ()
    return sum(distances) + sum(map(_reach, tree.operands)) + 2

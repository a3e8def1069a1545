"""SCORE of many documents from postings, and SCORE_NGRAMS from their texts.

A score depends on which terms a document has, on their categories and marks, and on which of them
lie next to each other; not on where that is. So documents of the same shape have the same score,
which is computed once:

    cat ... small cat       cat, a gap, cat
    cat and another cat     cat, a gap, cat

The shape of a document is the sequence of its terms with the distances between them, up to the
greatest distance that can matter for the query. The postings of all terms, merged, yield the shapes
of all documents in one pass.

A score of n-grams needs the text of a document in lower case, and how many trigrams it has. The
number is kept with the postings. If only the best documents matter, most need no look: the tokens
of a list tell how many trigrams its text may share with the query, and with the number of its
trigrams this bounds the score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import nlargest

from spanemu.base.bits import Counters, numbers_in
from spanemu.base.deadline_checks import PART_MAX, in_steps, interruptible
from spanemu.sql.executor.documents import Postings
from spanemu.sql.executor.run import Row
from spanemu.sql.functions.search import query_tree
from spanemu.sql.functions.search.matcher import Occurrences
from spanemu.sql.functions.search.ngram_score import NgramScorer, compared
from spanemu.sql.functions.search.query_tree import tokens_of
from spanemu.values.token_finder import source_texts
from spanemu.values.token_list import POSITION_SHIFT

FEW = 64  # documents whose postings are looked up one by one
_TERMS_MAX = 256
_STEP = 256  # documents that are scored before the bound rises
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
        known = self._known
        if known is not None:
            return [known.get(number, 0.0) for number in numbers]
        return [self.of(number) for number in numbers]

    def best(self, bits: int, count: int) -> list[int]:
        """Return the documents among which the `count` best are, with all that equal the last one.

        A score is never negative.
        """
        numbers = numbers_in(bits)
        if self._known is None and len(numbers) > FEW and len(self._tokens) <= _TERMS_MAX:
            self._known = self._all()
        best = Best(count)
        for step in in_steps(numbers, _STEP, PART_MAX):
            best.add(step, self.of_all(step))
        return best.numbers()

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
    """The scores of documents by SCORE_NGRAMS.

    The number of trigrams of a text is kept for the next query.
    """

    def __init__(
        self, rows: Sequence[Row], position: int, postings: Postings, scorer: NgramScorer
    ) -> None:
        self._rows = rows
        self._position = position
        self._postings = postings
        self._counts = postings.trigram_counts
        self._scorer = scorer

    def of(self, number: int) -> float:
        """Return the score of a document."""
        data = self._rows[number][self._position]
        if data is None:
            return 0.0
        texts = source_texts(data)
        if len(texts) != 1:
            return self._scorer.of_texts(texts)
        counts = self._counts
        if number >= len(counts):
            counts.extend([0] * (len(self._rows) - len(counts)))
        text = compared(texts[0], counts[number])
        counts[number] = text[1]
        return self._scorer.of(text)

    def of_all(self, numbers: Iterable[int]) -> list[float]:
        """Return the scores of documents."""
        return [self.of(number) for number in numbers]

    def best(self, bits: int, count: int) -> list[int]:
        """Return the documents among which the `count` best are, with all that equal the last one.

        Documents that may share most trigrams come first. Once `count` scores are known, the others
        need a look only if they may reach the least of these.
        """
        best = Best(count)
        for shared, some in self._by_shared(bits):
            if self._scorer.bound(shared, shared) < best.least:
                break
            numbers = numbers_in(some)
            if best.least:
                numbers = self._reaching(numbers, shared, best.least)
            for step in in_steps(numbers, _STEP, _STEP):
                if best.least:
                    step = self._reaching(step, shared, best.least)
                best.add(step, self.of_all(step))
        return best.numbers()

    def _by_shared(self, bits: int) -> Iterator[tuple[int, int]]:
        """Yield sets of documents with the number of trigrams that they share at most."""
        postings, scorer = self._postings, self._scorer
        size = len(scorer.wanted)
        (tokenizer,) = postings.tokenizers
        telling = scorer.telling_tokens(tokenizer)
        vague = bits & postings.with_vague_list() if telling else bits
        if vague:
            yield size, vague
        counters = Counters([postings.documents(token) for token in telling])
        for known in range(min(len(telling), counters.largest), -1, -1):
            if some := counters.exactly(known, bits & ~vague):
                yield known + size - len(telling), some

    def _reaching(self, numbers: list[int], shared: int, least: float) -> list[int]:
        """Return the documents that may reach a score, as far as their sizes are known."""
        counts, count_max = self._counts, self._scorer.count_max(shared, least)
        if not numbers or numbers[-1] >= len(counts):
            return numbers
        return [number for number in numbers if counts[number] <= count_max]


class Best:
    """The best scores of documents so far."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._scored: list[tuple[float, int]] = []
        self.least = 0.0  # of the best `count` scores; 0 until there are so many

    def add(self, numbers: Sequence[int], scores: Sequence[float]) -> None:
        """Add documents with their scores."""
        least = self.least
        self._scored += [pair for pair in zip(scores, numbers, strict=True) if pair[0] >= least]
        if len(self._scored) >= self._count:
            scored = nlargest(self._count, [score for score, _ in self._scored])
            self.least = scored[-1]
            self._scored = [pair for pair in self._scored if pair[0] >= self.least]

    def numbers(self) -> list[int]:
        """Return the documents with the best scores, in ascending order."""
        return sorted([number for _, number in self._scored])


_MARKS = _ATTRIBUTES << _TERM_BITS | (1 << _TERM_BITS) - 1


def _reach(tree: query_tree.Node) -> int:
    """Return a distance from which on two terms of a query have nothing to do with each other."""
    if isinstance(tree, query_tree.Phrase):
        return len(tree.places) + 1
    if isinstance(tree, query_tree.Part):
        return _reach(tree.grams)
    if isinstance(tree, query_tree.Not):
        return _reach(tree.operand)
    if isinstance(tree, query_tree.Term | query_tree.AtLeast | query_tree.Similar):
        return 2
    distances = tree.distances if isinstance(tree, query_tree.Around) else ()
    return sum(distances) + sum(map(_reach, tree.operands)) + 2

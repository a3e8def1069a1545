"""Search queries as trees over tokens, which matcher, score and search index walk.

    hello "big world" -moon        AllOf(Term(hello), Phrase(big, world), Not(Term(moon)))
    a OR b                         AnyOf(Term(a), Term(b))
    fast AROUND(3) car             Around((Term(fast), Term(car)), (3,))

The same trees describe the other search functions: SEARCH_SUBSTRING asks for n-grams, those of a
longer word as a Part, because they lie side by side; SEARCH_NGRAMS asks for AtLeast some of them.

A tree says what a list's postings must fulfil. What postings cannot say, such as the beginning of
a word in a substring list, is the `check` of a `SearchQuery`: a condition on the lists that fulfil
the tree.

An enhanced query has words that may be misspelled. Which tokens they stand for depends on the
tokens that there are: `enhancement.resolved` puts them in the place of `Similar`.
"""

from __future__ import annotations

from collections.abc import Callable

from spanemu.base.record import Record, record
from spanemu.values.token_list import TokenList


@record
class Term(Record):
    """One token, anywhere."""

    token: bytes


@record
class Similar(Record):
    """Any token that a word may be a misspelling or an abbreviation of."""

    word: str


@record
class Phrase(Record):
    """Tokens side by side, in order: at each place one of some tokens, or any with None."""

    places: tuple[tuple[bytes, ...] | None, ...]


@record
class Part(Record):
    """A part of a word that is longer than any n-gram: its largest n-grams are a phrase."""

    text: bytes
    grams: Phrase


@record
class Around(Record):
    """Operands in order, with at most `distances[i]` positions between the i-th and the next."""

    operands: tuple[Node, ...]
    distances: tuple[int, ...]


@record
class AllOf(Record):
    """A conjunction: lists that fulfil all operands, and all lists if there are none."""

    operands: tuple[Node, ...]


@record
class AnyOf(Record):
    """A disjunction: lists that fulfil one of the operands, and no list if there are none."""

    operands: tuple[Node, ...]


@record
class Not(Record):
    """A negation: lists that do not fulfil the operand."""

    operand: Node


@record
class AtLeast(Record):
    """A threshold: lists that have `count` of some distinct tokens."""

    count: int
    tokens: tuple[bytes, ...]


Node = Term | Similar | Phrase | Part | Around | AllOf | AnyOf | Not | AtLeast

NOTHING = AnyOf(())


@record
class SearchQuery(Record):
    """A query prepared for lists of one tokenizer: a tree, and the options left open.

    A query of few tokens is answered without decoding lists (`values.token_finder`). The tree of an
    open query has words to resolve.
    """

    tree: Node
    check: Callable[[TokenList], bool] | None = None
    has_few_tokens: bool = False
    is_open: bool = False


def tokens_of(tree: Node) -> frozenset[bytes]:
    """Return the tokens of a tree, which decide whether a list fulfils it."""
    if isinstance(tree, Term):
        return frozenset({tree.token})
    if isinstance(tree, AtLeast):
        return frozenset(tree.tokens)
    if isinstance(tree, Phrase):
        return frozenset(token for place in tree.places for token in place or ())
    if isinstance(tree, Part):
        return tokens_of(tree.grams)
    if isinstance(tree, Similar):
        return frozenset()
    operands = (tree.operand,) if isinstance(tree, Not) else tree.operands
    return frozenset().union(*map(tokens_of, operands))

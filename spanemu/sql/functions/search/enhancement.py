"""Other words that a word of a query may stand for: those of a dictionary, and words like it.

A dictionary table is the user's: a term that equals a key also matches the values of the key, one
step far and in one direction. A value of several words is a phrase.

`enhance_query` is Google's model of language, of synonyms and spelling, which nobody can copy. Here
it adds to each word, and never takes a match away:

    regular forms               albums       album, which `word_forms` builds
    one letter wrong            hotl         hotel: a letter is missing, added, replaced or swapped
    the beginning of a word     cal          california, which is at least three times as long

The last two are tokens of the lists that are searched, so that they are known when a query meets a
vocabulary: `resolved`. Dictionary and `enhance_query` both start from the words of the query.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from spanemu.sql.functions.search.query_tree import (
    AllOf,
    AnyOf,
    Around,
    Node,
    Not,
    Similar,
    Term,
)
from spanemu.sql.functions.search.rquery import WordNode, either, parse_words_phrase, phrase
from spanemu.sql.functions.search.word_forms import forms
from spanemu.sql.functions.search.words import located_words, without_diacritics

_KEPT = 8
_SHORT_MIN = 3  # letters of an abbreviation
_SHORTER = 3  # times as long as an abbreviation is the word
_SPELLED_MIN = 4  # letters of a word that may be misspelled

# From the first letter of tokens to those that begin with it.
Vocabulary = Callable[[bytes], Iterable[bytes]]


class Dictionary:
    """The rows of a dictionary table by key; equal only to itself."""

    __slots__ = ("_values",)

    def __init__(self, rows: Sequence[tuple[str, Sequence[str | None]]]) -> None:
        self._values = dict(rows)

    def values(self, term: str) -> list[str]:
        """Return the values of a term."""
        return [value for value in self._values.get(term, ()) if value]


def query_words(text: str) -> tuple[str, ...]:
    """Return the words of a query that keys of a dictionary may equal."""
    words = [word.text for word in located_words(text)]
    return tuple(dict.fromkeys([*words, *map(without_diacritics, words)]))


def dictionary_of(rows: Any) -> Dictionary | None:
    """Return the dictionary with the rows of a table; the latest ones are kept.

    A statement computes the rows once and passes the same object for every row that it searches.
    """
    if rows is None:
        return None
    for known, dictionary in tuple(_latest):
        if known is rows:
            return dictionary
    dictionary = Dictionary(rows)
    _latest.appendleft((rows, dictionary))
    return dictionary


_latest: deque[tuple[Any, Dictionary]] = deque(maxlen=_KEPT)


def expander(
    dictionary: Dictionary | None,
    *,
    is_enhanced: bool,
    strips: bool = False,
    language: str = "",
) -> WordNode:
    """Return the function from a word of a query to the node that finds it and its kin.

    With `strips`, the words of the dictionary lose their diacritics.
    """

    def node(word: str) -> Node:
        nodes: list[Node] = [phrase(((word,),))]
        if is_enhanced:
            nodes += [phrase(((form,),)) for form in forms(word, language)]
            if word.isalpha() and len(word) >= _SHORT_MIN:
                nodes.append(Similar(word))
        if dictionary is not None:
            values = dictionary.values(word)
            values = [without_diacritics(value) for value in values] if strips else values
            nodes += [parse_words_phrase(value) for value in values]
        return either(list(dict.fromkeys(nodes)))

    return node


# ---------------------------------------------------------------------------- similar tokens


def resolved(tree: Node, vocabulary: Vocabulary) -> Node:
    """Return a tree with the tokens of a vocabulary in the place of the words they are like."""
    if isinstance(tree, Similar):
        return AnyOf(_similar(tree, vocabulary))
    if isinstance(tree, Not):
        return Not(resolved(tree.operand, vocabulary))
    if isinstance(tree, AnyOf):
        operands: dict[Node, None] = {}
        for operand in tree.operands:
            if isinstance(operand, Similar):
                operands |= dict.fromkeys(_similar(operand, vocabulary))
            else:
                operands[resolved(operand, vocabulary)] = None
        return AnyOf(tuple(operands))
    if isinstance(tree, AllOf):
        return AllOf(tuple([resolved(operand, vocabulary) for operand in tree.operands]))
    if isinstance(tree, Around):
        inner = [resolved(operand, vocabulary) for operand in tree.operands]
        return Around(tuple(inner), tree.distances)
    return tree


def vocabulary_of(tokens: Collection[bytes]) -> Vocabulary:
    """Return the vocabulary of a few tokens, such as those of a list."""
    return lambda letter: [token for token in tokens if token.startswith(letter)]


def _similar(node: Similar, vocabulary: Vocabulary) -> tuple[Node, ...]:
    word = node.word
    similar = {token for token in vocabulary(word[0].encode()) if is_similar(word, token.decode())}
    return tuple([Term(token) for token in sorted(similar)])


def is_similar(word: str, token: str) -> bool:
    """Return whether a word may stand for another word that begins with the same letter."""
    if token == word or not token.isalpha():
        return False
    if len(token) >= _SHORTER * len(word):
        return token.startswith(word)
    is_spelled = min(len(word), len(token)) >= _SPELLED_MIN
    return is_spelled and abs(len(token) - len(word)) <= 1 and _differs_in_one_place(word, token)


def _differs_in_one_place(word: str, other: str) -> bool:
    """Return whether a letter is missing, added, replaced or swapped with its neighbour."""
    short, long = sorted((word, other), key=len)
    at = 0
    while at < len(short) and short[at] == long[at]:
        at += 1
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    is_swapped = short[at : at + 2] == long[at : at + 2][::-1]
    return short[at + 1 :] == long[at + 1 :] or (is_swapped and short[at + 2 :] == long[at + 2 :])

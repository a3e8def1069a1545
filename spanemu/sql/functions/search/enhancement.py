"""Other words that a word of a query may stand for: those of a dictionary, and other forms of it.

A dictionary table is the user's: a term that equals a key also matches the values of the key, one
step far and in one direction. A value of several words is a phrase.

`enhance_query` is Google's model of language, of synonyms and spelling, which nobody can copy. Here
it adds the regular forms of words (`word_forms`), so that `classic albums` finds "classical album",
and never takes a match away. Both start from the words of the query.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from spanemu.sql.functions.search.query_tree import Node
from spanemu.sql.functions.search.rquery import WordNode, either, parse_words_phrase, phrase
from spanemu.sql.functions.search.word_forms import forms
from spanemu.sql.functions.search.words import located_words, without_diacritics

_KEPT = 8


class Dictionary:
    """The rows of a dictionary table by key; equal only to itself."""

    __slots__ = ("_values",)

    def __init__(self, rows: Sequence[tuple[str, Sequence[str | None]]]) -> None:
        self._values = dict(rows)

    def values(self, term: str) -> list[str]:
        """Return the values of a term in lower case."""
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
        if dictionary is not None:
            values = dictionary.values(word)
            values = [without_diacritics(value) for value in values] if strips else values
            nodes += [parse_words_phrase(value) for value in values]
        return either(list(dict.fromkeys(nodes)))

    return node

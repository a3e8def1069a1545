"""What a search knows of documents: their postings, by segments of numbered documents.

Sets of documents are integers with a bit for each number.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.search.enhancement import Vocabulary
from spanemu.values.token_list import Tokenizer


class Postings(Protocol):
    """The postings of one token list of the documents of a segment."""

    tokens: Mapping[bytes, array[int]]
    tokenizers: Mapping[Tokenizer, None]
    is_complete: bool
    # By number, how many trigrams the text of a list has; 0 or nothing before they are counted.
    trigram_counts: array[int]

    def documents(self, token: bytes) -> int:
        """Return the documents that have a token, a bit for each number."""
        ...

    def size(self, token: bytes) -> int:
        """Return the number of occurrences of a token."""
        ...

    def without_list(self) -> int:
        """Return the documents whose list is NULL."""
        ...

    def with_vague_list(self) -> int:
        """Return the documents with n-grams from which nothing follows about their text."""
        ...

    def ordered(self, key: Callable[[bytes], Any]) -> list[tuple[Any, bytes]]:
        """Return the tokens with their keys, in order; those without a key are left out."""
        ...

    def occurrences(self, token: bytes, number: int) -> Sequence[int]:
        """Return the occurrences of a token in a document."""
        ...


class Segment(Protocol):
    """Numbered documents, with the postings of their token lists by position in a document."""

    rows: Sequence[Row]
    keys: Sequence[bytes]
    columns: Mapping[int, Postings]

    def number_of(self, row: Row) -> int | None:
        """Return the number of a document, None if it is not in the segment."""
        ...

    def numbers_of_all(self, rows: Iterable[Row]) -> list[int] | None:
        """Return the numbers of documents, None if not all are in the segment."""
        ...


class Unsuited(Exception):
    """The reason why postings cannot answer a condition."""


Found = tuple[int, int]  # the documents for which a condition is TRUE, and is FALSE
# Returns what is found among the visible documents of a segment.
Program = Callable[[Run, Segment, int], Found]


def tokenizer_of(lists: Sequence[Postings]) -> Tokenizer | None:
    """Return the tokenizer of all lists; None if there is no list."""
    if not all(each.is_complete for each in lists):
        raise Unsuited
    known = {tokenizer for each in lists for tokenizer in each.tokenizers}
    if len(known) > 1:
        raise Unsuited
    return next(iter(known), None)


def vocabulary_of(lists: Sequence[Postings]) -> Vocabulary:
    """Return the tokens of all documents."""

    def starting_with(letter: bytes) -> Iterator[bytes]:
        for postings in lists:
            ordered = postings.ordered(_itself)
            first = bisect_left(ordered, (letter, b""))
            end = bisect_left(ordered, (letter + _AFTER_ALL, b""), first)
            for _, token in ordered[first:end]:
                yield token

    return starting_with


_AFTER_ALL = b"\xff"  # which no text in UTF-8 has


def _itself(token: bytes) -> bytes:
    return token

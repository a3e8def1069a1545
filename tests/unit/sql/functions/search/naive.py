"""A naive search engine: queries as nested tuples, documents as lists of words.

    ("and", ("word", "a"), ("not", ("phrase", "b", "c")))        a -"b c"
    ("phrase", "日", "本")                                        日本

It looks at every place of every value, and shares nothing with the engine but the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

Query = tuple[Any, ...]
Document = Sequence[Sequence[str]]  # a list of words for each value
Span = tuple[int, int, int]  # the value, its first and its last word


def is_found(query: Query, document: Document) -> bool:
    """Return whether a document matches a query."""
    kind, *operands = query
    if kind == "not":
        return not is_found(operands[0], document)
    if kind == "and":
        return all(is_found(operand, document) for operand in operands)
    if kind == "or":
        return any(is_found(operand, document) for operand in operands)
    return bool(_spans(query, document))


def _spans(query: Query, document: Document) -> list[Span]:
    kind, *operands = query
    if kind in ("word", "phrase"):
        return [
            (number, at, at + len(operands) - 1)
            for number, words in enumerate(document)
            for at in range(len(words) - len(operands) + 1)
            if list(words[at : at + len(operands)]) == operands
        ]
    if kind == "around":
        return _around(operands, document)
    if kind == "or" or (kind == "and" and is_found(query, document)):
        return [span for operand in operands for span in _spans(operand, document)]
    return []


def _around(operands: Sequence[Any], document: Document) -> list[Span]:
    """Match operands that alternate with the numbers of words that may lie between."""
    if any(each[0] == "not" and not is_found(each, document) for each in operands[::2]):
        return []
    result: list[Span] | None = None
    for distance, operand in zip((0, *operands[1::2]), operands[::2], strict=True):
        if operand[0] == "not":
            continue
        right = _spans(operand, document)
        if result is None:
            result = right
            continue
        result = [
            (number, first, last)
            for number, first, end in result
            for other, start, last in right
            if number == other and 0 <= start - end - 1 <= distance
        ]
    return result or []


def text_of(query: Query) -> str:
    """Return a query in the dialect rquery."""
    kind, *operands = query
    if kind == "word":
        return str(operands[0])
    if kind == "phrase":
        if all(word in UNSPACED for word in operands):
            return "".join(operands)
        return f'"{" ".join(operands)}"'
    if kind == "not":
        inner = _grouped(operands[0])
        return f"-({inner})" if inner.startswith("-") else f"-{inner}"  # --a is a
    if kind == "around":
        numbers = iter(operands[1::2])
        text = _grouped(operands[0])
        return text + "".join(
            f" AROUND({next(numbers)}) {_grouped(operand)}" for operand in operands[2::2]
        )
    return (" OR " if kind == "or" else " ").join(map(_grouped, operands))


def _grouped(query: Query) -> str:
    return text_of(query) if query[0] in ("word", "phrase", "not") else f"({text_of(query)})"


UNSPACED = ("日", "本")
WORDS = st.sampled_from(["a", "b", "über", "straße", *UNSPACED])


def _compound(parts: st.SearchStrategy[Query]) -> st.SearchStrategy[Query]:
    several = st.lists(parts, min_size=2, max_size=3)
    numbers = st.integers(0, 3)
    return st.one_of(
        several.map(lambda each: ("and", *each)),
        several.map(lambda each: ("or", *each)),
        parts.map(lambda each: ("not", each)),
        st.tuples(parts, numbers, parts).map(lambda each: ("around", *each)),
        st.tuples(parts, numbers, parts, numbers, parts).map(lambda each: ("around", *each)),
    )


QUERIES: st.SearchStrategy[Query] = st.recursive(
    WORDS.map(lambda word: ("word", word))
    | st.lists(WORDS, min_size=2, max_size=3).map(lambda words: ("phrase", *words)),
    _compound,
    max_leaves=6,
)
DOCUMENTS: st.SearchStrategy[Document] = st.lists(st.lists(WORDS, max_size=7), max_size=3)

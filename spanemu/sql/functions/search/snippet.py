"""SNIPPET: the parts of a text around the terms of a query, with the places of the terms.

    SNIPPET('Rock albums rock.', 'rock')
        {"snippets": [{"highlights": [{"begin": "1", "end": "5"}, {"begin": "13", "end": "17"}],
                       "snippet": "Rock albums rock.", "source_begin": 1, "source_end": 18}]}

Places are those of characters, from 1, and the end is one past the last. `begin` and `end` are
text, as the manual's example shows them. A snippet starts at a term, takes as many words behind it
as its width allows, and then words in front; the next one starts behind it. A text without any of
the terms has no snippets. Runs of white space are one blank; the tags of HTML are removed. A width
is counted in characters: Google estimates that of a proportional font.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import InvalidSearch
from spanemu.sql.functions.search import html
from spanemu.sql.functions.search.enhancement import resolved, vocabulary_of
from spanemu.sql.functions.search.matcher import spans
from spanemu.sql.functions.search.query_tree import AllOf, AnyOf, Around, Node, Phrase, Term
from spanemu.sql.functions.search.words import Word, located_words
from spanemu.values.token_list import POSITION_SHIFT

WIDTH_DEFAULT = 160
COUNT_DEFAULT = 3
_INT32_MAX = 2**31 - 1
_BLANK = " "


class _Shown(NamedTuple):
    """A text as snippets show it, with the place in the source of each of its characters."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


def limit(value: int | None, name: str, default: int) -> int:
    """Return a limit of SNIPPET, or its default for NULL."""
    if value is None:
        return default
    if not 0 < value <= _INT32_MAX:
        raise InvalidSearch(f"SNIPPET has out of range value for {name} argument.")
    return value


def snippets(source: str, tree: Node, *, width: int, count: int, is_html: bool) -> dict[str, Any]:
    """Return the value of SNIPPET for a text and the tree of a query."""
    shown = _shown_html(source) if is_html else _shown_plain(source)
    words = list(interruptible(list(located_words(shown.text))))
    matched = sorted(_highlighted(words, tree))
    listed = [
        _snippet(shown, words, [at for at in matched if first <= at <= last], start, end)
        for start, end, first, last in _windows(words, matched, len(shown.text), width, count)
    ]
    return {"snippets": listed}


def _highlighted(words: Sequence[Word], tree: Node) -> set[int]:
    """Return the indexes of the words that terms and phrases of the query cover."""
    postings: dict[bytes, list[int]] = {}
    for at, word in enumerate(words):
        for text in {word.text, word.text.removeprefix("#")}:
            postings.setdefault(text.encode(), []).append(at << POSITION_SHIFT)
    return {
        at
        for leaf in _leaves(resolved(tree, vocabulary_of(postings)))
        for first, last in spans(leaf, lambda token: postings.get(token, ()))
        for at in range(first, last + 1)
    }


def _leaves(tree: Node) -> Iterator[Node]:
    if isinstance(tree, Term | Phrase):
        yield tree
    elif isinstance(tree, AllOf | AnyOf | Around):
        for operand in tree.operands:
            yield from _leaves(operand)


def _windows(
    words: Sequence[Word], matched: Sequence[int], length: int, width: int, count: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield the start and the end of each snippet, and its first and last word."""
    free = 0  # the first word that belongs to no snippet
    for at in matched:
        if not count:
            return
        if at < free or words[at].end - words[at].start > width:
            continue
        start = words[at].start
        last = at
        while last + 1 < len(words) and words[last + 1].end - start <= width:
            last += 1
        end = words[last].end
        if last + 1 == len(words) and length - start <= width:
            end = length
        first = at
        while first > free and end - words[first - 1].start <= width:
            first -= 1
        start = words[first].start
        if first == 0 and end <= width:
            start = 0
        yield start, end, first, last
        free, count = last + 1, count - 1


def _snippet(
    shown: _Shown, words: Sequence[Word], matched: Sequence[int], start: int, end: int
) -> dict[str, Any]:
    highlights = [
        {"begin": str(words[at].start - start + 1), "end": str(words[at].end - start + 1)}
        for at in matched
    ]
    return {
        "highlights": highlights,
        "snippet": shown.text[start:end],
        "source_begin": shown.starts[start] + 1,
        "source_end": shown.ends[end - 1] + 1,
    }


# ---------------------------------------------------------------------------- the text shown


def _shown_plain(source: str) -> _Shown:
    return _normalized((character, at, at + 1) for at, character in enumerate(source))


def _shown_html(source: str) -> _Shown:
    return _normalized(_html_characters(source))


def _html_characters(source: str) -> Iterator[tuple[str, int, int]]:
    for piece in html.pieces(source):
        if piece.follows_tag:
            yield _BLANK, piece.start, piece.start
        is_verbatim = piece.end - piece.start == len(piece.text)
        for at, character in enumerate(piece.text):
            if is_verbatim:
                yield character, piece.start + at, piece.start + at + 1
            else:
                yield character, piece.start, piece.end


def _normalized(characters: Iterator[tuple[str, int, int]]) -> _Shown:
    """Return characters as a text in which runs of white space are one blank."""
    texts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for character, start, end in characters:
        is_blank = character.isspace()
        if is_blank and (not texts or texts[-1] == _BLANK):
            continue
        texts.append(_BLANK if is_blank else character)
        starts.append(start)
        ends.append(end)
    if texts and texts[-1] == _BLANK:
        texts.pop()
    return _Shown("".join(texts), starts, ends)

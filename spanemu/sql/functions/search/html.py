"""HTML as text: the characters that a reader sees, where they stand in the source, and how large.

    <h1>Tea &amp; cake</h1><p>for <b>two</b>

becomes the pieces "Tea ", "&", " cake" (LARGE), "for " (SMALL) and "two" (MEDIUM). Tags separate
words. Comments, scripts and styles are no text. Anything that is no markup is text, so that every
source has a reading.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from spanemu.base.deferred import lazy_pattern
from spanemu.base.record import NamedTuple
from spanemu.values.token_list import Category

_MARKUP = lazy_pattern(
    r"""<!--(?s:.*?)(?:-->|\Z)
    | <(?P<raw>script|style)\b [^>]*+ > (?s:.*?) (?: </(?P=raw)\s*> | \Z )
    | <(?P<end>/?) (?P<tag>[a-z][a-z0-9]*+) (?: "[^"]*+" | '[^']*+' | [^"'<>] )*+ >
    | <[!?] [^<>]*+ >
    | &(?:\#[0-9]{1,7} | \#x[0-9a-f]{1,6} | [a-z][a-z0-9]{1,31}) ;?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CATEGORIES = {
    "title": Category.TITLE,
    "h1": Category.LARGE,
    "h2": Category.LARGE,
    "h3": Category.LARGE,
    "h4": Category.MEDIUM,
    "h5": Category.MEDIUM,
    "h6": Category.MEDIUM,
    "b": Category.MEDIUM,
    "strong": Category.MEDIUM,
    "em": Category.MEDIUM,
    "a": Category.MEDIUM,
}


class Piece(NamedTuple):
    """Text from the source's characters `start` up to `end`; `follows_tag` separates words."""

    text: str
    start: int
    end: int
    category: int
    follows_tag: bool


def pieces(source: str) -> Iterator[Piece]:
    """Yield the text of an HTML source, in order."""
    open_tags: dict[str, int] = {}
    at = 0
    follows_tag = False
    for match in _MARKUP.finditer(source):
        start = match.start()
        if start > at:
            yield Piece(source[at:start], at, start, _size(open_tags), follows_tag)
            follows_tag = False
        if match[0].startswith("&"):
            text = html.unescape(match[0])
            yield Piece(text, start, match.end(), _size(open_tags), follows_tag)
            follows_tag = False
        else:
            _follow(open_tags, match["tag"] or "", is_end=bool(match["end"]))
            follows_tag = True
        at = match.end()
    if at < len(source):
        yield Piece(source[at:], at, len(source), _size(open_tags), follows_tag)


def _follow(open_tags: dict[str, int], tag: str, *, is_end: bool) -> None:
    """Open or close an element that has a category."""
    tag = tag.lower()
    if tag in _CATEGORIES:
        open_tags[tag] = max(0, open_tags.get(tag, 0) + (-1 if is_end else 1))


def _size(open_tags: dict[str, int]) -> int:
    return max((_CATEGORIES[tag] for tag, count in open_tags.items() if count), default=0)


def sections(source: str) -> Iterator[tuple[str, int]]:
    """Yield the runs of text between tags with their categories."""
    run: list[str] = []
    category = int(Category.SMALL)
    for piece in pieces(source):
        if run and (piece.follows_tag or piece.category != category):
            yield "".join(run), category
            run = []
        run.append(piece.text)
        category = piece.category
    if run:
        yield "".join(run), category

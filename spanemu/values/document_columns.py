"""Columns of JSON and JSONB documents, kept as their texts (see `json.kept`).

A text that a pattern recognizes as plain is surely valid: no parser needs to make objects of it.
Plain texts nest a few levels, and have neither escapes by number nor long numbers.

    {"items": [{"sku": "a1", "count": 3}], "weight": 1.5}
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from itertools import repeat
from operator import attrgetter
from typing import TypeVar

from spanemu.base.deadline_checks import is_long, parts_of
from spanemu.base.deferred import lazy_pattern
from spanemu.values.json import GROWTH_MAX, Document

D = TypeVar("D", bound=Document)

PLAIN_LEVELS = 4  # The pattern doubles with each.
_TOGETHER = 64  # documents between two checks of the deadline, at first

_SPACE = r"[ \t\n\r]*+"
_STRING = r'"[^"\\\x00-\x1f]*+(?:\\["\\/bfnrt][^"\\\x00-\x1f]*+)*+"'
# Numbers that `json.is_surely_valid` accepts: integers up to 17 digits, others up to 14.
_NUMBER = r"-?(?:0(?:\.[0-9]{1,13}+)?+|[1-9][0-9]{0,6}+(?:\.[0-9]{1,7}+|[0-9]{0,10}+))(?![0-9.eE])"


def _value(levels: int) -> str:
    """Return the pattern of plain values with at most so many levels of lists and objects."""
    scalar = f"{_STRING}|{_NUMBER}|true|false|null"
    if not levels:
        return f"(?:{scalar})"
    items = _value(levels - 1)
    members = f"{_STRING}{_SPACE}:{_SPACE}{items}"
    return f"(?:{scalar}|{_bracketed('[', items, ']')}|{_bracketed('{', members, '}')})"


def _bracketed(opening: str, item: str, closing: str) -> str:
    """Return the pattern of items with commas between them, which names the item only once."""
    end = rf"(?:,{_SPACE}(?!\{closing})|(?=\{closing}))"
    return rf"\{opening}{_SPACE}(?:{item}{_SPACE}{end})*+\{closing}"


_PLAIN = lazy_pattern(_value(PLAIN_LEVELS))


def column_reader(
    document: type[D], read: Callable[[str], D]
) -> Callable[[Sequence[str]], list[D]]:
    """Return a function from texts to documents as `read` returns them, which `kept` has made."""
    new = document.__new__

    def read_column(texts: Sequence[str]) -> list[D]:
        documents: list[D] = []
        for part in parts_of(texts, _TOGETHER):
            documents += read_plain(part) if are_plain(part) else map(read, part)
        return documents

    def read_plain(texts: Sequence[str]) -> list[D]:
        documents = list(map(new, repeat(document, len(texts))))
        _consume(map(setattr, documents, repeat("source"), texts))
        _consume(map(setattr, documents, repeat("_text"), repeat(None)))
        return documents

    return read_column


_consume = deque[object](maxlen=0).extend  # Runs an iterator whose items are not needed.


def are_plain(texts: Sequence[str]) -> bool:
    """Return whether all texts are plain documents of moderate length."""
    if any(map(is_long, texts)) or not all(map(_PLAIN.fullmatch, texts)):
        return False
    together = "".join(texts)
    if together.isascii():
        return True
    try:
        together.encode()
    except UnicodeEncodeError:  # UTF-8 has no surrogates.
        return False
    return True


def document_chars_max(documents: Sequence[Document]) -> int:
    """Return an upper bound of `chars_max` of all documents."""
    sources = list(map(attrgetter("source"), documents))
    if None in sources:  # parsed by now
        return max([document.chars_max for document in documents])
    return GROWTH_MAX * max(map(len, sources), default=0)

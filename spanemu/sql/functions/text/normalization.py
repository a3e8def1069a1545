"""Unicode normal forms of long texts, computed piece by piece.

Python normalizes a text in one step that nothing can interrupt, and sorts a run of combining marks
in quadratic time. So a long text is cut before characters that never combine with the character
before them, and a long run of marks is put into canonical order first.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import groupby

from spanemu.base.deadline_checks import paced, paced_stream

_PIECE = 1 << 10  # characters
_RUN = 1 << 8  # combining marks in a row
_DECOMPOSED = {"NFC": "NFD", "NFD": "NFD", "NFKC": "NFKD", "NFKD": "NFKD"}
# Vowels and final consonants of Hangul combine with the preceding character.
_JAMO = range(0x1160, 0x1200)


def normalized(form: str, text: str) -> str:
    """Return `text` in the normal form of that name."""
    if len(text) <= _RUN or text.isascii():
        return _normalize(form, text)
    return "".join(paced_stream(_normalize(form, piece) for piece in _pieces(form, text)))


def _normalize(form: str, text: str) -> str:
    return unicodedata.normalize(form, text)  # type: ignore[arg-type]


def _pieces(form: str, text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        earliest = start + _PIECE
        later = paced(range(earliest, len(text)))
        end = next((at for at in later if _starts_piece(text[at])), len(text))
        piece = text[start:end]
        yield _in_canonical_order(_DECOMPOSED[form], piece) if end - earliest > _RUN else piece
        start = end


def _starts_piece(character: str) -> bool:
    """Return whether the character never combines with the character before it."""
    is_mark = unicodedata.category(character).startswith("M")
    return not is_mark and ord(character) not in _JAMO


def _in_canonical_order(form: str, text: str) -> str:
    """Return a decomposed text whose marks are sorted by their combining class."""
    characters = "".join([_normalize(form, character) for character in paced(text)])
    ordered: list[str] = []
    for _, run in groupby(paced(characters), lambda c: unicodedata.combining(c) > 0):
        ordered += sorted(run, key=unicodedata.combining)  # Starters, of class 0, keep their order.
    return "".join(ordered)

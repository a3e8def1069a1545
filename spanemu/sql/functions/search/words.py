"""Texts cut into words, as the full-text and the substring tokenizer cut them.

    "Hello DB, #World!"      hello  db  #world         full text; #world is found as world as well
    "state-of-the-art"       state  of  the  art
    "naïve 旅行 🎉"           naïve  旅  行              full text
    "naïve 旅行 🎉"           naïve  旅行  🎉            substrings

A word is a run of letters, marks and digits in lower case; everything else separates. Scripts that
write no blanks between words are cut by `segmentation`.

Substring lists keep such runs whole, and keep emoji, which full text drops.

Words are compared in Unicode's normal form NFC. Without diacritics, the combining marks of Latin,
Greek and Cyrillic letters are dropped too, but not those of scripts whose vowels are marks.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from spanemu.base.deadline_checks import check_deadline_if_large
from spanemu.base.deferred import lazy_pattern
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.search.segmentation import UNSPACED, is_unspaced, segments

_ASCII_WORD = lazy_pattern(r"#?[0-9a-z]+")
# In a text whose separators are blanks: see `_Cleaned`.
_WORD = lazy_pattern(r"#?[^ #]+")
_ASCII_PART = lazy_pattern(r"[0-9a-z]+")
_ANY_CASE_WORD = lazy_pattern(r"#?[0-9A-Za-z]+")
_PART = lazy_pattern(r"[^ #]+")
_RUN = lazy_pattern(f"[{UNSPACED}]+|[^{UNSPACED}]+")
_DIACRITICS = lazy_pattern("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+")
_BLANK = " "
_HASH = "#"
# Join the parts of an emoji: zero width joiner, variation selector 16, skin tones.
_EMOJI_PARTS = frozenset("\u200d\ufe0f🏻🏼🏽🏾🏿")


class Word(NamedTuple):
    """A word with its place in the text: the characters from `start` up to `end`."""

    start: int
    end: int
    text: str


def fulltext_words(text: str) -> list[str]:
    """Return the words of a text in lower case; a word behind a number sign has it in front."""
    check_deadline_if_large(text)
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    found = _WORD.findall(text.translate(_FULLTEXT))
    return [part for word in found for part in _parts(normal(word))]


def substring_words(text: str) -> list[str]:
    """Return the words of a text in lower case, for n-grams."""
    check_deadline_if_large(text)
    if text.isascii():
        return _ASCII_PART.findall(text.lower())
    return [normal(word) for word in _PART.findall(text.translate(_SUBSTRING))]


def located_words(text: str) -> Iterator[Word]:
    """Yield the words of `fulltext_words` with their places."""
    is_ascii = text.isascii()
    pattern = _ANY_CASE_WORD if is_ascii else _WORD
    for match in pattern.finditer(text if is_ascii else text.translate(_FULLTEXT)):
        word = match[0]
        if word.isascii():
            yield Word(match.start(), match.end(), word.lower())
            continue
        at = match.end() - sum(map(len, parts := _parts(word)))
        for part in parts:
            yield Word(at, at + len(part), normal(part))
            at += len(part)


def normal(word: str) -> str:
    """Return a word in lower case and normal form."""
    return word.lower() if word.isascii() else unicodedata.normalize("NFC", word.lower())


def without_diacritics(text: str) -> str:
    """Return a text without the marks on its letters: café -> cafe."""
    if text.isascii():
        return text
    plain = _DIACRITICS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", plain)


def _parts(word: str) -> list[str]:
    """Return a word, cut where a script without blanks begins or ends, and within it."""
    if word.isascii():
        return [word]
    hash_, rest = (_HASH, word[1:]) if word[0] == _HASH else ("", word)
    parts: list[str] = []
    for run in _RUN.findall(rest):
        if is_unspaced(run[0]):
            parts += segments(run)
        else:
            parts.append(run if parts else hash_ + run)
    return parts


class _Cleaned(dict[int, str]):
    """A table for `str.translate` that turns every separator into a blank.

    It fills itself with the characters that it meets.
    """

    def __init__(self, *, emoji: bool) -> None:
        super().__init__()
        self._emoji = emoji

    def __missing__(self, code: int) -> str:
        character = chr(code)
        kept = unicodedata.category(character)[0] in "LMN" or character == _HASH
        if not kept and self._emoji:
            kept = character in _EMOJI_PARTS or unicodedata.category(character) == "So"
        self[code] = character if kept else _BLANK
        return self[code]


_FULLTEXT = _Cleaned(emoji=False)
_SUBSTRING = _Cleaned(emoji=True)

"""COLLATE: sort keys of texts in the order of Unicode's root collation, without its data files.

A key has three levels, each compared only where the levels before are equal: letters (spaces before
punctuation before symbols before digits before letters; ß expands to ss), then accents, then case,
small before capital. Characters that Unicode calls default ignorable are skipped. ":ci" omits the
level of case. This order is right for languages without tailoring, and for languages that only add
letters to the alphabet (`_ADDED_LETTERS`, by CLDR); other languages are refused. "unicode" and
"binary" order by code point.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any

from spanemu.base.deadline_checks import interruptible_stream, is_long
from spanemu.base.deferred import lazy_pattern
from spanemu.base.errors import Code, SpannerError, Unsupported
from spanemu.values.order import identity

_NAME = lazy_pattern(r"(binary|(unicode|und|[a-z]{2,3}([_-]\w{2,8})*)(:c[is])?)", re.IGNORECASE)
_TAG = lazy_pattern(r"([a-z]+)(?:[_-][a-z0-9]+)*(?::(ci|cs))?", re.IGNORECASE)
_UNTAILORED = frozenset(
    {"und", "ca", "de", "en", "fr", "ga", "id", "it", "ms", "nl", "pt", "sw", "unicode", "zu"}
)
# The letters that a language adds, each after the letter that it follows in the alphabet.
_CROATIAN = "c<č<ć d<dž<đ l<lj n<nj s<š z<ž"
_ADDED_LETTERS: Mapping[str, str] = {
    "bs": _CROATIAN,
    "cs": "c<č h<ch r<ř s<š z<ž",
    "es": "n<ñ",
    "gl": "n<ñ",
    "hr": _CROATIAN,
    "pl": "a<ą c<ć e<ę l<ł n<ń o<ó s<ś z<ź<ż",
    "sk": "a<ä c<č h<ch o<ô r<ř s<š z<ž",
    "sl": "c<č<ć d<đ s<š z<ž",
}
_RANKS = {"Z": 0, "C": 0, "P": 1, "S": 2, "N": 3, "L": 4}
_KEPT_TEXTS = 4_096
# Default ignorable characters, besides the category of formatting characters, and control
# characters that are not white space.
_IGNORED = lazy_pattern(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164"
    "\ufe00-\ufe0f\uffa0]"
)


class UnknownCollation(SpannerError, code=Code.OUT_OF_RANGE):
    prose = "COLLATE has invalid collation name '{name}'"
    name: str


def is_collation(tag: str) -> bool:
    """Return whether `tag` has the form of a collation name, supported or not."""
    return _NAME.fullmatch(tag) is not None


@lru_cache(maxsize=64)
def collation_key(tag: str) -> Callable[[Any], Any]:
    """Return a function from texts to keys that compare as the collation does.

    Raise Unsupported for a language whose order this module does not know.
    """
    if tag.lower() in ("binary", "unicode", "unicode:cs"):
        return identity
    match = _TAG.fullmatch(tag)
    language = "" if match is None else match.group(1).lower()
    if match is None or language not in _UNTAILORED | _ADDED_LETTERS.keys():
        raise Unsupported(f"COLLATE '{tag}'")
    levels = partial(_levels, language=language if language in _ADDED_LETTERS else "")
    if (match.group(2) or "").lower() == "ci":
        return lambda text: levels(text)[:2]
    return levels


# A letter: its class, its base letter, and its position among the letters added after the base.
_Letter = tuple[int, str, int]


@lru_cache(maxsize=len(_ADDED_LETTERS) + 1)
def _language_letters(language: str) -> tuple[re.Pattern[str], Mapping[str, _Letter]]:
    """Return a pattern that cuts decomposed texts into letters, and the language's own letters."""
    letters: dict[str, _Letter] = {}
    for rule in _ADDED_LETTERS.get(language, "").split():
        base, *added = rule.split("<")
        for position, letter in enumerate(added, 1):
            letters[unicodedata.normalize("NFD", letter)] = (_RANKS["L"], base, position)
    pieces = [re.escape(letter_text) for letter_text in sorted(letters, key=len, reverse=True)]
    return re.compile("|".join([*pieces, "."]), re.IGNORECASE | re.DOTALL), letters


@lru_cache(maxsize=_KEPT_TEXTS)
def _levels(text: str, language: str) -> tuple[Any, Any, Any]:
    """Return the levels of a text's key: its letters, their accents and their cases."""
    pattern, added = _language_letters(language)
    letters: list[_Letter] = []
    accents: list[str] = []
    cases: list[tuple[int, ...]] = []
    pieces = pattern.finditer(unicodedata.normalize("NFD", text))
    for match in interruptible_stream(pieces) if is_long(text) else pieces:
        piece = match[0]
        category = unicodedata.category(piece[0])
        if _IGNORED.match(piece) or category == "Cf":
            continue
        if category.startswith("M"):
            if accents:
                accents[-1] += piece
            continue
        folded = piece.casefold()
        case = tuple([_case(character, character.casefold()) for character in piece])
        whole = added.get(folded)
        for letter in [whole] if whole else [(_RANKS[category[0]], c, 0) for c in folded]:
            letters.append(letter)
            accents.append("")
            cases.append(case)
    return tuple(letters), tuple(accents), tuple(cases)


def _case(character: str, folded: str) -> int:
    """Return 0 for a small letter, 1 for a letter that folds to others (ß), 2 for a capital."""
    if character == folded:
        return 0
    return 2 if character.isupper() else 1

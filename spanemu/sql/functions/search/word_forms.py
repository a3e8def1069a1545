"""Other regular forms of a word: album -> albums, classic -> classical, story -> stories.

A query knows no list of words, so forms are built: the word loses an ending, and gets others. Many
of them do not exist, and find nothing. With the extra "stems", a form counts only if it has the
stem of the word by Snowball's rules for the language; that excludes `care` for `car`. Without it,
English alone has forms, and only long words get endings that change what they mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_LIBRARY = "snowballstemmer"
_STEM_MIN = 3
_LONG_STEM_MIN = 5
_FORMS_MAX = 160

# The endings of each language by Snowball's name for it: of inflection first, then of derivation.
_LANGUAGES: dict[str, tuple[str, str, str]] = {
    "en": (
        "english",
        "s es ed ing ies ied y e",
        "er ers or ors al ally ly ment ments ation ations ion ions ness ity able ful",
    ),
    "de": ("german", "e en er es em n s", "lich ung ungen heit keit ig isch"),
    "fr": ("french", "s e es x", "er ez ent ant ement ation ations eur eurs"),
    "es": ("spanish", "s es o a os as", "ar er ir ado ada ando mente ción ciones"),
    "it": ("italian", "o a i e", "are ere ire ato ata ando mente zione zioni"),
    "nl": ("dutch", "en e s t d", "er ers ing ingen lijk"),
    "pt": ("portuguese", "s es o a os as", "ar er ir ado ada ando mente ção ções"),
    "sv": ("swedish", "en et ar er or na n a s", "are ning ningar lig ligt"),
}
# English doubles the last consonant before these endings: run, running.
_DOUBLING = ("ed", "ing", "er", "ers")

Stemmer = Callable[[str], str]


@lru_cache(maxsize=1024)
def forms(word: str, language: str = "") -> tuple[str, ...]:
    """Return other forms of a word in the language of a tag; without a tag, in English."""
    code = language.partition("-")[0] or "en"
    known = _LANGUAGES.get(code)
    if known is None or not word.isalpha():
        return ()
    name, inflections, derivations = known
    stem = _stemmer(name)
    if stem is None and code != "en":
        return ()
    built = dict.fromkeys(_built(word, inflections.split(), derivations.split()))
    built.pop(word, None)
    kept = [form for form in built if stem is None or stem(form) == stem(word)]
    return tuple(kept[:_FORMS_MAX])


def _built(word: str, inflections: list[str], derivations: list[str]) -> Iterator[str]:
    """Yield the word's stems, each with every ending that a stem of its length may have."""
    endings = ["", *inflections]
    for stem in _stems(word, [*endings, *derivations]):
        yield from (stem + ending for ending in endings)
        yield from (stem + stem[-1] + ending for ending in endings if ending in _DOUBLING)
        if len(stem) >= _LONG_STEM_MIN:
            yield from (stem + ending for ending in derivations)


def _stems(word: str, endings: list[str]) -> Iterator[str]:
    for ending in sorted(endings, key=len):
        stem = word.removesuffix(ending) if ending else word
        if (ending and stem == word) or len(stem) < _STEM_MIN:
            continue
        yield stem
        if ending in _DOUBLING and len(stem) > _STEM_MIN and stem[-1] == stem[-2]:
            yield stem[:-1]


@lru_cache(maxsize=16)
def _stemmer(language: str) -> Stemmer | None:
    """Return Snowball's function from a word to its stem, or None without the extra."""
    if find_spec(_LIBRARY) is None:
        return None
    library: Any = import_module(_LIBRARY)
    stem: Stemmer = library.stemmer(language).stemWord
    return stem

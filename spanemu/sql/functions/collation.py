"""COLLATE: sort keys of texts in the order of Unicode's root collation, without its data.

Three levels, each compared only where the ones before tie: the letters (spaces before punctuation
before symbols before digits before letters, expansions such as ß = ss made), then accents, then
case, small before capital. That is the order for languages that tailor nothing, which are the
ones accepted. ":ci" stops before case.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from spanemu.base.errors import Code, SpannerError, Unsupported
from spanemu.values.order import identity

_NAME = re.compile(r"(binary|(unicode|und|[a-z]{2,3}([_-]\w{2,8})*)(:c[is])?)", re.IGNORECASE)
_TAG = re.compile(r"([a-z]+)(?:[_-][a-z0-9]+)*(?::(ci|cs))?", re.IGNORECASE)
_UNTAILORED = frozenset({"und", "de", "en", "fr", "id", "it", "ms", "nl", "pt", "unicode"})
_RANKS = {"Z": 0, "C": 0, "P": 1, "S": 2, "N": 3, "L": 4}
_KEPT_TEXTS = 4_096


class UnknownCollation(SpannerError):
    """COLLATE with a name that is no collation."""

    code = Code.OUT_OF_RANGE
    prose = "COLLATE has invalid collation name '{name}'"
    name: str


def is_collation(tag: str) -> bool:
    """Whether `tag` names a collation, known here or not."""
    return _NAME.fullmatch(tag) is not None


@lru_cache(maxsize=64)
def collation_key(tag: str) -> Callable[[Any], Any]:
    """A function from texts to keys that compare as the collation does."""
    if tag.lower() == "binary":
        return identity
    found = _TAG.fullmatch(tag)
    if found is None or found.group(1).lower() not in _UNTAILORED:
        raise Unsupported(f"COLLATE '{tag}'")
    is_blind = (found.group(2) or "").lower() == "ci"
    return _without_case if is_blind else _full


def _without_case(text: str) -> Any:
    return _levels(text)[:2]


def _full(text: str) -> Any:
    return _levels(text)


@lru_cache(maxsize=_KEPT_TEXTS)
def _levels(text: str) -> tuple[Any, Any, Any]:
    letters: list[tuple[int, str]] = []
    accents: list[str] = []
    cases: list[int] = []
    for character in unicodedata.normalize("NFD", text):
        category = unicodedata.category(character)
        if category.startswith("M"):
            if accents:
                accents[-1] += character
            continue
        folded = character.casefold()
        case = _case(character, folded)
        for one in folded:
            letters.append((_RANKS[category[0]], one))
            accents.append("")
            cases.append(case)
    return tuple(letters), tuple(accents), tuple(cases)


def _case(character: str, folded: str) -> int:
    """0 for a small letter, 1 for one that only stands for others (ß), 2 for a capital."""
    if character == folded:
        return 0
    return 2 if character.isupper() else 1
